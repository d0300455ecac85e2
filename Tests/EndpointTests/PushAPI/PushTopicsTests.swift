import BelfryDevices
import BelfryJSON
import BelfryTerms
import Testing

@testable import PushAPI

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
            [0x30, 2, 0x0C, 0], [0x30, 5, 0x0C, 1, 0xFF, 0x30, 0], [0x30, 0x83, 0, 0, 0], [0x30, 0x80],
        ] {
            #expect(PushTopics.topics(inDER: bytes) == nil, "\(bytes)")
        }
        let pair = DERReader.written(DERReader.textTag, [0x61]) + DERReader.written(DERReader.sequenceTag, [])
        let ofLength4 =
            DERReader.written(DERReader.textTag, Array("aaaa".utf8)) + DERReader.written(DERReader.sequenceTag, [])
        let of128Bytes = ofLength4 + (0..<24).flatMap { _ in pair }
        #expect(PushTopics.topics(inDER: DERReader.written(DERReader.sequenceTag, of128Bytes))?.count == 25)
        #expect(PushTopics.topics(inDER: [0x30, 0x80] + of128Bytes) == nil, "a length is always stated")
        let many = (0..<401).flatMap { _ in pair }
        #expect(PushTopics.topics(inDER: DERReader.written(DERReader.sequenceTag, many)) == nil)
    }

    @Test(
        "a length has as many bytes as it needs",
        arguments: [
            (0, [0]), (0x7F, [0x7F]), (0x80, [0x81, 0x80]), (0xFF, [0x81, 0xFF]), (0x100, [0x82, 1, 0]),
            (0xFFFF, [0x82, 0xFF, 0xFF]),
        ] as [(Int, [UInt8])])
    func lengths(count: Int, bytes: [UInt8]) {
        let text = String(repeating: "a", count: count)
        let element = DERReader.written(DERReader.textTag, Array(text.utf8))
        #expect(Array(element.prefix(1 + bytes.count)) == [DERReader.textTag] + bytes)
        var reader = DERReader((element + [7])[...])
        #expect(reader.text() == text && !reader.isAtEnd)
        var cut = DERReader(element.dropLast())
        #expect(count == 0 || cut.text() == nil)
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
        let read = try JSONValue.parse(credentials.json.serialized()).objectValue.map(EndpointCredentials.init(json:))
        #expect(read == credentials)
        let empty = EndpointCredentials()
        #expect(EndpointCredentials(json: empty.json) == empty)
    }

    @Test("they are written in the order of their names, whatever the order they came in")
    func order() throws {
        var credentials = Sample.credentials(["9", "1", "5", "3", "7"].map { Sample.key($0) })
        for name in ["f9", "f4", "f7", "f2"] {
            credentials.certificates[name] = PushCertificate(
                fingerprint: name, name: "", subjectTopic: "com.example.phone", listedTopics: [],
                environments: [.production], expiresAt: Sample.now)
        }
        func names(_ list: String, _ name: String) -> [String] {
            credentials.json[list]?.arrayValue?.compactMap { $0.objectValue?[name]?.stringValue } ?? []
        }
        #expect(names("keys", "id") == ["1", "3", "5", "7", "9"])
        #expect(names("certificates", "fingerprint") == ["f1", "f2", "f4", "f7", "f9"])
    }

    @Test("hexadecimal digits are read in either case, two for each byte")
    func hexadecimal() {
        let all = (0...UInt8.max).map { $0 }
        let text = Hexadecimal.text(of: all)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.bytes(text) == all && Hexadecimal.bytes(text.uppercased()) == all)
        for wrong in ["0", "000", "0g", "g0", "0 ", "é"] { #expect(Hexadecimal.bytes(wrong) == nil, "\(wrong)") }
        #expect(Hexadecimal.bytes("") == [])
    }

    @Test("what is no such file is refused whole")
    func refused() {
        for text in [
            "{}", #"{"keys":[1],"certificates":[]}"#, #"{"keys":[{"id":"a"}],"certificates":[]}"#,
            #"{"keys":[],"certificates":[{}]}"#, #"{"keys":[{"id":"a","team":"b","point":"xx"}],"certificates":[]}"#,
        ] {
            let object = (try? JSONValue.parse(Array(text.utf8)))?.objectValue ?? JSONObject()
            #expect(EndpointCredentials(json: object) == nil, "\(text)")
        }
    }
}
