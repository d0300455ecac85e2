public import BelfryTerms

/// The process of a foreign extension, from its spawn to its end, and each notification in it: when its code runs, how
/// long it runs on after its reply, and how the reply that ``ReplyStateMachine`` awaits is delivered. No clock and no
/// I/O.
///
///     process:       none ── spawn ──▶ spawned ── greeted ──▶ greeted ── kill ──▶ killed ── ended ──▶ none
///     notification:  waiting ── handed over ── told ── replied ── returned ── lingering ──▶ over
///
/// The driver numbers its notifications from 1 and feeds what it sees, with the instant at which it sees it. What was
/// due before that instant happens first, so that a late timer gives no notification more time. The extension itself
/// may say anything in any order.
public struct ExtensionLifeStateMachine: Sendable {
    private enum Process: Equatable, Sendable {
        /// The state without a process.
        case none
        /// The state while the process, started for the first notification that waits and within its budget, has not
        /// greeted.
        case spawned(Budget)
        /// The state while the process takes notifications. The budget counts from the spawn, and is nil once the
        /// process has taken the first one.
        case greeted(Budget?)
        /// The state after the kill, until the kernel says that the process is gone.
        case killed
    }

    /// A notification that was handed over, and whose code may still run.
    private struct Handling: Equatable, Sendable {
        let number: Int64
        var reply: ReplyStateMachine
        var repliedAt: Instant?
        var returnedAt: Instant?

        /// Until when the code may run after its reply.
        var runUntil: Instant {
            guard let repliedAt, let returnedAt else { return reply.budget.end }
            return min(max(repliedAt, returnedAt) + ExtensionLifeStateMachine.lingering, reply.budget.end)
        }

        /// When something is due next.
        var due: Instant { reply.due ?? runUntil }
    }

    /// What the driver has to do, in order.
    public enum Effect: Equatable, Sendable {
        /// Start the process.
        case spawn
        /// Hand the notification over to the process.
        case handOver(Int64)
        /// Tell the extension that the notification's time is nearly over: `serviceExtensionTimeWillExpire`.
        case tellTimeWillExpire(Int64)
        /// Deliver what the extension has replied, as `by`.
        case deliverReply(Int64, by: Deliverer)
        /// Deliver the notification as it came, as `by`.
        case deliverOriginal(Int64, by: Deliverer)
        /// This notification is finished, though the process stays: its code returned long enough ago.
        case over(Int64)
        /// Say what iOS would have said of this notification.
        case warn(Int64, WarningCode)
        /// Feed ``ExtensionLifeStateMachine/timerFired(at:)`` at this instant, instead of at the one asked for before.
        case wake(at: Instant)
        /// Kill the process and its group.
        case kill
    }

    /// How long the code may run on once it has replied and returned. Source: observed by apps on devices.
    public static let lingering = TimeSpan.seconds(5)

    private let budgetLength: TimeSpan
    private let isReused: Bool
    private var process = Process.none
    /// The notifications that have not been handed over, the oldest first.
    private var waiting: [Int64] = []
    /// The notifications that were handed over, the oldest first. Only the last may lack its reply, since the next one
    /// is handed over after that.
    private var handlings: [Handling] = []
    private var lastReceived: Int64 = 0
    /// The notifications handed to this process for which no warning about a second reply was given yet.
    private var unwarned: Set<Int64> = []
    /// The notifications whose code runs past its budget: the process is killed as soon as no reply is awaited from it.
    private var overdue: [Int64] = []
    private var isStopping = false
    /// Whether the process was killed because nothing was left to do: that is no failure of it.
    public private(set) var isKilledAsDone = false
    private var wake: Instant?

    /// A life in which nothing has happened.
    ///
    /// - Parameters:
    ///   - budget: how long a notification has: from the spawn of the process that was started for it, else from its
    ///     hand-over (R3).
    ///   - isReused: whether the process stays for further notifications. Each is handed over once the one before has
    ///     its reply.
    public init(budget: TimeSpan, isReused: Bool) {
        budgetLength = budget
        self.isReused = isReused
    }

    /// When the budget of `number` ends; nil unless its code runs.
    public func deadline(of number: Int64) -> Instant? { handlings.first { $0.number == number }?.reply.budget.end }

