import BelfryProtocol
import BelfryTerms
@testable import Interception
import Testing

/// Every sequence of a few inputs: R2 and R3.
@Suite struct ExhaustiveInterceptionTests {
    private enum Input: CaseIterable {
        case early, notice, beforeEnd, end, longAfter
        case changed, wordless, died, stop, stopWithBest, stoppedForLong
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
        private var stoppedAt: Instant?

        private let mayBeFiltered: Bool

        init(mayBeFiltered: Bool) {
            self.mayBeFiltered = mayBeFiltered
            let budget = Suite.budget
            let asked = machine.arrived(
                Suite.original, passthrough: nil, budget: budget, hasExtension: true, mayBeFiltered: mayBeFiltered)
            judge(asked + machine.admitted(), allowed: [])
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
            case .changed: handOver(Suite.changed)
            case .wordless: handOver(Suite.wordless)
            case .died:
                isExtensionRunning = false
                judge(machine.extensionDied(), allowed: [stoppedAt == nil ? .crash : .stopped])
            case .stop: stop()
            case .stopWithBest:
                stop()
                handOver(Suite.changed)
            case .stoppedForLong:
                stop()
                fire(max(now, now + .seconds(1)))
                demand(deliveries == 1, "a stop that nobody answers is not delivered a second later")
            }
            demand(machine.isDelivered == (deliveries == 1), "isDelivered is \(machine.isDelivered)")
            demand(deliveries == 1 || now < budget.end, "not delivered at the end")
            demand(deliveries == 1 || wake.map { $0 > now && $0 <= budget.end } ?? false, "waits without a timer")
            demand(deliveries == 0 || !isExtensionRunning, "its extension runs on")
        }

        private mutating func fire(_ instant: Instant) {
            now = instant
            if let due = wake, due <= instant { wake = nil }
            let isStopOver = stoppedAt.map { instant >= min($0 + .seconds(1), Suite.budget.end) } ?? false
            let isOver = instant >= Suite.budget.end
            judge(machine.timerFired(at: instant), allowed: isStopOver ? [.stopped] : isOver ? [.expiry] : [])
        }

        private mutating func handOver(_ content: NotificationContent) {
            judge(machine.handlerCalled(with: content), allowed: [stoppedAt == nil ? .extension : .stopped])
        }

        private mutating func stop() {
            if deliveries == 0, stoppedAt == nil { stoppedAt = now }
            judge(machine.stop(at: now), allowed: [])
        }

        private mutating func judge(_ effects: [InterceptionStateMachine.Effect], allowed: [Deliverer]) {
            for effect in effects {
                switch effect {
                case .runExtension(let budget):
                    demand(budget == Suite.budget, "another budget")
                    isExtensionRunning = true
                case .report: break
                case .reject: demand(false, "rejected what was admitted")
                case .wake(let instant): wake = instant
                case .timeWillExpire:
                    notices += 1
                    demand(notices == 1 && deliveries == 0 && now >= Suite.budget.willExpire, "told at a wrong time")
                case .deliver(let by, let content):
                    deliveries += 1
                    demand(deliveries == 1, "delivered twice")
                    demand(allowed.contains(by), "delivered by \(by)")
                    demand(content.hasAlertText, "delivered nothing to show")
                    let mayBeChanged = by == .extension || by == .stopped
                    demand(content == Suite.original || mayBeChanged, "delivered \(by) changed")
                case .filter(let by, let content):
                    deliveries += 1
                    demand(mayBeFiltered, "filtered without leave")
                    demand(deliveries == 1 && allowed.contains(by), "filtered by \(by)")
                    demand(!content.hasAlertText || by == .expiry || by == .crash, "filtered what has text")
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
        for mayBeFiltered in [false, true] { walk(Witness(mayBeFiltered: mayBeFiltered), []) }
        #expect(firstMistake == nil)
        #expect(delivered > 10_000)
    }
}
