import BelfryPropertyList
public import BelfryTerms

/// What the file says about a ring, as its owner needs it.
public enum Standing: Hashable, Sendable {
    /// The call rings, in this mode; unless it is the loud one, after the ring that
    /// ``Ledger/nextOldestRing(before:since:)`` names or, if there is none, beside an active call.
    case rings(RingMode, after: Call? = nil)
    /// The ring was ended.
    case ended(EndReason)
}

/// How one call changed between two readings.
public struct CallChange: Hashable, Sendable {
    /// The call as it was; nil if it is new.
    public let before: Call?
    /// The call as it is; nil if it was forgotten.
    public let after: Call?
}

extension Ledger {
    /// What the file says about `owner`'s ring `key`, which began at `since`. A ringing worker asks this at every
    /// wake-up.
    ///
    /// An entry that is missing, makes no sense or is of an earlier ring of the call ends nothing: another program may
    /// have read an earlier ring and written it back (R7). A ring that an app reported rings beside the app in front.
    public func standing(
        of key: CallKey, since: Instant? = nil, owner: Owner, secondCall: RingMode, isReported: Bool = false
    ) -> Standing {
        guard let call = call(key) else { return mode(of: key, since, secondCall) }
        guard call.isRing(of: owner, since: since) else {
            if isOlder(call, thanRingSince: since) { return mode(of: key, since, secondCall) }
            // The same call rings again, so this ring was over before.
            return .ended(call.earlier.first { $0.owner == owner }?.state.endReason ?? .hangup)
        }
        guard call.state == .ringing else { return .ended(call.state.endReason ?? .hangup) }
        guard call.owner == owner else { return .ended(.hangup) }
        // The key is also removed when the ring's deadline has passed and its owner has not recorded the end yet.
        if isHungUpByStranger, isRinging(call) { return .ended(.hangup) }
        if !isReported, foreground != .background { return .ended(.foreground) }
        return mode(of: key, since, secondCall)
    }

    /// Whether `known` is older than the call's ring that began at `since`: it belongs to an earlier ring or boot.
    func isOlder(_ known: Call, thanRingSince since: Instant?) -> Bool {
        guard let since else { return false }
        return known.since < since || known.since > moment.now + Self.longestRing
    }

    /// The last ring that began before the ring `key`, which began at `since`; nil if `key` is the oldest ring, and so
    /// the loud one (R10).
    ///
    /// This way each ring waits for a different one, so that an end wakes one process and not all of them.
    public func nextOldestRing(before key: CallKey, since: Instant? = nil) -> Call? {
        let mine = (since ?? call(key)?.since ?? moment.now, key)
        return ringsByEntry.last { $0.key != key && ($0.since, $0.key) < mine && isRinging($0) }
    }

    /// What changed since `earlier`, call by call: first the calls that were forgotten, then the others, each in the
    /// order of its file.
    public func changes(from earlier: Ledger) -> [CallChange] {
        let gone = earlier.calls.filter { call($0.key) == nil }.map { CallChange(before: $0, after: nil) }
        let changed = calls.compactMap { now -> CallChange? in
            let before = earlier.call(now.key)
            return before == now ? nil : CallChange(before: before, after: now)
        }
        return gone + changed
    }

    /// The oldest ring is loud, unless a call is active; the others ring as a second call does (R10).
    private func mode(of key: CallKey, _ since: Instant?, _ secondCall: RingMode) -> Standing {
        let other = nextOldestRing(before: key, since: since) ?? activeCalls.last
        return .rings(other == nil ? .loud : secondCall, after: other)
    }
}
