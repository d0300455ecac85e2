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
    /// The caller goes on to tell the person, so the file has it as told. Where another process rings the call anew,
    /// that ring is left alone.
    public mutating func settle(_ request: RingRequest, owner: Owner, reason: EndReason) -> Settlement {
        var call = call(request.key) ?? Call(ringing: request)
        if let other = call.owner, other != owner {
            return Settlement(reason: reason, hangupReason: reason == .hangup ? .cancelled : nil)
        }
        let reason = call.state.endReason ?? reason
        if call.state != CallState(reason) || call.ended == nil { call = record(call, as: CallState(reason)) }
        if reason == .hangup, call.hangupReason == nil { call.hangupReason = .cancelled }
        call.owner = nil
        call.markTold()
        write(call)
        let settlement = Settlement(reason: reason, hangupReason: reason == .hangup ? call.hangupReason : nil)
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
        write(
            untold.map { call in
                var told = call
                told.owner = nil
                told.markTold()
                return told
            })
        return untold
    }
}
