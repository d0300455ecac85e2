import BelfryPropertyList
public import BelfryTerms

/// One entry of `calls` in the group file: a ring, or the record of how a call ended, either with a deadline.
///
/// Keys that other programs put into the entry are kept.
public struct Call: Hashable, Sendable {
    /// The file keeps this many bytes of a name or a handle; the rest is cut off.
    static let textBytesMax = 128
    /// The file keeps no path of a picture that is longer, in bytes.
    static let pictureBytesMax = 256

    /// The call's key in the file.
    public let key: CallKey
    private(set) var entry: PropertyListDictionary

    /// A call that the file does not know yet.
    init(key: CallKey, state: CallState) {
        self.key = key
        entry = PropertyListDictionary()
        self.state = state
    }

    /// A ring for `request`, for a call that the file does not know yet.
    init(ringing request: RingRequest) {
        self.init(key: request.key, state: .ringing)
        describe(request)
        sentAt = request.sentAt
    }

    /// The call as the file has it; nil if its state is missing or unknown.
    init?(key: CallKey, entry: PropertyListDictionary) {
        guard case .string(let word)? = entry["state"], CallState(rawValue: word) != nil else { return nil }
        self.key = key
        self.entry = entry
    }

    /// Whether the call rings, or how it ended.
    public internal(set) var state: CallState {
        get { string("state").flatMap(CallState.init(rawValue:)) ?? .ringing }
        set { entry["state"] = .string(newValue.rawValue) }
    }

    /// The caller's name; empty if the push did not say.
    public internal(set) var name: String {
        get { string("name") ?? "" }
        set { entry["name"] = newValue.isEmpty ? nil : .string(Self.cut(newValue)) }
    }

    /// The caller's number or address; empty if the push did not say.
    public internal(set) var handle: String {
        get { string("handle") ?? "" }
        set { entry["handle"] = newValue.isEmpty ? nil : .string(Self.cut(newValue)) }
    }

    /// Who has the caller's number; nil if no source of the person's says.
    public internal(set) var label: NumberLabel? {
        get { NumberLabel(in: entry) }
        set {
            entry["label"] = newValue.map { .string(Self.cut($0.text)) }
            entry["labelFrom"] = newValue.map { .string(Self.cut($0.source)) }
        }
    }

    /// Whether it is a video call.
    public internal(set) var hasVideo: Bool {
        get { entry["video"] == .bool(true) }
        set { entry["video"] = .bool(newValue) }
    }

    /// The UUID by which an app knows the call, in capitals; empty if none has reported it.
    public internal(set) var uuid: String {
        get { string("uuid") ?? "" }
        set { entry["uuid"] = newValue.isEmpty ? nil : .string(newValue) }
    }

    /// The file of the caller's picture; nil if there is none yet.
    public internal(set) var picture: String? {
        get { string("picture") }
        set { entry["picture"] = newValue.flatMap { Self.mayKeep($0) ? .string($0) : nil } }
    }

    /// Whether the file keeps `picture`: its room is reckoned with paths of ordinary length.
    static func mayKeep(_ picture: String) -> Bool { picture.utf8.count <= pictureBytesMax }

    /// When the ring began, in Unix seconds.
    public internal(set) var started: Int64? {
        get { integer("started") }
        set { entry["started"] = newValue.map { .integer($0) } }
    }

    /// When the call ended, in Unix seconds; nil while it rings, and if another program ended it without saying when.
    public internal(set) var ended: Int64? {
        get { integer("ended") }
        set { entry["ended"] = newValue.map { .integer($0) } }
    }

    /// When the ring began; of a call that never rang, when that was recorded first. The ring with the earliest `since`
    /// is the oldest one (R10).
    public internal(set) var since: Instant {
        get { Instant(microseconds: integer("since") ?? .max) }
        set { entry["since"] = .integer(newValue.microseconds) }
    }

    /// Whether the entry has no start: then another program wrote it.
    var hasNoStart: Bool { integer("since") == nil }

    /// When the ring ends by itself, or the record may be forgotten.
    public internal(set) var until: Instant {
        get { Instant(microseconds: integer("until") ?? 0) }
        set { entry["until"] = .integer(newValue.microseconds) }
    }

    /// The process that rings the call, or that has not reported its end or missed call yet; nil once it has.
    public internal(set) var owner: Owner? {
        get { Owner(in: entry) }
        set { Owner.write(newValue, to: &entry) }
    }

    /// Whether the person at the endpoint silenced the ring: it rings on without sound (R21).
    public internal(set) var isSilenced: Bool {
        get { entry["silenced"] == .bool(true) }
        set { entry["silenced"] = newValue ? .bool(true) : nil }
    }

    /// Why the caller's side hung up; nil if it did not.
    public internal(set) var hangupReason: HangupReason? {
        get { string("reason").flatMap(HangupReason.init(rawValue:)) }
        set { entry["reason"] = newValue.map { .string($0.rawValue) } }
    }

    /// When the latest request was sent, if that push said so. Every request sent up to then rings or is settled.
    public internal(set) var sentAt: WallTime? {
        get { time("sentAt") }
        set { entry["sentAt"] = newValue.map { .real($0.unixSeconds) } }
    }

    /// When the latest hangup was sent, if one said so. Rings of later requests do not erase it.
    package var hangupSentAt: WallTime? {
        get { time("hangupSentAt") }
        set { entry["hangupSentAt"] = newValue.map { .real($0.unixSeconds) } }
    }

