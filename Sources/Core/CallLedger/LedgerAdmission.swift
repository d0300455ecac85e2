public import BelfryTerms

/// The decision about a call request, made once for all processes.
public enum Admission: Hashable, Sendable {
    /// The call rings in `mode` from now on.
    case ring(mode: RingMode)
    /// The call does not ring; if `missed`, the call must be reported to the person as missed.
    case silent(SilenceReason, missed: Bool)
    /// The request is refused, because `ringing` calls ring already.
    case busy(ringing: Int)
}

/// A call request as the ledger needs it.
public struct RingRequest: Sendable {
    /// The call's key in the group file.
    public var key: CallKey
    /// The caller's name; may be empty.
    public var name = ""
    /// The caller's number or address; may be empty.
    public var handle = ""
    /// Who has that number; nil if no source of the person's says (R24).
    public var label: NumberLabel?
    /// Whether it is a video call.
    public var hasVideo = false
    /// When the request was sent, if the push says so and that is believable (R9).
    public var sentAt: WallTime?
    /// Whether an app has reported the call: then it rings beside the app in front, as on iOS (R5, R7).
    public var isReported = false
    /// The UUID by which that app knows it, in capitals; empty if none has reported it.
    public var uuid = ""
    /// When its ring began, once the ledger has admitted it. Together with the owner it identifies the ring among
    /// others of the key.
    public var since: Instant?

    /// A request for the call `key`.
    public init(key: CallKey) {
        self.key = key
    }
}

extension Ledger {
    /// Admits `request`, or says why the call does not ring (R5, R8, R9, R10).
    ///
    /// - Parameters:
    ///   - until: when the ring would end; nil if the request is stale.
    ///   - secondCall: the mode if another call rings already, or is active.
    ///   - callsMax: how many calls may ring at once.
    ///   - owner: the process that will ring.
    public mutating func admit(
        _ request: RingRequest, until: Instant?, secondCall: RingMode, callsMax: Int, owner: Owner
    ) -> Admission {
        var request = request
        request.sentAt = believed(request.sentAt)
        let known = knownCall(request.key)
        if let known, isRinging(known) {
            ringOn(known, for: request)
            return .silent(.duplicate, missed: false)
        }
        if let known, let why = memory(of: known, against: request) { return silence(known, request, why, owner) }
        guard let until else { return silenceStale(known, request, owner) }
        if !request.isReported, foreground != .background {
            // The owner still has to write its end into this entry: leave it alone.
            if !(known.map(isReportedByOwner) ?? false) { silenceInForeground(known, request) }
            return .silent(.foreground, missed: false)
        }
        let rings = rings
        guard rings.count < callsMax else { return .busy(ringing: rings.count) }
        ring(request, until: until, owner: owner, over: known)
        return .ring(mode: rings.isEmpty && activeCalls.isEmpty ? .loud : secondCall)
    }

    /// Whether a call from `handle` began to ring, or was silenced, within the last `span`, whatever its id (R21).
    public func hasCalled(_ handle: String, within span: TimeSpan) -> Bool {
        guard !handle.isEmpty, span > .zero else { return false }
        let handle = Call.cut(handle)
        let isRecent = { [moment] (call: Call) in
            moment.now - call.since <= span && call.since - moment.now <= Self.longestRing
        }
        return calls.contains { $0.handle == handle && isRecent($0) }
            || remembered.contains(from: handle, where: isRecent)
    }

    /// Records `request`, which never rang, as missed for `reason`, if the person does not know of the call and no
    /// other process reports it (R11, R17). Returns if it is missed, for `owner` to report.
    public mutating func miss(_ request: RingRequest, for reason: MissedReason, owner: Owner) -> Bool {
        var request = request
        request.sentAt = believed(request.sentAt)
        let known = knownCall(request.key)
        if let known, isRinging(known) {
            ringOn(known, for: request)
            return false
        }
        if let known, let why = memory(of: known, against: request) {
            return silence(known, request, why, owner) == .silent(why, missed: true)
        }
        if let known, !known.key.isAnonymous, isReportedByOwner(known) || !isUnreported(request, of: known) {
            return false
        }
        let state: CallState = reason == .stopped ? .stopped : .missed
        leave(end(of: request, over: known, as: state), for: reason, toBeReportedBy: owner)
        return true
    }

    private mutating func ring(
        _ request: RingRequest, until: Instant, owner: Owner, over known: Call?
    ) {
        var call = known ?? Call(key: request.key, state: .ringing)
        giveWay(&call, to: request)
        call.state = .ringing
        call.describe(request)
        call.sentAt = request.sentAt
        call.started = moment.wall.unixSecond
        call.ended = nil
        call.until = until
        call.owner = owner
        call.hangupReason = nil
        call.isSilenced = false
        call.isSettled = false
        write(call)
    }

