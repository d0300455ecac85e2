import BelfrySyscalls
import BelfryTLS
import Glibc
import Testing

/// The client's end of TLS against the server's.
@Suite final class TLSClientTests {
    private let authority: [UInt8]
    private let server: TLSServer
    private let nameless: TLSServer
    private let expired: TLSServer
    private let sockets: SocketPair

    init() throws {
        ignoreBrokenPipes()
        let authorityKey = try SigningKey()
        let authority = try Certificate.make(
            CertificateRequest(commonName: "Authority", use: .authority, days: 10), for: authorityKey,
            issuerKey: authorityKey)
        let server = { (names: [String], days: Int) in
            let key = try SigningKey()
            let request = CertificateRequest(commonName: "common.example", use: .server(names: names), days: days)
            let certificate = try Certificate.make(request, for: key, issuer: authority, issuerKey: authorityKey)
            return try TLSServer(chain: certificate.pem(), key: key)
        }
        self.authority = try authority.pem()
        self.server = try server(["DNS:one.example", "DNS:*.two.example", "IP:192.0.2.1", "IP:2001:db8::1"], 10)
        nameless = try server(["IP:192.0.2.1"], 10)
        expired = try server(["DNS:one.example"], -1)
        sockets = try SocketPair()
        for socket in [sockets.reading.number, sockets.writing.number] {
            _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        }
    }

    private func client(to host: String, trusting authority: [UInt8]? = nil) throws -> TLSClient {
        try TLSClient(to: host, trusting: authority ?? self.authority, socket: sockets.reading.number)
    }

    /// Has both shake hands until the client is done.
    private func shake(_ client: TLSClient, with server: TLSServer? = nil) throws -> TLSConnection.Outcome {
        let connection = try TLSConnection(server ?? self.server, socket: sockets.writing.number)
        for _ in 0..<20 {
            let outcome = client.handshake()
            if ![.wantsToRead, .wantsToWrite].contains(outcome) { return outcome }
            _ = connection.handshake()
        }
        return .failed
    }

    @Test(
        "a server of the authority is trusted by each of its names and addresses",
        arguments: ["one.example", "ONE.example", "a.two.example", "192.0.2.1", "2001:db8::1", "2001:DB8:0::1"])
    func trusted(_ host: String) throws {
        let client = try client(to: host)
        #expect(try shake(client) == .done(0) && client.failure == nil)
    }

    @Test(
        "and by no other, its common name included",
        arguments: ["common.example", "two.example", "b.a.two.example", "192.0.2.2", "2001:db8::2", "one.example.org"])
    func named(_ host: String) throws {
        let client = try client(to: host)
        #expect(try shake(client) == .failed)
        guard case .untrusted(let why)? = client.failure else {
            Issue.record("\(String(describing: client.failure))")
            return
        }
        #expect(why.contains("mismatch"))
    }

    @Test("a certificate names no host by its subject")
    func unnamed() throws {
        let client = try client(to: "common.example")
        #expect(try shake(client, with: nameless) == .failed)
        #expect(client.failure == .untrusted("hostname mismatch"))
    }

    @Test("a certificate that has expired is not trusted")
    func late() throws {
        let client = try client(to: "one.example")
        #expect(try shake(client, with: expired) == .failed)
        #expect(client.failure == .untrusted("certificate has expired"))
    }

    @Test("a server of another authority is not trusted, and a file without one is refused")
    func strangers() throws {
        let key = try SigningKey()
        let other = try Certificate.make(
            CertificateRequest(commonName: "Authority", use: .authority, days: 10), for: key, issuerKey: key)
        let client = try client(to: "one.example", trusting: other.pem())
        #expect(try shake(client) == .failed)
        guard case .untrusted? = client.failure else {
            Issue.record("\(String(describing: client.failure))")
            return
        }
        for file in [[], Array("x".utf8), try key.pem()] {
            #expect(throws: TLSFailure.self) { try self.client(to: "one.example", trusting: file) }
        }
        let both = try self.client(to: "one.example", trusting: other.pem() + authority)
        #expect(both.failure == nil)
    }

    @Test("bytes go both ways, and an end is an end")
    func bytes() throws {
        let client = try client(to: "one.example")
        let connection = try TLSConnection(server, socket: sockets.writing.number)
        for _ in 0..<20 { _ = (client.handshake(), connection.handshake()) }
        let write = { (bytes: [UInt8], write: (UnsafeRawBufferPointer) -> TLSConnection.Outcome) in
            unsafe bytes.withUnsafeBytes { unsafe write($0) }
        }
        var room = [UInt8](repeating: 0, count: 100)
        #expect(unsafe room.withUnsafeMutableBytes { unsafe client.read(into: $0) } == .wantsToRead)
        #expect(unsafe write([1, 2, 3]) { unsafe client.write($0) } == .done(3))
        #expect(unsafe room.withUnsafeMutableBytes { unsafe connection.read(into: $0) } == .done(3))
        #expect(unsafe write([4, 5]) { unsafe connection.write($0) } == .done(2))
        connection.close()
        #expect(unsafe room.withUnsafeMutableBytes { unsafe client.read(into: $0) } == .done(2))
        #expect(Array(room[..<2]) == [4, 5])
        #expect(unsafe room.withUnsafeMutableBytes { unsafe client.read(into: $0) } == .ended)
        client.close()
        #expect(unsafe room.withUnsafeMutableBytes { unsafe connection.read(into: $0) } == .ended)
    }

    @Test("what is no TLS, and a server that goes, are told apart")
    func others() throws {
        let client = try client(to: "one.example")
        #expect(client.handshake() == .wantsToRead)
        let greeting = Array("HTTP/1.1 400 Bad Request\r\n".utf8)
        #expect(unsafe send(sockets.writing.number, greeting, greeting.count, 0) == greeting.count)
        #expect(client.handshake() == .failed && client.failure == .noTLS)
        let other = try self.client(to: "one.example")
        shutdown(sockets.writing.number, Int32(SHUT_RDWR))
        var room = [UInt8](repeating: 0, count: 1_000)
        while unsafe recv(sockets.reading.number, &room, room.count, 0) > 0 {}
        #expect([.failed, .ended].contains(other.handshake()) && other.failure == .left)
    }
}
