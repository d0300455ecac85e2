public import BelfryPropertyList
public import BelfryTerms

/// Who rings, who rang, and how it ended: the group file's contents at one moment.
///
/// What spans processes is decided here, inside one transaction on the file: whoever opens it gets it with dead
/// rings recorded as missed (R12), a stranger's wishes taken in, and old entries gone; whoever changes it leaves
/// `keyStartCallTime` in step with `calls`.
public struct Ledger {
    /// How long a hangup, an answer or a decline is remembered (R8).
    public static let memory = TimeSpan.seconds(600)

    /// The longest budget there is: a ring that claims to last longer is not believed (R18). The second more is for
    /// a reader that took the time before it read what an admission has just written.
    static let longestRing = TimeSpan.seconds(120 + 1)

    /// How long an owner that lives is left to say itself how its ring ended.
    static let settlingGrace = TimeSpan.seconds(5)

    /// The file's keys that are Belfry's.
    public enum Key {
        /// The dictionary of all calls by their ids: the last in a file that Belfry wrote.
        public static let calls = "calls"
        /// The Unix second at which the ring now on began: an integer.
        public static let startCallTime = "keyStartCallTime"
        /// Whether the app is in front: a flag, spelled as the apps in the field spell it.
        public static let foreground = "enterToForground"
        /// Which process says so: a dictionary.
        public static let foregroundOwner = "foregroundOwner"
        /// The answers that the app has not collected yet: an array.
        public static let pendingAccept = "pendingAccept"
    }

    /// The whole file, keys that are not ours included.
    public internal(set) var root: PropertyListDictionary

    /// Whether what was changed must outlive a power cut: an answer that the app has not collected, or a missed call.
    public internal(set) var isDurable = false

    let moment: Moment

    /// The file as it was read, nothing changed: for looking.
    public init(reading root: PropertyListDictionary, at moment: Moment) {
        self.root = root
        self.moment = moment
    }

    /// The file opened for a change: what others left behind is settled first.
    public init(opening root: PropertyListDictionary, at moment: Moment) {
        self.init(reading: root, at: moment)
        settleWhatOthersLeft()
    }

    /// The call `key`; nil where the file has none, or one that makes no sense.
    public func call(_ key: CallKey) -> Call? {
        guard case .dictionary(let entry)? = entries[key.text] else { return nil }
        guard var call = Call(key: key, entry: entry) else { return nil }
        if believed(call.sentAt) == nil { call.sentAt = nil }
        if believed(call.hangupSentAt) == nil { call.hangupSentAt = nil }
        return call
    }

    /// A time that a push or the file states, if it can be: one over a minute ahead is a wrong clock and counts as
    /// absent (R9). Whatever is decided by such a time is decided by this one.
    public func believed(_ sentAt: WallTime?) -> WallTime? {
        sentAt.flatMap { $0.isBelievable(at: moment.wall) ? $0 : nil }
    }

    /// Every call of the file that makes sense.
    public var calls: [Call] {
        entries.members.compactMap { member in
            guard case .dictionary(let entry) = member.value else { return nil }
            return Call(key: CallKey(member.key), entry: entry)
        }
    }

    /// The calls that ring at this moment, the oldest first: that one is loud.
    public var rings: [Call] {
        calls.filter(isRinging).sorted { ($0.since, $0.key) < ($1.since, $1.key) }
    }

    /// Whether `call` rings at this moment: it has an owner that lives, and a deadline to believe in.
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

    /// Writes many calls as one change: each change costs a look at every entry.
    mutating func write(_ calls: [Call]) {
        var changed = entries
        for call in calls { changed[call.key.text] = .dictionary(call.entry) }
        entries = changed
        keepStartInStep()
    }

    /// `keyStartCallTime` goes with the last ring, else takes the next ring's start. It is never 0, which would hang
    /// up: a machine without a clock of its own may start in 1970.
    mutating func keepStartInStep() {
        let start = rings.first.map { max(1, $0.started ?? moment.wall.unixSecond) }
        let value = start.map { PropertyListValue.integer($0) }
        if root[Key.startCallTime] != value { root[Key.startCallTime] = value }
        keepCallsLast()
    }

