import BelfryDevices
import BelfryTerms
import Fleet
import Testing

/// What gateways and machines say to each other.
@Suite struct FleetMessageTests {
    private static let push = EndpointPush(
        apnsID: "C0FFEE", token: DeviceToken(bytes: [UInt8](0..<32))!, topic: "com.example.app.voip", pushType: .voip,
        priority: .considerate, expiration: WallTime(microseconds: 0), collapseID: "a \"b\"\n",
        payload: [0, 0xFF, 0x7B, 0x7D, 0x0A], acceptedAt: WallTime(microseconds: 1_700_000_000_123_456))

    @Test("a push is read as it was, byte for byte")
    func pushes() throws {
        #expect(try FleetPush(bytes: FleetPush(Self.push).bytes).push == Self.push)
        let bare = EndpointPush(
            apnsID: "", token: Self.push.token, topic: "a", pushType: .alert, payload: [],
            acceptedAt: WallTime(microseconds: 1))
        #expect(try FleetPush(bytes: FleetPush(bare).bytes) == FleetPush(bare))
        let kept = FleetPush(bare, isKept: true)
        #expect(try FleetPush(bytes: kept.bytes) == kept)
    }

    @Test(
        "each word is read as it was said",
        arguments: [
            .taken, .received, .replaced, .rejected(reason: "NotJSON", detail: "a\u{1}"), .offline(.unknownToken, detail: ""),
            .event("ended", code: "hangup"), .event("tick", code: nil), .over,
        ] as [FleetSaying.Word])
    func sayings(_ word: FleetSaying.Word) throws {
        let place: Int64 = if case .event = word { 3 } else { 0 }
        let saying = FleetSaying(word, by: .max, place: place)
        #expect(try FleetSaying.read(saying.bytes) == saying)
    }

    private func changed(_ bytes: [UInt8], _ old: String, _ new: String) -> [UInt8] {
        Array(String(decoding: bytes, as: UTF8.self).replacing(old, with: new).utf8)
    }

    @Test("a later version's fields are passed over, its words say nothing, and its reasons lose nothing")
    func later() throws {
        let push = FleetPush(Self.push).bytes
        let more = #""version":9,"new":{"a":[1]}"#
        #expect(try FleetPush(bytes: changed(push, #""version":1"#, more)).push == Self.push)
        let taken = FleetSaying(.taken, by: 1).bytes
        #expect(try FleetSaying.read(changed(taken, #""taken""#, #""thought-about""#)) == nil)
        let offline = FleetSaying(.offline(.busy, detail: "why"), by: 1).bytes
        #expect(
            try FleetSaying.read(changed(offline, #""busy""#, #""asleep""#))?.word
                == .offline(.workerDied, detail: "why"))
    }

    @Test(
        "what is malformed, too long or of no version is refused",
        arguments: [
            ("\"version\":1", "\"version\":0"), ("\"version\":1", "\"version\":\"1\""), ("\"version\":1,", ""),
            ("{", "["), ("\"token\":\"00", "\"token\":\"0"), ("\"voip\"", "\"Voip\""), ("\"type\":", "\"typ\":"),
            ("\"accepted\":17", "\"accepted\":1.7"), ("\"payload\":\"AP", "\"payload\":\"*P"),
            ("C0FFEE", String(repeating: "x", count: 513)), ("C0FFEE", String(repeating: "x", count: 70_000)),
        ])
    func malformed(_ old: String, _ new: String) {
        let bytes = changed(FleetPush(Self.push).bytes, old, new)
        #expect(bytes != FleetPush(Self.push).bytes)
        #expect(throws: FleetMessageError.self) { try FleetPush(bytes: bytes) }
    }

    @Test(
        "so is a saying",
        arguments: [
            #"{}"#, #"{"version":1}"#, #"{"version":1,"said":"taken"}"#, #"{"version":1,"agent":1,"said":"taken"}"#,
            #"{"version":1,"agent":"-1","said":"taken"}"#, #"{"version":1,"agent":"1","said":"event"}"#,
            #"{"version":1,"agent":"1","said":"event","event":"a"}"#,
            #"{"version":1,"agent":"1","said":"event","event":"a","place":0}"#,
            #"{"version":1,"agent":"1","said":"rejected","reason":"a"}"#,
        ])
    func sayingsRefused(_ text: String) {
        #expect(throws: FleetMessageError.self) { try FleetSaying.read(Array(text.utf8)) }
    }
}
