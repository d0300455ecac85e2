import CBelfryOpenSSL

/// What a server shows to its clients, and which of their certificates it ends a handshake for.
@safe
public final class TLSServer {
    let context: OpaquePointer
    /// The fingerprints of certificates whose handshake ends with the alert that they were revoked.
    public var revoked: Set<[UInt8]> = []

    /// A server that shows the certificates in the PEM file `chain`, its own first, and has the key of the first.
    public init(chain: [UInt8], key: SigningKey) throws(TLSFailure) {
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else { throw TLSFailure.last("no TLS") }
        unsafe self.context = context
        let text = try MemoryText(chain)
        guard unsafe copenssl_prepare(context) == 1, let own = unsafe copenssl_read_certificate(text.bio) else {
            throw TLSFailure.last("there is no certificate of the server")
        }
        defer { unsafe X509_free(own) }
        guard unsafe SSL_CTX_use_certificate(context, own) == 1,
            unsafe SSL_CTX_use_PrivateKey(context, key.key) == 1
        else { throw TLSFailure.last("the server's certificate and key do not belong together") }
        unsafe SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil)
        // Asks for a certificate; a client without one still gets through, and has to send tokens.
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        let server = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe SSL_CTX_set_cert_verify_callback(context, judgeCertificate, server)
        ERR_clear_error()
    }

    deinit { unsafe SSL_CTX_free(context) }
}

