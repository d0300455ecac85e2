import BelfryPropertyList
public import BelfryTerms

extension Ledger {
    /// Hangs up the call `key`, and remembers the hangup whether or not the call rings (R8). Returns the calls whose
    /// rings it ended.
    ///
    /// The anonymous key ends every ring, and is not remembered itself.
    public mutating func hangUp(_ key: CallKey, reason: HangupReason, sentAt: WallTime?) -> [CallKey] {
        let sentAt = believed(sentAt)
        guard !key.isAnonymous else {
            let rings = rings
            endByHangup(rings, reason: reason, sentAt: sentAt)
            return rings.map(\.key)
        }
        return hangUpCall(key, reason: reason, sentAt: sentAt) ? [key] : []
    }

    /// Hangs up the one call `key`, which may be the anonymous one. Returns whether that ended its ring.
    mutating func hangUpCall(_ key: CallKey, reason: HangupReason, sentAt: WallTime?) -> Bool {
        guard let known = call(key) else {
            endByHangup([Call(key: key, state: .hangup)], reason: reason, sentAt: sentAt)
            return false
        }
        guard known.state == .ringing else {
            refresh(known, reason: reason, sentAt: sentAt)
            return false
        }
        guard !Self.isLate(sentAt, for: known.sentAt) else {
            var call = known
            call.noteHangup(sentAt: sentAt)
            write(call)
            return false
        }
        endByHangup([known], reason: reason, sentAt: sentAt)
        return true
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

    /// Whether a hangup that was sent at `sentAt` was meant for an earlier call of the same id than the one whose
    /// request was sent at `began`.
    static func isLate(_ sentAt: WallTime?, for began: WallTime?) -> Bool {
        guard let began, let sentAt else { return false }
        return sentAt < began
    }

    /// Takes in a hangup of a call that is over already. An answer, a decline or the first hangup's reason stands; any
    /// other end becomes a hangup, unless the hangup was meant for an earlier call.
    private mutating func refresh(_ known: Call, reason: HangupReason, sentAt: WallTime?) {
        switch known.state {
        case .hangup: endByHangup([known], reason: known.hangupReason ?? reason, sentAt: sentAt)
        case .ringing, .timeout, .expired, .foreground, .stopped, .missed:
            guard Self.isLate(sentAt, for: known.sentAt) else {
                return endByHangup([known], reason: reason, sentAt: sentAt)
            }
            remember(known, hangupSentAt: sentAt)
        case .answered, .declined: remember(known, hangupSentAt: sentAt)
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
    /// How many answers wait for the app at most; the oldest are dropped first.
    static let pendingAcceptMax = 50

    /// The call that rings loud: the oldest ring.
    public var loudest: Call? { rings.first }

    /// Answers `key` for the person at the endpoint, and leaves the answer for the app; nil if the call does not ring.
    public mutating func answer(_ key: CallKey) -> Call? {
        guard let ring = call(key), isRinging(ring) else { return nil }
        return leaveAnswer(to: ring)
    }

    /// Records `ring` as answered, and leaves the answer for the app.
    @discardableResult
    mutating func leaveAnswer(to ring: Call) -> Call {
        let call = record(ring, as: .answered)
        write(call)
        var accept = PropertyListDictionary()
        accept["callId"] = .string(call.key.text)
        if !call.name.isEmpty { accept["name"] = .string(call.name) }
        if !call.handle.isEmpty { accept["handle"] = .string(call.handle) }
        accept["video"] = .bool(call.hasVideo)
        accept["answered"] = .integer(moment.wall.unixSecond)
        isDurable = true
        addAnswer(.dictionary(accept))
        return call
    }

    /// The answers that the app has not collected yet.
    var pendingAnswers: [PropertyListValue] { root[Key.pendingAccept]?.arrayValue ?? [] }

    /// Leaves `answer` for the app.
    mutating func addAnswer(_ answer: PropertyListValue) {
        root[Key.pendingAccept] = .array(pendingAnswers.suffix(Self.pendingAcceptMax - 1) + [answer])
    }

    /// Declines `key` for the person at the endpoint; nil if the call does not ring.
    public mutating func decline(_ key: CallKey) -> Call? {
        guard let ring = call(key), isRinging(ring) else { return nil }
        let call = record(ring, as: .declined)
        write(call)
        return call
    }
}

/// How a ring ended, once all who may have ended it agree.
public struct Settlement: Hashable, Sendable {
    /// The reason of whoever came first.
    public let reason: EndReason
    /// Why the caller's side hung up; nil if it did not.
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
    /// Settles the end of `owner`'s ring: an end that the file knows already wins, otherwise `reason` does (R7).
    ///
    /// The caller reports the end, so the file records it as reported. If another owner rings the call anew, that ring
    /// is left alone, and `reason` stands.
    public mutating func settle(_ request: RingRequest, owner: Owner, reason: EndReason) -> Settlement {
        var call = call(request.key) ?? Call(ringing: request)
        if let other = call.owner, other != owner {
            return Settlement(reason: reason, hangupReason: reason == .hangup ? .cancelled : nil)
        }
        let reason = call.state.endReason ?? reason
        if call.state != CallState(reason) || call.ended == nil { call = record(call, as: CallState(reason)) }
        if reason == .hangup, call.hangupReason == nil { call.hangupReason = .cancelled }
        call.owner = nil
        call.markReported()
        write(call)
        let settlement = Settlement(reason: reason, hangupReason: reason == .hangup ? call.hangupReason : nil)
        if settlement.isMissed { isDurable = true }
        return settlement
    }

    /// Takes over the missed calls whose owners died without reporting them, and returns them for the caller to report
    /// (R12). Opening the ledger has recorded the dead rings as missed already.
    public mutating func takeDeadRings() -> [Call] {
        let unreported = calls.filter { call in
            guard !call.isMissedReported, let owner = call.owner, !moment.isAlive(owner) else { return false }
            guard let reason = call.state.endReason else { return call.state == .missed }
            return Settlement(reason: reason, hangupReason: call.hangupReason).isMissed
        }
        write(
            unreported.map { call in
                var told = call
                told.owner = nil
                told.markReported()
                return told
            })
        return unreported
    }
}
