import BelfryDevices
import BelfryTerms
import Testing

@testable import PushAPI

/// Tokens of a server's key (the reference's fourth section).
@Suite struct TokenTests {
    private func reason(_ authorization: String?) -> EndpointReason? {
        var sample = Sample()
        sample.authorization = authorization
        return sample.reason
    }

    @Test("no token", arguments: [nil, "", "bearer", "bearer ", "basic abc", "bearer\tabc", "bear er abc"])
    func missing(_ authorization: String?) {
        #expect(reason(authorization) == .missingProviderToken)
    }

    @Test("the scheme may be in any case")
    func schemes() {
        for scheme in ["Bearer ", "BEARER ", "bearer  "] {
            #expect(reason(scheme + Sample.bearer().dropFirst(7)) == nil)
        }
    }

    /// What a token's header and claims must not be.
    static let badParts: [(header: String, claims: String)] = {
        let header = #"{"alg":"ES256","kid":"KEYKEYKEY1"}"#
        let time = Sample.now.unixSecond
        let claims = #"{"iss":"TEAMTEAM01","iat":\#(time)}"#
        let headers = [
            #"{"alg":"none","kid":"KEYKEYKEY1"}"#, #"{"alg":"HS256","kid":"KEYKEYKEY1"}"#,
            #"{"alg":"es256","kid":"KEYKEYKEY1"}"#, #"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":1}"#,
            #"{"alg":"ES256","kid":""}"#, #"{"alg":"ES256","kid":"OTHEROTHER"}"#, #"{"kid":"KEYKEYKEY1"}"#,
            #"{"alg":["ES256"],"kid":"KEYKEYKEY1"}"#, #"{"alg":"none","alg":"ES256","kid":"KEYKEYKEY1"}"#,
            #"{"alg":"ES256","kid":"KEYKEYKEY1","crit":["x"]}"#, "[]", "x", "",
        ]
        let bodies = [
            #"{"iss":"TEAMTEAM02","iat":\#(time)}"#, #"{"iss":"TEAMTEAM01"}"#, #"{"iat":\#(time)}"#,
            #"{"iss":"TEAMTEAM01","iat":"\#(time)"}"#, #"{"iss":"TEAMTEAM01","iat":"\#(time).5"}"#,
            #"{"iss":"TEAMTEAM01","iat":1e300}"#, #"{"iss":"TEAMTEAM01","iat":\#(time)000}"#,
            #"{"iss":"TEAMTEAM01","iat":\#(time)000.5}"#, #"{"iss":"TEAMTEAM01","iat":true}"#,
            #"{"iss":"TEAMTEAM01","iat":18446744073709551615}"#, #"{"iss":"TEAMTEAM01","iat":9223372036854775807}"#,
            #"{"iss":"TEAMTEAM01","iat":null}"#, #"{"iss":"TEAMTEAM01","iat":\#(time),"iat":\#(time)}"#,
            #"{"iss":7,"iat":\#(time)}"#, "[]", "",
        ]
        return headers.map { ($0, claims) } + bodies.map { (header, $0) }
    }()

    @Test("what is no token of a key that was added", arguments: badParts)
    func invalid(_ header: String, _ claims: String) {
        #expect(reason(Sample.bearer(header: header, claims: claims)) == .invalidProviderToken)
    }

