public import BootTime
public import CallTerms

extension Ledger {
    /// Hangs up the call `key`, and remembers it whether or not it rings (R8); answers the calls whose ring it ended.
    ///
    /// The anonymous key ends whatever rings and leaves no memory of its own.
    public mutating func hangUp(_ key: CallKey, reason: HangupReason, sentAt: WallTime?) -> [CallKey] {
        guard !key.isAnonymous else {
            let rings = rings
            for ring in rings { endByHangup(ring, reason: reason, sentAt: sentAt) }
            return rings.map(\.key)
        }
        guard let known = call(key) else {
            remember(Call(key: key, state: .hangup), reason: reason, sentAt: sentAt)
            return []
        }
        guard known.state == .ringing else {
            refresh(known, reason: reason, sentAt: sentAt)
            return []
        }
        if let began = known.sentAt, let sentAt, sentAt < began { return [] }
        endByHangup(known, reason: reason, sentAt: sentAt)
        return [key]
    }

    /// Ends a ring; its owner stays named until it has told the person.
    mutating func endByHangup(_ ring: Call, reason: HangupReason, sentAt: WallTime?) {
        var call = record(ring, as: .hangup)
        call.hangupReason = reason
        call.sentAt = sentAt
        write(call)
    }

    private mutating func remember(_ known: Call, reason: HangupReason, sentAt: WallTime?) {
        var call = record(known, as: .hangup)
        call.hangupReason = reason
        call.sentAt = sentAt
        write(call)
    }

    /// A hangup of what is over already: the first answer or decline stands, any other end is remembered as hung up.
    private mutating func refresh(_ known: Call, reason: HangupReason, sentAt: WallTime?) {
        switch known.state {
        case .answered, .declined: return
        case .hangup:
            let latest = [known.sentAt, sentAt].compactMap { $0 }.max()
            remember(known, reason: known.hangupReason ?? reason, sentAt: latest)
        case .ringing, .timeout, .expired, .foreground, .stopped, .missed:
            if let sent = known.sentAt, let sentAt, sentAt < sent { return }
            remember(known, reason: reason, sentAt: sentAt)
        }
    }
}
