public import BelfryProtocol
public import BelfryTerms
public import FoundationEssentials

// Times as tests hold them, where the contract's modules have times of their own.

extension WallTime {
    /// The time that is `date`, in whole microseconds, clamped; nil of a date that is no time.
    public init?(_ date: Date) { self.init(unixSeconds: date.timeIntervalSince1970) }
}

extension CallRequest {
    /// A request that asks to ring for `duration`, at least a second, and was sent at `sentAt`.
    @_disfavoredOverload
    public init(
        callID: String, callerName: String? = nil, handle: String? = nil, hasVideo: Bool = false,
        callerAvatar: CallerPicture = .absent, duration: Duration? = nil, sentAt: Date? = nil
    ) {
        self.init(
            callID: callID, callerName: callerName, handle: handle, hasVideo: hasVideo, callerAvatar: callerAvatar,
            duration: duration.map { TimeSpan($0) }, sentAt: sentAt.flatMap { WallTime($0) })
    }
}

extension Hangup {
    /// A hangup that was sent at `sentAt`.
    @_disfavoredOverload
    public init(callID: String, reason: HangupReason = .cancelled, sentAt: Date?) {
        self.init(callID: callID, reason: reason, sentAt: sentAt.flatMap { WallTime($0) })
    }
}

extension Envelope {
    /// An envelope that was sent at `sentAt`, and is of no use after `expiration`; `id` must be a UUID, and is put in
    /// lower case.
    @_disfavoredOverload
    public init(
        id: String = randomUUID(), pushType: PushType = .alert, topic: String? = nil, sentAt: Date? = nil,
        expiration: Date? = nil, collapseID: String? = nil, appGroup: String? = nil
    ) {
        self.init(
            id: id, pushType: pushType, topic: topic, sentAt: sentAt.flatMap { WallTime($0) },
            expiration: expiration.flatMap { WallTime($0) }, collapseID: collapseID, appGroup: appGroup)
    }
}
