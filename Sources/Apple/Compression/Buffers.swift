import BelfryAppleGround
import BelfryTerms
@_exported public import Foundation

/// How something is compressed. Source: Apple, `compression_algorithm`.
public struct compression_algorithm: RawRepresentable, Hashable, Sendable {
    /// Apple's number.
    public let rawValue: UInt32

    /// The algorithm with Apple's number `rawValue`.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The algorithm with Apple's number `rawValue`.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// Deflate as in RFC 1951, without a head: by zlib.
public let COMPRESSION_ZLIB = compression_algorithm(0x205)
/// LZFSE: refused.
public let COMPRESSION_LZFSE = compression_algorithm(0x801)
/// LZ4 with Apple's frames: refused.
public let COMPRESSION_LZ4 = compression_algorithm(0x100)
/// LZ4 without frames: refused.
public let COMPRESSION_LZ4_RAW = compression_algorithm(0x101)
/// LZMA: refused.
public let COMPRESSION_LZMA = compression_algorithm(0x306)
/// Brotli: refused.
public let COMPRESSION_BROTLI = compression_algorithm(0xB02)

/// Decompresses `src_buffer` into `dst_buffer`.
///
/// - Returns: how many bytes were written: `dst_size` if there is no room for more; 0 if the source is damaged, or,
///   with a warning, compressed by anything but zlib.
public func compression_decode_buffer(
    _ dst_buffer: UnsafeMutablePointer<UInt8>, _ dst_size: Int, _ src_buffer: UnsafePointer<UInt8>, _ src_size: Int,
    _ scratch_buffer: UnsafeMutableRawPointer?, _ algorithm: compression_algorithm
) -> Int {
    unsafe run(true, dst_buffer, dst_size, src_buffer, src_size, algorithm)
}

/// Compresses `src_buffer` into `dst_buffer`.
///
/// - Returns: how many bytes were written; 0 if they do not fit, or, with a warning, for anything but zlib.
public func compression_encode_buffer(
    _ dst_buffer: UnsafeMutablePointer<UInt8>, _ dst_size: Int, _ src_buffer: UnsafePointer<UInt8>, _ src_size: Int,
    _ scratch_buffer: UnsafeMutableRawPointer?, _ algorithm: compression_algorithm
) -> Int {
    unsafe run(false, dst_buffer, dst_size, src_buffer, src_size, algorithm)
}

/// How much memory decompressing wants of the caller: none.
public func compression_decode_scratch_buffer_size(_ algorithm: compression_algorithm) -> Int { 0 }

/// How much memory compressing wants of the caller: none.
public func compression_encode_scratch_buffer_size(_ algorithm: compression_algorithm) -> Int { 0 }

private func run(
    _ inflates: Bool, _ target: UnsafeMutablePointer<UInt8>, _ targetSize: Int, _ source: UnsafePointer<UInt8>,
    _ sourceSize: Int, _ algorithm: compression_algorithm
) -> Int {
    guard algorithm == COMPRESSION_ZLIB else {
        KeeperDoor.warn(.unsupported, "Compression: the algorithm 0x\(String(algorithm.rawValue, radix: 16))")
        return 0
    }
    guard targetSize > 0, sourceSize > 0 else { return 0 }
    return unsafe Zlib.run(
        inflates: inflates, UnsafeBufferPointer(start: source, count: sourceSize),
        into: UnsafeMutableBufferPointer(start: target, count: targetSize))
}
