public import CallTerms

/// How a ring's end was settled among all who may have ended it.
public struct Settlement: Hashable, Sendable {
    /// The winner's reason.
    public let reason: EndReason
    /// Why the caller's side hung up; nil where it did not.
    public let hangupReason: HangupReason?

    /// A settlement.
    public init(reason: EndReason, hangupReason: HangupReason?) {
        self.reason = reason
        self.hangupReason = hangupReason
    }

    /// Whether the person has missed the call (R11).
    public var isMissed: Bool {
        switch reason {
        case .timeout, .expired, .stopped: true
        case .hangup: hangupReason?.leavesMissedCall ?? true
        case .answered, .declined, .foreground: false
        }
    }
}

extension Ledger {
    /// Settles the end of `owner`'s ring: the first end that the file knows wins, else `reason` does.
    ///
    /// The caller goes on to tell the person, so the file has it as told.
    public mutating func settle(_ request: RingRequest, owner: Owner, reason: EndReason) -> Settlement {
        let known = call(request.key)
        if let known, known.state == .ringing, known.owner != owner {
            return Settlement(reason: .hangup, hangupReason: .cancelled)
        }
        let winner = known.flatMap { $0.owner == owner ? $0.state.endReason : nil }
        var call = known ?? Call(key: request.key, state: .ringing)
        if winner == nil || call.ended == nil { call = record(call, as: CallState(winner ?? reason)) }
        let settlement = Settlement(
            reason: winner ?? reason, hangupReason: winner == .hangup ? call.hangupReason ?? .cancelled : nil)
        call.owner = nil
        call.isMissedTold = true
        write(call)
        if settlement.isMissed { mustOutlivePowerCut = true }
        return settlement
    }

    /// Records the rings of dead workers as missed, and answers the calls of which nobody has told the person (R12).
    public mutating func tellOfDeadRings() -> [Call] {
        let untold = calls.filter { call in
            guard !call.isMissedTold, let owner = call.owner, !moment.isAlive(owner) else { return false }
            guard let reason = call.state.endReason else { return call.state == .missed }
            return Settlement(reason: reason, hangupReason: call.hangupReason).isMissed
        }
        for call in untold {
            var told = call
            told.owner = nil
            told.isMissedTold = true
            write(told)
        }
        return untold
    }
}
