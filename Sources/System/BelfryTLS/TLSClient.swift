public import BelfryTerms
import CBelfryOpenSSL

/// The client's end of one TLS connection over a socket that does not block, to a server whose certificate names its
/// host and is of an authority that was given, and to no other.
@safe
public final class TLSClient {
    /// Why a handshake failed.
    public enum Failure: Hashable, Sendable {
        /// The server's certificate is of no authority that is trusted, or not valid now, or not for this host; why.
        case untrusted(String)
        /// What came is no TLS.
        case noTLS
        /// The server went.
        case left
        /// Anything else, in OpenSSL's words.
        case other(String)
    }

    private let connection: OpaquePointer
    /// Why the handshake failed; nil if it did not.
    public private(set) var failure: Failure?

    /// The client's end of a connection over `socket`, which stays its owner's, to `host`, a name or an address. The
    /// authorities are those in the PEM file `authority`, and no others.
    ///
    /// The process must ignore SIGPIPE, as for all TLS here.
    public init(to host: String, trusting authority: [UInt8], socket: Int32) throws(TLSFailure) {
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw TLSFailure.last("no TLS") }
        // The connection refers to it.
        defer { unsafe SSL_CTX_free(context) }
        guard unsafe copenssl_prepare(context) == 1 else { throw TLSFailure.last("no TLS") }
        try unsafe Self.trust(authority, context)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        guard let connection = unsafe SSL_new(context) else { throw TLSFailure.last("no connection") }
        unsafe self.connection = connection
        guard unsafe SSL_set_fd(connection, socket) == 1, unsafe copenssl_expect_host(connection, host) == 1 else {
            throw TLSFailure.last("no connection")
        }
        unsafe SSL_set_connect_state(connection)
        ERR_clear_error()
    }

    deinit { unsafe SSL_free(connection) }

    private static func trust(_ authority: [UInt8], _ context: OpaquePointer) throws(TLSFailure) {
        let text = try MemoryText(authority)
        let store = unsafe SSL_CTX_get_cert_store(context)
        var isTrusted = false
        while let certificate = unsafe copenssl_read_certificate(text.bio) {
            isTrusted = unsafe X509_STORE_add_cert(store, certificate) == 1 || isTrusted
            unsafe X509_free(certificate)
        }
        guard isTrusted else { throw TLSFailure.last("there is no certificate of an authority") }
    }

    /// Goes on with the handshake.
    public func handshake() -> TLSConnection.Outcome {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(connection)
        let outcome = unsafe TLSConnection.Outcome(of: result, count: 0, on: connection)
        if outcome == .failed || outcome == .ended { failure = reason() }
        return outcome
    }

    /// Why a handshake has failed, by what OpenSSL says of it first.
    private func reason() -> Failure {
        let code = ERR_peek_error()
        // The socket's error, or none at all.
        guard code != 0, ERR_GET_LIB(code) != ERR_LIB_SYS else { return .left }
        switch ERR_GET_REASON(code) {
        case SSL_R_CERTIFICATE_VERIFY_FAILED:
            let result = unsafe SSL_get_verify_result(connection)
            return .untrusted(unsafe String(cString: X509_verify_cert_error_string(result)))
        case SSL_R_WRONG_VERSION_NUMBER: return .noTLS
        case SSL_R_UNEXPECTED_EOF_WHILE_READING: return .left
        default:
            guard let text = unsafe ERR_reason_error_string(code) else { return .other("error \(code)") }
            return .other(unsafe String(cString: text))
        }
    }

    /// Until when the server's certificate is valid; nil before the handshake.
    public var certificateEnd: WallTime? {
        guard let certificate = unsafe SSL_get0_peer_certificate(connection) else { return nil }
        return unsafe Certificate.time(X509_get0_notAfter(certificate))
    }

    /// Reads the bytes that are there into `room`, as many as fit.
    public func read(into room: UnsafeMutableRawBufferPointer) -> TLSConnection.Outcome {
        ERR_clear_error()
        var count = 0
        let result = unsafe SSL_read_ex(connection, room.baseAddress, room.count, &count)
        return unsafe TLSConnection.Outcome(of: result, count: count, on: connection)
    }

    /// Writes what the socket takes of `bytes`.
    public func write(_ bytes: UnsafeRawBufferPointer) -> TLSConnection.Outcome {
        ERR_clear_error()
        var count = 0
        let result = unsafe SSL_write_ex(connection, bytes.baseAddress, bytes.count, &count)
        return unsafe TLSConnection.Outcome(of: result, count: count, on: connection)
    }

    /// Ends our side of the connection (`close_notify`).
    public func close() {
        ERR_clear_error()
        _ = unsafe SSL_shutdown(connection)
        ERR_clear_error()
    }
}
