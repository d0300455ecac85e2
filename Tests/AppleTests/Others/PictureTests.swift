import BelfryAppleGround
import ImageIO
import KeeperChannel
import Support
import Synchronization
import Testing
import UIKit

/// Pictures as extensions handle them: their size, their encodings, their thumbnails.
@Suite struct PictureTests {
    private let folder = TemporaryFolder()
    /// A GIF of one red pixel.
    private static let gif: [UInt8] =
        Array("GIF89a".utf8) + [
            1, 0, 1, 0, 0x80, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B,
        ]

    @Test("a picture has its size before anything decodes it, and other encodings after") func encodings() throws {
        let image = try #require(UIImage(data: Data(Self.gif)))
        #expect(image.size == CGSize(width: 1, height: 1) && image.scale == 1)
        let png = try #require(image.pngData())
        #expect(png.starts(with: SmallPNG.signature) && UIImage(data: png, scale: 2)?.size.width == 0.5)
        let jpeg = try #require(image.jpegData(compressionQuality: 0.8))
        #expect(jpeg.starts(with: [0xFF, 0xD8, 0xFF]) && UIImage(data: jpeg)?.cgImage?.height == 1)
    }

    @Test("what is no picture, or beyond the limits of pictures, is none") func refuses() {
        #expect(UIImage(data: Data("<html>".utf8)) == nil && UIImage(data: Data()) == nil)
        #expect(UIImage(data: Data(SmallPNG.bytes(width: 20_000, height: 20_000))) == nil)
        #expect(UIImage(contentsOfFile: "\(folder.path)/none.png") == nil && UIImage(named: "none") == nil)
        // A header is enough to be one, whatever its pixels are.
        #expect(UIImage(data: Data(SmallPNG.bytes()))?.size.width == 2)
        let cut = UIImage(data: Data(Self.gif.prefix(28)))
        #expect(cut?.pngData() == nil)
        #expect(UIImage().size == .zero && UIImage().pngData() == nil)
    }

    @Test("a file's name tells its scale") func scale() {
        let path = folder.write(Self.gif, to: "icon@2x.gif")
        #expect(UIImage(contentsOfFile: path)?.scale == 2)
    }

    @Test("a picture that is to lie another way is not turned, with a warning") func orientation() throws {
        let image = try #require(UIImage(data: Data(Self.gif))?.cgImage)
        let said = Mutex<[String]>([])
        let door = KeeperDoor.open(KeeperGreeting(stateDirectory: folder.path, memoryBytesMax: 1)) { word in
            if case .warning(_, let detail) = word { said.withLock { $0.append(detail) } }
        }
        defer { door.close() }
        func warned() -> Bool { said.withLock { $0.contains { $0.contains("orientation") } } }
        door.run {
            #expect(UIImage(cgImage: image, scale: 2, orientation: .up).scale == 2 && !warned())
            #expect(UIImage(cgImage: image, scale: 1, orientation: .left).imageOrientation == .up && warned())
        }
    }

    @Test("a source tells type and size, and makes thumbnails where it is asked to") func thumbnails() throws {
        let wide = try #require(UIImage(data: Data(Self.gif))?.pngData())
        let url = URL(fileURLWithPath: folder.write([UInt8](wide), to: "a.png")) as CFURL
        let source = try #require(CGImageSourceCreateWithURL(url, nil))
        #expect(CGImageSourceGetType(source) == "public.png" && CGImageSourceGetCount(source) == 1)
        let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [String: Any]
        #expect(properties?[kCGImagePropertyPixelWidth as String] as? Int == 1)
        let options =
            [
                kCGImageSourceThumbnailMaxPixelSize: 8, kCGImageSourceCreateThumbnailFromImageAlways: true,
            ] as [CFString: Any]
        #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary)?.width == 1)
        #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, nil) == nil)
        #expect(CGImageSourceCreateImageAtIndex(source, 1, nil) == nil)
        #expect(CGImageSourceCreateWithData(Data("x".utf8) as CFData, nil) == nil)
    }

