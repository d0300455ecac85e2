public import BootTime
public import PropertyList

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

    /// The file's key for the dictionary of all calls, by their ids: the last in a file that Belfry wrote.
    public static let callsKey = "calls"

    enum Key {
        static let calls = callsKey
        static let startCallTime = "keyStartCallTime"
        static let foreground = "enterToForground"
        static let foregroundOwner = "foregroundOwner"
        static let pendingAccept = "pendingAccept"
    }

    /// The whole file, keys that are not ours included.
    public internal(set) var root: PropertyListDictionary

    /// Whether what was changed must outlive a power cut: an answer that the app has not collected, or a missed call.
    public internal(set) var mustOutlivePowerCut = false

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

    /// A time that a push states, as far as it can be: one that lies ahead counts as absent (R9).
    func believed(_ sentAt: WallTime?) -> WallTime? {
        sentAt.flatMap { $0 - moment.wall <= .clockSkewMax ? $0 : nil }
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
        let start = rings.first.map { max(1, $0.started ?? moment.wall.wholeUnixSeconds) }
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
        call.ended = moment.wall.wholeUnixSeconds
        call.until = moment.now + Self.memory
        return call
    }
}
