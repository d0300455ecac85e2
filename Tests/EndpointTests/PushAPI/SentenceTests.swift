import BelfryDevices
import BelfryTerms
import Testing

@testable import PushAPI

/// Each refusal has a sentence for whoever reads the log, and says in it what the reason alone does not.
@Suite struct SentenceTests {
    /// What makes a request wrong, perhaps after others on its connection, and what is told of it.
    private struct Case: Sendable {
        let part: String
        let change: @Sendable (inout Sample, inout EndpointConnection) -> Void

        init(_ part: String, _ change: @escaping @Sendable (inout Sample, inout EndpointConnection) -> Void) {
            self.part = part
            self.change = change
        }

        init(_ part: String, set name: String, _ value: String?) {
            self.init(part) { sample, _ in sample.set(name, value) }
        }
    }

    private static func certified(_ part: String, listed: [String], topic: String?) -> Case {
        Case(part) { sample, connection in
            sample.credentials.certificates["f1"] = Sample.certificate(listed: listed)
            sample.set("apns-topic", topic)
            connection = EndpointConnection(environment: .production, certificate: .added(fingerprint: "f1"))
        }
    }

    private static func body(_ part: String, _ text: String) -> Case {
        Case(part) { sample, _ in sample.payload = Array(text.utf8) }
    }

    private static let headers: [EndpointReason: [Case]] = [
        .badCollapseID: [Case("has 65 bytes: 64", set: "apns-collapse-id", String(repeating: "a", count: 65))],
        .badExpirationDate: [Case("apns-expiration is \"soon\"", set: "apns-expiration", "soon")],
        .badMessageID: [Case("apns-id is no UUID", set: "apns-id", "x")],
        .badPriority: [
            Case("apns-priority is \"2\"", set: "apns-priority", "2"),
            Case("apns-priority is 1, which no background push") { sample, _ in
                sample.headers += [("apns-priority", "1"), ("apns-push-type", "background")]
            },
        ],
        .badTopic: [Case("letters, digits, dots and hyphens", set: "apns-topic", "<>")],
        .duplicateHeaders: [Case("apns-topic is there twice") { sample, _ in sample.headers += sample.headers }],
        .invalidPushType: [
            Case("\"call\", which is no kind", set: "apns-push-type", "call"),
            Case("a voip push is not for the topic com.example.phone", set: "apns-push-type", "voip"),
        ],
        .missingTopic: [
            Case("a token stands for none", set: "apns-topic", nil),
            certified("certificate f1 is for a, b, c and 1 more", listed: ["a", "b", "c", "d"], topic: nil),
        ],
        .topicDisallowed: [
            Case("key KEYKEYKEY1 is for x") { sample, _ in
                sample.credentials.keys["KEYKEYKEY1"] = Sample.key(topics: ["x"])
            },
            certified("certificate f1 is for a", listed: ["a"], topic: "b"),
            certified("need a token", listed: ["a.voip-ptt"], topic: "a.voip-ptt"),
        ],
    ]

