public import BelfryTerms

/// Makes certain that nobody has a token: by writing a key of the gateway's own. When its mirror has that, it has all
/// that the bucket had when the token came.
///
/// All that wait share one fence, and those that come while it is on its way share the next one.
public struct FenceStateMachine {
    /// How long is waited, and what may grow.
    public struct Limits: Hashable, Sendable {
        /// How long a token waits, and a fence is waited for.
        public var patience = TimeSpan.seconds(2)
        /// How many fences are begun in a second at most.
        public var fencesPerSecondMax = 10
        /// How many tokens wait at most.
        public var waitingMax = 32_768

        /// The limits of a gateway.
        public init() {}
    }

    /// Which fence, from 1.
    public typealias FenceNumber = Int

    /// What became of a token's question.
    public enum Answer: Hashable, Sendable {
        /// The registry has all that the bucket had when the question came: what it does not know, nobody has.
        case certain
        /// It cannot be said now.
        case unavailable
    }

    /// What the driver has to do.
    public enum Effect: Hashable, Sendable {
        /// Write the gateway's own key.
        case write(FenceNumber)
        /// Answer the question of that number.
        case answer(UInt64, Answer)
        /// The bucket is another one than the mirror has read: the mirror is to begin its watch anew.
        case doubt
    }

    private struct Question {
        let number: UInt64
        let until: Instant
    }

    /// A fence on its way, and who waits for it.
    private struct Fence {
        let until: Instant
        /// How far the mirror was before: in the same bucket it is further on.
        let after: UInt64
        /// Where the bucket has it, once that is known.
        var sequence: UInt64?
        var questions: [Question]
    }

    private let limits: Limits
    private var fence: Fence?
    private var number: FenceNumber = 0
    /// Who waits for the next one, the longest first.
    private var waiting: [Question] = []
    /// When the last fences were begun, the oldest first.
    private var begun: [Instant] = []
    private var reached: UInt64 = 0
    private var isWhole = false

    /// Nothing waits, and the mirror has read nothing.
    public init(limits: Limits = Limits()) { self.limits = limits }

    /// When ``wake(at:)`` is to be called; nil while there is nothing to wait for.
    public var wakeAt: Instant? {
        let next = fence == nil && !waiting.isEmpty ? nextAt : nil
        return [next, fence?.until, fence?.questions.first?.until, waiting.first?.until].compactMap(\.self).min()
    }

    /// A token came that the registry does not know; `question` is a number of the driver's.
    public mutating func ask(_ question: UInt64, at now: Instant) -> [Effect] {
        guard isWhole, waiting.count + (fence?.questions.count ?? 0) < limits.waitingMax else {
            return [.answer(question, .unavailable)]
        }
        waiting.append(Question(number: question, until: now + limits.patience))
        return next(at: now)
    }

    /// The bucket has the fence at the number `sequence`.
    public mutating func written(_ fence: FenceNumber, sequence: UInt64, at now: Instant) -> [Effect] {
        guard fence == number, let after = self.fence?.after else { return [] }
        guard sequence > after else { return [.doubt] + giveUp(at: now) }
        self.fence?.sequence = sequence
        return look(at: now)
    }

    /// The fence could not be written: who waited for it waits for the next.
    public mutating func fail(_ fence: FenceNumber, at now: Instant) -> [Effect] {
        guard fence == number, self.fence != nil else { return [] }
        return giveUp(at: now)
    }

    /// The mirror has all up to the number `reached`, and stands so.
    public mutating func heed(
        _ standing: MirrorStateMachine.Standing, reached: UInt64, at now: Instant
    ) -> [Effect] {
        self.reached = reached
        isWhole = standing == .whole
        guard !isWhole else { return look(at: now) }
        let questions = (fence?.questions ?? []) + waiting
        (fence, waiting) = (nil, [])
        return questions.map { .answer($0.number, .unavailable) }
    }

    /// Time has passed.
    public mutating func wake(at now: Instant) -> [Effect] {
        var effects = Self.expire(&waiting, at: now)
        if var questions = fence?.questions {
            effects = Self.expire(&questions, at: now) + effects
            fence?.questions = questions
        }
        if let until = fence?.until, until <= now { return effects + giveUp(at: now) }
        return effects + next(at: now)
    }

    /// When the next fence may be begun; nil for at once.
    private var nextAt: Instant? {
        begun.count < limits.fencesPerSecondMax ? nil : begun.first.map { $0 + .seconds(1) }
    }

    private mutating func look(at now: Instant) -> [Effect] {
        guard let fence, let sequence = fence.sequence, sequence <= reached else { return [] }
        self.fence = nil
        return fence.questions.map { .answer($0.number, .certain) } + next(at: now)
    }

    private mutating func giveUp(at now: Instant) -> [Effect] {
        waiting = (fence?.questions ?? []) + waiting
        fence = nil
        return next(at: now)
    }

    private mutating func next(at now: Instant) -> [Effect] {
        guard fence == nil, !waiting.isEmpty, nextAt.map({ $0 <= now }) ?? true else { return [] }
        begun = (begun + [now]).suffix(limits.fencesPerSecondMax)
        number += 1
        fence = Fence(until: now + limits.patience, after: reached, questions: waiting)
        waiting = []
        return [.write(number)]
    }

    /// Takes out those whose time is over.
    private static func expire(_ questions: inout [Question], at now: Instant) -> [Effect] {
        let count = questions.firstIndex { $0.until > now } ?? questions.count
        let over = questions.prefix(count).map { Effect.answer($0.number, .unavailable) }
        questions.removeFirst(count)
        return over
    }
}
