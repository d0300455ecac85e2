import PushKit

/// An async method of a class without isolation, as in Swift 6.
package final class AsyncRegistrar: NSObject, PKPushRegistryDelegate, Sendable {
    let received: @Sendable (PKPushPayload) async -> Void

    package init(received: @escaping @Sendable (PKPushPayload) async -> Void) { self.received = received }

    package func pushRegistry(
        _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
    ) {}

    package func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType
    ) async {
        await received(payload)
    }
}

/// The async form of iOS 26.4.
package final class AsyncMetadataRegistrar: NSObject, PKPushRegistryDelegate, Sendable {
    let received: @Sendable (PKPushPayload) async -> Void

    package init(received: @escaping @Sendable (PKPushPayload) async -> Void) { self.received = received }

    package func pushRegistry(
        _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
    ) {}

    package func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
        metadata: PKVoIPPushMetadata
    ) async {
        await received(payload)
    }
}

/// An async method on the main actor.
@MainActor
package final class MainRegistrar: NSObject, PKPushRegistryDelegate {
    let received: @Sendable (PKPushPayload) async -> Void

    package init(received: @escaping @Sendable (PKPushPayload) async -> Void) { self.received = received }

    nonisolated package func pushRegistry(
        _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
    ) {}

    package func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType
    ) async {
        await received(payload)
    }
}
