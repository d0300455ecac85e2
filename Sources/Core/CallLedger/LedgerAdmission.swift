public import BelfryTerms

/// What becomes of a call request: decided once for all processes.
public enum Admission: Hashable, Sendable {
    /// It rings in `mode` from now on.
    case ring(mode: RingMode)
    /// It does not ring; the person has missed it where `missed` says so.
    case silent(SilenceReason, missed: Bool)
    /// So many calls ring already that this one is refused.
    case busy(ringing: Int)
}

/// A call request as the ledger needs it.
public struct RingRequest: Sendable {
    /// What it is known by.
    public var key: CallKey
    /// Who calls; may be empty.
    public var name = ""
    /// The caller's number or address; may be empty.
    public var handle = ""
    /// Whether it is a video call.
    public var hasVideo = false
    /// When it was sent, where the push says so and the clock is to be believed.
    public var sentAt: WallTime?

    /// A request for the call `key`.
    public init(key: CallKey) {
        self.key = key
    }
}

extension Ledger {
    /// Admits `request` or says why it does not ring (R5, R8, R9, R10).
    ///
    /// - Parameters:
    ///   - until: when its ring would end; nil for a request that is stale.
    ///   - secondCall: how it rings while another does.
    ///   - callsMax: how many may ring at once.
    public mutating func admit(
        _ request: RingRequest, until: Instant?, secondCall: RingMode, callsMax: Int, owner: Owner
    ) -> Admission {
        var request = request
        request.sentAt = believed(request.sentAt)
        let known = call(request.key)
        if let known, isRinging(known) {
            ringOn(known, for: request)
            return .silent(.duplicate, missed: false)
        }
        if let known, let why = memory(of: known, against: request) { return silence(known, request, why) }
        guard let until else { return silenceStale(known, request) }
        if foreground != .background {
            if !(known.map(isReportedByOwner) ?? false) { writeOver(known, request, as: .foreground) }
            return .silent(.foreground, missed: false)
        }
        let rings = rings
        guard rings.count < callsMax, hasRoom(beside: rings) else { return .busy(ringing: rings.count) }
        ring(request, until: until, owner: owner, over: known)
        return .ring(mode: rings.isEmpty ? .loud : secondCall)
    }

    /// Puts back a ring that a stranger's write has lost; its owner calls this. No end of it can be lost: where the
    /// file knows the call, it stands as it is.
    public mutating func restore(_ request: RingRequest, since: Instant, until: Instant, owner: Owner) {
        guard call(request.key) == nil else { return }
        ring(request, until: until, owner: owner, over: nil, since: since)
    }

    private mutating func ring(
        _ request: RingRequest, until: Instant, owner: Owner, over known: Call?, since: Instant? = nil
    ) {
        var call = known ?? Call(key: request.key, state: .ringing)
        call.state = .ringing
        call.describe(request)
        call.sentAt = request.sentAt
        call.started = (moment.wall + ((since ?? moment.now) - moment.now)).unixSecond
        call.ended = nil
        call.since = since ?? nextStart
        call.until = until
        call.owner = owner
        call.hangupReason = nil
        call.isMissedReported = false
        write(call)
    }

    /// A request that was sent after the one that rings finds its ring made already: an earlier call's hangup that is
    /// still on its way does not end it.
    private mutating func ringOn(_ ring: Call, for request: RingRequest) {
        guard let began = ring.sentAt, let sent = request.sentAt, sent > began else { return }
        var call = ring
        call.sentAt = sent
        write(call)
    }

    /// The start of a ring that comes after all others, also those admitted by a process that read its clock later
    /// and got the file earlier.
    private var nextStart: Instant {
        let others = rings.map(\.since).filter { $0 - moment.now < Self.longestRing }
        return max(moment.now, (others.max() ?? moment.now) + TimeSpan(microseconds: others.isEmpty ? 0 : 1))
    }

    private func memory(of known: Call, against request: RingRequest) -> SilenceReason? {
        guard !known.key.isAnonymous, !isNewCall(request, after: known) else { return nil }
        switch known.state {
        case .answered: return .answered
        case .declined: return .declined
        case .hangup: return .hungUp
        case .ringing, .timeout, .expired, .foreground, .stopped, .missed:
            guard let hungUp = known.hangupSentAt, let sent = request.sentAt, sent <= hungUp else { return nil }
            return .hungUp
        }
    }

    /// Whether the hangup that ended all requests known so far was sent before `request`.
    private func isNewCall(_ request: RingRequest, after known: Call) -> Bool {
        guard let hungUp = known.hangupSentAt, let sent = request.sentAt else { return false }
        return sent > hungUp && hungUp >= (known.sentAt ?? hungUp)
    }

    /// Whether `request` is none of those that the person was told of; one sent before a request that is still to be
    /// told of was.
    private func isUnreported(_ request: RingRequest, of known: Call) -> Bool {
        guard let latest = known.sentAt, let sent = request.sentAt else { return !known.isMissedReported }
        return known.isMissedReported ? sent > latest : sent >= latest
    }

    /// Whether a process that lives is about to tell the person of `known` itself.
    private func isReportedByOwner(_ known: Call) -> Bool {
        known.owner.map(moment.isAlive) ?? false
    }

    /// A request that its hangup overtook is missed, once; a copy of one that rang is told of by who rang it.
    private mutating func silence(_ known: Call, _ request: RingRequest, _ why: SilenceReason) -> Admission {
        let isOvertaken = known.state == .hangup && known.hangupReason?.leavesMissedCall ?? true
        guard isOvertaken, isUnreported(request, of: known), !isReportedByOwner(known) else {
            return .silent(why, missed: false)
        }
        var call = known
        call.describe(request)
        call.sentAt = [known.sentAt, request.sentAt].compactMap { $0 }.max()
        call.markReported()
        write(call)
        isDurable = true
        return .silent(why, missed: true)
    }

    private mutating func silenceStale(_ known: Call?, _ request: RingRequest) -> Admission {
        if let known, isReportedByOwner(known) { return .silent(.stale, missed: false) }
        if let known, !known.key.isAnonymous, !isUnreported(request, of: known) {
            return .silent(.stale, missed: false)
        }
        writeOver(known, request, as: .missed)
        isDurable = true
        return .silent(.stale, missed: true)
    }

    private mutating func writeOver(_ known: Call?, _ request: RingRequest, as state: CallState) {
        var call = record(known ?? Call(key: request.key, state: state), as: state)
        call.describe(request)
        call.sentAt = [known?.sentAt, request.sentAt].compactMap { $0 }.max()
        call.owner = nil
        call.hangupReason = nil
        call.markReported()
        write(call)
    }
}
