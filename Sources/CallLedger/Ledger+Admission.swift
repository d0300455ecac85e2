public import BootTime
public import CallTerms

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
        let known = call(request.key)
        if let known, isRinging(known) { return .silent(.duplicate, missed: false) }
        if let known, let why = memory(of: known, against: request) { return silence(known, request, why) }
        guard let until else { return silenceStale(known, request) }
        if foreground != .background {
            writeOver(known, request, as: .foreground)
            return .silent(.foreground, missed: false)
        }
        let rings = rings
        guard rings.count < callsMax else { return .busy(ringing: rings.count) }
        ring(request, until: until, owner: owner, over: known)
        return .ring(mode: rings.isEmpty ? .loud : secondCall, until: until)
    }

    /// Puts back a ring that a stranger's write has lost; its owner calls this.
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
        call.started = moment.wall.wholeUnixSeconds
        call.ended = nil
        call.since = since ?? moment.now
        call.until = until
        call.owner = owner
        call.hangupReason = nil
        call.isMissedTold = false
        write(call)
    }

    private func memory(of known: Call, against request: RingRequest) -> SilenceReason? {
        guard !known.key.isAnonymous else { return nil }
        switch known.state {
        case .answered: return .answered
        case .declined: return .declined
        case .hangup:
            if let hungUp = known.sentAt, let sent = request.sentAt, sent > hungUp { return nil }
            return .hungUp
        case .ringing, .timeout, .expired, .foreground, .stopped, .missed: return nil
        }
    }

    /// A request that its hangup overtook is missed, once; a copy of one that rang is told of by who rang it.
    private mutating func silence(_ known: Call, _ request: RingRequest, _ why: SilenceReason) -> Admission {
        let isOvertaken = why == .hungUp && known.hangupReason?.leavesMissedCall ?? true
        guard isOvertaken, !known.isMissedTold, !(known.owner.map(moment.isAlive) ?? false) else {
            return .silent(why, missed: false)
        }
        var call = known
        let sentAt = call.sentAt
        call.describe(request)
        call.sentAt = sentAt
        call.isMissedTold = true
        write(call)
        mustOutlivePowerCut = true
        return .silent(why, missed: true)
    }

    private mutating func silenceStale(_ known: Call?, _ request: RingRequest) -> Admission {
        if let known, !known.key.isAnonymous, known.isMissedTold { return .silent(.stale, missed: false) }
        writeOver(known, request, as: .missed)
        mustOutlivePowerCut = true
        return .silent(.stale, missed: true)
    }

    private mutating func writeOver(_ known: Call?, _ request: RingRequest, as state: CallState) {
        var call = record(known ?? Call(key: request.key, state: state), as: state)
        call.describe(request)
        call.owner = nil
        call.hangupReason = nil
        call.isMissedTold = true
        write(call)
    }
}

extension Call {
    fileprivate mutating func describe(_ request: RingRequest) {
        name = request.name
        handle = request.handle
        hasVideo = request.hasVideo
        sentAt = request.sentAt
    }
}
