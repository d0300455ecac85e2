import BelfryPropertyList
public import BelfryTerms

extension Ledger {
    /// Hangs up the call `key`, and remembers the hangup whether or not the call rings (R8). Returns the calls whose
    /// rings it ended.
    ///
    /// The anonymous key ends every ring and every active call whose request was not sent later. The hangup itself is
    /// not remembered.
    public mutating func hangUp(_ key: CallKey, reason: HangupReason, sentAt: WallTime?) -> [CallKey] {
        let sentAt = believed(sentAt)
        guard !key.isAnonymous else {
            let rings = rings
            let ended = rings.filter { !Self.isLate(sentAt, for: $0.sentAt) }
            endByHangup(ended, reason: reason, sentAt: sentAt)
            endActiveCalls(sentAt: sentAt)
            if ended.count < rings.count { noteHangup(of: rings.filter { !ended.contains($0) }, sentAt: sentAt) }
            return ended.map(\.key)
        }
        return hangUpCall(key, reason: reason, sentAt: sentAt) ? [key] : []
    }

    /// Hangs up the one call `key`, which may be the anonymous one. Returns whether that ended its ring.
    mutating func hangUpCall(_ key: CallKey, reason: HangupReason, sentAt: WallTime?) -> Bool {
        guard let known = knownCall(key) else {
            endByHangup([Call(key: key, state: .hangup)], reason: reason, sentAt: sentAt)
            return false
        }
        guard known.state == .ringing else {
            refresh(known, reason: reason, sentAt: sentAt)
            return false
        }
        guard !Self.isLate(sentAt, for: known.sentAt) else {
            noteHangup(of: [known], sentAt: sentAt)
            return false
        }
        endByHangup([known], reason: reason, sentAt: sentAt)
        return true
    }

    /// Remembers in `calls`, which keep ringing, when a hangup for earlier calls was sent.
    private mutating func noteHangup(of calls: [Call], sentAt: WallTime?) {
        write(
            calls.map { known in
                var call = known
                call.noteHangup(sentAt: sentAt)
                return call
            })
    }

    /// Records `calls` as hung up. The owner of a ring stays named until it has reported the end.
    mutating func endByHangup(_ calls: [Call], reason: HangupReason, sentAt: WallTime?) {
        let ended = calls.map { known in
            var call = record(known, as: .hangup)
            call.hangupReason = reason
            call.noteHangup(sentAt: sentAt)
            return call
        }
        write(ended)
    }

    /// Whether a hangup sent at `sentAt` was meant for an earlier call with the same id than the one whose request was
    /// sent at `began`.
    static func isLate(_ sentAt: WallTime?, for began: WallTime?) -> Bool {
        guard let began, let sentAt else { return false }
        return sentAt < began
    }

    /// Records a hangup of a call that is over already. An answer, a decline or the first hangup's reason stands; any
    /// other end becomes a hangup, unless the hangup was meant for an earlier call.
    private mutating func refresh(_ known: Call, reason: HangupReason, sentAt: WallTime?) {
        switch known.state {
        case .hangup: endByHangup([known], reason: known.hangupReason ?? reason, sentAt: sentAt)
        case .ringing, .timeout, .expired, .foreground, .stopped, .missed:
            guard Self.isLate(sentAt, for: known.sentAt) else {
                return endByHangup([known], reason: reason, sentAt: sentAt)
            }
            remember(known, hangupSentAt: sentAt)
        case .declined: remember(known, hangupSentAt: sentAt)
        case .answered:
            var call = known
            if !Self.isLate(sentAt, for: known.sentAt) { call.markHungUp() }
            remember(call, hangupSentAt: sentAt)
        }
    }

    /// Leaves the end of `known` as it is, and remembers the hangup for ``memory``.
    private mutating func remember(_ known: Call, hangupSentAt: WallTime?) {
        var call = known
        call.noteHangup(sentAt: hangupSentAt)
        call.until = moment.now + Self.memory
        write(call)
    }
}

extension Ledger {
    /// The call that rings loud: the oldest ring.
    public var loudest: Call? { ringsByEntry.first(where: isRinging) }

    /// Who is silenced if nobody is named: the oldest that the person has not silenced, else the oldest.
    public var heard: Call? { ringsByEntry.first { isRinging($0) && !$0.isSilenced } ?? loudest }

    /// Declines `key` for the person at the endpoint; nil if the call does not ring.
    public mutating func decline(_ key: CallKey) -> Call? {
        guard let ring = call(key), isRinging(ring) else { return nil }
        return recordDecline(ofKnown: ring)
    }

    /// Records `ring` as declined.
    @discardableResult
    mutating func recordDecline(ofKnown ring: Call) -> Call {
        let call = record(ring, as: .declined)
        write(call)
        if ring.isListed { unlist(ring) }
        return call
    }
}

extension Ledger {
    /// Records that `ring` was answered, because its owner said so but cannot record it; nil if another end is known.
    /// The owner may have left since, and may already count as dead.
    public mutating func recordAnswer(of ring: Call, heldBy holder: Owner? = nil) -> Call? {
        known(ring).map { leaveAnswer(to: $0, heldBy: holder) }
    }

    /// Records that `ring` was declined, as ``recordAnswer(of:)`` does.
    public mutating func recordDecline(of ring: Call) -> Call? { known(ring).map { recordDecline(ofKnown: $0) } }

