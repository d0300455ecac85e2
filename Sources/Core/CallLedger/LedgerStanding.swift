import BelfryPropertyList
public import BelfryTerms

/// How a ring stands in the file, seen by its owner.
public enum Standing: Hashable, Sendable {
    /// It rings, in this mode.
    case rings(RingMode)
    /// Somebody ended it.
    case ended(EndReason)
    /// The file says nothing of it: a stranger's write lost it, and its owner puts it back.
    case lost
}

/// What became of one call between two readings.
public struct CallChange: Hashable, Sendable {
    /// The call as it was; nil where it is new.
    public let before: Call?
    /// The call as it is; nil where it was forgotten.
    public let after: Call?
}

extension Ledger {
    /// How `owner`'s ring `key` stands: what a ringing worker asks at every wake-up.
    public func standing(of key: CallKey, owner: Owner, secondCall: RingMode) -> Standing {
        guard let call = call(key) else { return entries[key.text] == nil ? .lost : mode(of: key, secondCall) }
        guard call.state == .ringing else { return .ended(call.state.endReason ?? .hangup) }
        guard call.owner == owner else { return .ended(.hangup) }
        // The key also goes as a ring's deadline passes, just before its owner says so.
        if isHungUpByStranger, isRinging(call) { return .ended(.hangup) }
        if foreground != .background { return .ended(.foreground) }
        return mode(of: key, secondCall)
    }

    /// The last ring that began before the ring `key`; nil where that is the oldest, and so the loud one.
    ///
    /// The last, so that each ring waits for another: the end of one wakes one, not all.
    public func nextOldestRing(before key: CallKey) -> Call? {
        let mine = (call(key)?.since ?? moment.now, key)
        let older = calls.filter { $0.state == .ringing && ($0.since, $0.key) < mine }
        return older.sorted { ($0.since, $0.key) > ($1.since, $1.key) }.first(where: isRinging)
    }

    /// What became of which call since `earlier`, in the order of the file.
    public func changes(from earlier: Ledger) -> [CallChange] {
        let gone = earlier.calls.filter { call($0.key) == nil }.map { CallChange(before: $0, after: nil) }
        let changed = calls.compactMap { now -> CallChange? in
            let before = earlier.call(now.key)
            return before == now ? nil : CallChange(before: before, after: now)
        }
        return gone + changed
    }

    private func mode(of key: CallKey, _ secondCall: RingMode) -> Standing {
        .rings(nextOldestRing(before: key) == nil ? .loud : secondCall)
    }
}
