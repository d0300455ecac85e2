import BelfryTLS
import BelfryTerms
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
}
