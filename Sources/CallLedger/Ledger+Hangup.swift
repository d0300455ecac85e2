public import BootTime
public import CallTerms

extension Ledger {
    /// Hangs up the call `key`, and remembers it whether or not it rings (R8); answers the calls whose ring it ended.
    ///
    /// The anonymous key ends whatever rings and leaves no memory of its own.
    public mutating func hangUp(_ key: CallKey, reason: HangupReason, sentAt: WallTime?) -> [CallKey] {
        let sentAt = believed(sentAt)
        guard !key.isAnonymous else {
            let rings = rings
            endByHangup(rings, reason: reason, sentAt: sentAt)
            return rings.map(\.key)
        }
        guard let known = call(key) else {
            endByHangup([Call(key: key, state: .hangup)], reason: reason, sentAt: sentAt)
            return []
        }
        guard known.state == .ringing else {
            refresh(known, reason: reason, sentAt: sentAt)
            return []
        }
        guard !isLate(sentAt, for: known) else {
            var call = known
            call.noteHangup(sentAt: sentAt)
            write(call)
            return []
        }
        endByHangup([known], reason: reason, sentAt: sentAt)
        return [key]
    }

    /// Ends calls as hung up; the owner of a ring stays named until it has told the person.
    mutating func endByHangup(_ calls: [Call], reason: HangupReason, sentAt: WallTime?) {
        let ended = calls.map { known in
            var call = record(known, as: .hangup)
            call.hangupReason = reason
            call.noteHangup(sentAt: sentAt)
            return call
        }
        write(ended)
    }

    /// Whether a hangup sent then was meant for an earlier call of the same id than the one that `known` is of.
    private func isLate(_ sentAt: WallTime?, for known: Call) -> Bool {
        guard let began = known.sentAt, let sentAt else { return false }
        return sentAt < began
    }

    /// A hangup of what is over already: the first answer or decline stands, any other end is remembered as hung up.
    private mutating func refresh(_ known: Call, reason: HangupReason, sentAt: WallTime?) {
        switch known.state {
        case .hangup: endByHangup([known], reason: known.hangupReason ?? reason, sentAt: sentAt)
        case .ringing, .timeout, .expired, .foreground, .stopped, .missed:
            guard isLate(sentAt, for: known) else { return endByHangup([known], reason: reason, sentAt: sentAt) }
            remember(known, hangupSentAt: sentAt)
        case .answered, .declined: remember(known, hangupSentAt: sentAt)
        }
    }

    private mutating func remember(_ known: Call, hangupSentAt: WallTime?) {
        var call = known
        call.noteHangup(sentAt: hangupSentAt)
        call.until = moment.now + Self.memory
        write(call)
    }
}
