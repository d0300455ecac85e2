import BelfryTerms
import CallLedger

/// What docs/rules.md says of one group's calls in a run that nothing disturbs, from the order in which things are
/// decided.
///
/// It is written from the page and not from the code. Times are those of the machine that is played.
struct Model {
    /// How long an end is remembered (R8).
    static let memory = TimeSpan.seconds(600)

    /// How a ring ended, in the words of the group file.
    struct End: Hashable, CustomStringConvertible {
        let state: CallState
        /// Of a hangup.
        var reason: HangupReason?

        /// Whether the person missed the call (R11).
        var isMissed: Bool {
            switch state {
            case .timeout, .expired, .stopped, .missed: true
            case .hangup: [.cancelled, .busy, .failed].contains(reason ?? .cancelled)
            case .ringing, .answered, .declined, .foreground: false
            }
        }

        var description: String { state.rawValue + (reason.map { " (\($0.rawValue))" } ?? "") }
    }

    /// What is known of one call's id.
    struct Entry {
        /// nil as long as it rings, or its worker has still to say how that ended; and when that was decided.
        var end: End?
        var endedAt: Instant?
        /// Who rings, or has still to report the end.
        var worker: PlayedWorker?
        /// When the ring is over by itself, or the record forgotten.
        var until: Instant
        /// When the latest request was sent, and the latest hangup.
        var sentAt: WallTime?
        var hangupSentAt: WallTime?
        /// Whether the person was told of all requests up to `sentAt`, or their worker is about to tell.
        var isAccounted = false
        /// Whether it is among the missed calls.
        var isListed = false
        /// Which ring is older.
        var order = 0
    }

    /// A call request, when it was sent if that can be believed (R9), and when its ring would be over; nil if it is
    /// stale.
    struct Request {
        let worker: PlayedWorker
        let sentAt: WallTime?
        let until: Instant?
        var key: String { worker.push.id }
    }

    /// What becomes of a call request.
    enum Verdict: Hashable, CustomStringConvertible {
        case ring(RingMode)
        case silent(SilenceReason, missed: Bool)
        case busy

        var description: String {
            switch self {
            case .ring(let mode): "ring \(mode)"
            case .silent(let why, let missed): "silent \(why)\(missed ? ", missed" : "")"
            case .busy: "busy"
            }
        }
    }

    private(set) var entries: [String: Entry] = [:]
    /// When the app came to the front, and which process's word that is, if one is known; nil if it is not there.
    private(set) var frontSince: Instant?
    private var frontOwner: PlayedProcess?
    /// The calls whose answers wait for the app, and until when.
    private(set) var answers: [(key: String, until: Instant)] = []
    private var orders = 0
    let surroundings: Plan.Surroundings

    init(surroundings: Plan.Surroundings) { self.surroundings = surroundings }
    func isRinging(_ entry: Entry, now: Instant) -> Bool { entry.end == nil && now < entry.until }

    /// The calls that ring, the oldest, which is loud, first (R10).
    func rings(now: Instant) -> [Entry] {
        entries.values.filter { isRinging($0, now: now) }.sorted { $0.order < $1.order }
    }

    var isInFront: Bool { frontSince != nil && frontOwner?.isAlive ?? true }
    var isFlagUnowned: Bool { frontSince != nil && frontOwner == nil }

    /// Whoever opens the ledger forgets what is old (R8).
    mutating func open(now: Instant) {
        entries = entries.filter { $0.value.end == nil || now < $0.value.until }
        if !isInFront { enterBackground() }
    }

    /// R5, R7: the app, `owner` if that is known, comes to the front.
    mutating func enterForeground(_ owner: PlayedProcess?, now: Instant) {
        (frontSince, frontOwner) = (now, owner)
    }

    mutating func enterBackground() { (frontSince, frontOwner) = (nil, nil) }

    /// An answer waits for two minutes, and 20 of them at most.
    private mutating func leaveAnswer(to key: String, now: Instant) {
        answers = (answers.filter { $0.until > now } + [(key, now + .seconds(120))]).suffix(20)
    }

    /// R5: this call rings already; an end is remembered; the request is stale; the app is in front; too many ring.
    mutating func admit(_ request: Request, now: Instant) -> Verdict {
        open(now: now)
        let known = entries[request.key]
        if let known, isRinging(known, now: now) {
            if let began = known.sentAt, let sent = request.sentAt { entries[request.key]?.sentAt = max(began, sent) }
            return .silent(.duplicate, missed: false)
        }
        if let known, let why = memory(of: known, request) {
            let hungUp = why == .hungUp && known.end?.state == .hangup ? known.end : nil
            return .silent(why, missed: hungUp.map { miss(request, over: known, as: $0, until: known.until) } ?? false)
        }
        guard let until = request.until else {
            let isMissed = miss(request, over: known, as: End(state: .missed), until: now + Self.memory)
            return .silent(.stale, missed: isMissed)
        }
        if isInFront {
            if !(known.map(isLeftToItsWorker) ?? false) {
                enter(request, over: known, end: End(state: .foreground), until: now + Self.memory)
                account(request.key)
            }
            return .silent(.foreground, missed: false)
        }
        let count = rings(now: now).count
        guard count < surroundings.callsMax else { return .busy }
        enter(request, over: known, end: nil, until: until)
        entries[request.key]?.sentAt = request.sentAt
        return .ring(count == 0 ? .loud : surroundings.secondCall)
    }

