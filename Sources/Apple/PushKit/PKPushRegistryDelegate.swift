public import Foundation

/// What a registry's delegate hears, on the registry's queue. Source: Apple, `PKPushRegistryDelegate`.
///
/// Of the methods that receive a push one is called: the first that there is, in the order in which they stand here.
/// On Linux a method counts only if the class that declares the conformance, or an extension of it, has it: one that a
/// subclass adds is not called.
public protocol PKPushRegistryDelegate: NSObjectProtocol {
    /// A push server reaches the app with this token.
    func pushRegistry(
        _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)
    /// The token counts no longer.
    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
    /// A voip push has come: a call has to be reported before this returns, if `metadata` says so.
    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
        metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping @Sendable () -> Void)
    /// A voip push has come.
    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
        metadata: PKVoIPPushMetadata) async
    /// A push has come: a call has to be reported before this returns.
    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping @Sendable () -> Void)
    /// A push has come: a call has to be reported before this returns.
    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType)
    /// A push has come: a call has to be reported before this is suspended.
    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType) async
}

// What a delegate leaves out. Of a method that receives a push that is noted on the payload: then the next is tried.
extension PKPushRegistryDelegate {
    /// Does nothing.
    public func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
    /// Not there.
    public func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
        metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping @Sendable () -> Void
    ) {
        payload.isReceived = false
    }
    /// Not there.
    public func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
        metadata: PKVoIPPushMetadata
    ) async {
        payload.isReceived = false
    }
    /// Not there.
    public func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping @Sendable () -> Void
    ) {
        payload.isReceived = false
    }
    /// Not there.
    public func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType
    ) {
        payload.isReceived = false
    }
    /// Not there.
    public func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType
    ) async {
        payload.isReceived = false
    }
}
