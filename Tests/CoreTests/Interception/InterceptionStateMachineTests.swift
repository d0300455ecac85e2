import BelfryProtocol
import BelfryTerms
@testable import Interception
import Testing

/// One notification from its arrival to its one delivery: R1, and what comes of R2, R3 and R17.
@Suite struct InterceptionStateMachineTests {
    static let start = Instant(microseconds: 9_000_000)
    static let budget = Budget(start: start, length: .seconds(30))

    static func content(_ title: String) -> NotificationContent {
        var content = NotificationContent()
        content.title = title
        return content
    }

    static let original = content("as it came")
    static let changed = content("changed")
    static let wordless = NotificationContent()

    var machine = InterceptionStateMachine()

    private mutating func receive() -> [InterceptionStateMachine.Effect] {
        let asked = machine.arrived(Self.original, passthrough: nil, budget: Self.budget, hasExtension: true)
        #expect(asked == [.wake(at: Self.budget.end)] && !machine.hasReceived)
        return machine.admitted()
    }

    @Test(
        "R1 what is not intercepted is delivered as it came, and nothing follows", arguments: PassthroughReason.allCases
    )
    func passedThrough(why: PassthroughReason) {
        var machine = machine
        let effects = machine.arrived(Self.original, passthrough: why, budget: Self.budget, hasExtension: false)
        #expect(effects == [.report, .deliver(.passthrough, Self.original)] && machine.isDelivered)
        #expect((machine.timerFired(at: Self.budget.end) + machine.extensionDied()).isEmpty)
        #expect(machine.stop(at: Self.budget.start).isEmpty)
    }

    @Test("R3 what no extension admitted in time is delivered as it came, and what comes later is nothing")
    func notAdmitted() {
        for (passthrough, by) in [(nil, Deliverer.expiry), (PassthroughReason.voip, .passthrough)] {
            var machine = machine
            _ = machine.arrived(Self.original, passthrough: passthrough, budget: Self.budget, hasExtension: true)
            #expect(machine.timerFired(at: Self.budget.willExpire) == [.wake(at: Self.budget.end)])
            let effects = machine.timerFired(at: Self.budget.end)
            #expect(effects == [.report, .deliver(by, Self.original), .endExtension] && machine.isDelivered)
            #expect(machine.admitted().isEmpty && machine.refused(Rejection(.busy, detail: "")).isEmpty)
            #expect(machine.handlerCalled(with: Self.changed) == [.warnHandlerCalledAgain])
        }
    }

    @Test(
        "R24 what is withheld is delivered once, intercepted or not, and not shown",
        arguments: [nil, PassthroughReason.voip])
    func withheld(passthrough: PassthroughReason?) {
        var machine = machine
        _ = machine.arrived(Self.original, passthrough: passthrough, budget: Self.budget, hasExtension: true)
        _ = machine.admitted()
        let by = passthrough == nil ? Deliverer.extension : .passthrough
        #expect(machine.withheld(Self.changed) == [.filter(by, Self.changed), .endExtension] && machine.isDelivered)
        #expect(machine.withheld(Self.changed) == [.warnHandlerCalledAgain])
        #expect(machine.timerFired(at: Self.budget.end).isEmpty)
    }

    @Test("R17 a stop leaves a second to say whether it takes the notification, and what is left of it for the reply")
    func stoppedBeforeAdmission() {
        var machine = machine
        _ = machine.arrived(Self.original, passthrough: nil, budget: Self.budget, hasExtension: true)
        let until = Self.start + .seconds(3)
        #expect(machine.stop(at: Self.start + .seconds(2)) == [.wake(at: until)])
        #expect(machine.stop(at: Self.start + .seconds(2)).isEmpty)
        var admitted = machine
        #expect(machine.timerFired(at: until) == [.report, .deliver(.stopped, Self.original), .endExtension])
        #expect(admitted.admitted() == [.report, .wake(at: Self.budget.willExpire), .runExtension(Self.budget)])
        #expect(admitted.stop(at: Self.start + .seconds(2)) == [.wake(at: until)] && admitted.hasReceived)
        #expect(admitted.timerFired(at: until) == [.deliver(.stopped, Self.original), .endExtension])
    }

    @Test("R16 what the extension refuses is rejected, and nothing follows")
    func refused() {
        var machine = machine
        _ = machine.arrived(Self.original, passthrough: nil, budget: Self.budget, hasExtension: true)
        let rejection = Rejection(.busy, detail: "full")
        #expect(machine.refused(rejection) == [.reject(rejection)] && !machine.isDelivered)
        let later = machine.timerFired(at: Self.budget.end) + machine.stop(at: Self.start) + machine.admitted()
        #expect(later.isEmpty)
    }

