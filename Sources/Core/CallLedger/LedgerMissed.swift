import BelfryPropertyList
public import BelfryTerms

/// A call that the person missed, as the group file lists it in `missedCalls` until the person has seen it.
public struct MissedRecord: Hashable, Sendable {
    /// The call's key.
    public let key: CallKey
    /// The caller's name; empty if the push did not say.
    public let name: String
    /// The caller's number or address; empty if the push did not say.
    public let handle: String
    /// Who has that number; nil if no source of the person's says.
    public let label: NumberLabel?
    /// Whether it was a video call.
    public let hasVideo: Bool
    /// When it was missed, in Unix seconds.
    public let missed: Int64
    /// Why; a word that this version does not know is kept.
    public let reason: CodeWord<MissedReason>
    /// The file of the caller's picture, which is kept as long as the call is listed; nil if there is none.
    public let picture: String?
    let since: Instant

    /// `call`, which was missed for `reason` at the Unix second `missed`.
    init(_ call: Call, for reason: MissedReason, missed: Int64) {
        (key, name, handle, label, hasVideo) = (call.key, call.name, call.handle, call.label, call.hasVideo)
        (self.missed, self.reason, picture, since) = (missed, CodeWord(reason), call.picture, call.since)
    }

    /// What the file lists as `entry`; nil if that makes no sense.
    init?(_ entry: PropertyListValue) {
        guard let entry = entry.dictionaryValue, let id = entry["callId"]?.stringValue,
            case .integer(let missed)? = entry["missed"]
        else { return nil }
        key = CallKey(id)
        name = entry["name"]?.stringValue ?? ""
        handle = entry["handle"]?.stringValue ?? ""
        label = NumberLabel(in: entry)
        hasVideo = entry["video"]?.boolValue ?? false
        self.missed = missed
        reason = CodeWord(rawValue: entry["reason"]?.stringValue ?? "")
        picture = entry["picture"]?.stringValue
        since = MissedIdentity(entry).since
    }

    /// As the file lists it.
    var entry: PropertyListValue {
        var entry: PropertyListDictionary = ["callId": .string(key.text)]
        if !name.isEmpty { entry["name"] = .string(name) }
        if !handle.isEmpty { entry["handle"] = .string(handle) }
        entry["label"] = label.map { .string($0.text) }
        entry["labelFrom"] = label.map { .string($0.source) }
        entry["video"] = .bool(hasVideo)
        entry["missed"] = .integer(missed)
        entry["reason"] = .string(reason.rawValue)
        entry["picture"] = picture.map { .string($0) }
        entry["since"] = .integer(since.microseconds)
        return .dictionary(entry)
    }
}

/// What identifies an entry of `missedCalls`: its call, and when that ring began.
struct MissedIdentity: Hashable {
    let key: CallKey
    let since: Instant

    init(key: CallKey, since: Instant) {
        (self.key, self.since) = (key, since)
    }

    /// The identity of `entry`; what the entry lacks is replaced by an empty key or a start of 0.
    init(_ entry: PropertyListDictionary) {
        key = CallKey(entry["callId"]?.stringValue ?? "")
        if case .integer(let microseconds)? = entry["since"] {
            since = Instant(microseconds: microseconds)
        } else {
            since = Instant(microseconds: 0)
        }
    }

    /// The identity as a note states it.
    var entry: PropertyListValue {
        .dictionary(["callId": .string(key.text), "since": .integer(since.microseconds)])
    }
}

extension Ledger {
    /// How many missed calls are listed at most; the oldest are dropped first.
    public static let missedMax = 100

    /// The missed calls that the person has not seen, the latest last.
    public var missedCalls: [MissedRecord] { missedEntries.compactMap { MissedRecord($0) } }

    /// Takes the missed calls of `keys` off the list, or all if that is nil, since the person has seen them. Returns
    /// them.
    @discardableResult
    public mutating func clearMissed(_ keys: [CallKey]? = nil) -> [MissedRecord] {
        let keys = keys?.map(key)
        let cleared = missedCalls.filter { keys?.contains($0.key) ?? true }
        unlist(Set(cleared.map { MissedIdentity(key: $0.key, since: $0.since) }))
        return cleared
    }

    /// Lists `call` as missed for `reason`.
    mutating func list(_ call: Call, for reason: MissedReason) {
        list([MissedRecord(call, for: reason, missed: call.ended ?? moment.wall.unixSecond).entry])
        isDurable = true
    }

    /// Records that the caller's picture has come for `owner`'s call `key`, which rings, or is listed as missed.
    public mutating func illustrate(_ key: CallKey, owner: Owner, with picture: String) {
        guard Call.mayKeep(picture), var call = call(key) else { return }
        if call.owner == owner, call.state == .ringing {
            call.picture = picture
            return write(call)
        }
        guard let ring = (call.earlier + [call]).first(where: { $0.owner == owner }) else { return }
        let identity = MissedIdentity(key: key, since: ring.since)
        guard var entry = missedEntries.first(where: { Self.identity(of: $0) == identity })?.dictionaryValue else {
            return
        }
        entry["picture"] = .string(picture)
        list([.dictionary(entry)])
    }

    /// Records that an app says of `owner`'s ring, which `request` describes now, who calls.
    public mutating func describe(_ request: RingRequest, owner: Owner) {
        guard var call = call(request.key), call.state == .ringing, call.isRing(of: owner, since: request.since) else {
            return
        }
        call.describe(request)
        write(call)
    }

    /// Takes `ring` off the list: it was not missed after all. It goes into ``unlisted`` too, even if the list that was
    /// read lacks it: a later version of the file may have it.
    mutating func unlist(_ ring: Call) {
        let identity = MissedIdentity(key: ring.key, since: ring.since)
        unlisted.insert(identity)
        unlist([identity])
    }

    /// Adds `entries`, which replace the listed entries of the same rings.
    mutating func list(_ entries: [PropertyListValue]) {
        guard !entries.isEmpty else { return }
        var listed = missedEntries
        for entry in entries {
            let identity = Self.identity(of: entry)
            if let index = listed.firstIndex(where: { Self.identity(of: $0) == identity }) {
                listed[index] = entry
            } else {
                listed.append(entry)
            }
        }
        missedEntries = listed.suffix(Self.missedMax)
    }

    /// Takes the entries of `rings` off the list.
    mutating func unlist(_ rings: Set<MissedIdentity>) {
        guard !rings.isEmpty else { return }
        let listed = missedEntries
        let kept = listed.filter { entry in Self.identity(of: entry).map { !rings.contains($0) } ?? true }
        if kept.count < listed.count { missedEntries = kept }
    }

    /// The entries of the list, including those that make no sense.
    var missedEntries: [PropertyListValue] {
        get { root[Key.missedCalls]?.arrayValue ?? [] }
        set { root[Key.missedCalls] = newValue.isEmpty ? nil : .array(newValue) }
    }

    static func identity(of entry: PropertyListValue) -> MissedIdentity? {
        entry.dictionaryValue.map { MissedIdentity($0) }
    }
}

extension Settlement {
    /// Why the person has missed the call; nil if they have not (R11).
    var missedReason: MissedReason? { MissedReason(reason, hangupReason: hangupReason) }
}

extension Call {
    /// Why the person has missed it; nil if they have not, or it rings (R11).
    public var missedReason: MissedReason? {
        state == .missed ? .died : state.endReason.flatMap { MissedReason($0, hangupReason: hangupReason) }
    }
}