    @Test(
        "a refused token's sentence says what is wrong, of which key and team, and of the clock by how much",
        arguments: [
            (#"{"alg":"none"}"#, "{}", "its alg is not ES256"),
            (#"{"alg":"ES256"}"#, "{}", "there is no kid"), ("x", "{}", "its header is no JSON"),
            (#"{"alg":"ES256","kid":"KEYKEYKEY1"}"#, "{}", "there is no iss"),
            (#"{"alg":"ES256","kid":"KEYKEYKEY1"}"#, #"{"iss":"T"}"#, "its claims have no iat"),
            (#"{"alg":"ES256","kid":"KEYKEYKEY1"}"#, #"{"iss":"T","iat":"1"}"#, "its iat is not a number"),
            (#"{"alg":"ES256","kid":"NEW"}"#, #"{"iss":"T","iat":1}"#, "key NEW was not added"),
            (#"{"alg":"ES256","kid":"KEYKEYKEY1"}"#, #"{"iss":"T","iat":1}"#, "of team T, and key KEYKEYKEY1"),
            (#"{"alg":"ES256","kid":"KEYKEYKEY1"}"#, #"{"iss":"TEAMTEAM01","iat":1790007300}"#, "is 2 h ahead of"),
            (#"{"alg":"ES256","kid":"KEYKEYKEY1"}"#, #"{"iss":"TEAMTEAM01","iat":1789996340}"#, "is 61 min behind"),
        ])
    func sentences(_ header: String, _ claims: String, _ sentence: String) throws {
        var sample = Sample()
        sample.authorization = Sample.bearer(header: header, claims: claims)
        guard case .failure(let refusal) = sample.judged() else { throw SentenceMissing() }
        #expect(refusal.detail.contains(sentence), "\(refusal.detail)")
    }

    private struct SentenceMissing: Error {}

    @Test("by how much a clock is ahead or behind that made a new token; one that has grown old here says nothing")
    func clocks() {
        func clock(_ authorizations: [(Int64, String)]) -> Int64? {
            var connection = EndpointConnection(environment: .production, certificate: .none)
            var sample = Sample()
            var clock: Int64?
            for (seconds, authorization) in authorizations {
                sample.authorization = authorization
                if case .failure(let refusal) = sample.judged(on: &connection, after: .seconds(seconds)) {
                    clock = refusal.clockSeconds
                }
            }
            return clock
        }
        #expect(clock([(0, Sample.bearer(madeAfter: 7_200))]) == 7_200)
        #expect(clock([(0, Sample.bearer(madeAfter: -4_000))]) == -4_000)
        #expect(clock([(0, bearer(issuedAt: "0"))]) == -Sample.now.unixSecond, "a clock that begins with 1970")
        #expect(clock([(0, bearer(issuedAt: "\(Sample.now.unixSecond)000"))]) == nil, "milliseconds")
        #expect(clock([(0, bearer(issuedAt: "1e300"))]) == nil)
        #expect(clock([(0, Sample.bearer()), (4_000, Sample.bearer())]) == nil)
        #expect(clock([(0, Sample.bearer(signature: [1]))]) == nil)
    }

    @Test("parts that are too many, too few, padded, or signed with something else")
    func malformed() {
        let good = String(Sample.bearer().dropFirst(7))
        let parts = good.split(separator: ".")
        var bad = [
            "x", "..", good + ".x", good + "=", parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".",
            good.replacing("_", with: "/") + "/", "é" + good, String(repeating: "a", count: 1 << 20),
        ]
        for count in [0, 63, 65, 70] {
            bad.append(String(Sample.bearer(signature: [UInt8](repeating: 7, count: count)).dropFirst(7)))
        }
        bad.append(String(Sample.bearer(signature: [UInt8](repeating: 0, count: 64)).dropFirst(7)))
        for token in bad { #expect(reason("bearer " + token) == .invalidProviderToken, "\(token.prefix(80))") }
    }

    @Test("a token has 8,000 bytes at most")
    func longest() {
        func token(_ count: Int) -> String {
            // Parts of base64 have no length of 4 n + 1, so one of two headers fits.
            for header in [#"{"alg":"ES256","kid":"K"}"#, #"{"alg":"ES256","kid":"KK"}"#] {
                for padding in 5_700..<6_000 {
                    let claims = #"{"iss":"TEAMTEAM01","iat":1,"x":"\#(String(repeating: "a", count: padding))"}"#
                    let token = String(Sample.bearer(header: header, claims: claims).dropFirst(7))
                    if token.utf8.count == count { return token }
                }
            }
            return ""
        }
        #expect((try? ProviderToken(token(8_000)[...])) != nil)
        #expect((try? ProviderToken(token(8_001)[...])) == nil)
        #expect(!token(8_001).isEmpty)
    }

    @Test("base64 in either alphabet, padded or not, with no bits left over")
    func base64() throws {
        func signature(_ text: String) -> [UInt8]? {
            let signed = Sample.bearer().split(separator: " ")[1].split(separator: ".").prefix(2).joined(separator: ".")
            return (try? ProviderToken("\(signed).\(text)"))?.signature
        }
        for text in ["AP-_", "AP+/", "AP-/"] { #expect(signature(text) == [0, 0xFF, 0xBF], "\(text)") }
        for text in ["AQ", "AQ=="] { #expect(signature(text) == [1], "\(text)") }
        for text in ["AQI", "AQI="] { #expect(signature(text) == [1, 2], "\(text)") }
        #expect(signature("") == [])
        let none = ["A", "AB=", "AB", "AQ=", "AQ===", "AQI==", "AQ==A", "=AQ=", "AP-_=", "=", "====", "A*AA", "A Q"]
        for text in none { #expect(signature(text) == nil, "\(text)") }
    }

    private func bearer(issuedAt: String) -> String {
        Sample.bearer(
            header: #"{"alg":"ES256","kid":"KEYKEYKEY1"}"#, claims: #"{"iss":"TEAMTEAM01","iat":\#(issuedAt)}"#)
    }

    @Test("the time of a token may have a fraction, or an exponent")
    func fractions() {
        let now = Sample.now.unixSecond
        for (text, expected) in [
            ("\(now).898123", EndpointReason?.none), ("\(now).0", nil), ("\(now)e0", nil), ("\(now * 10)E-1", nil),
            ("\(now - 3_660).5", .expiredProviderToken), ("\(now - 3_601).9", .expiredProviderToken),
            ("\(now + 3_599).9", nil), ("\(now + 3_600).5", .invalidProviderToken), ("-1e300", .expiredProviderToken),
        ] {
            #expect(reason(bearer(issuedAt: text)) == expected, "\(text)")
        }
    }

    @Test("an hour either way")
    func ages() {
        for (seconds, expected) in [
            (Int64(-3_600), EndpointReason?.none), (-3_601, .expiredProviderToken), (3_600, nil),
            (3_601, .invalidProviderToken), (-1_900_000_000, .expiredProviderToken),
        ] {
            #expect(reason(Sample.bearer(madeAfter: seconds)) == expected, "\(seconds)")
        }
        let least = Sample.bearer(
            header: #"{"alg":"ES256","kid":"KEYKEYKEY1"}"#, claims: #"{"iss":"TEAMTEAM01","iat":\#(Int64.min)}"#)
        #expect(reason(least) == .expiredProviderToken)
    }

    @Test("a key that was revoked, or is of the other environment")
    func keys() {
        var sample = Sample()
        sample.credentials = Sample.credentials([Sample.key(revokedAt: Sample.now)])
        #expect(sample.reason == .forbidden)
        sample.credentials = Sample.credentials([Sample.key(environment: .development)])
        #expect(sample.reason == .badEnvironmentKeyInToken)
        sample.credentials = Sample.credentials([Sample.key(environment: .production)])
        #expect(sample.reason == nil)
    }

    /// Sends one request after the other over one connection, so many seconds after the first, and tells what each is
    /// answered.
    private func story(_ keys: [EndpointKey], _ requests: [(Int64, String)]) -> [EndpointReason?] {
        var connection = EndpointConnection(environment: .production, certificate: .none)
        var sample = Sample()
        sample.credentials = Sample.credentials(keys)
        return requests.map { seconds, authorization in
            sample.authorization = authorization
            let result = sample.judged(on: &connection, after: .seconds(seconds))
            if case .failure(let refusal) = result { return refusal.reason }
            return nil
        }
    }

    @Test("a token is judged anew with each request: it grows old on its connection")
    func growsOld() {
        let token = Sample.bearer()
        #expect(
            story([Sample.key()], [(0, token), (3_600, token), (3_601, token)]) == [nil, nil, .expiredProviderToken])
    }

    @Test("a token that is changed within 20 minutes, until they are over")
    func changes() {
        let (first, second) = (Sample.bearer(), Sample.bearer(madeAfter: 300))
        let refused = EndpointReason.tooManyProviderTokenUpdates
        #expect(
            story(
                [Sample.key()],
                [
                    (0, first), (300, second), (301, first), (1_199, second), (1_200, second), (1_201, first),
                    (1_300, Sample.bearer(madeAfter: 1_300)), (2_400, Sample.bearer(madeAfter: 2_400)),
                ]) == [nil, refused, nil, refused, nil, nil, refused, nil])
    }

    @Test("a token that was old when its connection began may be changed when its 20 minutes are over")
    func oldToken() {
        #expect(
            story([Sample.key()], [(0, Sample.bearer(madeAfter: -2_940)), (60, Sample.bearer(madeAfter: 60))])
                == [nil, nil])
    }

    @Test("signed anew in the same second, it is no other token")
    func signedAgain() {
        let header = #"{"alg":"ES256", "kid":"KEYKEYKEY1"}"#
        let claims = #"{"iss":"TEAMTEAM01","iat":\#(Sample.now.unixSecond)}"#
        #expect(
            story([Sample.key()], [(0, Sample.bearer()), (1, Sample.bearer(header: header, claims: claims))]) == [
                nil, nil,
            ])
    }

    @Test("two times that differ by a fraction are of two tokens")
    func fractionsApart() {
        let now = Sample.now.unixSecond
        let first = bearer(issuedAt: "\(now).25")
        #expect(
            story([Sample.key()], [(0, first), (1, bearer(issuedAt: "\(now).75")), (2, first)])
                == [nil, .tooManyProviderTokenUpdates, nil])
        #expect(
            story([Sample.key()], [(0, first), (1_200, bearer(issuedAt: "\(now + 1_200).25"))]) == [nil, nil])
    }

    @Test("a connection is of one team")
    func teams() {
        let keys = [Sample.key(), Sample.key("KEYKEYKEY2", team: "TEAMTEAM02")]
        let other = Sample.bearer(key: "KEYKEYKEY2", team: "TEAMTEAM02")
        #expect(
            story(keys, [(0, Sample.bearer()), (1, other), (2, Sample.bearer())]) == [nil, .invalidProviderToken, nil])
        #expect(story(keys, [(0, other)]) == [nil])
    }

    @Test("team-scoped keys go together, and a topic's key with its related one")
    func relations() {
        let topics = ["com.example.phone"]
        let keys = [
            Sample.key("TEAMSCOPE1"), Sample.key("TEAMSCOPE2"), Sample.key("TOPIC00001", topics: topics),
            Sample.key("TOPIC00002", topics: topics, related: "TOPIC00001"), Sample.key("TOPIC00003", topics: topics),
        ]
        let unrelated = EndpointReason.unrelatedKeyIDInToken
        func second(_ first: String, _ second: String) -> EndpointReason? {
            story(keys, [(0, Sample.bearer(key: first)), (0, Sample.bearer(key: second))]).last ?? nil
        }
        #expect(second("TEAMSCOPE1", "TEAMSCOPE2") == nil)
        #expect(second("TEAMSCOPE1", "TOPIC00001") == unrelated)
        #expect(second("TOPIC00001", "TOPIC00002") == nil && second("TOPIC00002", "TOPIC00001") == nil)
        #expect(second("TOPIC00001", "TOPIC00003") == unrelated)
        #expect(second("TOPIC00001", "TEAMSCOPE1") == unrelated)
    }

    @Test("what was believed is not believed any more once its key is gone")
    func revoked() {
        var connection = EndpointConnection(environment: .production, certificate: .none)
        var sample = Sample()
        #expect((try? sample.judged(on: &connection).get()) != nil && connection.hasGoodCredential)
        sample.credentials = Sample.credentials([Sample.key(revokedAt: Sample.now)])
        #expect(sample.judged(on: &connection) == .failure(Refusal(.forbidden, "")))
        sample.credentials = Sample.credentials([])
        #expect(sample.judged(on: &connection) == .failure(Refusal(.invalidProviderToken, "")))
    }

    @Test("certificates: unknown, revoked, expired; one that is good comes before any token")
    func certificates() {
        var sample = Sample()
        sample.certificate = .unknown(fingerprint: "f9")
        #expect(sample.reason == .badCertificate)
        sample.certificate = .added(fingerprint: "f1")
        sample.authorization = "bearer nonsense"
        #expect(sample.reason == nil)
        sample.credentials.certificates["f1"]?.revokedAt = Sample.now
        #expect(sample.reason == .badCertificate)
        sample.credentials.certificates["f1"] = nil
        #expect(sample.reason == .badCertificate)
    }

    @Test("a certificate of the other environment is sent away before its first request")
    func certificateEnvironments() {
        let credentials = Sample.credentials()
        for (certificate, environment, reason) in [
            (ClientCertificate.added(fingerprint: "f1"), APNsEnvironment.production, EndpointReason?.none),
            (.added(fingerprint: "f1"), .development, .badCertificateEnvironment),
            (.unknown(fingerprint: "f9"), .development, nil),
            (.none, .development, nil),
        ] {
            #expect(
                EndpointConnection.refusal(of: certificate, in: environment, credentials: credentials)?.reason
                    == reason)
        }
    }

    @Test("Apple's names tell the environment")
    func hosts() {
        for (name, environment) in [
            ("api.push.apple.com", APNsEnvironment.production), ("API.sandbox.push.apple.com", .development),
            ("api.development.push.apple.com", .development),
        ] {
            for other in APNsEnvironment.allCases {
                #expect(APNsHostNames.environment(of: name, otherwise: other) == environment)
                #expect(APNsHostNames.environment(of: "localhost", otherwise: other) == other)
                #expect(APNsHostNames.environment(of: nil, otherwise: other) == other)
            }
        }
    }
}