    @Test("a picture is written as PNG or JPEG, in a file or in data, and smaller if that is asked for") func written()
        throws
    {
        let image = try #require(UIImage(data: Self.bitmap(width: 100, height: 40))?.cgImage)
        let url = URL(fileURLWithPath: "\(folder.path)/small.jpg")
        let file = try #require(CGImageDestinationCreateWithURL(url as CFURL, "public.jpeg" as CFString, 1, nil))
        #expect(!CGImageDestinationFinalize(file))
        let options: [CFString: Any] = [
            kCGImageDestinationLossyCompressionQuality: 0.5, kCGImageDestinationImageMaxPixelSize: 50,
        ]
        CGImageDestinationAddImage(file, image, options as CFDictionary)
        #expect(CGImageDestinationFinalize(file))
        #expect(
            try Data(contentsOf: url).starts(with: [0xFF, 0xD8]) && UIImage(contentsOfFile: url.path)?.size.width == 50)
        let data = NSMutableData()
        let memory = try #require(CGImageDestinationCreateWithData(data, "public.png" as CFString, 1, nil))
        let source = try #require(CGImageSourceCreateWithURL(url as CFURL, nil))
        CGImageDestinationAddImageFromSource(memory, source, 0, nil)
        #expect(CGImageDestinationFinalize(memory) && UIImage(data: data as Data)?.size.height == 20)
        let nowhere = URL(fileURLWithPath: "/nowhere/a.png") as CFURL
        let lost = try #require(CGImageDestinationCreateWithURL(nowhere, "public.png" as CFString, 1, nil))
        CGImageDestinationAddImage(lost, image, nil)
        #expect(!CGImageDestinationFinalize(lost))
        #expect(CGImageDestinationCreateWithData(data, "public.heic" as CFString, 1, nil) == nil)
        #expect(CGImageDestinationCreateWithData(data, "public.png" as CFString, 2, nil) == nil)
    }

    @Test("a thumbnail is no longer than it may be, and keeps its shape") func scaled() throws {
        let flat = Self.bitmap(width: 100, height: 40)
        let source = try #require(CGImageSourceCreateWithData(flat as CFData, nil))
        func side(_ side: Int) -> CGImage? {
            let options: [String: Any] = [
                kCGImageSourceThumbnailMaxPixelSize as String: side,
                kCGImageSourceCreateThumbnailFromImageIfAbsent as String: true,
            ]
            return CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary)
        }
        #expect(side(50)?.width == 50 && side(50)?.height == 20)
        #expect(side(500)?.width == 100)
        #expect(UIImage(cgImage: try #require(side(10))).jpegData(compressionQuality: 1)?.isEmpty == false)
    }

    @Test("the device is one that stays the same") func device() {
        #expect(UIDevice.current.systemName == "iOS")
        #expect(UIDevice.current.identifierForVendor == UIDevice.current.identifierForVendor)
    }

    /// A GIF of one colour: for each pixel a code of its own, and a clear code before each.
    private static func bitmap(width: Int, height: Int) -> Data {
        var bits: [Bool] = []
        func put(_ code: Int) { for bit in 0..<3 { bits.append(code >> bit & 1 == 1) } }
        for _ in 0..<width * height {
            put(4)
            put(0)
        }
        put(5)
        let codes = stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 | (start + $1 < bits.count && bits[start + $1] ? 1 << UInt8($1) : 0) }
        }
        let blocks = stride(from: 0, to: codes.count, by: 255).flatMap { start in
            let block = codes[start..<min(start + 255, codes.count)]
            return [UInt8(block.count)] + block
        }
        let size = [UInt8(width), 0, UInt8(height), 0]
        return Data(
            Array("GIF89a".utf8) + size + [0x80, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0] + size + [0, 2] + blocks
                + [0, 0x3B])
    }
}
