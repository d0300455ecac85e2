import BelfryDevices
import BelfryJSON
import BelfryTerms
import Testing

@testable import PushAPI

/// Which of two faults is told (the reference's seventh section), and how answers look (its sixth).
@Suite struct OrderTests {
    /// Each fault that a request can have, in the order in which they are told.
    private static let faults: [(EndpointReason, @Sendable (inout Sample) -> Void)] = [
        (.duplicateHeaders, { $0.headers += [("apns-topic", "x"), ("apns-topic", "x")] }),
        (.methodNotAllowed, { $0.method = "GET" }),
        (.badPath, { $0.path = "/4/device/ab" }),
        (.missingProviderToken, { $0.authorization = nil }),
        (.invalidProviderToken, { $0.authorization = Sample.bearer(madeAfter: -9_999, signature: [1]) }),
        (
            .forbidden,
            {
                $0.authorization = Sample.bearer(madeAfter: -9_999)
                $0.credentials.keys["KEYKEYKEY1"]?.revokedAt = Sample.now
            }
        ),
        (.expiredProviderToken, { $0.authorization = Sample.bearer(madeAfter: -9_999) }),
        (
            .badEnvironmentKeyInToken,
            { $0.credentials.keys["KEYKEYKEY1"] = Sample.key(topics: ["x"], environment: .development) }
        ),
        (.badMessageID, { $0.set("apns-id", "x") }),
        (.badExpirationDate, { $0.set("apns-expiration", "x") }),
        (.badPriority, { $0.set("apns-priority", "x") }),
        (.invalidPushType, { $0.set("apns-push-type", "x") }),
        (.badCollapseID, { $0.set("apns-collapse-id", String(repeating: "a", count: 65)) }),
        (.missingTopic, { $0.set("apns-topic", nil) }),
        (.badTopic, { $0.set("apns-topic", "<>") }),
        (.topicDisallowed, { $0.credentials.keys["KEYKEYKEY1"] = Sample.key(topics: ["x"]) }),
        (.payloadTooLarge, { $0.payload = [UInt8](repeating: 0x20, count: 5_121) }),
        (.payloadEmpty, { $0.payload = [] }),
        (.badDeviceToken, { $0.path = "/3/device/ab" }),
        (.unregistered, { $0.isRemoved = true }),
        (
            .deviceTokenNotForTopic,
            {
                $0.set("apns-topic", "com.example.other")
                $0.set("apns-push-type", "voip")
            }
        ),
        (.invalidPushType, { $0.set("apns-push-type", "voip") }),
    ]

    @Test("each fault is told by its own name")
    func alone() {
        for (reason, fault) in Self.faults {
            var sample = Sample()
            fault(&sample)
            #expect(sample.reason == reason)
        }
    }

    @Test("a connection has a good credential with its certificate, or from its first good token on")
    func goodCredential() {
        let sample = Sample()
        let certified = EndpointConnection(environment: .production, certificate: .added(fingerprint: "f1"))
        #expect(certified.hasGoodCredential)
        var connection = EndpointConnection(environment: .production, certificate: .none)
        #expect(!connection.hasGoodCredential)
        _ = sample.judged(on: &connection)
        #expect(connection.hasGoodCredential)
    }

    @Test("behind /3/device comes a slash")
    func slash() {
        var sample = Sample()
        sample.path = "/3/device-" + String(repeating: "ab", count: 32)
        #expect(sample.reason == .badPath)
    }

    @Test("a certificate is good until it expires, and not at that moment")
    func expiry() {
        var sample = Sample()
        sample.certificate = .added(fingerprint: "f1")
        sample.authorization = nil
        var connection = EndpointConnection(environment: .production, certificate: sample.certificate)
        func isGood(after span: TimeSpan) -> Bool { (try? sample.judged(on: &connection, after: span).get()) != nil }
        let life = TimeSpan.seconds(86_400)
        #expect(isGood(after: life - TimeSpan(microseconds: 1)) && !isGood(after: life))
    }

    @Test("a certificate is good from the moment at which it begins")
    func beginning() {
        var sample = Sample()
        sample.certificate = .added(fingerprint: "f1")
        sample.authorization = nil
        sample.credentials.certificates["f1"] = PushCertificate(
            fingerprint: "f1", name: "", subjectTopic: "com.example.phone", listedTopics: [],
            environments: [.production], beginsAt: Sample.now + .seconds(60), expiresAt: Sample.now + .seconds(86_400))
        var connection = EndpointConnection(environment: .production, certificate: sample.certificate)
        func isGood(after span: TimeSpan) -> Bool { (try? sample.judged(on: &connection, after: span).get()) != nil }
        let wait = TimeSpan.seconds(60)
        #expect(!isGood(after: wait - TimeSpan(microseconds: 1)) && isGood(after: wait))
    }

