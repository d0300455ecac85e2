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

    private static let received: Event.Received = {
        var received = Event.Received(type: .alert, call: nil, why: nil)
        received.isContentAvailable = true
        received.topic = "com.example"
        received.collapseID = "one"
        received.bundle = "com.example.app"
        return received
    }()

    private static let label = NumberLabel("A \"bank\"\u{202e}", from: "Tellows")

    private static let ringing: Event.Ringing = {
        var ringing = Event.Ringing(call: "a", mode: .loud, duration: 1, interval: 1, sound: "", vibrate: false)
        ringing.label = label
        return ringing
    }()

    private static let caller: Event.Caller = {
        var caller = Event.Caller(call: "a", name: "", handle: "+49 1", hasVideo: false)
        caller.label = label
        return caller
    }()

    /// Events of a call whose number is known.
    static let labelled: [Event.Body] = [
        .ringing(ringing), .silent(call: "a", why: .blocked, label: label), .caller(caller),
        .missed(call: "a", content: content, label: label),
    ]

    static let bodies: [Event.Body] =
        [.received(received)] + NotificationType.allCases.map { .received(.init(type: $0, call: nil, why: nil)) }
        + PassthroughReason.allCases.map { .received(.init(type: .callRequest, call: "", why: $0)) }
        + RingMode.allCases.map {
            .ringing(.init(call: "a", mode: $0, duration: 29.5, interval: 0.2, sound: "ring", vibrate: $0 == .loud))
        }
        + SilenceReason.allCases.map { .silent(call: "cafe\u{301}", why: $0) }
        + SoundState.allCases.map { .sound(state: $0, detail: "no \"server\"") }
        + NotificationState.allCases.map { .notification(state: $0, detail: "no bus") }
        + VibrationState.allCases.map { .vibration(state: $0, detail: "") }
        + Deliverer.allCases.map { .delivered(by: $0, content: content) }
        + Deliverer.allCases.map { .delivered(by: $0, content: content, isShown: false) }
        + WarningCode.allCases.map { .warning(code: $0, detail: "d") }
        + EndReason.allCases.map { .ended(.init(call: "a", reason: $0, hangupReason: nil, rang: 3, ticks: 2)) }
        + HangupReason.allCases.map { .ended(.init(call: "a", reason: .hangup, hangupReason: $0, rang: 0, ticks: 0)) }
        + SkipReason.allCases.map { .attachment(.init(url: "u", outcome: .skipped(reason: $0, detail: "d"))) }
        + RejectionReason.allCases.map { .rejected(reason: $0, detail: "line 1") }
        + [
            .tick(n: 1, late: 0.000_012), .tick(n: .max, late: 0),
            .attachment(
                .init(url: "u", outcome: .attached(path: "/p", type: "public.png", bytes: 9, seconds: 0.25))),
            .attachment(.init(url: "u", outcome: .skipped(reason: CodeWord(rawValue: "later"), detail: "d"))),
            .missed(call: "a", content: NotificationContent()),
            .extensionProcess(.init(state: .ended, exit: 139, seconds: 0.5, memory: 1 << 20)),
        ]
        + ExtensionState.allCases.map { .extensionProcess(.init(state: $0, seconds: 0)) }
        + AskedKind.allCases.map { .asked(.init(what: CodeWord($0), n: 2, detail: "d")) }
        + [
            .asked(
                .init(
                    what: CodeWord(.add), n: 1, detail: "a", identifiers: ["a\n\"b"], content: NotificationContent())),
            .asked(.init(what: CodeWord(.remove), n: 1, detail: "all", identifiers: [])),
            .caller(.init(call: "a", name: "A\u{0}", handle: "+1", hasVideo: true)),
            .call(.init(.refused, call: "a", uuid: "U", app: "com.example.app", error: 2)),
        ] + AppState.allCases.map { .app(.init($0, app: "com.example.app", detail: "d")) }
        + AppCallState.allCases.map { .call(.init($0, call: "a", uuid: "U", app: "com.example.app")) }
        + CallActor.allCases.map { .call(.init(.ended, call: "a", uuid: "U", app: "com.example.app", by: $0)) }
        + AppActionState.allCases.map {
            .action(.init(.end, $0, call: "a", uuid: "U", app: "com.example.app", seconds: 0.25))
        } + labelled

    @Test("R24 a label is two fields, there together or not at all, and read back is the same", arguments: labelled)
    func labels(body: Event.Body) throws {
        let event = Event(at: 0, boot: 0, id: "i", body: body)
        #expect(event.label == Self.label && event.json["labelFrom"] == .string("Tellows"))
        var half = event.json
        half["labelFrom"] = nil
        let read = try Event(json: half)
        #expect(read.label == nil && read.name == event.name && read.kind == event.kind)
        #expect(event.description.contains("[Tellows: A \"bank\"\\u{202e}]"), "\(event)")
    }

    @Test("R2 what is not shown says so, and nothing else has the word") func shown() throws {
        func shown(_ isShown: Bool) -> JSONValue? {
            let body = Event.Body.delivered(by: .expiry, content: NotificationContent(), isShown: isShown)
            return Event(at: 0, boot: 0, id: "i", body: body).json["shown"]
        }
        #expect(shown(false) == .bool(false) && shown(true) == nil)
    }

    @Test("what an event carries is nil of every other kind", arguments: bodies) func access(body: Event.Body) {
        let event = Event(at: 0, boot: 0, id: "1", body: body)
        let carried: [(Event.Kind, Bool)] = [
            (.received, event.received != nil), (.ringing, event.ringing != nil), (.silent, event.silence != nil),
            (.tick, event.tick != nil), (.sound, event.sound != nil), (.notification, event.notification != nil),
            (.vibration, event.vibration != nil), (.attachment, event.attachment != nil),
            (.delivered, event.deliverer != nil), (.ended, event.ended != nil), (.missed, event.missed != nil),
            (.asked, event.asked != nil), (.extensionProcess, event.extensionProcess != nil),
            (.warning, event.warning != nil), (.rejected, event.rejected != nil), (.caller, event.caller != nil),
            (.app, event.app != nil), (.call, event.appCall != nil), (.action, event.action != nil),
        ]
        #expect(carried.filter(\.1).map(\.0) == [event.kind])
        #expect(Set(carried.map(\.0)) == Set(Event.Kind.allCases).subtracting([.unknown]))
        if let tick = event.tick { #expect(tick.n > 0 && tick.late >= 0) }
        let isText = event.asked != nil || event.attachment?.skipped != nil
        let isTold = [.sound, .notification, .vibration, .warning, .rejected, .app].contains(event.kind)
        #expect((event.detail != nil) == (isTold || isText))
        #expect((event.attachment?.path == nil) == (event.attachment == nil || event.attachment?.skipped != nil))
        let isOfCall =
            [.ringing, .silent, .ended, .missed, .caller, .call, .action].contains(event.kind)
            || event.received?.call != nil
        #expect((event.callID != nil) == isOfCall)
        #expect((event.content != nil) == (event.deliverer != nil || event.missed != nil))
    }

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
    func fields() throws {
        let expected: [String: Set<String>] = [
            "received": [
                "type", "call", "intercepted", "why", "contentAvailable", "topic", "collapseId", "bundle",
            ],
            "ringing": ["call", "mode", "duration", "interval", "sound", "vibrate", "label", "labelFrom"],
            "silent": ["call", "why", "label", "labelFrom"],
            "tick": ["n", "late"], "sound": ["state", "detail"],
            "notification": ["state", "detail"], "vibration": ["state", "detail"],
            "attachment": ["state", "url", "path", "type", "bytes", "seconds", "reason", "detail"],
            "delivered": ["by", "content", "shown"], "ended": ["call", "reason", "hangupReason", "rang", "ticks"],
            "missed": ["call", "content", "label", "labelFrom"], "warning": ["code", "detail"],
            "rejected": ["reason", "detail"],
            "extension": ["state", "exit", "seconds", "memory"],
            "asked": ["what", "n", "detail", "identifiers", "content"],
            "caller": ["call", "name", "handle", "video", "label", "labelFrom"], "app": ["state", "app", "detail"],
            "call": ["state", "call", "uuid", "app", "by", "error"],
            "action": ["kind", "state", "call", "uuid", "app", "seconds"],
        ]
        var found: [String: Set<String>] = [:]
        for body in Self.bodies {
            let object = Event(at: 0, boot: 0, id: "i", body: body).json
            let keys = object.members.map(\.key)
            #expect(Array(keys.prefix(4)) == ["event", "at", "boot", "id"])
            let name = try #require(object["event"]?.stringValue)
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
        "what is no event at all is an error that says what is wrong, and traps nothing",
        arguments: ["", "{", "[]", "null", "{}", #"{"at":0,"boot":0,"id":"i"}"#, #"{"event":7}"#, #"{"event":null}"#])
    func noEvents(line: String) {
        let error = #expect(throws: EventError.self) { try Event(line: Array(line.utf8)) }
        #expect(error?.detail.isEmpty == false)
    }

    @Test(
        "an event that this version cannot read is handed on under its name, with all that it says",
        arguments: [
            (#"{"event":"tick"}"#, "tick"), (#"{"event":"tock","at":0,"boot":0,"id":"i","with":[{"a":1.5}]}"#, "tock"),
            (#"{"event":"tick","at":0,"boot":0,"id":"i","n":1.5,"late":0}"#, "tick"),
            (#"{"event":"tick","at":0,"boot":0,"id":"i","n":"1","late":0}"#, "tick"),
            (#"{"event":"tick","at":"0","boot":0,"id":"i","n":1,"late":0}"#, "tick"),
            (#"{"event":"silent","at":0,"boot":0,"id":"i","call":"a","why":7}"#, "silent"),
            (#"{"event":"received","at":0,"boot":0,"id":"i","type":"alert","call":7,"intercepted":true}"#, "received"),
            (#"{"event":"received","at":0,"boot":0,"id":"i","type":"alert","intercepted":false}"#, "received"),
            (
                #"{"event":"received","at":0,"boot":0,"id":"i","type":"alert","intercepted":true,"why":"voip"}"#,
                "received"
            ),
            (#"{"event":"delivered","at":0,"boot":0,"id":"i","by":"extension","content":[]}"#, "delivered"),
            (#"{"event":"attachment","at":0,"boot":0,"id":"i","url":"u","state":"lost"}"#, "attachment"),
        ])
    func unknownEvents(line: String, name: String) throws {
        let event = try Event(line: Array(line.utf8))
        guard case .unknown(let unknown) = event.body else {
            Issue.record("\(event) was read")
            return
        }
        #expect(event.name == name && unknown.name == name && !unknown.problem.isEmpty)
        #expect(.object(unknown.object) == (try JSONValue.parse(Array(line.utf8))))
    }

    @Test("an event that this version does not know keeps what every event says, and is written as it came")
    func unknownEventIsKept() throws {
        let line = #"{"event":"tock","at":1.5,"boot":2.5,"id":"i","call":"c","with":[{"a":1}]}"# + "\n"
        let event = try Event(line: Array(line.utf8))
        #expect(event.at == 1.5 && event.boot == 2.5 && event.id == "i" && event.call == "c")
        #expect(event.line == Array(line.utf8))
        #expect(try Event(json: event.json) == event)
        guard case .unknown(let unknown) = event.body else {
            Issue.record("\(event) is known")
            return
        }
        #expect(unknown.fields == ["call": "c", "with": [["a": 1]]])
    }

    @Test("a word that a later version has added to a list changes nothing else of the event")
    func unknownWords() throws {
        func body(_ fields: String) throws -> Event.Body {
            let event = try Event(line: Array(#"{"at":1,"boot":2,"id":"i","ticks":1,"rang":1,\#(fields)}"#.utf8))
            #expect(try Event(line: event.line) == event)
            return event.body
        }
        guard
            case .received(let received) = try body(
                #""event":"received","type":"new","intercepted":false,"why":"newer""#),
            case .ringing(let ringing) = try body(
                #""event":"ringing","call":"c","mode":"new","duration":1,"interval":1,"sound":"s","vibrate":true"#),
            case .silent("c", let why, nil) = try body(#""event":"silent","call":"c","why":"new""#),
            case .sound(let state, "d") = try body(#""event":"sound","state":"new","detail":"d""#),
            case .attachment(let attachment) = try body(
                #""event":"attachment","state":"skipped","url":"u","reason":"new","detail":"d""#),
            case .skipped(let skipReason, "d") = attachment.outcome,
            case .delivered(let deliverer, _, _) = try body(#""event":"delivered","by":"new","content":{}"#),
            case .ended(let ended) = try body(
                #""event":"ended","call":"c","reason":"new","hangupReason":"newer""#),
            case .warning(let code, "d") = try body(#""event":"warning","code":"new","detail":"d""#),
            case .rejected(let reason, "d") = try body(#""event":"rejected","reason":"new","detail":"d""#)
        else {
            Issue.record("an event with a new word is still that event")
            return
        }
        #expect(received.type.known == nil && received.type.rawValue == "new" && received.why?.rawValue == "newer")
        #expect(ringing.mode.rawValue == "new" && why.rawValue == "new" && state.rawValue == "new")
        #expect(skipReason.rawValue == "new" && deliverer.rawValue == "new" && code.rawValue == "new")
        #expect(ended.reason.rawValue == "new" && ended.hangupReason?.rawValue == "newer")
        #expect(reason.rawValue == "new" && reason.known == nil)
    }

    @Test("fields that a later version adds are passed over")
    func unknownFields() throws {
        let line = #"{"late":0,"n":2,"event":"tick","at":1,"boot":2,"id":"i","new":{"a":[1]}}"#
        #expect(try Event(line: Array(line.utf8)) == Event(at: 1, boot: 2, id: "i", body: .tick(n: 2, late: 0)))
        for body in Self.bodies {
            let event = Event(at: 1, boot: 2, id: "i", body: body)
            var object = event.json
            object["added"] = ["a": [1]]
            if var content = object["content"]?.objectValue {
                content["added"] = true
                object["content"] = .object(content)
            }
            #expect(try Event(json: object) == event)
        }
    }

    @Test("no two words of a closed list are the same")
    func words() {
        let names = Set(Self.bodies.map { Event(at: 0, boot: 0, id: "", body: $0).name })
        #expect(names.count == 19)
    }

    @Test("S5 ticks and what an extension asks for come often, and are the first to be left out")
    func frequent() {
        for body in Self.bodies {
            let event = Event(at: 0, boot: 0, id: "", body: body)
            #expect(event.isFrequent == ["tick", "asked"].contains(event.name))
        }
    }
}
