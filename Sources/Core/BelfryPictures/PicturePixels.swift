/// The pixels of a kept picture, for those who draw it.
public struct PicturePixels: Hashable, Sendable {
    /// How many pixels a row has.
    public let width: Int
    /// How many rows there are.
    public let height: Int
    /// 3 for RGB, 4 for RGBA.
    public let channels: Int
    /// The rows from the top, each of `width` × `channels` bytes.
    public let bytes: [UInt8]

    /// The pixels of `kept`, made smaller so that no side is longer than `sideMax`; nil if they cannot be read.
    ///
    /// - Parameter inflate: undoes zlib's compression; nil unless exactly so many bytes come out.
    public init?(of kept: KeptPicture, sideMax: Int, inflate: (_ compressed: [UInt8], _ bytes: Int) -> [UInt8]?) {
        guard let picture = Self.data(of: kept.bytes) else { return nil }
        let rowBytes = picture.width * picture.channels
        let bytesMax = (rowBytes + 1) * picture.height
        guard var rows = inflate(picture.compressed, bytesMax), rows.count == bytesMax,
            Self.unfilter(&rows, rowBytes: rowBytes, channels: picture.channels)
        else { return nil }
        let side = max(picture.width, picture.height)
        width = side > sideMax ? max(1, picture.width * sideMax / side) : picture.width
        height = side > sideMax ? max(1, picture.height * sideMax / side) : picture.height
        channels = picture.channels
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * channels)
        for row in 0..<height {
            let start = (row * picture.height / height) * (rowBytes + 1) + 1
            for column in 0..<width {
                let at = start + column * picture.width / width * channels
                bytes += rows[at..<(at + channels)]
            }
        }
        self.bytes = bytes
    }

    private static func data(of png: [UInt8]) -> (width: Int, height: Int, channels: Int, compressed: [UInt8])? {
        guard var chunks = PNGChunks(png), let header = chunks.next(), header.data.count == 13 else { return nil }
        let numbers = Array(header.data)
        func number(_ at: Int) -> Int { numbers[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
        var compressed: [UInt8] = []
        while let chunk = chunks.next() {
            if chunk.isOf("IDAT") { compressed += chunk.data }
        }
        return (number(0), number(4), numbers[9] == 6 ? 4 : 3, compressed)
    }

    /// Undoes the filter that each row's first byte names; false if a row names none of PNG's.
    private static func unfilter(_ rows: inout [UInt8], rowBytes: Int, channels: Int) -> Bool {
        for start in stride(from: 0, to: rows.count, by: rowBytes + 1) {
            let filter = rows[start]
            guard filter <= 4 else { return false }
            guard filter > 0 else { continue }
            for index in (start + 1)...(start + rowBytes) {
                let left = index - start > channels ? rows[index - channels] : 0
                let above = start > 0 ? rows[index - rowBytes - 1] : 0
                let corner = start > 0 && index - start > channels ? rows[index - rowBytes - 1 - channels] : 0
                let predicted: UInt8 =
                    switch filter {
                    case 1: left
                    case 2: above
                    case 3: UInt8((Int(left) + Int(above)) / 2)
                    default: paeth(Int(left), Int(above), Int(corner))
                    }
                rows[index] &+= predicted
            }
        }
        return true
    }

    private static func paeth(_ left: Int, _ above: Int, _ corner: Int) -> UInt8 {
        let estimate = left + above - corner
        let (toLeft, toAbove, toCorner) = (abs(estimate - left), abs(estimate - above), abs(estimate - corner))
        return UInt8(toLeft <= toAbove && toLeft <= toCorner ? left : toAbove <= toCorner ? above : corner)
    }
}
