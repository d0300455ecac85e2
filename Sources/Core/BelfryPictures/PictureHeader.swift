import BelfryTerms

/// The picture formats that are decoded, identified by content and never by a file name or a `Content-Type`.
public enum PictureFormat: String, Hashable, Sendable, CaseIterable {
    /// Portable Network Graphics.
    case png
    /// JPEG.
    case jpeg
    /// Graphics Interchange Format.
    case gif
    /// WebP.
    case webp

    /// How many bytes are enough to identify a picture.
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
        case .jpeg:
            let layout = JPEGLayout(picture)
            guard layout.map({ $0.scanCount <= FetchLimits.scansMax }) ?? true else {
                throw Skip(.decodeFailed, "the jpeg has more than \(FetchLimits.scansMax) scans, too many to decode")
            }
            size = layout?.size
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
        guard var chunks = PNGChunks(picture), let header = chunks.next(), header.isOf("IHDR") else { return nil }
        var reader = ByteReader(Array(header.data))
        guard header.data.count == 13, let width = reader.bigEndian(4), let height = reader.bigEndian(4) else {
            return nil
        }
        while let chunk = chunks.next() {
            if chunk.isEnd { return (width, height) }
        }
        return nil
    }
}

/// The size of a JPEG, and in how many scans its pixels come (ITU-T T.81, B.1.1 and B.2).
struct JPEGLayout {
    /// What the first start of frame says.
    let size: (width: Int, height: Int)
    /// How many scans there are. Each costs a decoder as much as a whole picture, however few bytes it has.
    let scanCount: Int

    /// Reads `picture`, which starts with a JPEG's signature; nil unless there is a start of frame before any scan.
    ///
    /// Every segment before the start of frame is skipped by its length.
    init?(_ picture: [UInt8]) {
        var reader = ByteReader(picture, at: 2)
        while true {
            guard reader.byte() == 0xFF, var marker = reader.byte() else { return nil }
            while marker == 0xFF {
                guard let next = reader.byte() else { return nil }
                marker = next
            }
            switch marker {
            case 0x01, 0xD0...0xD7: continue  // stand alone
            case 0x00, 0xD8...0xDA: return nil  // the picture starts, ends or scans before it has a size
            default: break
            }
            let start = reader.offset
            guard let count = reader.bigEndian(2), count >= 2 else { return nil }
            if Self.isStartOfFrame(marker) {
                guard reader.skip(1) != nil, let height = reader.bigEndian(2), let width = reader.bigEndian(2) else {
                    return nil
                }
                size = (width, height)
                scanCount = Self.scanCount(in: picture, from: start + count)
                return
            }
            guard reader.skip(count - 2) != nil else { return nil }
        }
    }

    private static func isStartOfFrame(_ marker: Int) -> Bool {
        switch marker {
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: true
        default: false
        }
    }

    /// How many scans start between `start` and the end of the picture. It skips exactly what libjpeg skips, so that no
    /// scan can hide.
    private static func scanCount(in picture: [UInt8], from start: Int) -> Int {
        var scanCount = 0
        var index = start
        while index < picture.count, let place = picture[index...].firstIndex(of: 0xFF), place + 3 < picture.count {
            switch picture[place + 1] {
            case 0xFF: index = place + 1
            // Pixels: a byte that is no marker, a marker between them, or one that has no meaning.
            case 0x00...0xBF, 0xD0...0xD7: index = place + 2
            case 0xD9: return scanCount
            case let marker:
                if marker == 0xDA { scanCount += 1 }
                index = place + 2 + max(2, Int(picture[place + 2]) << 8 | Int(picture[place + 3]))
            }
        }
        return scanCount
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
