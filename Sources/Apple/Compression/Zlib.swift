import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms
import CBelfryZlib

/// zlib, which is opened when something is first decompressed or compressed.
enum Zlib {
    /// How hard Apple's encoder tries. Source: Apple, `COMPRESSION_ZLIB`: the level of zlib's that is 5.
    private static let level: Int32 = 5
    private static let memoryLevel: Int32 = 8
    /// The version whose layout of a stream this is: zlib refuses another one.
    private static let version = "1.2.11"

    private static let opened = Result { () throws(SystemError) in
        let library = try DynamicLibrary("libz.so.1")
        var calls = czlib_calls()
        unsafe calls.begin_inflating = try library.function("inflateInit2_")
        unsafe calls.inflate = try library.function("inflate")
        unsafe calls.end_inflating = try library.function("inflateEnd")
        unsafe calls.begin_deflating = try library.function("deflateInit2_")
        unsafe calls.deflate = try library.function("deflate")
        unsafe calls.end_deflating = try library.function("deflateEnd")
        return calls
    }

    /// What was written of `source` into `target`: all of it, or, inflated, as much as there is room for. 0 if `source`
    /// is damaged or cut short, or, deflated, does not fit.
    static func run(
        inflates: Bool, _ source: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard let calls = try? opened.get() else {
            KeeperDoor.warn(.unsupported, "Compression: zlib cannot be opened; install zlib1g")
            return 0
        }
        guard let sourceCount = UInt32(exactly: source.count), let targetCount = UInt32(exactly: target.count) else {
            return 0
        }
        var stream = unsafe czlib_stream()
        unsafe stream.next_in = source.baseAddress
        unsafe stream.avail_in = sourceCount
        unsafe stream.next_out = target.baseAddress
        unsafe stream.avail_out = targetCount
        let size = Int32(unsafe MemoryLayout<czlib_stream>.size)
        if inflates {
            let begun = unsafe calls.begin_inflating(&stream, Int32(CZLIB_RAW_BITS), version, size)
            guard begun == CZLIB_OK else {
                return 0
            }
            defer { _ = unsafe calls.end_inflating(&stream) }
            let result = unsafe calls.inflate(&stream, Int32(CZLIB_FINISH))
            let isFull = result == Int32(CZLIB_BUFFER_ERROR) || result == CZLIB_OK
            let left = unsafe stream.avail_out
            guard result == CZLIB_STREAM_END || isFull && left == 0 else { return 0 }
        } else {
            let begun = unsafe calls.begin_deflating(
                &stream, level, Int32(CZLIB_DEFLATED), Int32(CZLIB_RAW_BITS), memoryLevel, 0, version, size)
            guard begun == CZLIB_OK else { return 0 }
            defer { _ = unsafe calls.end_deflating(&stream) }
            guard unsafe calls.deflate(&stream, Int32(CZLIB_FINISH)) == CZLIB_STREAM_END else { return 0 }
        }
        return unsafe target.count - Int(stream.avail_out)
    }
}
