import BelfryPictures
import Support
import Testing

@Suite("A kept picture's pixels") struct PicturePixelsTests {
    /// A picture of `width` × `height` whose rows, each with its filter's number, inflation is said to give.
    private func pixels(_ width: Int, _ height: Int, colours: UInt8, rows: [UInt8], sideMax: Int = 256)
        -> PicturePixels?
    {
        let png =
            SmallPNG.signature + SmallPNG.header(width: width, height: height, colours: colours)
            + SmallPNG.chunk("IDAT", [1, 2]) + SmallPNG.chunk("IDAT", [3]) + SmallPNG.chunk("IEND", [])
        return KeptPicture(png).flatMap { kept in
            PicturePixels(of: kept, sideMax: sideMax) { compressed, bytes in
                compressed == [1, 2, 3] && bytes == rows.count ? rows : nil
            }
        }
    }

    @Test("each of PNG's filters is undone")
    func filters() {
        let rows: [UInt8] = [
            0, 10, 20, 30, 40, 50, 60, 1, 1, 2, 3, 4, 5, 6, 2, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 4, 1, 1, 1, 1, 1,
            1,
        ]
        let found = pixels(2, 5, colours: 2, rows: rows)
        #expect(found?.width == 2 && found?.height == 5 && found?.channels == 3)
        #expect(
            found?.bytes == [
                10, 20, 30, 40, 50, 60, 1, 2, 3, 5, 7, 9, 2, 3, 4, 6, 8, 10, 2, 2, 3, 5, 6, 7, 3, 3, 4, 6, 7, 8,
            ])
    }

    @Test("a larger one is made smaller, on both sides alike")
    func scaling() {
        let rows = [UInt8](repeating: 0, count: 4 * (8 * 4 + 1))
        let found = pixels(8, 4, colours: 6, rows: rows, sideMax: 4)
        #expect(found?.width == 4 && found?.height == 2 && found?.channels == 4 && found?.bytes.count == 32)
    }

    @Test("R18 what is too short, or names no filter, is none")
    func nonsense() {
        #expect(pixels(1, 1, colours: 2, rows: [0, 1, 2]) == nil)
        #expect(pixels(1, 1, colours: 2, rows: [5, 1, 2, 3]) == nil)
        #expect(pixels(1, 1, colours: 2, rows: [0, 1, 2, 3])?.bytes == [1, 2, 3])
    }
}
