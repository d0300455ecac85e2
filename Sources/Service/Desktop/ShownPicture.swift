import BelfryBus
import BelfryPictures
import BelfrySyscalls

/// A caller's picture as a notification carries it: pixels, since a server that was given the file would read it by
/// means that are not made for what strangers send.
///
/// The file is one of ``KeptPicture``, which the fetcher has written anew; anything else is not shown.
struct ShownPicture {
    /// How many pixels a side has at most.
    static let sideMax = 256

    private var known: (path: String, value: BusValue?)?

    /// The hint `image-data` for the file at `path`; nil if it cannot be shown.
    mutating func hint(of path: String) -> BusValue? {
        if let known, known.path == path { return known.value }
        let value = Self.read(path)
        known = (path, value)
        return value
    }

    private static func read(_ path: String) -> BusValue? {
        guard let content = try? readFile(at: path, bytesMax: FetchLimits.writtenBytesMax),
            let kept = KeptPicture(content.bytes),
            let pixels = PicturePixels(of: kept, sideMax: sideMax, inflate: Inflation.of)
        else { return nil }
        return .structure([
            .int32(Int32(pixels.width)), .int32(Int32(pixels.height)), .int32(Int32(pixels.width * pixels.channels)),
            .bool(pixels.channels == 4), .int32(8), .int32(Int32(pixels.channels)), .bytes(pixels.bytes),
        ])
    }
}

/// zlib, opened for the first picture.
private enum Inflation {
    private typealias Uncompress =
        @convention(c) (
            UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt>?, UnsafePointer<UInt8>?, UInt
        ) -> Int32

    /// The `count` bytes that `compressed` stands for (`uncompress`); nil unless it is exactly so many.
    static func of(_ compressed: [UInt8], _ count: Int) -> [UInt8]? {
        guard let library = try? DynamicLibrary("libz.so.1"),
            let uncompress: Uncompress = unsafe try? library.function("uncompress")
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        var length = UInt(count)
        let result = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            unsafe compressed.withUnsafeBufferPointer { compressed in
                unsafe uncompress(bytes.baseAddress, &length, compressed.baseAddress, UInt(compressed.count))
            }
        }
        return result == 0 && length == UInt(count) ? bytes : nil
    }
}
