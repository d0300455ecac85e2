import BelfryDevices
import BelfryJSON
import BelfryTerms
import Testing

@testable import ProviderAPI

/// Apple's extensions of certificates, and how credentials are kept.
@Suite struct PushTopicsTests {
    private static let topics = ["com.example.phone", "com.example.phone.voip", "com.example.phone.complication"]

    @Test("the topics of a certificate in Apple's shape")
    func topics() {
        #expect(PushTopics.topics(inDER: PushTopics.der(forApp: "com.example.phone")) == Self.topics)
        #expect(PushTopics.topics(inDER: [0x30, 0]) == [])
        let long = String(repeating: "a", count: 200)
        #expect(PushTopics.topics(inDER: PushTopics.der(forApp: long))?.first == long)
    }

    @Test("whatever is cut, changed or too long is none, and traps nothing")
    func damaged() {
        let good = PushTopics.der(forApp: "com.example.phone")
        for count in 0..<good.count { #expect(PushTopics.topics(inDER: Array(good.prefix(count))) == nil) }
        for index in good.indices {
            for bit in 0..<8 {
                var bytes = good
                bytes[index] ^= 1 << UInt8(bit)
                _ = PushTopics.topics(inDER: bytes)
            }
        }
        for bytes: [UInt8] in [
            [5, 0], [0x30, 0x80, 0, 0], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x82, 0xFF], [0x30, 0, 0],
            [0x30, 2, 0x0C, 0], [0x30, 5, 0x0C, 1, 0xFF, 0x30, 0],
        ] {
            #expect(PushTopics.topics(inDER: bytes) == nil, "\(bytes)")
        }
        let pair = DERReader.written(DERReader.textTag, [0x61]) + DERReader.written(DERReader.sequenceTag, [])
        let many = (0..<401).flatMap { _ in pair }
        #expect(PushTopics.topics(inDER: DERReader.written(DERReader.sequenceTag, many)) == nil)
    }

    @Test("both extensions together, and old certificates for calls")
    func listed() {
        let value = PushTopics.der(forApp: "com.example.phone")
        let subject = "com.example.phone"
        #expect(PushTopics.listed(topicsValue: value, voipValue: nil, subjectTopic: subject) == Self.topics)
        #expect(PushTopics.listed(topicsValue: nil, voipValue: nil, subjectTopic: subject) == [])
        #expect(
            PushTopics.listed(topicsValue: nil, voipValue: [5, 0], subjectTopic: subject)
                == [subject, subject + ".voip"])
        #expect(
            PushTopics.listed(topicsValue: nil, voipValue: [5, 0], subjectTopic: subject + ".voip")
                == [subject + ".voip"])
        #expect(PushTopics.listed(topicsValue: value, voipValue: value, subjectTopic: subject) == Self.topics)
        #expect(PushTopics.listed(topicsValue: [1], voipValue: nil, subjectTopic: subject) == nil)
        #expect(PushTopics.listed(topicsValue: nil, voipValue: [1], subjectTopic: subject) == nil)
    }

    @Test("credentials are read as they were written")
    func kept() throws {
        var credentials = Sample.credentials([
            Sample.key(), Sample.key("2", topics: ["a", "b"], environment: .development, related: "1"),
            Sample.key("3", revokedAt: Sample.now),
        ])
        credentials.certificates["f1"]?.revokedAt = Sample.now
        let read = try JSONValue.parse(credentials.json.serialized()).objectValue.map(ProviderCredentials.init(json:))
        #expect(read == credentials)
        let empty = ProviderCredentials()
        #expect(ProviderCredentials(json: empty.json) == empty)
    }

    @Test("what is no such file is refused whole")
    func refused() {
        for text in [
            "{}", #"{"keys":[1],"certificates":[]}"#, #"{"keys":[{"id":"a"}],"certificates":[]}"#,
            #"{"keys":[],"certificates":[{}]}"#, #"{"keys":[{"id":"a","team":"b","point":"xx"}],"certificates":[]}"#,
        ] {
            let object = (try? JSONValue.parse(Array(text.utf8)))?.objectValue ?? JSONObject()
            #expect(ProviderCredentials(json: object) == nil, "\(text)")
        }
    }
}
