import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Testing
@testable import belfry

@Suite struct EventTextTests {
    static let plain = Style(isTerminal: false, environment: [:])

    static func line(_ body: Event.Body, at: Double = 1.5) -> String {
        EventText(style: plain).line(Event(at: at, boot: 7, id: "i", body: body))
    }

    static var content: NotificationContent {
        var content = NotificationContent()
        content.title = "Anna"
        content.body = "Incoming call"
        return content
    }

    @Test("the time is faint, and the name has its tone") func colours() {
        let story = StoryText(style: Style(isTerminal: true, environment: [:]))
        #expect(
            story.line(at: 1.5, "missed", "Anna", tone: .bad)
                == "\u{1B}[2m    1.500\u{1B}[0m  \u{1B}[31mmissed    \u{1B}[0m Anna")
        #expect(
            story.line(of: "now", "tick", "1", tone: nil, isFaint: true)
                == "\u{1B}[2m      now\u{1B}[0m  tick       \u{1B}[2m1\u{1B}[0m")
    }

    @Test func everyEventIsOneLineTimeFirst() {
        let ringing = Event.Ringing(call: "c", mode: .loud, duration: 30, interval: 1, sound: "ring", vibrate: false)
        let ended = Event.Ended(call: "c", reason: .hangup, hangupReason: .busy, rang: 3.21, ticks: 1)
        let picture = Event.Attachment(url: "http://h/p", outcome: .skipped(reason: .tooLarge, detail: "11 MiB"))
        let lines: [(Event.Body, String)] = [
            (.received(.init(type: .callRequest, call: "c", why: nil)), "received   call-request of c, intercepted"),
            (
                .received(.init(type: .alert, call: nil, why: .noAlertText)),
                "received   alert, not intercepted: its alert has no text (no-alert-text)"
            ),
            (.ringing(ringing), "ringing    c loud for 30 s, a tick every 1 s, sound ring"),
            (
                .silent(call: "", why: .duplicate),
                "silent     the call without an id does not ring: it rings already (duplicate)"
            ),
            (.tick(n: 3, late: 0.0001), "tick       3, 0.1 ms late"),
            (.sound(state: .unavailable, detail: "busy"), "sound      unavailable: busy"),
            (.attachment(picture), "attachment too-large: 11 MiB (http://h/p)"),
            (
                .attachment(.init(url: "", outcome: .skipped(reason: .badURL, detail: "found 5"))),
                "attachment bad-url: found 5"
            ),
            (.warning(code: .fieldIgnored, detail: "a: b\nc: d"), "warning    field-ignored: a: b; c: d"),
            (.delivered(by: .extension, content: Self.content), "delivered  by extension: Anna · Incoming call"),
            (.delivered(by: .crash, content: .init()), "delivered  by crash: nothing to show"),
            (
                .delivered(by: .expiry, content: Self.content, isShown: false),
                "delivered  by expiry: filtered, nothing is shown"
            ),
            (.ended(ended), "ended      c: hangup (busy) after 3.2 s, 1 tick"),
            (.missed(call: "c", content: Self.content), "missed     c: Anna · Incoming call"),
            (.warning(code: .badClock, detail: "x"), "warning    bad-clock: x"),
            (.rejected(reason: .notJSON, detail: "y"), "rejected   NotJSON: y"),
        ]
        for (body, text) in lines { #expect(Self.line(body) == "    1.500  " + text) }
    }

    @Test func aLaterVersionsWordStandsAlone() throws {
        func line(_ fields: JSONObject) throws -> String {
            var object: JSONObject = ["at": 1.5, "boot": 7, "id": "i"]
            for member in fields.members { object[member.key] = member.value }
            let event = try Event(json: object)
            return EventText(style: Self.plain).line(event)
        }
        #expect(
            try line(["event": "silent", "call": "c", "why": "asleep"])
                == "    1.500  silent     c does not ring: asleep")
        #expect(
            try line(["event": "received", "type": "alert", "intercepted": false, "why": "asleep"])
                == "    1.500  received   alert, not intercepted: asleep")
        #expect(
            try line(["event": "ended", "call": "c", "reason": "transferred", "rang": 2, "ticks": 2])
                == "    1.500  ended      c: transferred after 2.0 s, 2 ticks")
        #expect(
            try line(["event": "transferred", "to": ["a", 7]]) == "    1.500  transferred {\"to\":[\"a\",7]}")
    }

    /// S3: nothing that a payload says reaches a terminal but as text.
    @Test func s3ControlCharactersAreEscaped() throws {
        let hostile = "\u{1B}[2J\r\n\u{9B}31m\u{7F}\u{0}\u{202E}\u{2066}\u{2028}\u{2029}\u{85}"
        var content = NotificationContent()
        content.title = hostile
        let ringing = Event.Ringing(
            call: hostile, mode: .loud, duration: 1e300, interval: .nan, sound: hostile, vibrate: false)
        let bodies: [Event.Body] = [
            .received(.init(type: .hangup, call: hostile, why: nil)), .ringing(ringing),
            .silent(call: hostile, why: .stale), .sound(state: .playing, detail: hostile),
            .delivered(by: .passthrough, content: content), .missed(call: hostile, content: content),
            .warning(code: .fieldIgnored, detail: hostile),
            .rejected(reason: CodeWord(rawValue: hostile), detail: hostile),
            .attachment(.init(url: hostile, outcome: .skipped(reason: CodeWord(rawValue: hostile), detail: hostile))),
        ]
        var object: JSONObject = ["event": .string(hostile), "at": 0, "boot": 0, "id": "i"]
        object[hostile] = .string(hostile)
        let unknown = try Event(json: object)
        for body in bodies + [unknown.body] {
            let line = Self.line(body, at: -1e300)
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
            #expect(line.unicodeScalars.allSatisfy { !(0x2028...0x202E).contains($0.value) && $0.value != 0x2066 })
            #expect(line.contains("\\u{1b}[2J"))
        }
    }
}
