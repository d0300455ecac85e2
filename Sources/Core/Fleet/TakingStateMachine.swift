import BelfryDevices
public import BelfryTerms
public import Forwarding

/// A machine's side of its gateways' questions: takes each push once, however often and by whomever it is asked, and
/// says what became of it to all who have asked.
///
/// What a worker took, or rejected for good, is remembered by the digest of the push. What could not be handed over is
/// forgotten, so that a later question tries it again.
public struct TakingStateMachine {
    /// What may grow.
    public struct Limits: Hashable, Sendable {
        /// How many hand-overs may be unanswered at the same time.
        public var handOversMax = 64
        /// How many pushes wait for their turn.
        public var waitingMax = 1_024
        /// How many pushes are remembered, for ten minutes.
        public var rememberedMax = 65_536

        /// The limits of a machine.
        public init() {}
    }

    /// Where an answer goes: the reply subject of a question.
    public typealias Reply = String

    /// What is asked for: a push without its payload.
    public struct Question: Hashable, Sendable {
        /// The digest of the push.
        public let digest: PushDigest
        fileprivate let matter: Matter
        fileprivate let acceptedAt: WallTime
        fileprivate let isKept: Bool

        /// The question for `push`.
        public init(_ push: FleetPush) {
            digest = PushDigest(push.push)
            matter = Matter(token: push.push.token, topic: push.push.topic)
            acceptedAt = push.push.acceptedAt
            isKept = push.isKept
        }
    }

    /// What pushes are about, of which a gateway keeps one for a machine that is away.
    fileprivate struct Matter: Hashable, Sendable {
        let token: DeviceToken
        let topic: String
    }

    /// What the driver has to do.
    public enum Effect: Hashable, Sendable {
        /// Hand the push over.
        case handOver(PushDigest)
        /// Forget the push, which no hand-over needs any more.
        case drop(PushDigest)
        /// Say that there, of an event with its place.
        case say(FleetSaying.Word, place: Int64, to: Reply)
    }

    private struct Push: Sendable {
        let question: Question
        /// Who has asked, the newest last.
        var askers: [Reply]
        /// When it was said last that it was taken.
        var toldTakenAt: Instant
        /// Whether its hand-over has begun.
        var isCarried = false
        /// How it ended; nil as long as it has not.
        var outcome: FleetSaying.Word?
        /// How many events there were.
        var place: Int64 = 0
        /// Whether nothing more will be said.
        var isOver = false

        mutating func add(_ reply: Reply) {
            askers = (askers.filter { $0 != reply } + [reply]).suffix(TakingStateMachine.askersMax)
        }
    }

    /// Who asks again from more places than these is a gateway that starts all the time: its older lives hear nothing.
    private static let askersMax = 4
    /// Each question comes by two lines, one soon after the other.
    private static let sameQuestionWithin = TimeSpan.milliseconds(100)

    private let limits: Limits
    private var open: [PushDigest: Push] = [:]
    private var waiting: [PushDigest] = []
    private var carriedCount = 0
    private var settled: PushMemory<Push>
    /// When the newest push that was taken of each matter had been accepted.
    private var newest: [Matter: WallTime] = [:]
    /// A machine has fewer tokens in use.
    private static let newestMax = 4_096

    /// A machine that has taken nothing.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        settled = PushMemory(digestsMax: limits.rememberedMax)
    }

    /// A gateway asks for a push. The driver keeps it until ``Effect/handOver(_:)`` or ``Effect/drop(_:)``.
    public mutating func ask(for question: Question, replyingTo reply: Reply, at now: Instant) -> [Effect] {
        let digest = question.digest
        if var push = open[digest] {
            let drop: [Effect] = push.isCarried ? [.drop(digest)] : []
            // The same question, by the other line: who has to ask again waits for longer.
            guard push.askers.last != reply || now - push.toldTakenAt >= Self.sameQuestionWithin else { return drop }
            push.add(reply)
            push.toldTakenAt = now
            open[digest] = push
            return drop + [.say(.taken, place: 0, to: reply)]
        }
        if var push = settled.value(of: digest, at: now), let outcome = push.outcome {
            push.add(reply)
            settled.update(digest, push)
            let said = [Effect.drop(digest), .say(outcome, place: 0, to: reply)]
            return push.isOver ? said + [.say(.over, place: 0, to: reply)] : said
        }
        if question.isKept, let taken = newest[question.matter], question.acceptedAt < taken {
            return [.drop(digest), .say(.replaced, place: 0, to: reply)]
        }
        guard carriedCount < limits.handOversMax || waiting.count < limits.waitingMax else {
            let detail = "\(limits.waitingMax) pushes wait on this machine"
            return [.drop(digest), .say(.offline(.overloaded, detail: detail), place: 0, to: reply)]
        }
        open[digest] = Push(question: question, askers: [reply], toldTakenAt: now)
        waiting.append(digest)
        return [.say(.taken, place: 0, to: reply)] + next()
    }

    /// How many pushes it was asked to take, of which nothing has become yet.
    public var waitingCount: Int { open.count }

    /// The push with that digest was taken, rejected, or could not be handed over.
    public mutating func end(_ digest: PushDigest, by outcome: FleetSaying.Word, at now: Instant) -> [Effect] {
        guard var push = open.removeValue(forKey: digest) else { return [] }
        carriedCount -= push.isCarried ? 1 : 0
        let said = push.askers.map { Effect.say(outcome, place: 0, to: $0) }
        push.outcome = outcome
        if case .offline = outcome {} else { settled.remember(digest, push, at: now) }
        if outcome == .received { note(push.question) }
        return said + next()
    }

    /// Something became of a push that was taken; the newest asker hears it.
    public mutating func event(_ word: FleetSaying.Word, of digest: PushDigest, at now: Instant) -> [Effect] {
        guard var push = settled.value(of: digest, at: now), !push.isOver, let asker = push.askers.last else {
            return []
        }
        if word == .over { push.isOver = true } else { push.place += 1 }
        settled.update(digest, push)
        return [.say(word, place: push.isOver ? 0 : push.place, to: asker)]
    }

    private mutating func note(_ question: Question) {
        newest[question.matter] = max(newest[question.matter] ?? question.acceptedAt, question.acceptedAt)
        guard newest.count > Self.newestMax else { return }
        // Of devices that are no more.
        let middle = newest.values.sorted()[newest.count / 2]
        newest = newest.filter { $0.value > middle }
    }

    /// Begins the next hand-overs.
    private mutating func next() -> [Effect] {
        var effects: [Effect] = []
        while carriedCount < limits.handOversMax, !waiting.isEmpty {
            let digest = waiting.removeFirst()
            open[digest]?.isCarried = true
            carriedCount += 1
            effects.append(.handOver(digest))
        }
        return effects
    }
}
