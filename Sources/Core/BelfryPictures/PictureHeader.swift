import BelfryTerms

/// The picture formats that are decoded, told apart by content and never by a file name or a `Content-Type`.
public enum PictureFormat: String, Hashable, Sendable, CaseIterable {
    /// Portable Network Graphics.
    case png
    /// JPEG.
    case jpeg
    /// Graphics Interchange Format.
    case gif
    /// WebP.
    case webp

    /// How many bytes are enough to tell whether something is a picture.
    public static let signatureBytes = 16

    /// The format of what starts with `bytes`; nil for none of them, or for less than its signature.
    public init?(of bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBPVP8".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}

/// What the header of a picture says about it, read before anything decodes it.
public struct PictureHeader: Hashable, Sendable {
    /// Its format.
    public let format: PictureFormat
    /// Its width in pixels, as stored.
    public let width: Int
    /// Its height in pixels, as stored.
    public let height: Int

    /// Reads the header of a whole picture.
    ///
    /// Throws ``SkipReason/notAnImage``, ``SkipReason/decodeFailed`` if the header is damaged, or
    /// ``SkipReason/tooManyPixels``.
    public init(of picture: [UInt8]) throws(Skip) {
        guard let format = PictureFormat(of: picture) else { throw Self.notAnImage(picture) }
        let size: (width: Int, height: Int)?
        switch format {
        case .png: size = Self.sizeOfPNG(picture)
        case .jpeg: size = Self.sizeOfJPEG(picture)
        case .gif: size = GIFLayout(picture)?.size
        case .webp: size = WebPLayout(picture)?.size
        }
        guard let size else {
            throw Skip(.decodeFailed, "the \(format.rawValue) has no readable header, or is cut short")
        }
        _ = try Self.writtenSize(width: size.width, height: size.height)
        self.format = format
        width = size.width
        height = size.height
    }

    /// Width and height of what is written of a picture this large: at most ``FetchLimits/writtenSideMax`` on the long
    /// side, never enlarged, never empty.
    ///
    /// Throws ``SkipReason/tooManyPixels``, or ``SkipReason/decodeFailed`` for a picture of no size.
    public static func writtenSize(width: Int, height: Int) throws(Skip) -> (width: Int, height: Int) {
        guard width > 0, height > 0 else { throw Skip(.decodeFailed, "the picture has no size") }
        guard width <= FetchLimits.sideMax, height <= FetchLimits.sideMax, width * height <= FetchLimits.pixelsMax
        else {
            throw Skip(
                .tooManyPixels,
                "the picture has \(width) × \(height) pixels; at most \(FetchLimits.sideMax) a side and "
                    + "\(FetchLimits.pixelsMax) in all are decoded"
            )
        }
        let long = max(width, height)
        guard long > FetchLimits.writtenSideMax else { return (width, height) }
        func scaled(_ side: Int) -> Int { max(1, (side * FetchLimits.writtenSideMax + long / 2) / long) }
        return (scaled(width), scaled(height))
    }

    /// The reason to go without something that starts like none of the formats.
    public static func notAnImage(_ bytes: [UInt8]) -> Skip {
        let start = bytes.first { !$0.isWhiteSpace }
        let looks: String
        if bytes.isEmpty {
            looks = "nothing"
        } else if bytes.starts(with: [0x1F, 0x8B]) {
            looks = "something gzip-compressed, which was not asked for"
        } else if start == UInt8(ascii: "<") {
            looks = "something like HTML or SVG"
        } else {
            looks = "something else"
        }
        return Skip(.notAnImage, "the server sent \(looks); PNG, JPEG, GIF and WebP are taken")
    }

    /// From IHDR, which must be first (PNG 3, 5.6). A picture without its end is damaged, which libpng does not mind.
    private static func sizeOfPNG(_ picture: [UInt8]) -> (width: Int, height: Int)? {
        var reader = ByteReader(picture, at: 8)
        guard reader.bigEndian(4) == 13, reader.take(4)?.elementsEqual("IHDR".utf8) == true,
            let width = reader.bigEndian(4), let height = reader.bigEndian(4), reader.skip(5 + 4) != nil
        else { return nil }
        while true {
            guard let count = reader.bigEndian(4), let type = reader.take(4) else { return nil }
            if type.elementsEqual("IEND".utf8) { return (width, height) }
            guard reader.skip(count) != nil, reader.skip(4) != nil else { return nil }
        }
    }

    /// From the first start of frame (ITU-T T.81, B.2.2); whatever stands before it is skipped by its length.
    private static func sizeOfJPEG(_ picture: [UInt8]) -> (width: Int, height: Int)? {
        var reader = ByteReader(picture, at: 2)
        while true {
            guard reader.byte() == 0xFF, var marker = reader.byte() else { return nil }
            while marker == 0xFF {
                guard let next = reader.byte() else { return nil }
                marker = next
            }
            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard reader.skip(3) != nil, let height = reader.bigEndian(2), let width = reader.bigEndian(2) else {
                    return nil
                }
                return (width, height)
            case 0x01, 0xD0...0xD7: continue  // stand alone
            case 0x00, 0xD8...0xDA: return nil  // the picture starts, ends or scans before it has a size
            default:
                guard let count = reader.bigEndian(2), count >= 2, reader.skip(count - 2) != nil else { return nil }
            }
        }
    }
}

extension UInt8 {
    fileprivate var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) || self == 0xEF }
}

/// Reads numbers out of foreign bytes; past the end there is nil, never a trap.
struct ByteReader {
    private let bytes: [UInt8]
    /// Where the next read starts; may lie past the end.
    private(set) var offset: Int

    /// Reads `bytes` from `offset`, which is not negative.
    init(_ bytes: [UInt8], at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Bytes that are left.
    var leftCount: Int { max(0, bytes.count - offset) }

    /// The next byte.
    mutating func byte() -> Int? { bigEndian(1) }

    /// The next `count` bytes as a number, highest first; at most 4.
    mutating func bigEndian(_ count: Int) -> Int? {
        take(count)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next `count` bytes as a number, lowest first; at most 4.
    mutating func littleEndian(_ count: Int) -> Int? {
        take(count)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next `count` bytes; nil if fewer are left.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= leftCount else { return nil }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// Goes `count` bytes on; nil if fewer are left.
    mutating func skip(_ count: Int) -> Void? { take(count).map { _ in () } }
}
