import BelfryTLS
import BelfryTerms
import CBelfryLinux
import Testing

/// Keys and certificates as they are read and made.
@Suite struct CertificateTests {
    @Test("a certificate says what was asked of it, and its PEM reads as itself")
    func made() throws {
        let (authorityKey, key) = (try SigningKey(), try SigningKey())
        let authority = try Certificate.make(
            CertificateRequest(commonName: "Authority", use: .authority, days: 10), for: authorityKey,
            issuerKey: authorityKey)
        let value = CertificateRequest.ExtensionValue(number: "1.2.840.113635.100.6.3.1", der: [5, 0])
        let made = try Certificate.make(
            CertificateRequest(
                commonName: "Apple Push Services: a.b", userID: "a.b", unit: "TEAM", use: .client(extensions: [value]),
                days: 365), for: key, issuer: authority, issuerKey: authorityKey)
        #expect(made.commonName == "Apple Push Services: a.b" && made.userID == "a.b")
        #expect(made.extensionValue("1.2.840.113635.100.6.3.1") == [5, 0])
        #expect(made.extensionValue("1.2.840.113635.100.6.3.2") == nil)
        #expect(made.fingerprint.count == 32)
        let read = try Certificate(pem: Array("# a comment\n".utf8) + made.pem() + key.pem())
        #expect(read.fingerprint == made.fingerprint && read.expiresAt == made.expiresAt && read.expiresAt != nil)
        #expect(authority.userID == nil)
    }

    @Test("a key's public half is its own, whichever way its file is written")
    func keys() throws {
        let key = try SigningKey()
        let point = try key.publicPoint()
        #expect(point.count == ES256.pointBytes && point.first == 4)
        #expect(try SigningKey(pem: key.pem()).publicPoint() == point)
        #expect(String(decoding: try key.pem(), as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    }

    @Test(
        "what is no key, and no certificate",
        arguments: ["", "x", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
    func damaged(_ text: String) {
        #expect(throws: TLSFailure.self) { try SigningKey(pem: Array(text.utf8)) }
        #expect(throws: TLSFailure.self) { try Certificate(pem: Array(text.utf8)) }
    }

    @Test("points that are none, and signatures of other lengths, are none of anybody's")
    func signatures() throws {
        let point = try SigningKey().publicPoint()
        let signatures = ES256()
        for length in [0, 63, 64, 65] {
            #expect(!signatures.isSigned([1], [UInt8](repeating: 0, count: length), by: point))
        }
        let signature = [UInt8](repeating: 1, count: 64)
        #expect(!signatures.isSigned([1], signature, by: point))
        #expect(!signatures.isSigned([1], signature, by: []))
        #expect(!signatures.isSigned([1], signature, by: [UInt8](repeating: 4, count: 65)))
    }

    /// The example of RFC 7515, A.3.
    private var example: (message: [UInt8], point: [UInt8], r: String, s: String) {
        let message =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0"
            + "dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let point =
            "047fcdce2770f6c45d4183cbee6fdb4b7b580733357be9ef13bacf6e3c7bd15445"
            + "c7f144cd1bbd9b7e872cdfedb9eeb9f4b3695d6ea90b24ad8a4623288588e5ad"
        return (
            Array(message.utf8), bytes(point), "0ed1215379636c483c2f7f155807d402a3b228033af97c7e17819ac3169ea665",
            "c50a07d38c3c70e5d8f12daf084a5480a66590c5f293509a8f3f7f8a83a354d5"
        )
    }

    @Test("a signature is its key's and its message's")
    func signed() throws {
        let (message, point, r, s) = example
        let signatures = ES256()
        #expect(signatures.isSigned(message, bytes(r + s), by: point))
        #expect(!signatures.isSigned(message, bytes(s + r), by: point))
        #expect(!signatures.isSigned(Array(message.dropLast()), bytes(r + s), by: point))
        #expect(!signatures.isSigned(message, bytes(r + s), by: try SigningKey().publicPoint()))
    }

    @Test("a signature may be in DER, which is strict: one way to write it, both numbers in range, nothing after")
    func distinguished() {
        let (message, point, r, s) = example
        let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
        let signatures = ES256()
        #expect(signatures.isSigned(message, bytes("30450220\(r)022100\(s)"), by: point))
        for (what, der) in [
            ("a byte after", "30450220\(r)022100\(s)00"), ("a byte within", "30460220\(r)022100\(s)00"),
            ("a zero before", "3046022100\(r)022100\(s)"), ("a long length", "3081450220\(r)022100\(s)"),
            ("no length", "30800220\(r)022100\(s)0000"), ("negative", "30440220\(r)0220\(s)"),
            ("cut off", "30450220\(r)022100\(s.dropLast(2))"), ("alone", "30220220\(r)"),
            ("a set", "31450220\(r)022100\(s)"), ("zero", "3026020100022100\(s)"),
            ("the order", "30450220\(r)022100\(order)"),
            ("beyond the order", "30450220\(r)022101c50a07d28c3c70e6d8f12daf084a5480634c8b7399aaef1f82f94a4d80067a26"),
        ] {
            #expect(!signatures.isSigned(message, bytes(der), by: point), "\(what)")
        }
    }

    @Test("neither a signature that is checked nor a certificate that is made leaves memory behind")
    func memory() async {
        await #expect(processExitsWith: .success) {
            let (key, signatures) = (try SigningKey(), ES256())
            let point = try key.publicPoint()
            let request = CertificateRequest(commonName: "a", use: .server(names: ["DNS:a"]), days: 1)
            func work() throws {
                for _ in 0..<1_000 {
                    _ = signatures.isSigned([], [UInt8](repeating: 0xFF, count: 64), by: point)
                    _ = try Certificate.make(request, for: key, issuerKey: key)
                }
            }
            try work()
            let before = mallinfo2().uordblks
            try work()
            let left = mallinfo2().uordblks - before
            // Each of them takes some hundred bytes.
            precondition(left < 100_000, "\(left) bytes are left of a thousand of each")
        }
    }

    /// What `hex` writes.
    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap { $0.hexDigitValue.map(UInt8.init) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