    /// `ring`, if the ledger does not know yet how it ended.
    private func known(_ ring: Call) -> Call? {
        guard let known = call(ring.key), known.since == ring.since, known.owner == ring.owner,
            known.state == .ringing || known.state == .missed
        else { return nil }
        return known
    }
}

/// How a ring ended, once every process that may have ended it agrees.
public struct Settlement: Hashable, Sendable {
    /// The reason that came first.
    public let reason: EndReason
    /// Why the caller's side hung up; nil if it did not.
    public let hangupReason: HangupReason?

    /// A settlement.
    public init(reason: EndReason, hangupReason: HangupReason?) {
        self.reason = reason
        self.hangupReason = hangupReason
    }

    /// Whether the person has missed the call (R11).
    public var isMissed: Bool { missedReason != nil }
}

extension Ledger {
    /// Settles the end of `owner`'s ring: an end that the file knows already wins, otherwise `reason` counts (R7).
    ///
    /// `hangupReason` is why the caller's side hung up, if that is why the ring ended. If the call was missed, call
    /// ``reported(_:owner:)`` once it was reported: if the owner dies before that, others report it (R12). If another
    /// owner rings the call again, that ring is left alone.
    public mutating func settle(
        _ request: RingRequest, owner: Owner, reason: EndReason, hangupReason: HangupReason? = nil
    ) -> Settlement {
        var own = Call(ringing: request)
        if let since = request.since { own.since = since }
        var call = call(request.key) ?? own
        if !call.isRing(of: owner, since: request.since) {
            guard isOlder(call, thanRingSince: request.since) else {
                return settleEarlier(call, own, owner, reason, hangupReason ?? .cancelled)
            }
            own.earlier = call.earlier
            call = own
        }
        // A process that took the owner for dead has already listed the call.
        let isListed = call.state == .missed
        let reason = call.state.endReason ?? reason
        if call.state != CallState(reason) || call.ended == nil { call = record(call, as: CallState(reason)) }
        if reason == .hangup, call.hangupReason == nil { call.hangupReason = hangupReason ?? .cancelled }
        let settlement = Settlement(reason: reason, hangupReason: reason == .hangup ? call.hangupReason : nil)
        call.owner = settlement.isMissed ? owner : nil
        call.markSettled()
        write(call)
        if let reason = settlement.missedReason {
            if !isListed { list(call, for: reason) }
        } else if isListed {
            unlist(call)
        }
        return settlement
    }

    /// Settles the end of a ring after which the same call rang again. The end is the one it had when the later ring
    /// began.
    private mutating func settleEarlier(
        _ later: Call, _ own: Call, _ owner: Owner, _ reason: EndReason, _ hangupReason: HangupReason
    ) -> Settlement {
        var later = later
        guard let index = later.earlier.firstIndex(where: { $0.owner == owner }) else {
            let settlement = Settlement(reason: reason, hangupReason: reason == .hangup ? hangupReason : nil)
            if let reason = settlement.missedReason {
                list(record(own, as: CallState(settlement.reason)), for: reason)
            } else {
                unlist(own)
            }
            return settlement
        }
        let ring = later.earlier[index]
        let end = ring.state.endReason ?? reason
        let settlement = Settlement(
            reason: end, hangupReason: end == .hangup ? ring.hangupReason ?? hangupReason : nil)
        // A missed ring stays in the entry until it was reported.
        if let reason = settlement.missedReason {
            if !ring.isListed { list(ring, for: reason) }
        } else {
            later.earlier.remove(at: index)
            write(later)
            if ring.isListed { unlist(ring) }
        }
        return settlement
    }

    /// Records that `owner` has reported its call `key` as missed, so that no other process does (R11).
    public mutating func reported(_ key: CallKey, owner: Owner) {
        guard var call = call(key) else { return }
        if call.owner == owner {
            call.owner = nil
        } else {
            call.earlier.removeAll { $0.owner == owner }
        }
        write(call)
    }

    /// The missed calls whose owners died without reporting them, for the caller to report (R12), which then calls
    /// ``reported(_:)``. Opening the ledger has already recorded the dead rings as missed.
    public var unreported: [Call] {
        calls.flatMap { call in (call.earlier + [call]).filter { isLeftByTheDead($0) && isMissed($0) } }
    }

    /// Records that `missed`, which are ``unreported``, were reported, so that no process reports them again. Also
    /// forgets the other earlier rings of dead owners.
    public mutating func reported(_ missed: [Call]) {
        let owners = Set(missed.map(\.owner))
        for call in unreported where owners.contains(call.owner) && !call.isListed {
            if let reason = missedReason(of: call) { list(call, for: reason) }
        }
        let taken = calls.compactMap { known -> Call? in
            var call = known
            call.earlier.removeAll { isLeftByTheDead($0) && (!isMissed($0) || owners.contains($0.owner)) }
            if isLeftByTheDead(known), owners.contains(known.owner) {
                call.owner = nil
                call.markSettled()
            }
            return call == known ? nil : call
        }
        write(taken)
    }

    private func isLeftByTheDead(_ call: Call) -> Bool { call.owner.map { !moment.isAlive($0) } ?? false }

    private func isMissed(_ call: Call) -> Bool { missedReason(of: call) != nil }

    /// Why a call whose owner is dead was missed, even if it still rang.
    private func missedReason(of call: Call) -> MissedReason? { call.state == .ringing ? .died : call.missedReason }
}