    /// A process that waits tells by the bytes before the calls that nothing else has changed.
    private mutating func keepCallsLast() {
        guard let last = root.members.last, last.key != Key.calls, let calls = root[Key.calls] else { return }
        root[Key.calls] = nil
        root[Key.calls] = calls
    }

    /// Turns `call` into a record of its end.
    func record(_ call: Call, as state: CallState) -> Call {
        var call = call
        call.state = state
        call.ended = moment.wall.unixSecond
        call.until = moment.now + Self.memory
        return call
    }
}

/// What the ledger has to know of the world, once for each time the group file is opened.
public struct Moment {
    /// The instant, by which rings and records are over.
    public let now: Instant
    /// The same by the wall clock, for what people read.
    public let wall: WallTime
    /// The boot to which `now` belongs.
    public let bootID: String
    /// When the group file was last written; before zero where that was before this boot.
    public let fileModified: Instant?
    private let liveness: Liveness

    /// A moment; `isRunning` says whether a process of this boot still runs, and is asked once for each.
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
        /// Most groups have one ring, and the dictionary alone takes 0.03 ms to come into being.
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
        takeInForeignHangup()
        settleWhatIsLeft()
        stampForeground()
        dropOldestRecords()
        keepStartInStep()
    }

    /// A program that knows nothing of `calls` hangs up every ring by removing `keyStartCallTime`, or zeroing it.
    private mutating func takeInForeignHangup() {
        guard isHungUpByStranger else { return }
        endByHangup(rings, reason: .cancelled, sentAt: nil)
    }

    /// Whether a stranger has taken away the start of rings that the ledger still has; apps keep it as either number.
    var isHungUpByStranger: Bool {
        switch root[Key.startCallTime] {
        case nil, .integer(0)?, .real(0)?: true
        default: false
        }
    }

    private mutating func settleWhatIsLeft() {
        let forgotten = Set(calls.filter(isForgotten).map(\.key))
        drop(forgotten)
        let settled = calls.compactMap(settled)
        guard !settled.isEmpty else { return }
        write(settled)
        if settled.contains(where: { $0.state == .missed }) { isDurable = true }
    }

    /// Whether a worker died and nobody has recorded its ring as missed yet.
    public var hasDeadRing: Bool {
        calls.contains { $0.state == .ringing && !isRinging($0) && !isSettling($0) }
    }

    /// `call` as the record that it has become while nobody wrote so; nil where it stands as it is.
    private func settled(_ call: Call) -> Call? {
        guard call.state == .ringing else { return call.ended == nil ? record(call, as: call.state) : nil }
        return isRinging(call) || isSettling(call) ? nil : record(call, as: .missed)
    }

    /// Whether the ring is just over and its owner about to say how.
    func isSettling(_ call: Call) -> Bool {
        guard call.state == .ringing, let owner = call.owner, moment.isAlive(owner) else { return false }
        return call.until <= moment.now && moment.now - call.until <= Self.settlingGrace
    }

    /// A record is over at its deadline. One whose deadline lies too far off, as in another boot's clock, is believed
    /// as long as the wall clock puts its end within the memory.
    private func isForgotten(_ call: Call) -> Bool {
        guard call.state != .ringing, let ended = call.ended else { return false }
        guard call.until > moment.now else { return true }
        if call.until - moment.now <= Self.memory + Self.settlingGrace { return false }
        let age = moment.wall.unixSecond.subtractingReportingOverflow(ended)
        return age.overflow || age.partialValue < 0 || age.partialValue > Self.memory.microseconds / 1_000_000
    }

    mutating func drop(_ dropped: Set<CallKey>) {
        guard !dropped.isEmpty else { return }
        var kept = entries
        kept.removeAll { dropped.contains(CallKey($0.key)) }
        entries = kept
    }
}
