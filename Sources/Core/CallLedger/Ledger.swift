public import BelfryPropertyList
public import BelfryTerms

/// The calls that ring, the calls that rang, and how they ended: the group file's contents at one moment.
///
/// Everything that concerns several processes is decided here, inside one transaction on the file. Opening the ledger
/// records dead rings as missed (R12), carries out what other programs asked for by changing keys, and drops old
/// entries. Every change keeps `keyStartCallTime` in step with `calls`.
public struct Ledger {
    /// How long a hangup, an answer or a decline is remembered (R8).
    public static let memory = TimeSpan.seconds(600)

    /// The longest budget, plus one second: a ring that claims to last longer is not believed (R18). The second covers
    /// a reader that took the time just before another process admitted the ring.
    static let longestRing = TimeSpan.seconds(120 + 1)

    /// After the deadline of a ring, its living owner has this long to record how it ended.
    static let settlingGrace = TimeSpan.seconds(5)

    /// Belfry's keys in the file.
    public enum Key {
        /// All calls by their ids: a dictionary.
        public static let calls = "calls"
        /// The Unix second at which the oldest ring began: an integer.
        public static let startCallTime = "keyStartCallTime"
        /// Whether the app is in front: a flag, misspelled as existing apps spell it.
        public static let foreground = "enterToForground"
        /// Which process set that flag, or when it was set: a dictionary.
        public static let foregroundOwner = "foregroundOwner"
        /// Answers that the app has not collected yet: an array.
        public static let pendingAccept = "pendingAccept"
        /// Calls that the person missed and has not seen yet: an array.
        public static let missedCalls = "missedCalls"
    }

    /// The whole file, other programs' keys included.
    public internal(set) var root: PropertyListDictionary

    /// Whether the change must survive a power cut: it holds an answer for the app to collect, or a missed call.
    public internal(set) var isDurable = false
    /// The rings that were taken off the list of missed calls, whether or not the file that was read lists them.
    var unlisted: Set<MissedIdentity> = []

    /// How long an answer given from now on waits for the app.
    public var answersWait = Ledger.answerLifetime

    /// The ends that are kept apart from the file; none unless they are set.
    public var remembered = RememberedEnds()

    let moment: Moment

    /// The file exactly as it was read.
    init(asRead root: PropertyListDictionary, at moment: Moment) {
        self.root = root
        self.moment = moment
    }

    /// The call `key`; nil if the file has none, or an entry that makes no sense.
    public func call(_ key: CallKey) -> Call? {
        entries[key.text].flatMap { call(key, $0) }
    }

    private func call(_ key: CallKey, _ entry: PropertyListValue) -> Call? {
        guard case .dictionary(let entry) = entry else { return nil }
        return Call(key: key, entry: entry).map(withBelievedTimes)
    }

    func withBelievedTimes(_ call: Call) -> Call {
        var call = call
        if believed(call.sentAt) == nil { call.sentAt = nil }
        if believed(call.hangupSentAt) == nil { call.hangupSentAt = nil }
        return call
    }

    /// `sentAt`, which a push or the file states, or nil if it cannot be true: a time over a minute ahead comes from a
    /// wrong clock and counts as absent (R9). Every decision on a stated time uses this.
    public func believed(_ sentAt: WallTime?) -> WallTime? {
        sentAt.flatMap { $0.isBelievable(at: moment.wall) ? $0 : nil }
    }

    /// The key of the call that a person names `named`: by its key, or by the UUID that its app reported.
    public func key(of named: CallKey) -> CallKey {
        guard !named.isAnonymous, entries[named.text] == nil else { return named }
        let uuid = named.text.uppercased()
        return calls.last { $0.uuid == uuid }?.key ?? named
    }

    /// Every call in the file whose entry makes sense.
    public var calls: [Call] {
        entries.members.compactMap { call(CallKey($0.key), $0.value) }
    }

    /// The calls that ring at this moment. The oldest is loud and comes first (R10).
    public var rings: [Call] { ringsByEntry.filter(isRinging) }

    /// The calls that ring by their entries, oldest first. Whether an owner lives is asked only where it decides: a
    /// look at each owner's process costs more than all the rest of a reading.
    var ringsByEntry: [Call] {
        calls.filter { $0.state == .ringing }.sorted { ($0.since, $0.key) < ($1.since, $1.key) }
    }

    /// Whether `call` rings at this moment: its owner lives, and its deadline is ahead and believable (R12, R18).
    func isRinging(_ call: Call) -> Bool {
        guard call.state == .ringing, let owner = call.owner else { return false }
        return call.until > moment.now && call.until - moment.now <= Self.longestRing && moment.isAlive(owner)
    }

    var entries: PropertyListDictionary {
        get {
            guard case .dictionary(let entries)? = root[Key.calls] else { return PropertyListDictionary() }
            return entries
        }
        set { root[Key.calls] = newValue.isEmpty ? nil : .dictionary(newValue) }
    }

    mutating func write(_ call: Call) { write([call]) }

    /// Writes several calls as one change, since each change goes through all entries.
    mutating func write(_ calls: [Call]) {
        enter(calls)
        keepStartInStep()
    }

    /// Puts `calls` among the entries, and leaves all else as it is.
    mutating func enter(_ calls: [Call]) {
        var changed = entries
        for call in calls { changed[call.key.text] = .dictionary(call.entry) }
        entries = changed
    }