    /// Whether no process is left and no notification waits.
    public var isOver: Bool { process == .none && waiting.isEmpty }

    /// The notification `number` has arrived for the extension.
    public mutating func received(_ number: Int64, at now: Instant) -> [Effect] {
        precondition(number > lastReceived, "the notification \(number) after \(lastReceived)")
        precondition(isReused || lastReceived == 0, "a second notification for a process that is not used again")
        lastReceived = number
        return advance(to: now) { life in
            if life.isStopping { return [.deliverOriginal(number, by: .stopped)] }
            life.waiting.append(number)
            return []
        }
    }

    /// The process said its first word.
    public mutating func greeted(at now: Instant) -> [Effect] {
        advance(to: now) { life in
            if case .spawned(let budget) = life.process { life.process = .greeted(budget) }
            return []
        }
    }

    /// The extension called the content handler of `number`.
    public mutating func replied(_ number: Int64, at now: Instant) -> [Effect] {
        advance(to: now) { life in
            if let index = life.handlings.firstIndex(where: { $0.number == number }),
                life.handlings[index].reply.replied()
            {
                life.handlings[index].repliedAt = now
                return [.deliverReply(number, by: life.isStopping ? .stopped : .extension)]
            }
            // A notification that was never handed over has no handler.
            return life.unwarned.remove(number) == nil ? [] : [.warn(number, .handlerCalledAgain)]
        }
    }

    /// `didReceive` of `number` returned.
    public mutating func returned(_ number: Int64, at now: Instant) -> [Effect] {
        advance(to: now) { life in
            if let index = life.handlings.firstIndex(where: { $0.number == number && $0.returnedAt == nil }) {
                life.handlings[index].returnedAt = now
            }
            return []
        }
    }

    /// The timer that ``Effect/wake(at:)`` asked for fired. If it fires early, it is asked for again.
    public mutating func timerFired(at now: Instant) -> [Effect] {
        wake = nil
        return advance(to: now) { _ in [] }
    }

    /// The process ended: `cleanly` if it left by itself with status 0.
    public mutating func ended(cleanly: Bool, at now: Instant) -> [Effect] {
        advance(to: now) { life in
            let unanswered = life.unanswered
            life.forgetProcess()
            guard let unanswered else { return [] }
            life.waiting.removeAll { $0 == unanswered }
            return (cleanly ? [.warn(unanswered, .neverReplied)] : [])
                + [.deliverOriginal(unanswered, by: life.isStopping ? .stopped : .crash)]
        }
    }

    /// The output of the process cannot be read any more: treated as a crash.
    public mutating func channelBroke(at now: Instant) -> [Effect] {
        advance(to: now) { life in
            guard life.isAlive else { return [] }
            return life.kill(deliveringAs: .crash)
        }
    }

    /// The result for `number` is not wanted any more: if it still waits, it is dropped, otherwise the extension gets
    /// word that its time is nearly over.
    public mutating func withdrew(_ number: Int64, at now: Instant) -> [Effect] {
        advance(to: now) { life in
            life.waiting.removeAll { $0 == number }
            guard let index = life.handlings.firstIndex(where: { $0.number == number }) else { return [] }
            return life.handlings[index].reply.tell() ? [.tellTimeWillExpire(number)] : []
        }
    }

    /// The worker has to stop (R17). A second stop changes nothing.
    public mutating func stop(at now: Instant) -> [Effect] {
        advance(to: now) { life in
            guard !life.isStopping else { return [] }
            life.isStopping = true
            var effects: [Effect] = []
            for index in life.handlings.indices where life.handlings[index].reply.stop(at: now) {
                effects.append(.tellTimeWillExpire(life.handlings[index].number))
            }
            // No code has begun on these, so there is no best attempt to wait for.
            effects += life.waiting.map { .deliverOriginal($0, by: .stopped) }
            life.waiting = []
            return effects
        }
    }
}

extension ExtensionLifeStateMachine {
    private var isAlive: Bool {
        switch process {
        case .spawned, .greeted: true
        case .none, .killed: false
        }
    }