    /// Makes `request` the one that rings, if it was sent later than the present one. A hangup of the earlier call that
    /// is still on its way then no longer ends the ring.
    private mutating func ringOn(_ ring: Call, for request: RingRequest) {
        guard let began = ring.sentAt, let sent = request.sentAt, sent > began else { return }
        var call = ring
        call.sentAt = sent
        write(call)
    }

    /// A start that is later than that of every other ring, and later than the `known` one of this call. A process that
    /// read its clock later may have got the file's lock earlier.
    private func nextStart(after known: Call) -> Instant {
        let others = (rings + [known]).map(\.since).filter { $0 - moment.now < Self.longestRing }
        return max(moment.now, others.max().map { $0 + TimeSpan(microseconds: 1) } ?? moment.now)
    }

    /// Why a remembered answer, decline or hangup silences `request`; nil if none does (R8).
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

    /// Whether `request` was sent after a hangup that ended every request known so far, and so is a new call (R8).
    private func isNewCall(_ request: RingRequest, after known: Call) -> Bool {
        guard let hungUp = known.hangupSentAt, let sent = request.sentAt else { return false }
        return sent > hungUp && hungUp >= (known.sentAt ?? hungUp)
    }

    /// Whether `request` has not been reported to the person yet. If a later request has still to be reported, an
    /// earlier one counts as reported.
    private func isUnreported(_ request: RingRequest, of known: Call) -> Bool {
        guard let latest = known.sentAt, let sent = request.sentAt else { return !known.isSettled }
        return known.isSettled ? sent > latest : sent >= latest
    }

    /// Whether the end of `known` is left to its owner, a living process that reports it.
    private func isReportedByOwner(_ known: Call) -> Bool {
        !known.isSettled && known.owner.map(moment.isAlive) ?? false
    }

    /// Turns the known entry of a call into the entry of `request`. The new start makes it count over the notes about
    /// the call, and ensures that no unreported end is added under a start that exists already.
    private func giveWay(_ call: inout Call, to request: RingRequest) {
        call.giveWay(to: request, isAlive: moment.isAlive)
        call.picture = nil
        call.since = nextStart(after: call)
    }

    /// Silences a request that the ledger remembers. A request that its hangup overtook is missed, once; a copy of one
    /// that rang is not, since the process that rang it reports it (R11).
    private mutating func silence(
        _ known: Call, _ request: RingRequest, _ why: SilenceReason, _ owner: Owner
    ) -> Admission {
        guard known.state == .hangup, let reason = known.missedReason, isUnreported(request, of: known),
            !isReportedByOwner(known)
        else {
            return .silent(why, missed: false)
        }
        var call = known
        giveWay(&call, to: request)
        call.describe(request)
        call.sentAt = [known.sentAt, request.sentAt].compactMap { $0 }.max()
        leave(call, for: reason, toBeReportedBy: owner)
        return .silent(why, missed: true)
    }

    /// Silences a stale request. It is missed, unless the person knows of the call or its owner reports it (R9, R11).
    private mutating func silenceStale(_ known: Call?, _ request: RingRequest, _ owner: Owner) -> Admission {
        if let known, !known.key.isAnonymous, isReportedByOwner(known) || !isUnreported(request, of: known) {
            return .silent(.stale, missed: false)
        }
        leave(end(of: request, over: known, as: .missed), for: .stale, toBeReportedBy: owner)
        return .silent(.stale, missed: true)
    }

    /// Silences a request because the app is in front and shows the call itself.
    private mutating func silenceInForeground(_ known: Call?, _ request: RingRequest) {
        var call = end(of: request, over: known, as: .foreground)
        call.markSettled()
        write(call)
    }

    /// The end of `request`, which replaces the `known` entry of the call.
    private func end(of request: RingRequest, over known: Call?, as state: CallState) -> Call {
        var call = known ?? Call(key: request.key, state: state)
        giveWay(&call, to: request)
        call = record(call, as: state)
        call.describe(request)
        call.sentAt = [known?.sentAt, request.sentAt].compactMap { $0 }.max()
        call.owner = nil
        call.hangupReason = nil
        return call
    }

    /// Writes `call` as one that was missed for `reason` and that `owner` is about to report. If the owner dies before
    /// it has, others report it (R12).
    private mutating func leave(_ call: Call, for reason: MissedReason, toBeReportedBy owner: Owner) {
        var call = call
        call.owner = owner
        call.markSettled()
        write(call)
        list(call, for: reason)
    }
}
