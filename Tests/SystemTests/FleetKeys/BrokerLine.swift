import BelfryJSON
import BelfryTerms
import CBelfryOpenSSL
import Fleet
import FleetKeys
import Glibc
import Testing

/// A bare client of NATS, which blocks: its text over TLS, a credential, and nothing else.
@safe
final class BrokerLine {
    /// Why a broker lets nobody in, in its words.
    struct Refused: Error, Equatable {
        let words: String
    }

    private let socket: Int32
    private let context: OpaquePointer
    private var tls: OpaquePointer?
    private var received: [UInt8] = []

    /// Connects to the port of this machine as `credential`, whose token another's may take the place of, or all of
    /// what is said of it; throws ``Refused`` if it is not let in.
    init(
        _ port: UInt16, _ credential: FleetCredential, token: String? = nil, answer: String? = nil,
        key: NATSKey? = nil
    ) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        unsafe context = SSL_CTX_new(TLS_client_method())
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        let isPatient = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, size) == 0
        try #require(isPatient)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        try #require(isConnected)
        let info = try information()
        try startTLS(trusting: credential.authorityText)
        let nonce = try #require(info["nonce"]?.stringValue)
        let signature = try (key ?? credential.key(at: PlayedFleet.now)).signature(of: Array(nonce.utf8))
        let proof: JSONObject = [
            "jwt": .string(token ?? credential.token), "verbose": false, "pedantic": false, "protocol": 1,
            "headers": true, "no_responders": true, "lang": "swift", "version": "0",
            "sig": .string(String(decoding: Base64.encodedForURL(signature.span), as: UTF8.self)),
        ]
        try send("CONNECT \(answer ?? String(decoding: proof.serialized(), as: UTF8.self))\r\n")
        if let words = try answers(to: "").first { throw Refused(words: words) }
    }

    deinit {
        unsafe SSL_free(tls)
        unsafe SSL_CTX_free(context)
        close(socket)
    }

    private func information() throws -> JSONObject {
        let line = try #require(self.line())
        try #require(line.hasPrefix("INFO "))
        return try #require(try JSONValue.parse(Array(line.utf8.dropFirst(5))).objectValue)
    }

    /// Believes a broker alone whose certificate the fleet's authority signed for this address.
    private func startTLS(trusting authority: String) throws {
        let text = Array(authority.utf8)
        let memory = unsafe text.withUnsafeBytes { unsafe BIO_new_mem_buf($0.baseAddress, Int32($0.count)) }
        let certificate = unsafe copenssl_read_certificate(memory)
        let isTrusted = unsafe X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1
        unsafe X509_free(certificate)
        unsafe BIO_free(memory)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        let connection = unsafe SSL_new(context)
        unsafe tls = connection
        let isNamed = unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), "127.0.0.1") == 1
        let isUp = unsafe SSL_set_fd(connection, socket) == 1 && SSL_connect(connection) == 1
        try #require(isTrusted && isNamed && isUp)
    }

    /// What the broker complains of, or nothing, after `text`: it answers in order.
    func answers(to text: String) throws -> [String] {
        try send("\(text)PING\r\n")
        var complaints: [String] = []
        while let line = line() {
            if line == "PONG" { return complaints }
            if line.hasPrefix("-ERR") { complaints.append(line) }
        }
        return complaints + ["closed"]
    }

    /// Whether the broker lets it publish to `subject`.
    func mayPublish(_ subject: String) throws -> Bool { try isAllowed("PUB \(subject) 0\r\n\r\n") }

    /// Whether the broker lets it subscribe to `subject`.
    func maySubscribe(_ subject: String) throws -> Bool { try isAllowed("SUB \(subject) 1\r\nUNSUB 1\r\n") }

    private func isAllowed(_ text: String) throws -> Bool {
        let complaints = try answers(to: text)
        if complaints.isEmpty { return true }
        #expect(complaints.count == 1 && complaints[0].contains("Permissions Violation"), "\(complaints)")
        return false
    }

    /// Writes `text` as it is.
    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        let count = unsafe SSL_write(tls, bytes, Int32(bytes.count))
        try #require(count == bytes.count)
    }

    /// The next line; nil if the broker closes the connection.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = received[..<end].filter { $0 != UInt8(ascii: "\r") }
                received.removeFirst(end + 1)
                return String(decoding: line, as: UTF8.self)
            }
            var room = [UInt8](repeating: 0, count: 4_096)
            let count =
                unsafe tls == nil
                ? Int(recv(socket, &room, room.count, 0)) : Int(SSL_read(tls, &room, Int32(room.count)))
            guard count > 0 else { return nil }
            received += room[..<count]
        }
    }
}
