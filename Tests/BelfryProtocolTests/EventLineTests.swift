import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Testing

/// Events as lines of the push socket, written and read.
@Suite struct EventLineTests {
    static let content: NotificationContent = {
        var content = NotificationContent()
        content.title = "Anna\n\u{202e}\u{0}"
        content.badge = 3
        content.sound = NotificationSound(name: "ring.wav", isCritical: true, volume: 0.5)
        content.attachments = [NotificationAttachment(id: "a", path: "/x/a.png", type: "public.png")]
        content.userInfo = ["aps": .object([:]), "info": .object(["callId": .string("caf\u{e9}")])]
        return content
    }()

    static let bodies: [Event.Body] =
        NotificationType.allCases.map { .received(.init(type: $0, call: nil, why: nil)) }
        + PassthroughReason.allCases.map { .received(.init(type: .callRequest, call: "", why: $0)) }
        + RingMode.allCases.map {
            .ringing(.init(call: "a", mode: $0, duration: 29.5, interval: 0.2, sound: "ring", vibrate: $0 == .loud))
        }
        + SilenceReason.allCases.map { .silent(call: "cafe\u{301}", why: $0) }
        + SoundState.allCases.map { .sound(state: $0, detail: "no \"server\"") }
        + Deliverer.allCases.map { .delivered(by: $0, content: content) }
        + WarningCode.allCases.map { .warning(code: $0, detail: "d") }
        + EndReason.allCases.map { .ended(.init(call: "a", reason: $0, hangupReason: nil, rang: 3, ticks: 2)) }
        + HangupReason.allCases.map { .ended(.init(call: "a", reason: .hangup, hangupReason: $0, rang: 0, ticks: 0)) }
        + [
            .tick(n: 1, late: 0.000_012), .tick(n: .max, late: 0),
            .attachment(
                .init(url: "u", outcome: .attached(path: "/p", type: "public.png", bytes: 9, seconds: 0.25))),
            .attachment(.init(url: "u", outcome: .skipped(reason: "Timeout", detail: "d"))),
            .missed(call: "a", content: NotificationContent()), .rejected(reason: "NotJSON", detail: "line 1"),
        ]

    @Test("every event is one line of JSON, and read back is the same event", arguments: bodies)
    func roundTrip(body: Event.Body) throws {
        let event = Event(at: 1.25, boot: 90_000.5, id: "5f0c", body: body)
        let line = event.line
        #expect(line.last == UInt8(ascii: "\n") && line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        #expect(try Event(line: line) == event)
        #expect(try Event(line: line.dropLast()) == event)
        #expect(try Event(json: event.json).name == event.name)
    }

    @Test("every event carries event, at, boot and id, and its own fields as the contract names them")
    func fields() {
        let expected: [String: Set<String>] = [
            "received": ["type", "call", "intercepted", "why"],
            "ringing": ["call", "mode", "duration", "interval", "sound", "vibrate"], "silent": ["call", "why"],
            "tick": ["n", "late"], "sound": ["state", "detail"],
            "attachment": ["state", "url", "path", "type", "bytes", "seconds", "reason", "detail"],
            "delivered": ["by", "content"], "ended": ["call", "reason", "hangupReason", "rang", "ticks"],
            "missed": ["call", "content"], "warning": ["code", "detail"], "rejected": ["reason", "detail"],
        ]
        var found: [String: Set<String>] = [:]
        for body in Self.bodies {
            let object = Event(at: 0, boot: 0, id: "i", body: body).json
            let keys = object.members.map(\.key)
            #expect(Array(keys.prefix(4)) == ["event", "at", "boot", "id"])
            guard case .string(let name)? = object["event"] else { continue }
            found[name, default: []].formUnion(keys.dropFirst(4))
        }
        #expect(found == expected)
    }

    @Test("the call an event is about")
    func calls() {
        #expect(Event(at: 0, boot: 0, id: "i", body: .silent(call: "x", why: .stale)).call == "x")
        #expect(Event(at: 0, boot: 0, id: "i", body: .tick(n: 1, late: 0)).call == nil)
    }

    @Test(
        "what is no event of ours is an error that says what is wrong, and traps nothing",
        arguments: [
            "", "{", "[]", "null", "{}", #"{"event":"tick"}"#,
            #"{"event":"tick","at":0,"boot":0,"id":"i","n":1.5,"late":0}"#,
            #"{"event":"tick","at":0,"boot":0,"id":"i","n":"1","late":0}"#,
            #"{"event":"tock","at":0,"boot":0,"id":"i"}"#,
            #"{"event":"tick","at":"0","boot":0,"id":"i","n":1,"late":0}"#,
            #"{"event":"silent","at":0,"boot":0,"id":"i","call":"a","why":"bored"}"#,
            #"{"event":"received","at":0,"boot":0,"id":"i","type":"alert","call":7,"intercepted":true}"#,
            #"{"event":"received","at":0,"boot":0,"id":"i","type":"alert","intercepted":false}"#,
            #"{"event":"received","at":0,"boot":0,"id":"i","type":"alert","intercepted":true,"why":"voip"}"#,
            #"{"event":"delivered","at":0,"boot":0,"id":"i","by":"extension","content":[]}"#,
            #"{"event":"attachment","at":0,"boot":0,"id":"i","url":"u","state":"lost"}"#,
        ])
    func noEvents(line: String) {
        let error = #expect(throws: EventError.self) { try Event(line: Array(line.utf8)) }
        #expect(error?.detail.isEmpty == false)
    }

    @Test("fields that a later version adds are passed over")
    func unknownFields() throws {
        let line = #"{"late":0,"n":2,"event":"tick","at":1,"boot":2,"id":"i","new":{"a":[1]}}"#
        #expect(try Event(line: Array(line.utf8)) == Event(at: 1, boot: 2, id: "i", body: .tick(n: 2, late: 0)))
    }

    @Test("no two words of a closed list are the same")
    func words() {
        let names = Set(Self.bodies.map { Event(at: 0, boot: 0, id: "", body: $0).name })
        #expect(names.count == 11)
    }
}
