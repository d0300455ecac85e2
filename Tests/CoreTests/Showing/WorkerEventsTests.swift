import BelfryProtocol
import BelfryTerms
import DesktopChannel
import Testing

@testable import Showing

/// Workers of one group, and what their events mean.
private struct Workers {
    private var events = WorkerEvents()

    static let group = GroupName("group.a") ?? { preconditionFailure("no group") }()
    static let hello = DesktopHello(group: group, name: "Ada", handle: "+49", hasVideo: true)
    static let caller = ShownCaller(name: "Ada", handle: "+49", hasVideo: true)
    static let call = ShownCallID(group: group, call: "A")

    mutating func says(_ body: Event.Body, boot: Double = 7, link: Int64 = 1) -> DesktopNews? {
        events.take(Event(at: 0, boot: boot, id: "i", body: body), from: link, Self.hello)
    }

    /// The worker behind `link` has read a notification.
    mutating func receives(
        _ type: NotificationType = .callRequest, call: String? = "A", collapseID: String? = nil, link: Int64 = 1
    ) {
        var received = Event.Received(type: type, call: call, why: nil)
        received.collapseID = collapseID
        #expect(says(.received(received), link: link) == .received(call == nil ? nil : Self.call))
    }

    mutating func leaves(_ link: Int64) { events.left(link) }

    static func ended(_ reason: EndReason, hangupReason: HangupReason? = nil) -> Event.Body {
        .ended(Event.Ended(call: "A", reason: reason, hangupReason: hangupReason, rang: 1, ticks: 0))
    }

    static func ringing(_ mode: RingMode, why: MuteReason? = nil, duration: Double = 30) -> Event.Body {
        .ringing(
            Event.Ringing(
                call: "A", mode: mode, why: why, duration: duration, interval: 2, sound: "ring", vibrate: true))
    }

    static func content(_ title: String, _ subtitle: String = "", _ body: String = "") -> NotificationContent {
        var content = NotificationContent()
        (content.title, content.subtitle, content.body) = (title, subtitle, body)
        return content
    }

    static func alert(_ title: String, _ subtitle: String = "", _ body: String = "", name: String) -> ShownAlert {
        ShownAlert(content(title, subtitle, body), in: group, name: name)
    }

    static func asked(
        _ what: AskedKind, _ names: [String]? = nil, _ content: NotificationContent? = nil
    ) -> Event.Body {
        .asked(Event.Asked(what: CodeWord(what), n: 1, detail: "", identifiers: names, content: content))
    }

    static let missed = Event.Body.missed(call: "A", content: NotificationContent())
}