    @Test("the management of devices has a kind of its own, which goes without saying")
    func management() throws {
        var sample = Sample()
        sample.bundleID = "com.apple.mgmt.External.1"
        sample.set("apns-topic", sample.bundleID)
        #expect(try sample.judged().get().pushType == .mdm)
    }

    @Test("of each two, the earlier one is told")
    func pairs() {
        var count = 0
        for (early, (reason, fault)) in Self.faults.enumerated() {
            for (later, (other, otherFault)) in Self.faults.enumerated() where later > early {
                var sample = Sample()
                // What touches the same part of the request has the earlier fault put in last.
                otherFault(&sample)
                fault(&sample)
                guard sample.reason == reason else {
                    Issue.record("\(reason) with \(other): \(String(describing: sample.reason))")
                    continue
                }
                count += 1
            }
        }
        #expect(count == Self.faults.count * (Self.faults.count - 1) / 2)
    }

    @Test("relations and changes of tokens come after the environment, in this order, and before the headers")
    func tokenOrder() {
        var sample = Sample()
        sample.credentials = Sample.credentials([
            Sample.key(), Sample.key("TOPIC00001", topics: ["x"], environment: .development),
            Sample.key("TOPIC00002", topics: ["x"]),
        ])
        var connection = EndpointConnection(environment: .production, certificate: .none)
        func reason(_ authorization: String) -> EndpointReason? {
            sample.authorization = authorization
            guard case .failure(let refusal) = sample.judged(on: &connection, after: .seconds(1)) else { return nil }
            return refusal.reason
        }
        #expect(reason(Sample.bearer()) == nil)
        sample.set("apns-id", "x")
        #expect(reason(Sample.bearer(key: "TOPIC00001")) == .badEnvironmentKeyInToken)
        #expect(reason(Sample.bearer(key: "TOPIC00002")) == .unrelatedKeyIDInToken)
        #expect(reason(Sample.bearer(madeAfter: 1)) == .tooManyProviderTokenUpdates)
        #expect(reason(Sample.bearer()) == .badMessageID)
    }

    @Test("Apple's words and numbers")
    func statuses() {
        var words: [Int: Set<String>] = [:]
        for reason in EndpointReason.allCases { words[reason.status, default: []].insert(reason.rawValue) }
        #expect(
            words == [
                400: [
                    "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
                    "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType",
                    "MissingDeviceToken", "MissingTopic", "PayloadEmpty", "TopicDisallowed",
                ],
                403: [
                    "BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyInToken", "ExpiredProviderToken",
                    "Forbidden", "InvalidProviderToken", "MissingProviderToken", "UnrelatedKeyIdInToken",
                ],
                404: ["BadPath"], 405: ["MethodNotAllowed"], 410: ["ExpiredToken", "Unregistered"],
                413: ["PayloadTooLarge"], 429: ["TooManyProviderTokenUpdates", "TooManyRequests"],
                500: ["InternalServerError"], 503: ["ServiceUnavailable", "Shutdown"],
            ])
    }

    @Test("answers: no body with success, the reason otherwise, milliseconds with 410")
    func answers() {
        let id = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
        let good = EndpointAnswer(acceptedAs: id, in: .production) { "unique" }
        #expect(good.status == 200 && good.body.isEmpty && good.apnsID == id && good.uniqueID == nil)
        #expect(EndpointAnswer(acceptedAs: id, in: .development) { "unique" }.uniqueID == "unique")
        let bad = EndpointAnswer(Refusal(.badDeviceToken, "none"), apnsID: id)
        #expect(bad.status == 400 && bad.body == Array(#"{"reason":"BadDeviceToken"}"#.utf8) && bad.apnsID == id)
        let gone = EndpointAnswer(
            Refusal(.unregistered, "gone", timestampMilliseconds: 1_790_000_000_123), apnsID: id)
        #expect(gone.status == 410)
        #expect(gone.body == Array(#"{"reason":"Unregistered","timestamp":1790000000123}"#.utf8))
    }
}
