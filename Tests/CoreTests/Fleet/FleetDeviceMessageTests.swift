import BelfryDevices
import BelfryTerms
import Fleet
import Support
import Testing

/// What the bucket, machines and gateways say of devices.
@Suite struct FleetDeviceMessageTests {
    static let id = "0a1b2c3d-0000-4000-8000-000000000001"
    static let otherID = "0a1b2c3d-0000-4000-8000-000000000002"

    static func entry(
        _ alert: UInt8, _ voip: UInt8, removedAt: WallTime? = nil, isOffline: Bool = false
    ) -> DeviceEntry {
        DeviceEntry(
            bundleID: "com.example.phone", appGroup: GroupName("phones"), environment: .development,
            callPayload: .twilio, alertToken: token(alert), voipToken: token(voip),
            addedAt: WallTime(microseconds: 1_700_000_000_123_456), removedAt: removedAt, isOffline: isOffline)
    }

    static func token(_ number: UInt8) -> DeviceToken { DeviceToken(bytes: [UInt8](repeating: number, count: 32))! }

    private func changed(_ bytes: [UInt8], _ old: String, _ new: String) -> [UInt8] {
        Array(String(decoding: bytes, as: UTF8.self).replacing(old, with: new).utf8)
    }

    @Test("a key is a machine and a device, or a gateway's fence, and has one spelling")
    func keys() {
        for text in ["door-1.\(Self.id)", "_fence.gate-1", "\(Self.id).\(Self.id)"] {
            #expect(BucketKey(text)?.text == text)
        }
        for text in [
            "", ".", "door-1", "door-1.", ".\(Self.id)", "door-1.\(Self.id.uppercased())", "door-1.\(Self.id).a",
            "Door.\(Self.id)", "door-1.0a1b2c3d", "*.\(Self.id)", ">", "_fence", "_fence.", "_fence.Gate",
            "_fence.gate.1", "fence.gate-1", "door-1.\(Self.id.replacing("-", with: "_"))", " door-1.\(Self.id)",
        ] {
            #expect(BucketKey(text) == nil, "\(text)")
        }
    }

    @Test("an entry is read as it was, with all it may have and with little")
    func entries() throws {
        var full = Self.entry(1, 2, removedAt: WallTime(microseconds: 5), isOffline: true)
        full.isShared = true
        full = full.replacing(full, at: 7)
        #expect(full.since == 7)
        #expect(try DeviceEntry(bytes: full.bytes) == full)
        let bare = DeviceEntry(
            bundleID: "a", appGroup: nil, environment: .production, alertToken: Self.token(1),
            voipToken: Self.token(2), addedAt: WallTime(microseconds: 0))
        #expect(try DeviceEntry(bytes: bare.bytes) == bare)
        let forgotten = ForgottenDevice(removedAt: WallTime(microseconds: 5))
        #expect(try ForgottenDevice(bytes: forgotten.bytes) == forgotten)
        #expect(throws: FleetMessageError.self) { try ForgottenDevice(bytes: full.bytes) }
        #expect(throws: FleetMessageError.self) { try DeviceEntry(bytes: forgotten.bytes) }
    }

    @Test("an entry that is written again keeps its place; one with other tokens has a new one")
    func places() {
        let first = Self.entry(1, 2)
        let second = Self.entry(1, 2, isOffline: true).replacing(first, at: 5)
        #expect(second.since == 5)
        #expect(first.replacing(second, at: 9).since == 5)
        #expect(Self.entry(1, 3).replacing(second, at: 9).since == nil)
    }

