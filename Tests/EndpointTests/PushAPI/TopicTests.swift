import BelfryDevices
import BelfryTerms
import Testing

@testable import PushAPI

/// Topics and kinds of push (the reference's third section).
@Suite struct TopicTests {
    /// What becomes of a push of `type` to the app's topic and `suffix`, sent to one of its two tokens.
    private func outcome(
        _ type: String?, _ suffix: String, to token: DeviceToken? = Sample.alertToken
    ) -> Result<EndpointPush, Refusal> {
        var sample = Sample()
        sample.path = "/3/device/" + (token?.hex ?? "")
        sample.set("apns-topic", "com.example.phone" + suffix)
        sample.set("apns-push-type", type)
        return sample.judged()
    }

    private func reason(_ type: String?, _ suffix: String, to token: DeviceToken? = Sample.alertToken)
        -> EndpointReason?
    {
        if case .failure(let refusal) = outcome(type, suffix, to: token) { refusal.reason } else { nil }
    }

    static let rows: [(APNsPushType, String)] = [
        (.alert, ""), (.background, ""), (.voip, ".voip"), (.complication, ".complication"),
        (.fileprovider, ".pushkit.fileprovider"), (.location, ".location-query"),
        (.liveactivity, ".push-type.liveactivity"), (.pushtotalk, ".voip-ptt"), (.widgets, ".push-type.widgets"),
        (.controls, ".push-type.controls"),
    ]

    @Test("each kind has its topic, stated or told by it", arguments: rows)
    func kinds(_ type: APNsPushType, _ suffix: String) throws {
        let token = type == .voip ? Sample.voipToken : Sample.alertToken
        #expect(try outcome(type.rawValue, suffix, to: token).get().pushType == type)
        if !suffix.isEmpty { #expect(try outcome(nil, suffix, to: token).get().pushType == type) }
    }

    @Test("a kind with another one's topic is InvalidPushType where the token takes the topic")
    func otherTopics() {
        for (type, suffix) in Self.rows where type != .voip {
            for (other, otherSuffix) in Self.rows where otherSuffix != suffix && otherSuffix != ".voip" {
                #expect(reason(other.rawValue, suffix) == .invalidPushType, "\(other) to \(suffix)")
            }
        }
        #expect(reason("alert", ".voip", to: Sample.voipToken) == .invalidPushType)
        #expect(reason("voip", "") == .invalidPushType)
        #expect(reason("mdm", "") == .invalidPushType)
    }

    @Test("a token takes its own topic: calls and all else are two")
    func tokensOfTopics() {
        #expect(reason(nil, "", to: Sample.voipToken) == .deviceTokenNotForTopic)
        #expect(reason("voip", ".voip") == .deviceTokenNotForTopic)
        #expect(reason("voip", ".voip.voip", to: Sample.voipToken) == .deviceTokenNotForTopic)
        #expect(reason("alert", "x") == .deviceTokenNotForTopic)
        #expect(reason(nil, ".voip-ptt", to: Sample.voipToken) == .deviceTokenNotForTopic)
    }

    @Test("without a stated kind, what is shown is an alert, and what only wakes the app is not")
    func inferred() throws {
        let payloads = [
            (#"{"aps":{"content-available":1}}"#, APNsPushType.background),
            (#"{"aps":{"content-available":1,"alert":"x"}}"#, .alert), (#"{"aps":{"badge":1}}"#, .alert),
            ("{}", .alert),
        ]
        for (payload, type) in payloads {
            var sample = Sample()
            sample.payload = Array(payload.utf8)
            #expect(try sample.judged().get().pushType == type, "\(payload)")
        }
    }

    @Test(
        "what is no topic", arguments: ["", "a b", "<com.example>", "com_example", String(repeating: "a", count: 256)])
    func badTopics(_ topic: String) {
        var sample = Sample()
        sample.set("apns-topic", topic)
        #expect(sample.reason == .badTopic)
        #expect(TopicRules.isWellFormed(String(repeating: "a", count: 255)))
    }

    @Test("a topic is of letters, digits, dots and hyphens")
    func letters() {
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-".unicodeScalars)
        for number in UInt8.min...UInt8.max {
            let scalar = Unicode.Scalar(number)
            #expect(TopicRules.isWellFormed("a\(scalar)") == letters.contains(scalar), "\(number)")
        }
    }

    @Test("management has topics that look like an app's, and its own kind")
    func management() {
        #expect(TopicRules.isPossible(.mdm, to: "com.apple.mgmt.External.1", ofApp: "com.apple.mgmt.External.1"))
        #expect(!TopicRules.isPossible(.mdm, to: "com.example", ofApp: "com.example"))
    }

    @Test("a certificate: its topics, its subject where it has one alone, and not what tokens alone may")
    func certificates() {
        func reason(_ listed: [String], _ topic: String?, type: String? = nil) -> EndpointReason? {
            var sample = Sample()
            sample.certificate = .added(fingerprint: "f1")
            sample.credentials.certificates["f1"] = Sample.certificate(listed: listed)
            sample.set("apns-topic", topic)
            sample.set("apns-push-type", type)
            return sample.reason
        }
        let both = ["com.example.phone", "com.example.phone.voip"]
        #expect(reason(both, "com.example.phone") == nil)
        #expect(reason(both, nil) == .missingTopic)
        #expect(reason(both, "com.example.other") == .topicDisallowed)
        #expect(reason([], nil) == nil && reason([], "com.example.phone") == nil)
        #expect(reason([], "com.example.phone.voip") == .topicDisallowed)
        let all = Self.rows.map { "com.example.phone" + $0.1 }
        for (type, suffix) in Self.rows where type != .voip {
            let isForTokens = [.location, .liveactivity, .pushtotalk, .widgets, .controls].contains(type)
            #expect(
                reason(all, "com.example.phone" + suffix, type: type.rawValue)
                    == (isForTokens ? .topicDisallowed : nil), "\(type)")
        }
    }

    @Test("a key for certain topics is for no other; a key without any is for all")
    func keys() {
        for (topics, expected) in [(["com.example.phone"], EndpointReason?.none), (["com.other"], .topicDisallowed)] {
            var sample = Sample()
            sample.credentials = Sample.credentials([Sample.key(topics: topics)])
            #expect(sample.reason == expected)
        }
        var sample = Sample()
        sample.set("apns-topic", nil)
        #expect(sample.reason == .missingTopic)
    }
}
