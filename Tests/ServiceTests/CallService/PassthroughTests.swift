import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import CallService
import DesktopChannel
import Interception
import NotificationDelivery
import Support
import Testing

@Suite("What R1 does not let through, and what takes effect all the same") struct PassthroughTests {
    private let phone = FakePhone()

    private func tick(_ seconds: Int64) { phone.loop.advance(by: .seconds(seconds)) }

    @Test("R1: a voip push rings, and is passed through with what the service makes of it") func voip() throws {
        let fields = #""type": "call-request", "callId": "A", "callerName": "Grace""#
        let worker = try phone.push(fields, aps: "", envelope: #""pushType": "voip""#)
        #expect(worker.world.fullStory == ["received voip", "ringing loud", "delivered passthrough"])
        guard case .delivered(_, let content, _)? = worker.world.events.last?.body else {
            Issue.record("not delivered: \(worker.world.story)")
            return
        }
        #expect(content.title == "Grace" && content.interruptionLevel == .timeSensitive)
        _ = try phone.hangUp("A")
        tick(1)
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["ended hangup cancelled", "missed"])
        #expect(worker.isFinished)
    }

    /// The extension of the operator's, which is never asked here.
    private final class Waiting: ServiceExtension {
        weak var delegate: (any ServiceExtensionDelegate)?
        let isBusy = false
        let budgetStart = BudgetStart.turn
        func admit(within budget: Budget, _ decided: (ExtensionVerdict) -> Void) {}
        func didReceive(_ request: NotificationRequest, within budget: Budget) {}
        func serviceExtensionTimeWillExpire() {}
        func stop() {}
        func end() {}
    }

    @Test(
        "R3: who acts on a push says from when its budget runs: what the operator's extension never sees waits for none"
    )
    func budgetStart() throws {
        let world = FakeWorld(file: phone.file, pid: 1).world
        let reception = Reception(world: world, settings: phone.settings, foreign: Waiting())
        func start(_ json: String) throws -> BudgetStart {
            reception.sort(try Push.parse(Array(json.utf8))).budgetStart
        }
        let call = #""payload": {"aps": {}, "type": "call-request", "callId": "A"}"#
        #expect(try start("{\(call), \"pushType\": \"voip\"}") == .acceptance)
        #expect(try start(#"{"aps": {"alert": "a"}}"#) == .acceptance)
        #expect(try start(#"{"aps": {"alert": "a", "mutable-content": 1}}"#) == .turn)
    }

