public import BelfryTerms

/// What another process asks of the process that rings a call.
public enum RingAsk: Hashable, Sendable {
    /// The caller's side hung up; `sentAt` is when that was sent, if the push says so.
    case hangUp(HangupReason, sentAt: WallTime?)
    /// The person at the endpoint answers; the call is active as long as the process lives, if one is named.
    case answer(heldBy: Owner? = nil)
    /// The person at the endpoint declines.
    case decline
    /// The person at the endpoint silences the ring, which rings on.
    case silence
    /// The app has come to the front.
    case foreground
    /// Something has changed that the group file may not show: look again.
    case look
}

extension RingAsk {
    /// Whether its effect depends on when the ring's request was sent.
    public var isOfSomeTime: Bool {
        if case .hangUp(_, sentAt: _?) = self { true } else { false }
    }

    /// Why the caller's side hung up; nil if it did not.
    public var hangupReason: HangupReason? {
        if case .hangUp(let reason, _) = self { reason } else { nil }
    }

    /// How the ring of `request` ends when it gets this, as ``end(ofRingSentAt:wall:)`` says; but one that an app
    /// reported rings on beside the app in front (R7).
    public func end(of request: RingRequest, sentAt began: WallTime?, wall: WallTime) -> EndReason? {
        self == .foreground && request.isReported ? nil : end(ofRingSentAt: began, wall: wall)
    }

    /// How a ring ends when it gets this; nil if it rings on. `began` is when its request was sent, if that is known.
    ///
    /// A hangup that was sent before the request belongs to an earlier call (R7, R8).
    public func end(ofRingSentAt began: WallTime?, wall: WallTime) -> EndReason? {
        switch self {
        case .hangUp(_, let sentAt):
            let sentAt = sentAt.flatMap { $0.isBelievable(at: wall) ? $0 : nil }
            return Ledger.isLate(sentAt, for: began) ? nil : .hangup
        case .answer: return .answered
        case .decline: return .declined
        case .foreground: return .foreground
        case .silence, .look: return nil
        }
    }
}

extension Ledger {
    /// Carries out `ask` for `owner`'s ring of `request` and no other. The owner calls this when it was asked. The
    /// ledger then has what others need to know about the ring's end.
    ///
    /// If `hasEnded`, `ask` has already silenced the ring: a later copy of the request that came since then changes
    /// nothing.
    public mutating func carryOut(
        _ ask: RingAsk, for request: RingRequest, owner: Owner, hasEnded: Bool = false
    ) {
        let key = request.key
        guard call(key)?.isRing(of: owner, since: request.since) ?? true else { return }
        switch ask {
        case .hangUp(let reason, let sentAt):
            if hasEnded, let ring = call(key), ring.state == .ringing {
                endByHangup([ring], reason: reason, sentAt: believed(sentAt))
            } else {
                _ = hangUpCall(key, reason: reason, sentAt: believed(sentAt))
            }
        case .answer(let holder):
            if let ring = call(key), ring.state == .ringing { leaveAnswer(to: ring, heldBy: holder) }
        case .decline: if let ring = call(key), ring.state == .ringing { recordDecline(ofKnown: ring) }
        case .silence: if let ring = call(key), ring.state == .ringing { silence(known: ring) }
        case .foreground, .look: break
        }
    }
}

/// The answer of a ring's owner to the process that asked: what became of the ring.
public struct RingAnswer: Hashable, Sendable {
    /// The call.
    public let key: CallKey
    /// How it ended; `ringing` if it rings on.
    public let state: CallState
    /// Whether others find it in the group file, now or as soon as the file's lock is free.
    public let isRecorded: Bool

    /// An answer.
    public init(key: CallKey, state: CallState, isRecorded: Bool) {
        self.key = key
        self.state = state
        self.isRecorded = isRecorded
    }
}
