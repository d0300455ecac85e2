import BelfryPropertyList
public import BelfryTerms

/// One call of the group file: a ring with an owner and a deadline, or a record with a deadline alone.
///
/// Keys of the entry that are not ours stay in it.
public struct Call: Hashable, Sendable {
    /// Bytes of a name or handle that the file keeps; the rest is cut off.
    static let textBytesMax = 128

    /// What it is known by.
    public let key: CallKey
    private(set) var entry: PropertyListDictionary

    /// A call that the file does not know yet.
    init(key: CallKey, state: CallState) {
        self.key = key
        entry = PropertyListDictionary()
        self.state = state
    }

    /// A ring that the file does not know.
    init(ringing request: RingRequest) {
        self.init(key: request.key, state: .ringing)
        describe(request)
        sentAt = request.sentAt
    }

    /// The call as the file has it; nil where the state is none that we know.
    init?(key: CallKey, entry: PropertyListDictionary) {
        guard case .string(let word)? = entry["state"], CallState(rawValue: word) != nil else { return nil }
        self.key = key
        self.entry = entry
    }

    /// Whether it rings, or how it ended.
    public internal(set) var state: CallState {
        get { string("state").flatMap(CallState.init(rawValue:)) ?? .ringing }
        set { entry["state"] = .string(newValue.rawValue) }
    }

    /// Who calls; empty where the push did not say.
    public internal(set) var name: String {
        get { string("name") ?? "" }
        set { entry["name"] = newValue.isEmpty ? nil : .string(Self.cut(newValue)) }
    }

    /// The caller's number or address; empty where the push did not say.
    public internal(set) var handle: String {
        get { string("handle") ?? "" }
        set { entry["handle"] = newValue.isEmpty ? nil : .string(Self.cut(newValue)) }
    }

    /// Whether it is a video call.
    public internal(set) var hasVideo: Bool {
        get { entry["video"] == .bool(true) }
        set { entry["video"] = .bool(newValue) }
    }

    /// When its ring began, in Unix seconds.
    public internal(set) var started: Int64? {
        get { integer("started") }
        set { entry["started"] = newValue.map { .integer($0) } }
    }

    /// When it ended, in Unix seconds; nil while it rings, and where a stranger ended it.
    public internal(set) var ended: Int64? {
        get { integer("ended") }
        set { entry["ended"] = newValue.map { .integer($0) } }
    }

    /// When its ring began: what the oldest ring is told by.
    public internal(set) var since: Instant {
        get { Instant(microseconds: integer("since") ?? .max) }
        set { entry["since"] = .integer(newValue.microseconds) }
    }

    /// When the ring or the record is over.
    public internal(set) var until: Instant {
        get { Instant(microseconds: integer("until") ?? 0) }
        set { entry["until"] = .integer(newValue.microseconds) }
    }

    /// The process that rings it, or that has yet to say how it ended.
    public internal(set) var owner: Owner? {
        get { Owner(in: entry) }
        set { Owner.write(newValue, to: &entry) }
    }

    /// Why the caller's side hung up; nil where it did not.
    public internal(set) var hangupReason: HangupReason? {
        get { string("reason").flatMap(HangupReason.init(rawValue:)) }
        set { entry["reason"] = newValue.map { .string($0.rawValue) } }
    }

    /// When the latest request was sent, where that push said so: what was sent until then is settled or rings.
    var sentAt: WallTime? {
        get { time("sentAt") }
        set { entry["sentAt"] = newValue.map { .real($0.unixSeconds) } }
    }

    /// When the latest hangup was sent, where one said so; it outlives the rings of later requests.
    var hangupSentAt: WallTime? {
        get { time("hangupSentAt") }
        set { entry["hangupSentAt"] = newValue.map { .real($0.unixSeconds) } }
    }

    /// Whether the person was told that they missed it, so that nobody tells them again (R11).
    var isMissedReported: Bool {
        get { entry["missedTold"] == .bool(true) }
        set { entry["missedTold"] = newValue ? .bool(true) : nil }
    }