    private static let rest: [EndpointReason: [Case]] = [
        .badPath: [
            Case("/3/device/TOKEN") { sample, _ in sample.path = "/4/device/" + String(repeating: "ab", count: 32) }
        ],
        .methodNotAllowed: [Case("the method is \"GET\"") { sample, _ in sample.method = "GET" }],
        .missingDeviceToken: [Case("before the device token") { sample, _ in sample.path = "/3/device/" }],
        .badDeviceToken: [
            Case("not 64 hexadecimal") { sample, _ in sample.path = "/3/device/ab" },
            Case("no device has this token") { sample, _ in
                sample.path = "/3/device/" + String(repeating: "ef", count: 32)
            },
            Case("of production, and the client asked for development") { _, connection in
                connection = EndpointConnection(environment: .development, certificate: .none)
            },
        ],
        .unregistered: [
            Case("was removed") { sample, _ in sample.isRemoved = true },
            Case("was removed, and its app was given another token") { sample, _ in
                (sample.isRemoved, sample.isReplaced) = (true, true)
            },
        ],
        .deviceTokenNotForTopic: [
            Case("alert token of com.example.phone is for com.example.phone", set: "apns-topic", "com.other"),
            Case("voip token of com.example.phone is for com.example.phone.voip") { sample, _ in
                sample.path = "/3/device/" + String(repeating: "cd", count: 32)
            },
        ],
        .payloadTooLarge: [
            body("the 4096 bytes of a push to an app's own topic", String(repeating: " ", count: 4_097)),
            Case("the 5120 bytes of a voip push") { sample, _ in
                sample.set("apns-push-type", "voip")
                sample.payload = [UInt8](repeating: 0x20, count: 5_121)
            },
        ],
        .payloadEmpty: [
            body("there is no body", ""), body("byte order mark", "\u{FEFF}{}"), body("but no object", "[]"),
            body("is no JSON, in line 2 at character", "{\n\"x\" \"secret\"}"), body("its end is missing", "{"),
            body("nothing but blanks", " "), body("beyond what is read of one: a number", #"{"a":1e400}"#),
            body("beyond what is read of one: a key is there twice", #"{"a":1,"a":2}"#),
            body(
                "over 31 levels",
                #"{"a":"# + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}"),
            body("a key has U+0000", #"{"\u0000":1}"#),
            Case("not UTF-8") { sample, _ in sample.payload = [0x7B, 0xFF, 0x7D] },
        ],
    ]

    private static let credentials: [EndpointReason: [Case]] = [
        .badCertificate: [
            Case("certificate f9 was not added") { _, connection in
                connection = EndpointConnection(environment: .production, certificate: .unknown(fingerprint: "f9"))
            }
        ],
        .badEnvironmentKeyInToken: [
            Case("is for development, and the client asked for production") { sample, _ in
                sample.credentials = Sample.credentials([Sample.key(environment: .development)])
            }
        ],
        .expiredProviderToken: [
            Case("is 66 min behind") { sample, _ in sample.authorization = Sample.bearer(madeAfter: -4_000) }
        ],
        .forbidden: [
            Case("key KEYKEYKEY1 was revoked") { sample, _ in
                sample.credentials = Sample.credentials([Sample.key(revokedAt: Sample.now)])
            }
        ],
        .invalidProviderToken: [
            Case("the signature is not by key") { sample, _ in sample.authorization = Sample.bearer(signature: [1]) }
        ],
        .missingProviderToken: [Case("no authorization header") { sample, _ in sample.authorization = nil }],
        .unrelatedKeyIDInToken: [
            Case("may not follow key KEYKEYKEY1") { sample, connection in
                sample.credentials = Sample.credentials([Sample.key(), Sample.key("KEYKEYKEY2", topics: ["x"])])
                _ = sample.judged(on: &connection)
                sample.authorization = Sample.bearer(key: "KEYKEYKEY2")
            }
        ],
        .tooManyProviderTokenUpdates: [
            Case("less than 20 minutes ago") { sample, connection in
                _ = sample.judged(on: &connection)
                sample.authorization = Sample.bearer(madeAfter: 1)
            }
        ],
    ]

    /// Reasons that the queue has for a push that is in order, with sentences of its own.
    private static let ofQueue: Set<EndpointReason> = [.tooManyRequests, .serviceUnavailable, .internalServerError]
    /// Reasons that end a connection, and the one that is never given here.
    private static let ofConnection: Set<EndpointReason> = [
        .badCertificateEnvironment, .idleTimeout, .shutdown, .expiredToken,
    ]

    @Test("each reason of a refused request says what is wrong, and none is without a sentence")
    func refusals() {
        var reasons = Self.ofQueue.union(Self.ofConnection)
        for (reason, cases) in [Self.headers, Self.rest, Self.credentials].flatMap({ $0 }) {
            reasons.insert(reason)
            for one in cases {
                var sample = Sample()
                var connection = EndpointConnection(environment: .production, certificate: .none)
                one.change(&sample, &connection)
                guard case .failure(let refusal) = sample.judged(on: &connection) else {
                    Issue.record("\(reason) \(one.part)")
                    continue
                }
                #expect(refusal.reason == reason && refusal.detail.contains(one.part), "\(reason): \(refusal.detail)")
                // Nothing of the payload, nor the token that the path has.
                #expect(!refusal.detail.contains("secret") && !refusal.detail.contains("abab"))
            }
        }
        #expect(reasons == Set(EndpointReason.allCases))
    }

    @Test("what a server writes takes little room in the log")
    func shortened() {
        var sample = Sample()
        for name in ["apns-expiration", "apns-priority", "apns-push-type"] {
            sample.headers = [("apns-topic", "com.example.phone"), (name, String(repeating: "é", count: 4_000))]
            guard case .failure(let refusal) = sample.judged() else {
                Issue.record("\(name)")
                continue
            }
            #expect(refusal.detail.contains("\"" + String(repeating: "é", count: 32) + "\""), "\(refusal.detail)")
        }
    }

    @Test("each end of a connection has a sentence of its own, with its certificate and by how much it is off")
    func ends() {
        let shown = EarlyEnd.ShownCertificate(
            fingerprint: "f1", beginsAt: Sample.now + .seconds(3 * 3_600), expiresAt: Sample.now + .seconds(-3 * 86_400)
        )
        let details = ConnectionEnd.allCases.map { EarlyEnd($0, certificate: shown, at: Sample.now).detail }
        #expect(Set(details).count == ConnectionEnd.allCases.count && !details.contains(""))
        func detail(_ why: ConnectionEnd) -> String { EarlyEnd(why, certificate: shown, at: Sample.now).detail }
        #expect(detail(.certificateExpired) == "certificate f1 has expired, 3 days ago")
        #expect(detail(.certificateNotYet) == "certificate f1 is not valid yet, in 3 h")
        #expect(detail(.certificateRevoked) == "certificate f1 was revoked")
        #expect(EarlyEnd(.handshake, at: Sample.now, words: "bad mac").detail == "the handshake failed: bad mac")
        let refusal = EndpointConnection.refusal(
            of: .added(fingerprint: "f1"), in: .development, credentials: Sample.credentials())
        let end = refusal.map { EarlyEnd($0, fingerprint: "f1") }
        #expect(end?.why == .badCertificateEnvironment && end?.fingerprint == "f1")
        #expect(end?.detail == "certificate f1 is for production, and the client asked for development")
    }

    @Test("a refused request is known by what it states, else by its certificate and topic; no stranger's device is")
    func known() {
        var sample = Sample()
        func refused(_ certificate: ClientCertificate) -> RefusedRequest {
            RefusedRequest(
                sample.request, apnsID: "i",
                on: EndpointConnection(environment: .production, certificate: certificate),
                credentials: sample.credentials)
        }
        sample.set("apns-topic", nil)
        var one = refused(.added(fingerprint: "f1"))
        #expect(one.topic == nil && one.token == Sample.alertToken, "its certificate has two")
        sample.credentials.certificates["f1"] = Sample.certificate(listed: ["a.voip"])
        one = refused(.added(fingerprint: "f1"))
        #expect(one.topic == "a.voip" && one.pushType == .voip && one.fingerprint == "f1")
        sample.headers = [("apns-topic", "b.voip"), ("apns-push-type", "alert")]
        one = refused(.added(fingerprint: "f1"))
        #expect(one.topic == "b.voip" && one.pushType == .alert)
        one = refused(.unknown(fingerprint: "f9"))
        #expect(one.topic == "b.voip" && one.token == nil && one.fingerprint == "f9")
        #expect(refused(.none).fingerprint == nil && refused(.none).token == nil)
    }

    @Test("of strangers the first of each kind in a second is told, and how many more there were")
    func tally() {
        var tally = RefusalTally()
        func told(_ kind: RefusalTally.Kind, times: Int) -> [Bool] { (0..<times).map { _ in tally.isTold(kind) } }
        #expect(told(.refusal(.badPath), times: 3) == [true, false, false])
        #expect(told(.end(.noTLS), times: 2) == [true, false] && told(.end(.left), times: 1) == [true])
        let rest = tally.rest()
        #expect(rest.map(\.count) == [2, 1] && rest.map(\.kind.code) == ["BadPath", "no-tls"])
        #expect(tally.rest().isEmpty && tally.isTold(.refusal(.badPath)))
    }
}