/// HTTP/2 or nothing, where a client says what it speaks.
private func selectProtocol(
    _ connection: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenCount: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredCount: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let offered = unsafe offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    let names = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
    var index = 0
    while index < names.count {
        let count = Int(unsafe names[index])
        let start = index + 1
        guard start + count <= names.count else { break }
        if unsafe names[start..<(start + count)].elementsEqual("h2".utf8) {
            unsafe chosen?.pointee = offered + start
            unsafe chosenCount?.pointee = UInt8(count)
            return SSL_TLSEXT_ERR_OK
        }
        index = start + count
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

/// Accepts every certificate that is valid now and was not revoked, so that the answer to an unknown one is an HTTP/2
/// answer. A certificate is identified by its fingerprint and not by its issuer.
private func judgeCertificate(_ store: OpaquePointer?, _ server: UnsafeMutableRawPointer?) -> Int32 {
    guard let server = unsafe server, let leaf = unsafe X509_STORE_CTX_get0_cert(store) else { return 0 }
    let revoked = unsafe Unmanaged<TLSServer>.fromOpaque(server).takeUnretainedValue().revoked
    guard let fault = unsafe fault(of: leaf, revoked: revoked) else { return 1 }
    // The alert of an expired certificate is also that of one that is not currently valid (RFC 8446, 6.2).
    unsafe X509_STORE_CTX_set_error(
        store, fault == .revoked ? X509_V_ERR_CERT_REVOKED : X509_V_ERR_CERT_HAS_EXPIRED)
    let owner = unsafe X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())
    if let owner = unsafe owner, let context = unsafe SSL_get_ex_data(OpaquePointer(owner), 0) {
        unsafe Unmanaged<TLSConnection>.fromOpaque(context).takeUnretainedValue().note(refused: leaf, fault)
    }
    return 0
}

/// What a certificate's handshake ends for; nil if it is valid.
private func fault(of leaf: OpaquePointer, revoked: Set<[UInt8]>) -> CertificateFault? {
    if unsafe X509_cmp_current_time(X509_get0_notAfter(leaf)) <= 0 { return .expired }
    if unsafe X509_cmp_current_time(X509_get0_notBefore(leaf)) >= 0 { return .notYet }
    return unsafe revoked.contains(Certificate.fingerprint(of: leaf)) ? .revoked : nil
}

/// Why a certificate's handshake ends.
public enum CertificateFault: Hashable, Sendable {
    /// It has expired.
    case expired
    /// It is not valid yet.
    case notYet
    /// It is one of ``TLSServer/revoked``.
    case revoked
}

/// Why a handshake failed.
public enum HandshakeFailure: Hashable, Sendable {
    /// What came is no TLS.
    case noTLS
    /// The client offers protocols, and HTTP/2 is none of them.
    case noHTTP2
    /// The client's certificate, ``TLSConnection/refusedCertificate``, is not valid.
    case certificate(CertificateFault)
    /// The client does not trust the server's certificate.
    case untrusted
    /// The client went.
    case left
    /// Anything else, in OpenSSL's words.
    case other(String)
}

/// The server's end of one TLS connection over a socket that does not block.
@safe
public final class TLSConnection {
    /// The result of an attempt.
    public enum Outcome: Hashable, Sendable {
        /// So many bytes went through; none where a handshake is complete.
        case done(Int)
        /// Again once there is something to read.
        case wantsToRead
        /// Again once something can be written.
        case wantsToWrite
        /// The peer has ended it in order.
        case ended
        /// It is of no further use.
        case failed
    }

    private let connection: OpaquePointer
    // Keeps the server alive: the connection refers to its context.
    private let server: TLSServer
    /// What OpenSSL holds for it, in bytes, where that is counted (``TLSMemory``); else 0.
    public private(set) var heldBytes = 0
    /// How many times its client has had the keys changed (KeyUpdate, RFC 8446 section 4.6.3).
    public private(set) var keyUpdatesCount = 0
    private var isTooLong = false
    /// Why the handshake failed; nil if it did not.
    public private(set) var failure: HandshakeFailure?
    /// The certificate for which it failed; nil if it did not fail for one.
    public private(set) var refusedCertificate: Certificate?
    private var certificateFault: CertificateFault?

    /// The server's end of a connection over `socket`, which stays its owner's.
    public init(_ server: TLSServer, socket: Int32) throws(TLSFailure) {
        var heldBytes = 0
        let made = unsafe TLSMemory.charge(&heldBytes) { unsafe SSL_new(server.context) }
        guard let connection = unsafe made else { throw TLSFailure.last("no connection") }
        self.heldBytes = heldBytes
        self.server = server
        unsafe self.connection = connection
        guard unsafe SSL_set_fd(connection, socket) == 1 else { throw TLSFailure.last("no connection") }
        unsafe SSL_set_accept_state(connection)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard unsafe SSL_set_ex_data(connection, 0, context) == 1 else { throw TLSFailure.last("no connection") }
        unsafe copenssl_set_message_context(connection, context)
        unsafe SSL_set_msg_callback(connection, noteMessage)
    }

    deinit { unsafe SSL_free(connection) }

    /// Goes on with the handshake.
    public func handshake() -> Outcome {
        ERR_clear_error()
        // The error queue is cleared before each call, since `SSL_get_error` looks at it.
        let result = TLSMemory.charge(&heldBytes) { unsafe SSL_do_handshake(connection) }
        let outcome = unsafe isTooLong ? .failed : Outcome(of: result, count: 0, on: connection)
        if outcome == .failed || outcome == .ended { failure = reason() }
        return outcome
    }

    /// Why a handshake has failed, by what OpenSSL says of it first.
    private func reason() -> HandshakeFailure {
        if isTooLong { return .other("a message of it has more than \(Self.messageBytesMax - 4) bytes") }
        if let certificateFault { return .certificate(certificateFault) }
        let code = ERR_peek_error()
        // The socket's error, or none at all.
        guard code != 0, ERR_GET_LIB(code) != ERR_LIB_SYS else { return .left }
        switch ERR_GET_REASON(code) {
        case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_WRONG_VERSION_NUMBER: return .noTLS
        case SSL_R_NO_APPLICATION_PROTOCOL: return .noHTTP2
        case SSL_R_UNEXPECTED_EOF_WHILE_READING: return .left
        case SSL_R_TLSV1_ALERT_UNKNOWN_CA, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
            SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
            return .untrusted
        default:
            guard let text = unsafe ERR_reason_error_string(code) else { return .other("error \(code)") }
            return .other(unsafe String(cString: text))
        }
    }

    fileprivate func note(refused certificate: OpaquePointer, _ fault: CertificateFault) {
        guard unsafe X509_up_ref(certificate) == 1 else { return }
        refusedCertificate = unsafe Certificate(owning: certificate)
        certificateFault = fault
    }

    /// Reads the bytes that are there into `room`, as many as fit.
    public func read(into room: UnsafeMutableRawBufferPointer) -> Outcome {
        ERR_clear_error()
        var count = 0
        let result = TLSMemory.charge(&heldBytes) {
            unsafe SSL_read_ex(connection, room.baseAddress, room.count, &count)
        }
        return unsafe Outcome(of: result, count: count, on: connection)
    }

    /// Writes what the socket takes of `bytes`.
    public func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        ERR_clear_error()
        var count = 0
        let result = TLSMemory.charge(&heldBytes) {
            unsafe SSL_write_ex(connection, bytes.baseAddress, bytes.count, &count)
        }
        return unsafe Outcome(of: result, count: count, on: connection)
    }

    /// Whether bytes wait in OpenSSL's memory, for which the socket does not become readable.
    public var hasPending: Bool { unsafe SSL_has_pending(connection) == 1 }

    /// Ends our side of the connection (`close_notify`).
    public func close() {
        ERR_clear_error()
        _ = unsafe SSL_shutdown(connection)
        ERR_clear_error()
    }

    /// The name that the client asked for; nil if it asked for none.
    public var serverName: String? {
        unsafe SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name).map { unsafe String(cString: $0) }
    }

    /// The client's certificate; nil if it has shown none.
    public var peerCertificate: Certificate? {
        unsafe SSL_get1_peer_certificate(connection).map { unsafe Certificate(owning: $0) }
    }

    /// How long a message of a client's handshake may be, in bytes with its head.
    static let messageBytesMax = 16 << 10 | 4

    fileprivate func note(_ message: UnsafeRawBufferPointer) {
        if message.count > Self.messageBytesMax { isTooLong = true }
        if unsafe message.first == UInt8(SSL3_MT_KEY_UPDATE) { keyUpdatesCount += 1 }
    }
}

extension TLSConnection.Outcome {
    /// What `result` of OpenSSL's call on `connection` means, which let `count` bytes through.
    init(of result: Int32, count: Int, on connection: OpaquePointer) {
        self =
            switch result == 1 ? SSL_ERROR_NONE : unsafe SSL_get_error(connection, result) {
            case SSL_ERROR_NONE: .done(count)
            case SSL_ERROR_WANT_READ: .wantsToRead
            case SSL_ERROR_WANT_WRITE: .wantsToWrite
            case SSL_ERROR_ZERO_RETURN: .ended
            default: .failed
            }
    }
}

private func noteMessage(
    _ isWritten: Int32, _ version: Int32, _ type: Int32, _ bytes: UnsafeRawPointer?, _ count: Int,
    _ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer?
) {
    guard isWritten == 0, type == SSL3_RT_HANDSHAKE, let context = unsafe context else { return }
    unsafe Unmanaged<TLSConnection>.fromOpaque(context).takeUnretainedValue().note(
        UnsafeRawBufferPointer(start: bytes, count: count))
}