    @Test("R2 R3 of one that may filter nothing is shown without text or without a reply, but for a stop")
    func filtered() {
        func received(_ passthrough: PassthroughReason? = nil) -> InterceptionStateMachine {
            var machine = InterceptionStateMachine()
            _ = machine.arrived(
                Self.original, passthrough: passthrough, budget: Self.budget, hasExtension: true, mayBeFiltered: true)
            _ = machine.admitted()
            return machine
        }
        var (empty, changed, late, dead) = (received(), received(), received(), received())
        #expect(empty.handlerCalled(with: Self.wordless) == [.filter(.extension, Self.wordless), .endExtension])
        #expect(changed.handlerCalled(with: Self.changed) == [.deliver(.extension, Self.changed), .endExtension])
        _ = late.timerFired(at: Self.budget.willExpire)
        #expect(late.timerFired(at: Self.budget.end) == [.filter(.expiry, Self.original), .endExtension])
        #expect(dead.extensionDied() == [.filter(.crash, Self.original)])
        var (stopped, accompanied) = (received(), received(.voip))
        _ = stopped.stop(at: Self.start)
        var answered = stopped
        #expect(
            stopped.timerFired(at: Self.start + .seconds(1)) == [.deliver(.stopped, Self.original), .endExtension])
        #expect(answered.handlerCalled(with: Self.wordless) == [.filter(.stopped, Self.wordless), .endExtension])
        #expect(
            accompanied.handlerCalled(with: Self.wordless) == [.deliver(.passthrough, Self.wordless), .endExtension])
    }

    @Test("R2 what the extension hands over is delivered, and the extension is ended")
    func handedOver() {
        var machine = self
        #expect(machine.receive() == [.report, .wake(at: Self.start + .seconds(29)), .runExtension(Self.budget)])
        #expect(!machine.machine.isDelivered)
        #expect(
            machine.machine.handlerCalled(with: Self.changed) == [.deliver(.extension, Self.changed), .endExtension])
        #expect(machine.machine.isDelivered)
    }

    @Test("R2 the handler counts once: a second call is a warning and changes nothing")
    func calledTwice() {
        var suite = self
        _ = suite.receive()
        _ = suite.machine.handlerCalled(with: Self.changed)
        #expect(suite.machine.handlerCalled(with: Self.original) == [.warnHandlerCalledAgain])
        #expect(suite.machine.handlerCalled(with: Self.wordless) == [.warnHandlerCalledAgain])
    }

    @Test("R2 content without any alert text delivers the original, with a warning")
    func noAlertText() {
        var suite = self
        _ = suite.receive()
        let effects = suite.machine.handlerCalled(with: Self.wordless)
        #expect(effects == [.warnNoAlertText, .deliver(.extension, Self.original), .endExtension])
    }

    @Test(
        "R3 a second before the end it is told once; at the end the original is delivered, and a late call is nothing")
    func expires() {
        var suite = self
        _ = suite.receive()
        let early = suite.machine.timerFired(at: Self.start + .seconds(28))
        #expect(early == [.wake(at: Self.budget.willExpire)])
        let told = suite.machine.timerFired(at: Self.budget.willExpire)
        #expect(told == [.wake(at: Self.budget.end), .timeWillExpire])
        #expect(suite.machine.timerFired(at: Self.budget.willExpire) == [.wake(at: Self.budget.end)])
        let over = suite.machine.timerFired(at: Self.budget.end)
        #expect(over == [.deliver(.expiry, Self.original), .endExtension])
        #expect(suite.machine.handlerCalled(with: Self.changed) == [.warnHandlerCalledAgain])
    }

    @Test("R3 a worker that was stopped past the whole budget delivers the original at once")
    func stalled() {
        var suite = self
        _ = suite.receive()
        let effects = suite.machine.timerFired(at: Self.budget.end + .seconds(500))
        #expect(effects == [.deliver(.expiry, Self.original), .endExtension])
    }

    @Test("R3 an extension that dies leaves the original to be delivered")
    func dies() {
        var suite = self
        _ = suite.receive()
        #expect(suite.machine.extensionDied() == [.deliver(.crash, Self.original)])
        #expect(suite.machine.handlerCalled(with: Self.changed) == [.warnHandlerCalledAgain])
    }

    @Test("R17 a stop delivers the best attempt, or the original if there is none that shows anything")
    func stops() {
        for (best, delivered) in [(Self.changed, Self.changed), (nil, Self.original), (Self.wordless, Self.original)] {
            var suite = self
            _ = suite.receive()
            let patience = Self.start + .seconds(3)
            #expect(suite.machine.stop(at: Self.start + .seconds(2)) == [.wake(at: patience)])
            #expect(suite.machine.stop(at: Self.start + .seconds(2)).isEmpty && !suite.machine.isDelivered)
            #expect(suite.machine.timerFired(at: Self.start + .milliseconds(2_999)) == [.wake(at: patience)])
            let effects = best.map { suite.machine.handlerCalled(with: $0) } ?? suite.machine.timerFired(at: patience)
            #expect(effects == [.deliver(.stopped, delivered), .endExtension])
            #expect(suite.machine.stop(at: patience).isEmpty)
        }
    }

    @Test("R3 R17 a stop gives nobody more time than the budget, and a death leaves the original at once")
    func stopsAtTheEnd() {
        var suite = self
        _ = suite.receive()
        #expect(suite.machine.stop(at: Self.budget.end - .milliseconds(10)) == [.wake(at: Self.budget.end)])
        #expect(suite.machine.extensionDied() == [.deliver(.stopped, Self.original)])
        #expect(suite.machine.handlerCalled(with: Self.changed) == [.warnHandlerCalledAgain])
    }

    /// Received with an extension that acts on what is not intercepted.
    private func accompanied() -> InterceptionStateMachineTests {
        var suite = self
        _ = suite.machine.arrived(Self.original, passthrough: .voip, budget: Self.budget, hasExtension: true)
        let effects = suite.machine.admitted()
        #expect(effects == [.report, .wake(at: Self.budget.end), .runExtension(Self.budget)])
        #expect(!suite.machine.isDelivered)
        return suite
    }

    @Test("R1 an accompanied notification passes through once its extension is done, with or without text")
    func accompaniedHandsOver() {
        for content in [Self.changed, Self.wordless] {
            var suite = accompanied()
            #expect(suite.machine.handlerCalled(with: content) == [.deliver(.passthrough, content), .endExtension])
            #expect(suite.machine.handlerCalled(with: content) == [.warnHandlerCalledAgain])
        }
    }

    @Test("R1 R3 it passes through as it came if its extension dies, or is not done by the end")
    func accompaniedInVain() {
        var suite = accompanied()
        #expect(suite.machine.timerFired(at: Self.budget.willExpire) == [.wake(at: Self.budget.end)])
        #expect(
            suite.machine.timerFired(at: Self.budget.end) == [.deliver(.passthrough, Self.original), .endExtension])
        suite = accompanied()
        #expect(suite.machine.extensionDied() == [.deliver(.passthrough, Self.original)])
        suite = accompanied()
        #expect(suite.machine.stop(at: Self.start) == [.wake(at: Self.start + .seconds(1))])
        #expect(
            suite.machine.handlerCalled(with: Self.wordless) == [.deliver(.passthrough, Self.wordless), .endExtension])
    }

    @Test("R3 one that waits has its budget from when it begins, without a word of its time; not once it was stopped")
    func accompaniedBegins() {
        var suite = accompanied()
        let later = Budget(start: Self.budget.end - .milliseconds(1), length: .seconds(10))
        #expect(suite.machine.extensionBegan(within: later) == [.wake(at: later.end)])
        #expect(suite.machine.timerFired(at: Self.budget.end) == [.wake(at: later.end)])
        #expect(suite.machine.timerFired(at: later.willExpire) == [.wake(at: later.end)])
        #expect(suite.machine.timerFired(at: later.end) == [.deliver(.passthrough, Self.original), .endExtension])
        #expect(suite.machine.extensionBegan(within: later).isEmpty)
        suite = accompanied()
        _ = suite.machine.stop(at: Self.start)
        #expect(suite.machine.extensionBegan(within: later).isEmpty)
    }

    @Test("R4 what an app was handed is delivered by it, in every way; a word of that at another time does nothing")
    func withApp() {
        for isStopped in [false, true] {
            var suite = accompanied()
            suite.machine.handedToApp()
            if isStopped { _ = suite.machine.stop(at: Self.start) }
            #expect(suite.machine.timerFired(at: Self.budget.end) == [.deliver(.app, Self.original), .endExtension])
            suite.machine.handedToApp()
            #expect(suite.machine.isDelivered)
        }
        var machine = machine
        machine.handedToApp()
        #expect(!machine.isDelivered)
    }

    @Test("a timer or a signal before anything was received does nothing")
    func beforeReceiving() {
        var machine = machine
        let effects = machine.timerFired(at: Self.start) + machine.extensionDied() + machine.stop(at: Self.start)
        #expect(effects.isEmpty && !machine.isDelivered)
    }

    @Test("one machine is one notification")
    func receivesOnce() async {
        await #expect(processExitsWith: .failure) {
            var machine = InterceptionStateMachine()
            let budget = Budget(start: Instant(microseconds: 0), length: .seconds(1))
            _ = machine.arrived(NotificationContent(), passthrough: .voip, budget: budget, hasExtension: false)
            _ = machine.arrived(NotificationContent(), passthrough: .voip, budget: budget, hasExtension: false)
        }
    }
}
