import BelfryAppDoor
import BelfrySyscalls
import CallChannel
import Foundation

/// One push on its way into a delegate: by the first receive method that the delegate has.
struct Reception: Sendable {
    private struct End {
        var hasReturned = false
        var isCompleted = false
    }

    private let push: ReceivedPush
    private let payload: PKPushPayload
    private let metadata: PKVoIPPushMetadata
    private let door: AppDoor
    private let end = LockedValue(End())

    init(_ push: ReceivedPush, _ door: AppDoor) {
        self.push = push
        self.door = door
        payload = PKPushPayload(.voIP, push.dictionary)
        metadata = PKVoIPPushMetadata(mustReport: push.mustReport)
    }

    /// Calls the delegate, and says by which method, once that has returned.
    func hand(to delegate: any PKPushRegistryDelegate, of registry: PKPushRegistry) {
        let form = AppDoor.$push.withValue(push.number) { deliver(Receiver(registry: registry, delegate: delegate)) }
        _ = door.say(.returned(push: push.number, form: form))
        let isCompleted = end.withLock { end in
            end.hasReturned = true
            return end.isCompleted
        }
        if isCompleted { _ = door.say(.completed(push: push.number)) }
    }

    private func deliver(_ receiver: Receiver) -> ReceiveForm {
        let (registry, delegate) = (receiver.registry, receiver.delegate)
        let (payload, metadata) = (payload, metadata)
        if isTaken({
            delegate.pushRegistry(
                registry, didReceiveIncomingVoIPPushWith: payload, metadata: metadata, withCompletionHandler: handler)
        }) {
            return .metadata
        }
        if isTakenAsync({
            await receiver.delegate.pushRegistry(
                receiver.registry, didReceiveIncomingVoIPPushWith: payload, metadata: metadata)
        }) {
            return .metadata
        }
        if isTaken({
            delegate.pushRegistry(registry, didReceiveIncomingPushWith: payload, for: .voIP, completion: handler)
        }) {
            return .completion
        }
        // Before the async one: a method that is not async serves as that, too.
        if isTaken({ delegate.pushRegistry(registry, didReceiveIncomingPushWith: payload, for: .voIP) }) {
            return .deprecated
        }
        if isTakenAsync({
            await receiver.delegate.pushRegistry(
                receiver.registry, didReceiveIncomingPushWith: payload, for: .voIP)
        }) {
            return .async
        }
        return .none
    }

    /// The completion handler: its first call is told, after the return.
    private var handler: @Sendable () -> Void {
        { [door, end, number = push.number] in
            let isDue = end.withLock { end in
                defer { end.isCompleted = true }
                return end.hasReturned && !end.isCompleted
            }
            if isDue { _ = door.say(.completed(push: number)) }
        }
    }

    private func isTaken(_ call: () -> Void) -> Bool {
        payload.isReceived = true
        call()
        return payload.isReceived
    }

    /// Runs `call` to its first suspension.
    private func isTakenAsync(_ call: @escaping @Sendable () async -> Void) -> Bool {
        payload.isReceived = true
        Task.immediate { [payload, handler] in
            await call()
            if payload.isReceived { handler() }
        }
        return payload.isReceived
    }
}

/// A registry and its delegate, which the registry's queue calls in the one task that it starts.
private struct Receiver: @unchecked Sendable {
    let registry: PKPushRegistry
    let delegate: any PKPushRegistryDelegate
}