    /// The notification that this process still has to reply to, whether or not it was handed over.
    private var unanswered: Int64? {
        if case .spawned = process { return waiting.first }
        return handlings.first { $0.repliedAt == nil }?.number
    }

    /// Does what was due by `now`, then `input`, then what follows from both.
    private mutating func advance(to now: Instant, _ input: (inout Self) -> [Effect]) -> [Effect] {
        var effects = passTime(to: now)
        effects += input(&self)
        effects += settle(at: now)
        let due = nextDue
        if let due, due != wake { effects.append(.wake(at: due)) }
        wake = due
        return effects
    }

    private var nextDue: Instant? {
        switch process {
        case .none, .killed: nil
        case .spawned(let budget): budget.end
        case .greeted: handlings.map(\.due).min()
        }
    }

    private mutating func passTime(to now: Instant) -> [Effect] {
        switch process {
        case .none, .killed: return []
        case .spawned(let budget):
            guard now >= budget.end else { return [] }
            // iOS says that the extension used its time in starting up.
            let warnings = waiting.prefix(1).map { Effect.warn($0, .killedAtBudget) }
            return warnings + kill(deliveringAs: .expiry)
        case .greeted: break
        }
        let over = handlings.filter { $0.repliedAt != nil && now >= $0.runUntil }
        overdue += over.filter { $0.returnedAt == nil }.map(\.number)
        handlings.removeAll(where: over.contains)
        // A process that is not used again reports this by its end.
        let ends = over.filter { isReused && $0.returnedAt != nil }.map { Effect.over($0.number) }
        return ends + passTimeOfUnanswered(to: now)
    }

    private mutating func passTimeOfUnanswered(to now: Instant) -> [Effect] {
        guard let index = handlings.firstIndex(where: \.reply.isAwaited) else { return [] }
        let handling = handlings[index]
        switch handlings[index].reply.timePassed(to: now) {
        case nil: return []
        case .timeWillExpire: return [.tellTimeWillExpire(handling.number)]
        case .end:
            if isStopping { return kill(deliveringAs: .stopped) }
            let why: WarningCode = handling.returnedAt == nil ? .blocked : .neverReplied
            return [.warn(handling.number, why), .warn(handling.number, .killedAtBudget)] + kill(deliveringAs: .expiry)
        }
    }

    /// Kills the process if it is done, starts one if needed, and hands over the next notification if it can.
    private mutating func settle(at now: Instant) -> [Effect] {
        switch process {
        case .none:
            guard !waiting.isEmpty else { return [] }
            process = .spawned(Budget(start: now, length: budgetLength))
            isKilledAsDone = false
            return [.spawn]
        case .spawned: return isStopping ? kill(deliveringAs: .stopped) : []
        case .greeted(let first):
            guard unanswered == nil else { return [] }
            let isDone = handlings.isEmpty && waiting.isEmpty && !isReused
            if !overdue.isEmpty || isStopping || isDone {
                isKilledAsDone = overdue.isEmpty && !isStopping
                return kill(deliveringAs: .stopped)
            }
            guard let number = waiting.first else { return [] }
            waiting.removeFirst()
            process = .greeted(nil)
            let budget = first ?? Budget(start: now, length: budgetLength)
            handlings.append(Handling(number: number, reply: ReplyStateMachine(within: budget)))
            unwarned.insert(number)
            // If starting took nearly all its time, the extension hears at once that the time is nearly over.
            return [.handOver(number)] + passTimeOfUnanswered(to: now)
        case .killed: return []
        }
    }

    /// Kills the process. The notification that it has not replied to is delivered as it came, as `by`.
    private mutating func kill(deliveringAs by: Deliverer) -> [Effect] {
        let unanswered = unanswered
        if case .spawned = process, unanswered != nil { waiting.removeFirst() }
        let warnings = overdue.map { Effect.warn($0, .killedAtBudget) }
        let delivery = unanswered.map { [Effect.deliverOriginal($0, by: isStopping ? .stopped : by)] } ?? []
        handlings = []
        overdue = []
        process = .killed
        return warnings + delivery + [.kill]
    }

    private mutating func forgetProcess() {
        process = .none
        handlings = []
        unwarned = []
        overdue = []
    }
}
