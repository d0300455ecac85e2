import BelfryTerms
import CallLedger

/// What docs/rules.md says of one group's calls, from the order in which things are decided.
///
/// It is written from the page and not from the code. Times are those of the machine that is played.
struct Rules {
    /// How long an end is remembered (R8).
    static let memory = TimeSpan.seconds(600)
    /// For how long an end is left to a living process whose ring's time is up.
    static let grace = TimeSpan.seconds(5)

    /// How a ring ended.
    enum End: Hashable {
        case hangup(HangupReason), answered, declined, foreground, timeout, expired, stopped
        /// It was too old to ring, or its worker died.
        case missed

        /// Whether the person missed the call (R11).
        var isMissed: Bool {
            switch self {
            case .timeout, .expired, .stopped, .missed, .hangup(.cancelled), .hangup(.busy), .hangup(.failed): true
            case .answered, .declined, .foreground, .hangup(.answeredElsewhere), .hangup(.declinedElsewhere): false
            }
        }

        /// Its word in the group file.
        var state: CallState {
            switch self {
            case .hangup: .hangup
            case .answered: .answered
            case .declined: .declined
            case .foreground: .foreground
            case .timeout: .timeout
            case .expired: .expired
            case .stopped: .stopped
            case .missed: .missed
            }
        }
    }

    /// What is known of one call's id.
    struct Entry {
        /// nil as long as it rings, or nobody has said how that ended.
        var end: End?
        /// When that was decided.
        var endedAt: Instant?
        /// Who rings, or has still to report the end.
        var worker: PlayedWorker?
        /// When the ring is over by itself, or the record forgotten.
        var until: Instant
        /// When the latest request was sent, and the latest hangup.
        var sentAt: WallTime?
        var hangupSentAt: WallTime?
        /// Whether a program that knows nothing of Belfry has ended it, and nobody of ours has seen that yet.
        var isUnseen = false
        /// Whether the person was told of all requests up to `sentAt`, or their worker is about to tell.
        var isAccounted = false
        /// Whether it is among the missed calls that the person has not seen.
        var isListed = false
        /// Whether the person has seen it there.
        var isSeen = false
        /// Rings of this id that were over before this one began, whose workers have still to report.
        var earlier: [Earlier] = []
        /// Which ring is older.
        var order = 0
        /// When the latest request came, and from which number.
        var since: Instant?
        var handle: String?
    }

    /// A ring that gave way to another one of its id.
    struct Earlier {
        let worker: PlayedWorker
        let sentAt: WallTime?
        let end: End?
    }

    /// What a call request asks for.
    struct Request {
        let worker: PlayedWorker
        let key: String
        /// When it was sent, if that can be believed (R9).
        let sentAt: WallTime?
        /// When its ring would be over; nil if it is stale.
        let until: Instant?
    }

    /// What becomes of a call request.
    enum Verdict: Hashable {
        case ring(RingMode)
        case silent(SilenceReason, missed: Bool)
        case busy
    }

    private enum Front { case no, owned(PlayedProcess), unowned }

    var entries: [String: Entry] = [:]
    private var front = Front.no
    /// Whether the file may say, beside the flag, for whom or since when it is set, and be wrong: so it does until
    /// somebody of ours writes it.
    private(set) var isFlagStamped = false
    /// Whether the file may not say any more who rings: so it is until somebody of ours writes it.
    var areRingsHidden = false
    /// When the app came to the front; nil if it is not there.
    private(set) var frontSince: Instant?
    /// The calls whose answers wait for the app, and until when.
    private var answers: [(key: String, until: Instant)] = []
    private var orders = 0
    let surroundings: Plan.Surroundings

    init(surroundings: Plan.Surroundings) { self.surroundings = surroundings }

    // MARK: Who rings

    func isRinging(_ entry: Entry, now: Instant) -> Bool {
        entry.end == nil && now < entry.until && entry.worker?.isAlive ?? false
    }

    /// The calls that ring, the oldest, which is loud, first (R10).
    func rings(now: Instant) -> [(key: String, entry: Entry)] {
        entries.filter { isRinging($0.value, now: now) }.map { ($0.key, $0.value) }
            .sorted { $0.entry.order < $1.entry.order }
    }

    var isInFront: Bool {
        switch front {
        case .no: false
        case .owned(let app): app.isAlive
        case .unowned: true
        }
    }