    @Test("R1 where the operator's extension cannot be run, calls and hangups take effect, all else is passed through")
    func noExtension() throws {
        let world = FakeWorld(file: phone.file, pid: 1).world
        let reception = Reception(world: world, settings: phone.settings, lacksForeign: true)
        func sorted(_ json: String) throws -> SortedNotification { reception.sort(try Push.parse(Array(json.utf8))) }
        let alert = try sorted(#"{"aps": {"alert": "a", "mutable-content": 1}}"#)
        #expect(alert.passthrough == .noExtension && alert.received.why == .noExtension && alert.service == nil)
        #expect(try sorted(#"{"aps": {"alert": "a"}}"#).passthrough == .noMutableContent)
        for type in ["call-request", "hangup"] {
            let call = try sorted(#"{"aps": {"alert": "a", "mutable-content": 1}, "type": "\#(type)", "callId": "A"}"#)
            #expect(call.passthrough == nil && call.service != nil)
        }
    }

    @Test("what the desktop hears first of a push: of a call who calls, of anything else the group alone")
    func greeting() throws {
        let group = try #require(GroupName("group.a"))
        func greeting(_ json: String, hasForeign: Bool = false, hasApps: Bool = false) throws -> DesktopGreeting {
            let push = try Push.parse(Array(json.utf8))
            return Reception.greeting(of: push, in: group, hasForeign: hasForeign, hasApps: hasApps)
        }
        let alert = #""aps": {"alert": {"title": "Ada", "body": "calls"}, "mutable-content": 1}"#
        let call = try greeting("{\(alert), \"type\": \"call-request\", \"handle\": \"tel:1\"}")
        #expect(
            call.hello == DesktopHello(group: group, name: "Ada", handle: "tel:1") && call.listens && call.triesAgain)
        for hasForeign in [false, true] {
            let other = try greeting("{\(alert)}", hasForeign: hasForeign)
            #expect(other.hello == DesktopHello(group: group) && other.listens == hasForeign && !other.triesAgain)
            #expect(other.isNeeded)
            let silent = try greeting(#"{"aps": {"content-available": 1}}"#, hasForeign: hasForeign)
            #expect(!silent.isNeeded, "for what shows nothing no desktop is started")
        }
        let mail = #"{"payload": {"aps": {"alert": {"title": "Mail"}}, "type": "mail"}, "pushType": "voip"}"#
        let reported = try greeting(mail, hasApps: true)
        #expect(reported.hello == DesktopHello(group: group, name: "Mail") && reported.listens && reported.triesAgain)
        #expect(try !greeting(mail).triesAgain && !greeting("{\(alert)}", hasApps: true).triesAgain)
    }

    @Test("R1 R17: a voip push that is stopped is passed through all the same, and settled") func voipStopped() throws {
        let worker = try phone.push(#""callId": "A""#, aps: "", envelope: #""pushType": "voip""#)
        worker.stop()
        #expect(worker.world.story == ["ringing loud", "delivered passthrough", "ended stopped", "missed"])
        #expect(worker.isFinished)
    }

    @Test("everything that was passed over in a push is one warning")
    func ignoredFields() throws {
        let fields = (0..<40).map { #""x\#($0)": 1"# }.joined(separator: ", ")
        let hangup = try phone.push(#""type": "hangup", "reason": "tired""#, envelope: fields)
        #expect(hangup.world.story == ["warning field-ignored", "delivered extension"])
        let details = hangup.world.events.compactMap { event in
            if case .warning(_, let detail) = event.body { detail.split(separator: "\n") } else { nil }
        }
        #expect(details.first?.first == "x0: not known, ignored" && details.first?.count == 17)
    }

    @Test(
        "R1: a hangup that is not intercepted hangs up, and says what iOS would have done; a voip one says nothing",
        arguments: [#""alert": "over""#, ""])
    func hangupNotIntercepted(aps: String) throws {
        let call = try phone.call("A")
        let fields = #""type": "hangup", "callId": "A""#
        let hangup = try phone.push(
            fields, aps: aps, envelope: aps.isEmpty ? #""pushType": "voip""# : #""pushType": "alert""#)
        phone.loop.advance(by: .zero)
        let warning = aps.isEmpty ? [] : ["warning hangup-not-intercepted"]
        #expect(hangup.world.story == warning + ["delivered passthrough"])
        #expect(hangup.isFinished)
        tick(1)
        #expect(call.world.storyWithoutTicks.last == "missed")
    }

    @Test("R1: a call request that is not intercepted does not ring, and leaves no trace") func notIntercepted() throws
    {
        let worker = try phone.push(#""type": "call-request", "callId": "A""#, aps: #""alert": "no flag""#)
        #expect(
            worker.world.fullStory == [
                "received no-mutable-content", "silent not-intercepted", "delivered passthrough",
            ])
        #expect(worker.isFinished && phone.file.root.isEmpty)
    }

    @Test("R1: an ordinary notification is delivered as it is, intercepted or not") func ordinary() throws {
        let intercepted = try phone.push(#""type": "news""#)
        #expect(intercepted.world.fullStory == ["received alert", "delivered extension"])
        let passed = try phone.push(#""type": "news""#, aps: #""alert": "plain""#)
        #expect(passed.world.fullStory == ["received no-mutable-content", "delivered passthrough"])
        #expect(intercepted.isFinished && passed.isFinished)
    }

    @Test(
        "R1 R9: what is no call and whose expiration is past is not intercepted; a hangup takes effect all the same",
        arguments: [(1_700_000_000, true), (1_900_000_000, false), (0, false)])
    func expired(expiration: Int, isExpired: Bool) throws {
        let envelope = #""expiration": \#(expiration), "topic": "com.example", "collapseId": "c""#
        let alert = try phone.push(#""type": "news""#, envelope: envelope)
        let passed = ["received expired", "delivered passthrough"]
        let whole = isExpired ? passed : ["received alert", "delivered extension"]
        #expect(alert.world.fullStory == whole && alert.isFinished)
        guard case .received(let received)? = alert.world.events.first?.body else {
            Issue.record("nothing was received")
            return
        }
        #expect(received.topic == "com.example" && received.collapseID == "c" && !received.isContentAvailable)
        _ = try phone.call("A")
        let hangup = try phone.push(#""type": "hangup", "callId": "A""#, envelope: envelope)
        phone.loop.advance(by: .zero)
        #expect(hangup.world.story == ["delivered extension"])
    }
}
