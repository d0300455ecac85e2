import CBelfryOpenSSL
import Glibc

/// What OpenSSL holds, counted so that what strangers make it hold can be bounded.
///
/// OpenSSL makes room for the length that a message *declares*, before any of it has come: up to 131,396 bytes for a
/// ClientHello of nine (CLIENT_HELLO_MAX_LENGTH in its statem_local.h). No setting of OpenSSL bounds that, but its
/// allocations can be refused.
@safe
public enum TLSMemory {
    /// The largest piece that a connection may have: records and their buffers take 17 KiB, messages of 16 KiB as much
    /// as 21 KiB.
    static let pieceBytesMax = 32 << 10
    // OpenSSL is used by one thread alone where this is counted.
    fileprivate nonisolated(unsafe) static var held = 0
    fileprivate nonisolated(unsafe) static var pieceMax = Int.max

    /// Has OpenSSL's memory counted in this process, for good; false if OpenSSL has been used before. OpenSSL may then
    /// be used by one thread alone.
    public static func count() -> Bool { unsafe CRYPTO_set_mem_functions(allocate, resize, release) == 1 }

    /// Does `work` for a connection, with no piece larger than it may have, and adds to `bytes` what is held after it
    /// and was not before.
    static func charge<Result>(_ bytes: inout Int, _ work: () -> Result) -> Result {
        let before = unsafe held
        unsafe pieceMax = pieceBytesMax
        defer {
            unsafe pieceMax = Int.max
            unsafe bytes += held - before
        }
        return work()
    }
}

private func allocate(_ count: Int, _ file: UnsafePointer<CChar>?, _ line: Int32) -> UnsafeMutableRawPointer? {
    guard unsafe count <= TLSMemory.pieceMax, let memory = unsafe malloc(count) else { return nil }
    unsafe TLSMemory.held += malloc_usable_size(memory)
    return unsafe memory
}

private func resize(
    _ memory: UnsafeMutableRawPointer?, _ count: Int, _ file: UnsafePointer<CChar>?, _ line: Int32
) -> UnsafeMutableRawPointer? {
    guard unsafe count <= TLSMemory.pieceMax else { return nil }
    let before = unsafe malloc_usable_size(memory)
    guard let moved = unsafe realloc(memory, count) else { return nil }
    unsafe TLSMemory.held += malloc_usable_size(moved) - before
    return unsafe moved
}

private func release(_ memory: UnsafeMutableRawPointer?, _ file: UnsafePointer<CChar>?, _ line: Int32) {
    unsafe TLSMemory.held -= malloc_usable_size(memory)
    unsafe free(memory)
}