    /// Whether the app is in front, and no process is known whose word that is.
    var isFlagUnowned: Bool { if case .unowned = front { true } else { false } }

    /// Whoever opens the group file records what the dead left (R12), and forgets what is old (R8).
    mutating func open(now: Instant) {
        for (key, entry) in entries {
            if entry.end != nil, now >= entry.until { entries[key] = nil }
            guard entry.end == nil, !isRinging(entry, now: now) else { continue }
            let isSettling = entry.worker?.isAlive ?? false && now - entry.until <= Self.grace
            if !isSettling { record(key, .missed, now: now) }
        }
        if !isInFront { (front, frontSince) = (.no, nil) }
    }

    /// R5, R7: the app, `owner` if that is known, comes to the front.
    mutating func enterForeground(_ owner: PlayedProcess?, now: Instant) {
        open(now: now)
        (front, frontSince) = (owner.map { .owned($0) } ?? .unowned, now)
        isFlagStamped = owner != nil
    }

    mutating func enterBackground(now: Instant) {
        open(now: now)
        (front, frontSince) = (.no, nil)
    }

    /// R5, R7: a program that knows nothing of Belfry says whether the app is in front. It names no process: one that
    /// was named before counts still.
    mutating func setForegroundFlag(_ isSet: Bool, isStamped: Bool = false, now: Instant) {
        if isStamped { isFlagStamped = true }
        if !isSet {
            (front, frontSince) = (.no, nil)
        } else if case .no = front {
            (front, frontSince) = (.unowned, now)
        }
    }

    /// R9: of what is over, a time counts as absent that cannot be.
    mutating func forgetTimes(_ time: WritableKeyPath<Entry, WallTime?>) {
        for (key, entry) in entries where entry.end != nil { entries[key]?[keyPath: time] = nil }
    }

    /// A program that knows nothing of Belfry ends every ring.
    mutating func endByStranger(as end: End, now: Instant) {
        for (key, _) in rings(now: now) {
            record(key, end, now: now)
            entries[key]?.isUnseen = true
        }
    }

    /// R13: what the file said of calls is lost, or the whole `file`: who rings is known from the notes beside it.
    mutating func lose(file: Bool, now: Instant) {
        entries = entries.filter { isRinging($0.value, now: now) }
        areRingsHidden = true
        guard file else { return }
        (answers, isFlagStamped) = ([], false)
        (front, frontSince) = (.no, nil)
    }

    /// Somebody of ours has written down that the ring of `key` was ended by a stranger.
    mutating func seeEndByStranger(_ key: String, until: Instant) {
        entries[key]?.isUnseen = false
        entries[key]?.until = until
    }

    private mutating func record(_ key: String, _ end: End, now: Instant) {
        entries[key]?.end = end
        entries[key]?.endedAt = now
        entries[key]?.until = now + Self.memory
        entries[key]?.isListed = end == .missed
    }

    /// An answer waits for two minutes, and 20 of them at most.
    mutating func leaveAnswer(to key: String, now: Instant) {
        answers = (answers.filter { $0.until > now } + [(key, now + .seconds(120))]).suffix(20)
    }

    /// R8: an answer is handed over once, whoever asks; of those to one call the oldest.
    mutating func collectAnswers(to key: String?, now: Instant) -> [String] {
        open(now: now)
        let waiting = answers.filter { $0.until > now && (key == nil || $0.key == key) }
        let collected = key == nil ? waiting : Array(waiting.prefix(1))
        answers.removeAll { answer in collected.contains { $0 == answer } }
        return collected.map(\.key)
    }

    /// R11: the person has seen what was missed so far.
    mutating func seeMissed(now: Instant) {
        open(now: now)
        for (key, entry) in entries where entry.isListed {
            entries[key]?.isListed = false
            entries[key]?.isSeen = true
        }
    }

    /// Whether those are the calls whose answers wait: `slack` of a clock that was read by another allows for a few.
    func answersAre(_ keys: [String], now: Instant, slack: TimeSpan) -> Bool {
        let fewest = answers.count { $0.until > now + slack }
        let most = answers.filter { $0.until > now - slack }.map(\.key)
        return (fewest...most.count).contains(keys.count) && keys == most.suffix(keys.count)
    }

