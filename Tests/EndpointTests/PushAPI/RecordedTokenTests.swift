import BelfryDevices
import BelfryTLS
import BelfryTerms
import Support
import Testing

@testable import PushAPI

/// Tokens that other languages' own means have made of one key (Tests/Clients/tokens.txt, made anew by `make clients`).
@Suite struct RecordedTokenTests {
    static let makers = ["openssl", "python", "go", "ruby", "php", "java", "erlang", "node"]

    /// What was recorded, by who made it; `key` is the point of its key in hexadecimal digits.
    private static let records: [(name: String, text: String)] = String(
        decoding: sourceBytes("Tests/Clients/tokens.txt"), as: UTF8.self
    ).split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        return (words[0], words[words.count - 1])
    }

    private func record(_ name: String) throws -> String {
        try #require(Self.records.first { $0.name == name }).text
    }

    /// Why `token` is refused by an endpoint that has the recorded key, half a minute after `read` was made.
    private func reason(_ token: String, madeWith read: ProviderToken) throws -> EndpointReason? {
        let digits = Array(try record("key").utf8)
        let point = stride(from: 0, to: digits.count, by: 2).compactMap { start in
            UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16)
        }
        var sample = Sample()
        let key = EndpointKey(id: read.keyID, team: read.team, publicPoint: point)
        sample.credentials = Sample.credentials([key])
        let signatures = ES256()
        sample.isSigned = { signatures.isSigned($0, $1, by: $2) }
        sample.authorization = "bearer \(token)"
        var connection = EndpointConnection(environment: .production, certificate: .none)
        let age = TimeSpan.seconds(Int64(read.issuedAt) - Sample.now.unixSecond + 30)
        guard case .failure(let refusal) = sample.judged(on: &connection, after: age) else { return nil }
        return refusal.reason
    }

    @Test("a token is good, whichever language made it, and with another signature it is none", arguments: makers)
    func good(_ maker: String) throws {
        let token = try record(maker)
        let read = try ProviderToken(token[...])
        #expect(try reason(token, madeWith: read) == nil)
        let other = try record(maker == "go" ? "java" : "go").split(separator: ".")[2]
        let parts = token.split(separator: ".")
        #expect(try reason("\(parts[0]).\(parts[1]).\(other)", madeWith: read) == .invalidProviderToken)
    }

    @Test("the records have all of their makers' forms: r and s or DER, either alphabet, seconds with a fraction")
    func forms() throws {
        #expect(Self.records.map(\.name) == ["key"] + Self.makers)
        for maker in Self.makers {
            let read = try ProviderToken(record(maker)[...])
            let isPair = maker == "python" || maker == "go"
            #expect((read.signature.count == 64) == isPair && (isPair || read.signature.first == 0x30), "\(maker)")
            #expect((read.issuedAt != read.issuedAt.rounded()) == (maker == "python"), "\(maker)")
        }
        #expect(try record("erlang").contains { $0 == "+" || $0 == "/" })
    }
}
