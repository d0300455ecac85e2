import CBelfryOpenSSL

/// What OpenSSL could not do, or what is wrong with what it was given.
public struct TLSFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// For people, without a full stop.
    public let description: String

    /// A failure.
    public init(_ description: String) { self.description = description }

    /// OpenSSL's last error, about `what`; clears it.
    static func last(_ what: String) -> TLSFailure {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let reason = unsafe ERR_reason_error_string(code) else { return TLSFailure(what) }
        return TLSFailure("\(what): \(unsafe String(cString: reason))")
    }
}

/// Text in memory as OpenSSL reads and writes it.
@safe
final class MemoryText {
    let bio: OpaquePointer

    /// Text to read.
    init(_ bytes: [UInt8]) throws(TLSFailure) {
        guard bytes.count <= Int(Int32.max),
            let bio = unsafe bytes.withUnsafeBytes({ unsafe BIO_new_mem_buf($0.baseAddress, Int32($0.count)) })
        else { throw TLSFailure.last("no text") }
        // OpenSSL does not copy what it reads.
        self.kept = bytes
        unsafe self.bio = bio
    }

    private let kept: [UInt8]

    /// Text to write.
    init() throws(TLSFailure) {
        kept = []
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw TLSFailure.last("no text") }
        unsafe self.bio = bio
    }

    deinit { unsafe BIO_free(bio) }

    /// What was written.
    var bytes: [UInt8] {
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe copenssl_memory(bio, &start)
        guard let start = unsafe start, count > 0 else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