    // MARK: Requests

    /// R5: this call rings already; an end is remembered; the request is stale; the app is in front; too many ring.
    mutating func admit(_ request: Request, now: Instant) -> Verdict {
        open(now: now)
        let known = entries[request.key]
        if let known, isRinging(known, now: now) {
            if let began = known.sentAt, let sent = request.sentAt, sent > began {
                entries[request.key]?.sentAt = sent
            }
            return .silent(.duplicate, missed: false)
        }
        if let known, let why = memory(of: known, request) {
            return .silent(why, missed: why == .hungUp && overtake(known, request))
        }
        guard let until = request.until else { return .silent(.stale, missed: silenceStale(known, request, now: now)) }
        if isInFront {
            if !(known.map(isLeftToItsWorker) ?? false) {
                enter(request, over: known, end: .foreground, until: now + Self.memory)
                entries[request.key]?.worker = nil
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
        if let hungUp = known.hangupSentAt, let sent = request.sentAt, sent > hungUp,
            hungUp >= known.sentAt ?? hungUp
        {
            return nil
        }
        switch known.end {
        case .answered: return .answered
        case .declined: return .declined
        case .hangup: return .hungUp
        case .timeout, .expired, .stopped, .missed, .foreground, nil:
            guard let hungUp = known.hangupSentAt, let sent = request.sentAt, sent <= hungUp else { return nil }
            return .hungUp
        }
    }

    /// Whether a living process is about to report the end that is known.
    private func isLeftToItsWorker(_ known: Entry) -> Bool { !known.isAccounted && known.worker?.isAlive ?? false }

    private func isNews(_ request: Request, of known: Entry) -> Bool {
        guard let latest = known.sentAt, let sent = request.sentAt else { return !known.isAccounted }
        return known.isAccounted ? sent > latest : sent >= latest
    }

    /// R11: a request that its hangup overtook is missed, once; a copy of one that rang is not, nor of one that a dead
    /// worker has left to be told.
    private mutating func overtake(_ known: Entry, _ request: Request) -> Bool {
        guard case .hangup(let reason) = known.end, End.hangup(reason).isMissed else { return false }
        guard isNews(request, of: known), !isLeftToItsWorker(known) else { return false }
        let latest = later(known.sentAt, request.sentAt)
        enter(request, over: known, end: known.end, until: known.until)
        entries[request.key]?.sentAt = latest
        entries[request.key]?.isListed = true
        account(request.key)
        return true
    }

    /// R9, R11: a stale request is missed, unless the person knows of the call.
    private mutating func silenceStale(_ known: Entry?, _ request: Request, now: Instant) -> Bool {
        if let known, !request.key.isEmpty, isLeftToItsWorker(known) || !isNews(request, of: known) { return false }
        let latest = later(known?.sentAt, request.sentAt)
        enter(request, over: known, end: .missed, until: now + Self.memory)
        entries[request.key]?.sentAt = latest
        entries[request.key]?.isListed = true
        account(request.key)
        return true
    }

    private mutating func enter(_ request: Request, over known: Entry?, end: End?, until: Instant) {
        orders += 1
        var entry = Entry(end: end, worker: request.worker, until: until, order: orders)
        entry.sentAt = later(known?.sentAt, request.sentAt)
        entry.hangupSentAt = known?.hangupSentAt
        (entry.since, entry.handle) = (request.worker.now, request.worker.push.handle)
        var earlier = known?.earlier ?? []
        if let known, let worker = known.worker {
            earlier.append(Earlier(worker: worker, sentAt: known.sentAt, end: known.end))
        }
        // Of a dead worker's call a copy of its request is told in its stead.
        earlier = earlier.filter { ring in
            if ring.worker.isAlive || request.key.isEmpty { return true }
            guard let began = ring.sentAt, let sent = request.sentAt else { return false }
            return began != sent
        }
        entry.earlier = earlier.suffix(4)
        entries[request.key] = entry
    }

    private mutating func account(_ key: String) {
        guard var entry = entries[key] else { return }
        entry.isAccounted = true
        entry.sentAt = later(entry.sentAt, entry.hangupSentAt)
        entries[key] = entry
    }

    private func later(_ one: WallTime?, _ other: WallTime?) -> WallTime? { [one, other].compactMap { $0 }.max() }

    // MARK: Ends

    /// Whether a hangup is of an earlier call than the one whose request was sent at `began` (R8).
    static func isLate(_ hangup: WallTime?, for began: WallTime?) -> Bool {
        guard let hangup, let began else { return false }
        return hangup < began
    }

    /// R8: a hangup ends its call's ring, or every ring if it has no id, and is remembered by the id.
    mutating func hangUp(_ key: String, _ reason: HangupReason, sentAt: WallTime?, now: Instant) {
        open(now: now)
        let keys = key.isEmpty ? rings(now: now).map(\.key) : [key]
        for key in keys { hangUpCall(key, reason, sentAt: sentAt, now: now) }
    }

    /// Hangs up one call; `hasEnded` if its ring has fallen silent for that.
    mutating func hangUpCall(
        _ key: String, _ reason: HangupReason, sentAt: WallTime?, now: Instant, hasEnded: Bool = false
    ) {
        var entry = entries[key] ?? Entry(end: .hangup(reason), until: now + Self.memory)
        let isLate = Self.isLate(sentAt, for: entry.sentAt) && !(hasEnded && entry.end == nil)
        entry.hangupSentAt = later(entry.hangupSentAt, sentAt)
        entry.until = entry.end == nil && isLate ? entry.until : now + Self.memory
        switch entry.end {
        case .answered, .declined, .hangup: break
        case .timeout, .expired, .stopped, .missed, .foreground, nil:
            if !isLate {
                entry.end = .hangup(reason)
                entry.endedAt = now
            }
        }
        entries[key] = entry
    }

    /// Answers or declines a call that rings; false if it does not.
    mutating func end(_ key: String, as end: End, now: Instant) -> Bool {
        open(now: now)
        guard let entry = entries[key], isRinging(entry, now: now) else { return false }
        record(key, end, now: now)
        if end == .answered { leaveAnswer(to: key, now: now) }
        return true
    }

    /// R7: `worker` settles the end of its ring: an end that is known already counts, else `end`.
    mutating func settle(_ key: String, _ worker: PlayedWorker, as end: End, now: Instant) -> End {
        guard var entry = entries[key], entry.worker === worker else {
            guard let index = entries[key]?.earlier.firstIndex(where: { $0.worker === worker }),
                let ring = entries[key]?.earlier[index]
            else { return end }
            let settled = ring.end == .missed ? end : ring.end ?? end
            if !settled.isMissed { entries[key]?.earlier.remove(at: index) }
            return settled
        }
        // Others may have taken a worker that stood still past its end for one that never says how it ended.
        let wasListed = entry.isListed || entry.end != .missed
        if entry.end == nil || entry.end == .missed {
            entry.end = end
            entry.until = now + Self.memory
        }
        let settled = entry.end ?? end
        entry.isListed = settled.isMissed && wasListed
        entry.isSeen = false
        if !settled.isMissed { entry.worker = nil }
        entries[key] = entry
        account(key)
        return settled
    }

    /// `worker` has told its missed call.
    mutating func reported(_ key: String, _ worker: PlayedWorker) {
        guard var entry = entries[key] else { return }
        if entry.worker === worker { entry.worker = nil } else { entry.earlier.removeAll { $0.worker === worker } }
        entries[key] = entry
    }

    // MARK: The dead

    /// R12: the calls that dead workers, of those processes if any are named, have not told as missed: somebody else
    /// tells them.
    mutating func takeDeadRings(of owners: [Owner]?, now: Instant) -> [String] {
        open(now: now)
        func isTaken(_ worker: PlayedWorker) -> Bool {
            !worker.isAlive && owners?.contains(worker.process.owner) ?? true
        }
        var told: [String] = []
        for (key, known) in entries {
            var entry = known
            for ring in known.earlier where isTaken(ring.worker) && ring.end?.isMissed ?? true { told.append(key) }
            entry.earlier = known.earlier.filter { !isTaken($0.worker) }
            if let worker = known.worker, isTaken(worker), known.end?.isMissed ?? true {
                told.append(key)
                entry.worker = nil
                if !known.isAccounted, known.end != .missed { (entry.isListed, entry.isSeen) = (true, false) }
            }
            entries[key] = entry
            if known.worker != nil, entry.worker == nil { account(key) }
        }
        return told
    }
}