    /// Whether the end is settled: then only the owner reports a request up to ``sentAt`` as missed (R11).
    var isSettled: Bool {
        get { entry["missedTold"] == .bool(true) }
        set { entry["missedTold"] = newValue ? .bool(true) : nil }
    }

    /// How many rings of one key may have ended without being reported; with more, the oldest are dropped.
    static let earlierMax = 4

    /// Rings of this key that were over before this one began, and whose ends are still to be reported: by their owners
    /// or, if an owner has died, by the process that finds the call (R12).
    var earlier: [Call] {
        get {
            (entry["earlier"]?.arrayValue ?? []).compactMap { $0.dictionaryValue.flatMap { Call(key: key, entry: $0) } }
        }
        set {
            entry["earlier"] =
                newValue.isEmpty ? nil : .array(newValue.suffix(Self.earlierMax).map { .dictionary($0.entry) })
        }
    }

    /// Makes room for `later`, another ring or record of the key: an end that is still to be reported is kept among
    /// ``earlier``. If the owner is dead and `later` is a copy of its request, the end is dropped, since the copy is
    /// reported instead.
    mutating func giveWay(to later: RingRequest, isAlive: (Owner) -> Bool) {
        var kept = earlier
        earlier = []
        if owner != nil { kept.append(self) }
        earlier = kept.filter { ring in
            ring.owner.map(isAlive) ?? false || key.isAnonymous || ring.isOtherCall(than: later)
        }
    }

    private func isOtherCall(than request: RingRequest) -> Bool {
        guard let sentAt, let sent = request.sentAt else { return false }
        return sent != sentAt
    }

    /// Whether this is `owner`'s ring that began at `since`, or the record of its end, and not another ring of the same
    /// key. An entry that another program wrote without a start applies to the ring that is on (R7).
    func isRing(of owner: Owner, since: Instant?) -> Bool {
        if let named = self.owner { return named == owner }
        return hasNoStart || since == nil || self.since == since
    }

    /// Whether `missedCalls` has it, if it was missed: its owner has settled the end, or was found dead while it rang.
    var isListed: Bool { isSettled || state == .missed }

    /// Whether the end still has to be reported, by the owner or, if that has died, by the process that finds it (R12).
    var isToBeReported: Bool { owner != nil && state != .answered && state != .declined }

    /// Copies the caller from `request`.
    mutating func describe(_ request: RingRequest) {
        name = request.name
        handle = request.handle
        label = request.label
        hasVideo = request.hasVideo
        uuid = request.uuid
    }

    /// Remembers when a hangup was sent. Hangups may arrive in any order: the latest counts.
    mutating func noteHangup(sentAt: WallTime?) {
        hangupSentAt = [hangupSentAt, sentAt].compactMap { $0 }.max()
    }

    /// Records that the call ended this way, and that every request sent before the hangup ended with it.
    mutating func markSettled() {
        isSettled = true
        sentAt = [sentAt, hangupSentAt].compactMap { $0 }.max()
    }

    /// Sets the value of `key`, or removes it.
    mutating func setEntry(_ key: String, _ value: PropertyListValue?) { entry[key] = value }

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

    /// As much of `text` as the file keeps.
    static func cut(_ text: String) -> String {
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

extension NumberLabel {
    /// The label in an entry; nil if there is none.
    init?(in entry: PropertyListDictionary) {
        guard let text = entry["label"]?.stringValue, let source = entry["labelFrom"]?.stringValue else { return nil }
        self.init(text, from: source)
    }
}

/// A call's key in the group file: its id as the payload gave it, compared byte by byte.
public struct CallKey: Sendable {
    /// The id, at most 128 bytes; empty for the group's one anonymous call.
    public let text: String

    /// The key of the call `text`.
    public init(_ text: String) {
        self.text = text
    }

    /// Whether the payload named no call; nothing is remembered of such a call (R8).
    public var isAnonymous: Bool { text.isEmpty }
}

extension CallKey: Hashable, Comparable {
    /// Compares bytes, since Swift's `String` treats `"é"` and `"e\u{301}"` as equal.
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

/// The process that rings a call; it rings only one. Boot and start distinguish it from a later process with the same
/// number.
public struct Owner: Hashable, Sendable {
    /// The boot in which the process runs: `/proc/sys/kernel/random/boot_id`.
    public let bootID: String
    /// The process id.
    public let pid: Int64
    /// When the process started, in clock ticks since boot: field 22 of `/proc/PID/stat`.
    public let start: Int64

    /// The process `pid` that started at `start`.
    public init(bootID: String, pid: Int64, start: Int64) {
        self.bootID = bootID
        self.pid = pid
        self.start = start
    }

    /// The owner that `entry` names; nil if a part is missing or has a wrong type.
    init?(in entry: PropertyListDictionary) {
        guard case .string(let bootID)? = entry["bootId"], case .integer(let pid)? = entry["pid"],
            case .integer(let start)? = entry["pidStart"]
        else { return nil }
        self.init(bootID: bootID, pid: pid, start: start)
    }

    /// Writes `owner` into `entry`; nil removes the owner that stands there.
    static func write(_ owner: Owner?, to entry: inout PropertyListDictionary) {
        entry["bootId"] = owner.map { .string($0.bootID) }
        entry["pid"] = owner.map { .integer($0.pid) }
        entry["pidStart"] = owner.map { .integer($0.start) }
        // Older versions wrote `pidRing`, the ring of the process; remove it.
        entry["pidRing"] = nil
    }
}
