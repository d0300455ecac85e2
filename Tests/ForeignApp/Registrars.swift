import PushKit

/// What a registry's delegate has to have; it receives nothing.
package class Registrar: NSObject, PKPushRegistryDelegate {
    package let received: (PKPushPayload) -> Void
    package var onToken: ((Data) -> Void)?
    package var onInvalid: (() -> Void)?

    package init(received: @escaping (PKPushPayload) -> Void = { _ in }) { self.received = received }

    package func pushRegistry(
        _ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType
    ) {
        onToken?(credentials.token)
    }

    package func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) { onInvalid?() }
}

/// Adds its method in a subclass of the class that conforms: on Linux that is not called.
package final class SubclassRegistrar: Registrar {
    package func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        received(payload)
        completion()
    }
}

/// The form of before iOS 11.
package final class DeprecatedRegistrar: NSObject, PKPushRegistryDelegate {
    let received: (PKPushPayload) -> Void

    package init(received: @escaping (PKPushPayload) -> Void) { self.received = received }

    package func pushRegistry(
        _ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType
    ) {
    }

    package func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType
    ) {
        received(payload)
    }
}

/// The form of nearly all apps, beside the one before.
package final class CompletionRegistrar: NSObject, PKPushRegistryDelegate {
    let received: (PKPushPayload) -> Void

    package init(received: @escaping (PKPushPayload) -> Void) { self.received = received }

    package func pushRegistry(
        _ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType
    ) {
    }

    package func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        received(payload)
        completion()
        completion()
    }

    package func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType
    ) {
        fatalError("a newer method is there")
    }
}

/// The form of iOS 26.4, beside the one before.
package final class MetadataRegistrar: NSObject, PKPushRegistryDelegate {
    let received: (PKPushPayload) -> Void
    package var mustReport: Bool?

    package init(received: @escaping (PKPushPayload) -> Void) { self.received = received }

    package func pushRegistry(
        _ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType
    ) {
    }

    package func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
        metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping () -> Void
    ) {
        mustReport = metadata.mustReport
        received(payload)
        completion()
    }

    package func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        fatalError("a newer method is there")
    }
}
