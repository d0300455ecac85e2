import BelfryTerms
import Interception
import Testing

/// Every sequence of a few inputs: whatever extension, kernel and manager do, in whatever order.
@Suite struct ExhaustiveLifeTests {
    private enum Input: CaseIterable {
        case receive, greet, reply, replyToAnother, returned, leave, crash, garble, stop, withdraw
        case second, wake, longAfter
    }

    /// The host in small, which judges what it is asked for.
    private struct Witness {
        private enum Fate { case waiting, handedOver, delivered }

        private(set) var life: ExtensionLifeStateMachine
        private(set) var mistake: String?
        private(set) var delivered = 0
        private let isReused: Bool
        private var now = ExtensionLifeTests.start
        private var wake: Instant?
        private var fates: [Fate] = []
        private var told: Set<Int64> = []
        private var begun: [Int64: Instant] = [:]
        private var spawnedAt: Instant?
        private var isGreeted = false
        private var isKilled = false
        private var stoppedAt: Instant?

        init(isReused: Bool) {
            self.isReused = isReused
            life = ExtensionLifeStateMachine(budget: .seconds(30), isReused: isReused)
        }

        mutating func feed(_ input: Input) {
            switch input {
            case .receive:
                guard isReused || fates.isEmpty else { return }
                fates.append(.waiting)
                judge(life.received(Int64(fates.count), at: now))
            case .greet:
                if spawnedAt != nil, !isKilled { isGreeted = true }
                judge(life.greeted(at: now))
            case .reply: judge(life.replied(max(Int64(fates.count), 1), at: now))
            case .replyToAnother: judge(life.replied(1, at: now))
            case .returned: judge(life.returned(max(Int64(fates.count), 1), at: now))
            case .leave: end(cleanly: true)
            case .crash: end(cleanly: false)
            case .garble: judge(life.channelBroke(at: now))
            case .withdraw:
                let number = Int64(fates.count)
                if fates.last == .waiting { fates[fates.count - 1] = .delivered }
                judge(life.withdrew(number, at: now))
            case .stop:
                if stoppedAt == nil { stoppedAt = now }
                judge(life.stop(at: now))
            case .second: fire(at: now + .seconds(1))
            case .wake: fire(at: max(now, wake ?? now))
            case .longAfter: fire(at: now + .seconds(77))
            }
            check()
        }

        private mutating func fire(at instant: Instant) {
            now = instant
            if let due = wake, due <= now { wake = nil }
            judge(life.timerFired(at: now))
        }

        private mutating func end(cleanly: Bool) {
            guard spawnedAt != nil else { return }
            spawnedAt = nil
            isGreeted = false
            isKilled = false
            judge(life.ended(cleanly: cleanly, at: now))
        }

        private mutating func check() {
            for (index, fate) in fates.enumerated() where fate == .handedOver {
                let latest = min((begun[Int64(index) + 1] ?? now) + .seconds(30), (stoppedAt ?? now) + .seconds(1))
                demand(now < latest, "no delivery at the end")
                demand(wake.map { $0 > now } ?? false, "waits without a timer")
            }
            demand(wake.map { $0 > now } ?? true, "a timer that is past")
            let isWaiting = fates.contains { $0 != .delivered }
            demand(!isWaiting || spawnedAt != nil, "waits without a process")
            demand(stoppedAt == nil || !fates.contains(.waiting), "waits after a stop")
            demand(life.isOver == (spawnedAt == nil && !isWaiting), "isOver is \(life.isOver)")
            demand(stoppedAt == nil || isWaiting || spawnedAt == nil || isKilled, "stopped, and its process runs on")
        }

        private mutating func judge(_ effects: [ExtensionLifeStateMachine.Effect]) {
            for effect in effects {
                switch effect {
                case .spawn:
                    demand(spawnedAt == nil && stoppedAt == nil, "a process too many")
                    spawnedAt = now
                    if let first = fates.firstIndex(of: .waiting) { begun[Int64(first) + 1] = now }
                case .handOver(let number):
                    demand(isGreeted && !isKilled && stoppedAt == nil, "handed over to nobody")
                    demand(!fates.contains(.handedOver), "handed over before the one before has its reply")
                    demand(fate(of: number) == .waiting, "handed over twice")
                    fates[Int(number) - 1] = .handedOver
                    if begun[number] == nil { begun[number] = now }
                case .tellTimeWillExpire(let number):
                    demand(told.insert(number).inserted && fate(of: number) == .handedOver, "told for nothing")
                case .deliverReply(let number, let by):
                    demand(fate(of: number) == .handedOver && isGreeted && !isKilled, "a reply of nobody")
                    deliver(number, by, allowed: stoppedAt == nil ? [.extension] : [.stopped])
                case .deliverOriginal(let number, let by):
                    deliver(number, by, allowed: stoppedAt == nil ? [.crash, .expiry] : [.stopped, .crash, .expiry])
                case .over(let number): demand(fate(of: number) == .delivered && isReused, "over without a delivery")
                case .warn(let number, _): demand((1...Int64(max(fates.count, 1))).contains(number), "a stranger")
                case .wake(let instant): wake = instant
                case .kill:
                    demand(spawnedAt != nil && !isKilled, "kills nobody")
                    isKilled = true
                    wake = nil
                }
            }
            if spawnedAt == nil { wake = nil }
        }

        private mutating func deliver(_ number: Int64, _ by: Deliverer, allowed: [Deliverer]) {
            demand(fate(of: number).map { $0 != .delivered } ?? false, "delivered twice")
            demand(allowed.contains(by), "delivered by \(by)")
            fates[Int(number) - 1] = .delivered
            delivered += 1
        }

        private func fate(of number: Int64) -> Fate? {
            fates.indices.contains(Int(number) - 1) ? fates[Int(number) - 1] : nil
        }

        private mutating func demand(_ condition: Bool, _ what: String) {
            if !condition, mistake == nil { mistake = what }
        }
    }

    @Test("R2 R3 R17 each is delivered once and in time, and no process outlives its work", arguments: [false, true])
    func everySequence(isReused: Bool) {
        var delivered = 0
        var firstMistake: String?
        func walk(_ witness: Witness, _ path: [Input]) {
            guard firstMistake == nil else { return }
            if let mistake = witness.mistake { firstMistake = "\(mistake) after \(path)" }
            delivered += witness.delivered
            guard path.count < 6 else { return }
            for input in Input.allCases {
                var next = witness
                next.feed(input)
                walk(next, path + [input])
            }
        }
        var witness = Witness(isReused: isReused)
        witness.feed(.receive)
        walk(witness, [.receive])
        #expect(firstMistake == nil)
        #expect(delivered > 10_000)
    }
}