    /// R8: during ten minutes a call that was answered, declined or hung up does not ring, unless its request was sent
    /// after the hangup.
    private func memory(of known: Entry, _ request: Request) -> SilenceReason? {
        guard !request.key.isEmpty else { return nil }
        let isBefore = known.hangupSentAt.flatMap { hungUp in request.sentAt.map { $0 <= hungUp } }
        if isBefore == false, !Self.isLate(known.hangupSentAt, for: known.sentAt) { return nil }
        switch known.end?.state {
        case .answered: return .answered
        case .declined: return .declined
        case .hangup: return .hungUp
        default: return isBefore == true ? .hungUp : nil
        }
    }

    /// Whether its worker is about to report the end that is known.
    private func isLeftToItsWorker(_ known: Entry) -> Bool { !known.isAccounted && known.worker != nil }

    private func isNews(_ request: Request, of known: Entry) -> Bool {
        guard let latest = known.sentAt, let sent = request.sentAt else { return !known.isAccounted }
        return known.isAccounted ? sent > latest : sent >= latest
    }

    /// R9, R11: a request that is stale, or that its hangup overtook, is missed once, unless the person knows of the
    /// call or is about to.
    private mutating func miss(_ request: Request, over known: Entry?, as end: End, until: Instant) -> Bool {
        let isKnown = known.map { isLeftToItsWorker($0) || !isNews(request, of: $0) } ?? false
        guard end.isMissed, !isKnown || request.key.isEmpty else { return false }
        enter(request, over: known, end: end, until: until)
        entries[request.key]?.worker = request.worker
        entries[request.key]?.isListed = true
        account(request.key)
        return true
    }

    private mutating func enter(_ request: Request, over known: Entry?, end: End?, until: Instant) {
        orders += 1
        entries[request.key] = Entry(
            end: end, worker: end?.state == .foreground ? nil : request.worker, until: until,
            sentAt: later(known?.sentAt, request.sentAt), hangupSentAt: known?.hangupSentAt, order: orders)
    }

    private mutating func account(_ key: String) {
        guard var entry = entries[key] else { return }
        (entry.isAccounted, entry.sentAt) = (true, later(entry.sentAt, entry.hangupSentAt))
        entries[key] = entry
    }

    private func later(_ one: WallTime?, _ other: WallTime?) -> WallTime? { [one, other].compactMap { $0 }.max() }

    /// Whether a hangup is of an earlier call than the one whose request was sent at `began` (R8).
    static func isLate(_ hangup: WallTime?, for began: WallTime?) -> Bool {
        guard let hangup, let began else { return false }
        return hangup < began
    }

    /// R8: a hangup ends its call's ring, or every ring if it has no id, and is remembered by the id.
    mutating func hangUp(_ key: String, _ reason: HangupReason, sentAt: WallTime?, now: Instant) {
        open(now: now)
        let keys = key.isEmpty ? entries.filter { isRinging($0.value, now: now) }.map(\.key) : [key]
        for key in keys { hangUpCall(key, reason, sentAt: sentAt, now: now) }
    }

    /// Hangs up one call; `hasEnded` if its ring has fallen silent for that.
    mutating func hangUpCall(
        _ key: String, _ reason: HangupReason, sentAt: WallTime?, now: Instant, hasEnded: Bool = false
    ) {
        let hungUp = End(state: .hangup, reason: reason)
        var entry = entries[key] ?? Entry(end: hungUp, until: now + Self.memory)
        let isLate = Self.isLate(sentAt, for: entry.sentAt) && !(hasEnded && entry.end == nil)
        entry.hangupSentAt = later(entry.hangupSentAt, sentAt)
        if !(entry.end == nil && isLate) { entry.until = now + Self.memory }
        let isFinal = [.answered, .declined, .hangup].contains(entry.end?.state)
        if !isFinal, !isLate { (entry.end, entry.endedAt) = (hungUp, now) }
        keep(entry, key)
    }

    /// What is known of the end is what its worker settles, also if another ring of the id has begun by then.
    private mutating func keep(_ entry: Entry, _ key: String) {
        entries[key] = entry
        if let end = entry.end { entry.worker?.expected.known = end }
    }

    /// Answers or declines a call that rings; false if it does not.
    mutating func end(_ key: String, as end: End, now: Instant) -> Bool {
        open(now: now)
        guard var entry = entries[key], isRinging(entry, now: now) else { return false }
        (entry.end, entry.endedAt, entry.until) = (end, now, now + Self.memory)
        keep(entry, key)
        if end.state == .answered { leaveAnswer(to: key, now: now) }
        return true
    }

    /// What `worker` was asked at its ear is in the ledger.
    mutating func carryOut(_ ask: RingAsk, of worker: PlayedWorker, now: Instant, hasEnded: Bool = false) {
        let key = worker.push.id
        guard let entry = entries[key], entry.worker === worker else { return }
        switch ask {
        case .hangUp(let reason, let sentAt): hangUpCall(key, reason, sentAt: sentAt, now: now, hasEnded: hasEnded)
        case .answer where entry.end == nil: leaveAnswer(to: key, now: now)
        case .answer, .decline, .silence, .foreground, .look: break
        }
    }

    /// R7: `worker` settles the end of its ring: an end that is known already counts, else `end`.
    mutating func settle(_ worker: PlayedWorker, as end: End, now: Instant) -> End {
        let (key, settled) = (worker.push.id, worker.expected.known ?? end)
        guard var entry = entries[key], entry.worker === worker else { return settled }
        if entry.end == nil { (entry.end, entry.until) = (settled, now + Self.memory) }
        entry.isListed = settled.isMissed
        if !settled.isMissed { entry.worker = nil }
        entries[key] = entry
        account(key)
        return settled
    }

    /// `worker` has told its missed call.
    mutating func reported(_ worker: PlayedWorker) {
        if entries[worker.push.id]?.worker === worker { entries[worker.push.id]?.worker = nil }
    }
}
