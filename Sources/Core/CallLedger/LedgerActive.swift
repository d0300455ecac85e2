import BelfryPropertyList
public import BelfryTerms

extension Ledger {
    /// The calls that were answered and go on, the oldest first: a process that lives holds each of them, and its
    /// caller has not hung up. Meanwhile other calls ring as a second call does (R10).
    public var activeCalls: [Call] {
        // Each reading of a ring asks this, and rarely there is one: entries without holders are not even parsed.
        let held = entries.members.filter { $0.value.dictionaryValue?[Call.holdersKey] != nil }
        return held.compactMap { call(CallKey($0.key)) }.filter(isActive)
            .sorted { ($0.answeredAt ?? $0.since, $0.key) < ($1.answeredAt ?? $1.since, $1.key) }
    }

    /// Whether `call` was answered and goes on.
    func isActive(_ call: Call) -> Bool {
        call.state == .answered && !call.isHungUp && call.holders.contains(where: moment.isAlive)
    }

    /// Has `owner` hold the answered call `key`, or the one that was answered last if that is nil: the call is active
    /// as long as one of its holders lives. Returns it; nil if no such call was answered, or its caller has hung up.
    ///
    /// - Parameter former: a holder in whose place `owner` comes.
    @discardableResult
    public mutating func hold(_ key: CallKey?, by owner: Owner, insteadOf former: Owner? = nil) -> Call? {
        let answered = key.map { key in call(self.key(of: key)).map { [$0] } ?? [] } ?? calls
        let latest = answered.filter { $0.state == .answered && !$0.isHungUp }
            .max { ($0.answeredAt ?? $0.since) < ($1.answeredAt ?? $1.since) }
        guard var call = latest else { return nil }
        let others = call.holders.filter { $0 != owner && $0 != former && moment.isAlive($0) }
        call.holders = others.suffix(Call.holdersMax - 1) + [owner]
        write(call)
        return call
    }

    /// Has `owner` hold the call of `request`, which goes on: one that was answered, or one that an app has begun, or
    /// whose answer the file has forgotten, which is entered as answered. A call that rings, or whose caller has hung
    /// up, stays as it is.
    public mutating func goOn(with request: RingRequest, by owner: Owner) {
        guard call(key(of: request.key)) == nil else {
            hold(request.key, by: owner)
            return
        }
        var call = record(Call(key: request.key, state: .answered), as: .answered)
        call.describe(request)
        call.answeredAt = moment.now
        call.holders = [owner]
        write(call)
    }

    /// Has `owner` hold the answered call `key` no longer.
    public mutating func release(_ key: CallKey, by owner: Owner) {
        guard var call = call(key), call.holders.contains(owner) else { return }
        call.holders.removeAll { $0 == owner }
        write(call)
    }

    /// Ends every active call, for a hangup that names none; one that was sent before a call's request is not for it.
    mutating func endActiveCalls(sentAt: WallTime?) {
        write(
            activeCalls.filter { !Self.isLate(sentAt, for: $0.sentAt) }.map { active in
                var call = active
                call.markHungUp()
                return call
            })
    }
}

extension Call {
    static let holdersKey = "active"
    /// How many processes hold a call at most.
    static let holdersMax = 4

    /// The processes that say of an answered call that it goes on, the latest last.
    public internal(set) var holders: [Owner] {
        get { (entry[Self.holdersKey]?.arrayValue ?? []).compactMap { $0.dictionaryValue.flatMap(Owner.init(in:)) } }
        set {
            let holders = newValue.map { owner -> PropertyListValue in
                var holder = PropertyListDictionary()
                Owner.write(owner, to: &holder)
                return .dictionary(holder)
            }
            setEntry(Self.holdersKey, holders.isEmpty ? nil : .array(holders))
        }
    }

    /// The processes with whose deaths it ends: that which rings it, or all that hold it once it was answered.
    public var owners: [Owner] { state == .answered ? holders : owner.map { [$0] } ?? [] }

    /// Whether the caller's side hung up after the call was answered.
    var isHungUp: Bool { entry["hungUp"] == .bool(true) }

    /// When the call was answered; nil if it was not, or by another program.
    public internal(set) var answeredAt: Instant? {
        get {
            guard case .integer(let microseconds)? = entry["answeredAt"] else { return nil }
            return Instant(microseconds: microseconds)
        }
        set { setEntry("answeredAt", newValue.map { .integer($0.microseconds) }) }
    }

    /// The caller's side has hung up: an answered call goes on no longer, and cannot be held again.
    mutating func markHungUp() {
        holders = []
        setEntry("hungUp", .bool(true))
    }

    /// Drops what an earlier answer of this key has left.
    mutating func forgetAnswer() {
        holders = []
        answeredAt = nil
        setEntry("hungUp", nil)
    }
}