    @Test("a later version's fields are passed over, and a call payload that it has added is none")
    func later() throws {
        let entry = Self.entry(1, 2)
        let more = changed(entry.bytes, #""version":1"#, #""version":9,"new":{"a":[1]}"#)
        #expect(try DeviceEntry(bytes: more) == entry)
        #expect(try DeviceEntry(bytes: changed(entry.bytes, "twilio", "telepathy")).callPayload == nil)
        let removal = DeviceQuestion.remove(Self.id).bytes
        #expect(try DeviceQuestion.read(changed(removal, #""remove""#, #""rename""#)) == nil)
        let refusal = DeviceAnswer.refused(.claimed, detail: "").bytes
        #expect(try DeviceAnswer.read(changed(refusal, #""refused""#, #""postponed""#)) == nil)
        #expect(
            try DeviceAnswer.read(changed(refusal, #""claimed""#, #""asleep""#))
                == .refused(.unavailable, detail: ""))
    }

    @Test(
        "an entry that is malformed is refused",
        arguments: [
            ("\"version\":1", "\"version\":0"), ("\"version\":1,", ""), ("com.example.phone", ""),
            ("com.example.phone", "com.example.phone.voip"), ("com.example.phone", "com example"),
            ("com.example.phone", String(repeating: "a", count: 241)), ("\"phones\"", "\"../phones\""),
            ("\"phones\"", "7"), ("development", "staging"), ("0101", "01g1"), ("\"0101", "\"01"),
            ("0202", "0101"), ("\"added\":17", "\"added\":1.7"), ("\"added\"", "\"ended\""),
            ("\"added\"", "\"removed\":\"now\",\"added\""), ("\"added\"", "\"offline\":1,\"added\""),
            ("\"added\"", "\"since\":0,\"added\""), ("\"added\"", "\"since\":-1,\"added\""), ("{", "["),
            ("com.example.phone", String(repeating: "a", count: 70_000)),
        ])
    func malformed(_ old: String, _ new: String) {
        let bytes = changed(Self.entry(1, 2).bytes, old, new)
        #expect(bytes != Self.entry(1, 2).bytes)
        #expect(throws: FleetMessageError.self) { try DeviceEntry(bytes: bytes) }
    }

    @Test("each question is read as it was asked")
    func questions() throws {
        let addition = try #require(
            DeviceQuestion.Addition(
                id: Self.id, bundleID: "com.example.phone", appGroup: GroupName("g"), environment: .production,
                callPayload: .callkeep))
        let bare = try #require(
            DeviceQuestion.Addition(id: Self.id, bundleID: "a", appGroup: nil, environment: .development))
        let named = try #require(NamedDevice(Self.id, Self.entry(1, 2)))
        for question in [
            .add(addition), .add(bare), .remove(Self.id), .online(Self.id), .offline(Self.id), .announce([]),
            .announce([named]), .list(after: nil), .list(after: Self.id),
        ] as [DeviceQuestion] {
            #expect(try DeviceQuestion.read(question.bytes) == question)
        }
        #expect(
            DeviceQuestion.Addition(id: "a", bundleID: "a", appGroup: nil, environment: .development) == nil
                && DeviceQuestion.Addition(id: Self.id, bundleID: "a b", appGroup: nil, environment: .production)
                    == nil
                && NamedDevice(Self.id.uppercased(), Self.entry(1, 2)) == nil)
    }

    @Test("each answer is read as it was given")
    func answers() throws {
        let named = try #require(NamedDevice(Self.id, Self.entry(1, 2)))
        let exception = try #require(DeviceAnswer.Exception(Self.id, .claimed))
        #expect(DeviceAnswer.Exception("", .claimed) == nil)
        let refusals = DeviceRefusal.allCases.map { DeviceAnswer.refused($0, detail: "a \"b\"") }
        for answer in [
            .devices([], isAll: true), .devices([named], isAll: false), .done(except: []),
            .done(except: [exception]),
        ] + refusals {
            #expect(try DeviceAnswer.read(answer.bytes) == answer)
        }
    }

    @Test(
        "what is malformed is no question and no answer",
        arguments: [
            "{}", #"{"version":1}"#, #"{"version":1,"ask":"remove","answer":"done"}"#,
            #"{"version":1,"ask":"remove","id":"0A1B2C3D-0000-4000-8000-000000000001","answer":"done","except":{}}"#,
            #"{"version":1,"ask":"announce","devices":[{}],"answer":"devices","all":true}"#,
            #"{"version":1,"ask":"list","after":"*","answer":"devices","devices":[]}"#,
            #"{"version":1,"ask":"add","id":"0a1b2c3d-0000-4000-8000-000000000001","answer":"refused"}"#,
        ])
    func questionsRefused(_ text: String) {
        #expect(throws: FleetMessageError.self) { try DeviceQuestion.read(Array(text.utf8)) }
        #expect(throws: FleetMessageError.self) { try DeviceAnswer.read(Array(text.utf8)) }
    }

    @Test("the longest message that may be written is one that brokers take, and one device more is refused")
    func longest() throws {
        var longest = DeviceEntry(
            bundleID: String(repeating: "b", count: Registration.bundleIDBytesMax),
            appGroup: GroupName(String(repeating: "g", count: GroupName.bytesMax)), environment: .development,
            callPayload: .flutterCallkitIncoming, alertToken: Self.token(0xA0), voipToken: Self.token(0xB0),
            addedAt: WallTime(microseconds: .min), removedAt: WallTime(microseconds: .min), isOffline: true)
        longest.isShared = true
        let named = try #require(NamedDevice(Self.id, longest.replacing(longest, at: UInt64(Int64.max))))
        let devices = [NamedDevice](repeating: named, count: NamedDevice.perMessageMax)
        #expect(try DeviceQuestion.read(DeviceQuestion.announce(devices).bytes) == .announce(devices))
        let text = String(decoding: DeviceQuestion.announce([named, named]).bytes, as: UTF8.self)
        let element = try #require(text.split(separator: "[").last?.split(separator: "},").first) + "}"
        let short = [String](repeating: String(element), count: NamedDevice.perMessageMax + 1)
        let longer = #"{"version":1,"ask":"announce","devices":[\#(short.joined(separator: ","))]}"#
        #expect(longer.utf8.count < 64 << 10)
        let error = #expect(throws: FleetMessageError.self) { try DeviceQuestion.read(Array(longer.utf8)) }
        #expect(error?.detail.contains("64 objects at most") ?? false)
    }

    @Test("whatever is changed in a message, it is read or refused, and what is read is written as it was")
    func mutated() throws {
        var random = SeededRandom(seed: 41)
        let named = try #require(NamedDevice(Self.id, Self.entry(1, 2)))
        let seeds = [
            Self.entry(1, 2).bytes, DeviceQuestion.announce([named]).bytes, DeviceQuestion.list(after: Self.id).bytes,
            DeviceAnswer.devices([named], isAll: true).bytes,
        ]
        for _ in 0..<5_000 {
            let bytes = random.mutated(random.pick(seeds))
            if let entry = try? DeviceEntry(bytes: bytes) { #expect(try DeviceEntry(bytes: entry.bytes) == entry) }
            if let question = try? DeviceQuestion.read(bytes) {
                #expect(try DeviceQuestion.read(question.bytes) == question)
            }
            if let answer = try? DeviceAnswer.read(bytes) {
                #expect(try DeviceAnswer.read(answer.bytes) == answer)
            }
        }
    }
}
