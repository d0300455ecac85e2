import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Testing

/// What people see of an event that a test failed on.
@Suite struct EventDescriptionTests {
    private func event(_ body: Event.Body) -> Event { Event(at: 1.25, boot: 7, id: "i", body: body) }

    @Test("events, contents and JSON values say in a line what they are, with foreign text escaped")
    func lines() {
        var content = NotificationContent()
        #expect("\(content)" == "nothing to show")
        content.title = "Anna\n"
        content.body = "Hi"
        #expect("\(content)" == "Anna\\u{a} · Hi")
        let delivered = event(.delivered(by: .extension, content: content))
        #expect("\(delivered)" == "1.250 delivered by extension: Anna\\u{a} · Hi")
        let silent = event(.silent(call: "a", why: .foreground))
        #expect("\(silent)" == "1.250 silent a does not ring: the app is in front (foreground)")
        let json: JSONValue = ["a": [1, "\u{202E}"]]
        #expect("\(json)" == #"{"a":[1,"\u{202e}"]}"# && "\(json.objectValue ?? [:])" == "\(json)")
    }

    @Test("each kind is the event's name, but of an event that this version cannot read")
    func kinds() throws {
        for kind in Event.Kind.allCases {
            let object: JSONObject = ["event": .string(kind.rawValue), "at": 0, "boot": 0, "id": "i"]
            #expect(try Event(json: object).name == kind.rawValue)
        }
        #expect(event(.tick(n: 1, late: 0)).kind == .tick && event(.silent(call: "", why: .stale)).kind == .silent)
        #expect(try Event(json: ["event": "tick"]).kind == .unknown)
        #expect(try Event(json: ["event": "later"]).name == "later")
    }

    @Test("what an event carries is at hand where it is that event, and nil elsewhere")
    func accessors() {
        let ended = event(.ended(.init(call: "a", reason: .answered, hangupReason: nil, rang: 1, ticks: 0)))
        #expect(ended.ended?.reason == .answered && ended.ringing == nil && ended.content == nil)
        #expect(event(.silent(call: "a", why: .duplicate)).silence == .duplicate && ended.silence == nil)
        #expect(event(.missed(call: "a", content: .init())).content == NotificationContent() && ended.kind == .ended)
        let delivered = event(.delivered(by: .extension, content: .init()))
        #expect(delivered.deliverer == .extension && ended.deliverer == nil)
    }

    @Test("lengths of time have the decimals that they need, one at most, and one tick is one")
    func numbers() {
        let ringing = event(
            .ringing(
                .init(call: "a", mode: .loud, duration: 12.25, interval: 1, sound: "ring", vibrate: false)))
        #expect("\(ringing)".contains("loud for 12.3 s, a tick every 1 s, sound ring"))
        for (ticks, text) in [(Int64(0), "0 ticks"), (1, "1 tick"), (2, "2 ticks")] {
            let ended = event(.ended(.init(call: "a", reason: .timeout, hangupReason: nil, rang: 1.04, ticks: ticks)))
            #expect("\(ended)".hasSuffix("timeout after 1.0 s, \(text)"))
        }
    }
}
