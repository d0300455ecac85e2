import BelfryJSON
public import BelfryProtocol
public import BelfryTerms
public import FoundationEssentials

/// What the caller's side pushes.
extension Bell {
    /// Pushes a call request: as a voip push if the bell has an app, else as an alert.
    ///
    /// - Parameters:
    ///   - id: what its hangup names; empty for the anonymous call.
    ///   - picture: the address of the caller's picture.
    ///   - duration: how long it asks to ring, at least a second.
    ///   - sentAt: when it was sent.
    @discardableResult
    public func call(
        id: String = randomUUID(), name: String? = nil, handle: String? = nil, hasVideo: Bool = false,
        picture: String? = nil, duration: Duration? = nil, sentAt: Date? = nil
    ) async throws -> BellPush {
        let request = CallRequest(
            callID: id, callerName: name, handle: handle, hasVideo: hasVideo,
            callerAvatar: picture.map { .url($0) } ?? .absent, duration: duration, sentAt: sentAt)
        guard standIn?.appID != nil else { return try await push(request) }
        let payload = request.payloadForApp()
        return try await push(Envelope(pushType: .voip).enclosing(payload).serialized(), callID: id)
    }

    /// Pushes a call request; see ``push(_:)``.
    @discardableResult
    public func push(_ request: CallRequest, in envelope: Envelope = Envelope()) async throws -> BellPush {
        try await push(envelope.enclosing(request.payload()).serialized(), callID: request.callID)
    }

    /// Pushes a hangup; see ``push(_:)``.
    @discardableResult
    public func push(_ hangup: Hangup, in envelope: Envelope = Envelope()) async throws -> BellPush {
        try await push(envelope.enclosing(hangup.payload()).serialized(), callID: hangup.callID)
    }

    /// Pushes the hangup of the call `id`, as the caller's side does.
    @discardableResult
    public func hangup(
        _ id: String, reason: HangupReason = .cancelled, sentAt: Date? = nil
    ) async throws -> BellPush {
        let hangup = Hangup(callID: id, reason: reason, sentAt: sentAt)
        return try await push(hangup)
    }
}