    /// Whether its process died before it told the person, who still has to hear of it (R12).
    var isToBeReported: Bool { !isMissedReported && owner != nil && state != .answered && state != .declined }

    /// Takes over who calls.
    mutating func describe(_ request: RingRequest) {
        name = request.name
        handle = request.handle
        hasVideo = request.hasVideo
    }

    /// Remembers a hangup, in whatever order hangups come.
    mutating func noteHangup(sentAt: WallTime?) {
        hangupSentAt = [hangupSentAt, sentAt].compactMap { $0 }.max()
    }

    /// The person knows of it, and of every request sent before its hangup.
    mutating func markReported() {
        isMissedReported = true
        sentAt = [sentAt, hangupSentAt].compactMap { $0 }.max()
    }

    private func string(_ key: String) -> String? {
        guard case .string(let text)? = entry[key] else { return nil }
        return text
    }

    private func integer(_ key: String) -> Int64? {
        guard case .integer(let value)? = entry[key] else { return nil }
        return value
    }

    private func time(_ key: String) -> WallTime? {
        switch entry[key] {
        case .real(let seconds)?: WallTime(unixSeconds: seconds)
        case .integer(let seconds)?: WallTime(unixSeconds: Double(seconds))
        default: nil
        }
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > textBytesMax else { return text }
        var scalars = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            bytes += String(scalar).utf8.count
            guard bytes <= textBytesMax else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}

/// What a call is known by in the group file: its id as the payload gave it, compared byte by byte.
public struct CallKey: Sendable {
    /// The id, at most 128 bytes; empty for the group's one anonymous call.
    public let text: String

    /// The key of the call `text`.
    public init(_ text: String) {
        self.text = text
    }

    /// Whether the payload named no call: such a call leaves no memory (R8).
    public var isAnonymous: Bool { text.isEmpty }
}

extension CallKey: Hashable, Comparable {
    /// The same bytes: Swift's `String` takes `"é"` and `"e\u{301}"` for one.
    public static func == (left: CallKey, right: CallKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// Orders by bytes.
    public static func < (left: CallKey, right: CallKey) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

/// Who rings: a process, named so that a later one with the same number is never taken for it, and which of its rings.
public struct Owner: Hashable, Sendable {
    /// The boot in which it runs: `/proc/sys/kernel/random/boot_id`.
    public let bootID: String
    /// Its process id.
    public let pid: Int64
    /// When it started, in clock ticks since boot: field 22 of `/proc/PID/stat`.
    public let start: Int64

    /// Which of its process's rings it owns, from 0; the file has it only if it is not 0, so that a process of one ring
    /// needs no word for it.
    public let ring: Int64

    /// The process `pid` that started at `start`, as owner of its ring number `ring`.
    public init(bootID: String, pid: Int64, start: Int64, ring: Int64 = 0) {
        self.bootID = bootID
        self.pid = pid
        self.start = start
        self.ring = ring
    }

    /// The owner that `entry` names; nil where a part is missing or of a wrong type.
    init?(in entry: PropertyListDictionary) {
        guard case .string(let bootID)? = entry["bootId"], case .integer(let pid)? = entry["pid"],
            case .integer(let start)? = entry["pidStart"]
        else { return nil }
        var ring: Int64 = 0
        if case .integer(let number)? = entry["pidRing"] { ring = number }
        self.init(bootID: bootID, pid: pid, start: start, ring: ring)
    }

    /// Names `owner` in `entry`, or nobody.
    static func write(_ owner: Owner?, to entry: inout PropertyListDictionary) {
        entry["bootId"] = owner.map { .string($0.bootID) }
        entry["pid"] = owner.map { .integer($0.pid) }
        entry["pidStart"] = owner.map { .integer($0.start) }
        let ring = owner?.ring ?? 0
        if ring != 0 || entry["pidRing"] != nil { entry["pidRing"] = ring == 0 ? nil : .integer(ring) }
    }
}