    /// Sets `keyStartCallTime` to the start of the oldest ring, or removes it if nothing rings. It is never written as
    /// 0, which would hang up: a machine without a battery-backed clock may start in 1970.
    mutating func keepStartInStep() {
        let start = loudest.map { max(1, $0.started ?? moment.wall.unixSecond) }
        let value = start.map { PropertyListValue.integer($0) }
        if root[Key.startCallTime] != value { root[Key.startCallTime] = value }
    }

    /// Returns `call` as the record of its end, to be forgotten after ``memory``.
    func record(_ call: Call, as state: CallState) -> Call {
        var call = call
        call.forgetAnswer()
        call.state = state
        if call.hasNoStart { call.since = moment.now }
        call.ended = moment.wall.unixSecond
        call.until = moment.now + Self.memory
        return call
    }
}

/// What the ledger needs to know about the machine, taken once for each time the group file is opened.
public struct Moment {
    /// The present instant, which decides whether rings and records are over (R15).
    public let now: Instant
    /// The same by the wall clock, for times that people read and pushes state.
    public let wall: WallTime
    /// The boot to which `now` belongs.
    public let bootID: String
    /// When the group file was last written; negative if that was before this boot.
    public let fileModified: Instant?
    private let liveness: Liveness

    /// A moment; `isRunning` says whether a process of this boot still runs, and is asked once for each process.
    public init(
        now: Instant, wall: WallTime, bootID: String, fileModified: Instant?, isRunning: @escaping (Owner) -> Bool
    ) {
        self.now = now
        self.wall = wall
        self.bootID = bootID
        self.fileModified = fileModified
        liveness = Liveness(isRunning: isRunning)
    }

    /// Whether `owner` is a process of this boot that still runs.
    public func isAlive(_ owner: Owner) -> Bool { owner.bootID == bootID && liveness[owner] }

    private final class Liveness {
        private let isRunning: (Owner) -> Bool
        /// Most groups have one ring, and creating the dictionary alone takes 0.03 ms.
        private var first: (owner: Owner, isRunning: Bool)?
        private var others: [Owner: Bool] = [:]

        init(isRunning: @escaping (Owner) -> Bool) {
            self.isRunning = isRunning
        }

        subscript(owner: Owner) -> Bool {
            if let first, first.owner == owner { return first.isRunning }
            if first != nil, let known = others[owner] { return known }
            let answer = isRunning(owner)
            if first == nil { first = (owner, answer) } else { others[owner] = answer }
            return answer
        }
    }
}

extension Ledger {
    mutating func settleWhatOthersLeft() {
        // First: the steps below write `keyStartCallTime` again, which hides that another program removed it.
        takeInForeignHangup()
        settleWhatIsLeft()
        stampForeground()
        dropOldAnswers()
        dropOldestRecords()
        keepStartInStep()
    }

    /// A program that does not know `calls` hangs up every ring by removing `keyStartCallTime`, or setting it to 0.
    private mutating func takeInForeignHangup() {
        guard isHungUpByStranger else { return }
        endByHangup(rings, reason: .cancelled, sentAt: nil)
    }

    /// Whether `keyStartCallTime` is missing or 0. If a call still rings, another program has hung up. Apps write
    /// either kind of number.
    var isHungUpByStranger: Bool {
        switch root[Key.startCallTime] {
        case nil, .integer(0)?, .real(0)?: true
        default: false
        }
    }

    private mutating func settleWhatIsLeft() {
        let forgotten = Set(calls.filter { $0.isForgotten(at: moment) && !isActive($0) }.map(\.key))
        drop(forgotten)
        let settled = calls.compactMap(settled)
        guard !settled.isEmpty else { return }
        write(settled)
        for call in settled where call.state == .missed { list(call, for: .died) }
    }

    /// Whether a worker died and its ring has not been recorded as missed yet (R12).
    public var hasDeadRing: Bool {
        calls.contains { $0.state == .ringing && !isRinging($0) && !isSettling($0) }
    }

    /// The record that is missing for `call`, because another program set only its state, or its owner died (R12). nil
    /// if the entry is up to date.
    private func settled(_ call: Call) -> Call? {
        guard call.state == .ringing else { return call.ended == nil ? record(call, as: call.state) : nil }
        return isRinging(call) || isSettling(call) ? nil : record(call, as: .missed)
    }

    /// Whether the ring's deadline has just passed and its living owner is about to record how it ended.
    func isSettling(_ call: Call) -> Bool {
        guard call.state == .ringing, let owner = call.owner, moment.isAlive(owner) else { return false }
        return call.until <= moment.now && moment.now - call.until <= Self.settlingGrace
    }

    mutating func drop(_ dropped: Set<CallKey>) {
        guard !dropped.isEmpty else { return }
        var kept = entries
        kept.removeAll { dropped.contains(CallKey($0.key)) }
        entries = kept
    }
}

extension Call {
    /// Whether a record may go: its deadline has passed. If the deadline is too far away to be of this boot's clock,
    /// the record goes unless the call ended within ``Ledger/memory`` by the wall clock.
    func isForgotten(at moment: Moment) -> Bool {
        guard state != .ringing, let ended else { return false }
        guard until > moment.now else { return true }
        if until - moment.now <= Ledger.memory + Ledger.settlingGrace { return false }
        let age = moment.wall.unixSecond.subtractingReportingOverflow(ended)
        return age.overflow || age.partialValue < 0 || age.partialValue > Ledger.memory.microseconds / 1_000_000
    }
}
