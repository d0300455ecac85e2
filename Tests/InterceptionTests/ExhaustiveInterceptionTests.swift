import BelfryProtocol
import BelfryTerms
import Testing
@testable import Interception

/// Every sequence of a few inputs: R2 and R3.
@Suite struct ExhaustiveInterceptionTests {
    private enum Input: CaseIterable {
        case early, notice, beforeEnd, end, longAfter
        case changed, wordless, died, stop, stopWithBest
    }

    /// One worker in small, which judges what it is asked for.
    private struct Witness {
        typealias Suite = InterceptionStateMachineTests
        private(set) var machine = InterceptionStateMachine()
        private(set) var mistake: String?
        private(set) var deliveries = 0
        private var now = Suite.start
        private var notices = 0
        private var isExtensionRunning = false
        private var wake: Instant?

        init() {
            judge(machine.receive(Suite.original, passthrough: nil, budget: Suite.budget), allowed: [])
            demand(isExtensionRunning, "no extension")
        }

        mutating func feed(_ input: Input) {
            let budget = Suite.budget
            switch input {
            case .early: fire(now)
            case .notice: fire(max(now, budget.willExpire))
            case .beforeEnd: fire(max(now, budget.end - TimeSpan(microseconds: 1)))
            case .end: fire(max(now, budget.end))
            case .longAfter: fire(max(now, budget.end) + .seconds(77))
            case .changed: judge(machine.handlerCalled(with: Suite.changed), allowed: [.extension])
            case .wordless: judge(machine.handlerCalled(with: Suite.wordless), allowed: [.extension])
            case .died:
                isExtensionRunning = false
                judge(machine.extensionDied(), allowed: [.crash])
            case .stop: judge(machine.stop(bestAttempt: nil), allowed: [.stopped])
            case .stopWithBest: judge(machine.stop(bestAttempt: Suite.changed), allowed: [.stopped])
            }
            demand(machine.isDelivered == (deliveries == 1), "isDelivered is \(machine.isDelivered)")
            demand(deliveries == 1 || now < budget.end, "not delivered at the end")
            demand(deliveries == 1 || wake.map { $0 > now && $0 <= budget.end } ?? false, "waits without a timer")
            demand(deliveries == 0 || !isExtensionRunning, "its extension runs on")
        }

        private mutating func fire(_ instant: Instant) {
            now = instant
            if let due = wake, due <= instant { wake = nil }
            judge(machine.timerFired(at: instant), allowed: instant >= Suite.budget.end ? [.expiry] : [])
        }

        private mutating func judge(_ effects: [InterceptionStateMachine.Effect], allowed: [Deliverer]) {
            for effect in effects {
                switch effect {
                case .runExtension(let deadline):
                    demand(deadline == Suite.budget.end, "another deadline")
                    isExtensionRunning = true
                case .wake(let instant): wake = instant
                case .tellTimeWillExpire:
                    notices += 1
                    demand(notices == 1 && deliveries == 0 && now >= Suite.budget.willExpire, "told at a wrong time")
                case .deliver(let by, let content):
                    deliveries += 1
                    demand(deliveries == 1, "delivered twice")
                    demand(allowed.contains(by), "delivered by \(by)")
                    demand(content.hasAlertText, "delivered nothing to show")
                    let mayBeChanged = by == .extension || by == .stopped
                    demand(content == Suite.original || mayBeChanged, "delivered \(by) changed")
                case .warnHandlerCalledAgain: demand(deliveries == 1, "warns of the first call")
                case .warnNoAlertText: demand(deliveries == 0, "warns after delivery")
                case .endExtension: isExtensionRunning = false
                }
            }
        }

        private mutating func demand(_ condition: Bool, _ what: String) {
            if !condition, mistake == nil { mistake = what }
        }
    }

    @Test("R2 R3 whatever comes in whatever order: delivered once, told once, never later than the end")
    func everySequence() {
        var delivered = 0
        var firstMistake: String?
        func walk(_ witness: Witness, _ path: [Input]) {
            guard firstMistake == nil else { return }
            if let mistake = witness.mistake { firstMistake = "\(mistake) after \(path)" }
            delivered += witness.deliveries
            guard path.count < 4 else { return }
            for input in Input.allCases {
                var next = witness
                next.feed(input)
                walk(next, path + [input])
            }
        }
        walk(Witness(), [])
        #expect(firstMistake == nil)
        #expect(delivered > 10_000)
    }
}