@Suite("What events of workers mean for the desktop") struct WorkerEventsTests {
    @Test("a call rings from its event's time for its duration; numbers that are no time are passed over")
    func rings() {
        var workers = Workers()
        workers.receives()
        #expect(
            workers.says(Workers.ringing(.silent, why: .quietHours))
                == .rings(
                    RingNews(
                        call: Workers.call, caller: Workers.caller, mode: CodeWord(.silent), why: .quietHours,
                        since: Instant(microseconds: 7_000_000), until: Instant(microseconds: 37_000_000))))
        #expect(workers.says(Workers.ringing(.loud), boot: .nan) == nil)
        #expect(workers.says(Workers.ringing(.loud, duration: .nan)) == nil)
    }

    @Test("a picture is its call's, if it came and there is a call")
    func pictures() {
        let came = Event.Body.attachment(
            Event.Attachment(url: "u", outcome: .attached(path: "/p", type: "public.png", bytes: 1, seconds: 0)))
        let skipped = Event.Body.attachment(
            Event.Attachment(url: "u", outcome: .skipped(reason: .badURL, detail: "")))
        var workers = Workers()
        #expect(workers.says(came) == nil)
        workers.receives()
        #expect(workers.says(came) == .picture("/p", of: Workers.call))
        #expect(workers.says(skipped) == nil)
    }

    @Test("who calls is who the app names, from then on; of no call it is no news")
    func callers() {
        let said = Event.Body.caller(Event.Caller(call: "A", name: "Grace", handle: "+1", hasVideo: false))
        let grace = ShownCaller(name: "Grace", handle: "+1", hasVideo: false)
        var workers = Workers()
        #expect(workers.says(said) == nil)
        workers.receives()
        #expect(workers.says(said) == .caller(Workers.call, grace))
        guard case .rings(let ring)? = workers.says(Workers.ringing(.loud)) else {
            Issue.record("it does not ring")
            return
        }
        #expect(ring.caller == grace)
        #expect(workers.says(Workers.ended(.timeout)) == .ended(Workers.call, grace, .timeout, isMissed: true))
    }

    @Test("R11 a missed call is news once: with the end of its ring, or alone if it did not ring")
    func missed() {
        var workers = Workers()
        workers.receives()
        #expect(workers.says(Workers.ended(.timeout)) == .ended(Workers.call, Workers.caller, .timeout, isMissed: true))
        #expect(workers.says(Workers.missed) == nil)
        workers.receives(link: 2)
        #expect(workers.says(Workers.missed, link: 2) == .missed(Workers.call, Workers.caller))
        workers.receives(link: 3)
        #expect(
            workers.says(Workers.ended(.hangup, hangupReason: .answeredElsewhere), link: 3)
                == .ended(Workers.call, Workers.caller, .hangup, isMissed: false))
        #expect(workers.says(Workers.ended(.answered), link: 4) == nil, "what is about no call")
        #expect(workers.says(Workers.missed, link: 4) == nil)
    }

    @Test("what rings though it was received as no call is that call, and shows no alert any more")
    func rangAfterAll() {
        var workers = Workers()
        workers.receives(.alert, call: nil)
        _ = workers.says(Workers.ringing(.loud))
        #expect(workers.says(.delivered(by: .app, content: Workers.content("Mail"))) == nil)
        #expect(
            workers.says(Workers.ended(.declined))
                == .ended(Workers.call, Workers.caller, .declined, isMissed: false))
    }

    @Test("an alert shows its text, by its collapse id or else its own; a call shows none")
    func alerts() {
        var workers = Workers()
        let text = Event.Body.delivered(by: .extension, content: Workers.content("t", "s", "b"))
        workers.receives(.alert, call: nil)
        #expect(workers.says(text) == .alert(Workers.alert("t", "s", "b", name: "i")))
        workers.receives(.alert, call: nil, collapseID: "c")
        let short = Event.Body.delivered(by: .extension, content: Workers.content("t", "", "b"))
        #expect(workers.says(short) == .alert(Workers.alert("t", "", "b", name: "c")))
        #expect(workers.says(.delivered(by: .extension, content: NotificationContent())) == nil, "nothing to show")
        let filtered = Event.Body.delivered(by: .crash, content: Workers.content("t"), isShown: false)
        #expect(workers.says(filtered) == nil, "R2 filtered")
        for type in NotificationType.allCases where type != .alert {
            workers.receives(type, link: 2)
            #expect(workers.says(text, link: 2) == nil)
        }
    }

    @Test("a foreign extension shows what it likes, also of a call") func foreign() {
        var workers = Workers()
        workers.receives()
        #expect(workers.says(.extensionProcess(Event.ExtensionProcess(state: .started, seconds: 0))) == nil)
        let news = workers.says(.delivered(by: .extension, content: Workers.content("t")))
        #expect(news == .alert(Workers.alert("t", name: "i")))
    }

    @Test("of what a foreign extension's code asks for, the desktop vibrates, shows, and shows no longer")
    func asked() {
        var workers = Workers()
        #expect(workers.says(Workers.asked(.vibration)) == .buzz)
        #expect(workers.says(Workers.asked(.alert)) == .buzz)
        let shown = workers.says(Workers.asked(.add, ["x"], Workers.content("t")))
        #expect(shown == .alert(Workers.alert("t", name: "x")))
        #expect(workers.says(Workers.asked(.add, [], Workers.content("t"))) == nil)
        #expect(workers.says(Workers.asked(.add, ["x"])) == nil, "it is only scheduled")
        #expect(workers.says(Workers.asked(.remove, ["x", "y"])) == .withdrawn(["x", "y"], Workers.group))
        #expect(workers.says(Workers.asked(.remove, [])) == .withdrawn(nil, Workers.group))
        #expect(workers.says(Workers.asked(.remove)) == nil, "none that is shown")
        for other in [AskedKind.sound, .badge, .donate, .voipPayload, .widgets] {
            #expect(workers.says(Workers.asked(other, ["x"], Workers.content("t"))) == nil)
        }
    }

    @Test("what one worker said means nothing for another, nor for one that has left")
    func apart() {
        var workers = Workers()
        workers.receives()
        #expect(workers.says(Workers.ended(.timeout), link: 2) == nil)
        workers.leaves(1)
        #expect(workers.says(Workers.ended(.timeout)) == nil)
    }

    @Test("the rest means nothing") func rest() {
        var workers = Workers()
        workers.receives()
        for body: Event.Body in [
            .silent(call: "A", why: .duplicate), .tick(n: 1, late: 0), .sound(state: .playing, detail: ""),
            .notification(state: .shown, detail: ""), .vibration(state: .playing, detail: ""),
            .warning(code: .badClock, detail: ""),
        ] {
            #expect(workers.says(body) == nil)
        }
    }

    @Test(
        "a hook is run for who was answered, declined or missed, whatever ended a missed ring",
        arguments: [
            true, false,
        ])
    func hooks(isMissed: Bool) {
        for reason in EndReason.allCases {
            let cause = HookCause(reason, isMissed: isMissed)
            switch reason {
            case .answered: #expect(cause?.occasion == .answered)
            case .declined: #expect(cause?.occasion == .declined)
            case .hangup, .foreground, .timeout, .expired, .stopped:
                #expect(cause?.occasion == (isMissed ? .missed : nil))
            }
            #expect(cause.map { $0.reason == reason.rawValue } ?? !isMissed)
        }
        #expect(HookCause.missedUnheard.occasion == .missed && HookCause.missedUnheard.reason == "missed")
        #expect(HookCause.callBack.occasion == .callBack && HookCause.callBack.reason == "missed")
    }

    @Test("R12 of a ring whose worker died the ledger says which hook is run", arguments: [true, false])
    func hooksOfTheDead(isMissed: Bool) {
        for state in CallState.allCases.map(Optional.init) + [nil] {
            let cause = HookCause(diedAs: state, isMissed: isMissed)
            switch state {
            case .answered?: #expect(cause?.occasion == .answered && cause?.reason == "answered")
            case .declined?: #expect(cause?.occasion == .declined && cause?.reason == "declined")
            case .ringing?, .hangup?, .timeout?, .expired?, .foreground?, .stopped?, .missed?, nil:
                #expect(cause?.occasion == (isMissed ? .missed : nil))
                #expect(cause?.reason == (isMissed ? "died" : nil))
            }
        }
    }
}
