import BelfryAppDoor
import BelfryTerms
import CallChannel
public import Foundation

/// Reports an app's calls to the system, and hands the system's actions to the app's delegate. Source: Apple,
/// `CXProvider`.
///
/// An app has one, for as long as it lives. Any thread may use it.
open class CXProvider: NSObject, @unchecked Sendable {
    private let system: CallSystem
    /// The delegate and its queue, which what is under way holds too.
    let desk: DelegateDesk
    private let lock = NSLock()
    private var ownConfiguration: CXProviderConfiguration

    /// A provider of calls that can do this.
    public init(configuration: CXProviderConfiguration) {
        ownConfiguration = configuration.copied
        system = AppDoor.current.listener { CallSystem($0) }
        desk = DelegateDesk(system.door)
        super.init()
        system.enter(self, ownConfiguration.value)
    }

    deinit { system.leave(desk, isLost: true) }

    /// What its calls can: a copy, of which nothing counts before it is assigned.
    open var configuration: CXProviderConfiguration {
        get { lock.withLock { ownConfiguration }.copied }
        set {
            let copy = newValue.copied
            lock.withLock { ownConfiguration = copy }
            system.change(desk, copy.value)
        }
    }

    /// Sets the delegate, which is not kept alive, and the queue on which it is called; nil for the main one.
    open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
        desk.set(delegate, queue, self)
    }

    /// Reports an incoming call, which rings if it is accepted. Then `completion` is called: on the delegate's queue if
    /// there is a delegate, else on another thread. With an error nothing rings, and no call of the delegate follows.
    @preconcurrency open func reportNewIncomingCall(
        with UUID: UUID, update: CXCallUpdate, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        system.report(UUID, update, by: self, completion)
    }

    /// Reports an incoming call, as ``reportNewIncomingCall(with:update:completion:)`` does.
    open func reportNewIncomingCall(with UUID: UUID, update: CXCallUpdate) async throws {
        try await completion { reportNewIncomingCall(with: UUID, update: update, completion: $0) }
    }

    /// Says more of a call.
    open func reportCall(with UUID: UUID, updated update: CXCallUpdate) {
        system.update(UUID, update)
    }

    /// Says that a call is over, at that date or now, for another reason than the person's at this device.
    open func reportCall(with UUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
        system.end(UUID, at: dateEnded, endedReason)
    }

    /// Says that the other side of an outgoing call is being called, since that date or now.
    open func reportOutgoingCall(with UUID: UUID, startedConnectingAt dateStartedConnecting: Date?) {
        system.report(UUID, .connecting, at: dateStartedConnecting)
    }

    /// Says that the other side of an outgoing call has answered, at that date or now.
    open func reportOutgoingCall(with UUID: UUID, connectedAt dateConnected: Date?) {
        system.report(UUID, .connected, at: dateConnected)
    }

    /// Ends it: its actions fail, its calls end as failed, and its delegate is not called any more.
    open func invalidate() {
        desk.close()
        system.leave(desk, isLost: false)
    }

    /// The transactions of which an action is not complete.
    open var pendingTransactions: [CXTransaction] { system.pendingTransactions(of: desk) }

    /// The actions of that class on that call which are not complete.
    open func pendingCallActions(of callActionClass: AnyClass, withCall callUUID: UUID) -> [CXCallAction] {
        pendingTransactions.flatMap(\.actions).compactMap { $0 as? CXCallAction }.filter { action in
            guard action.callUUID == callUUID, !action.isComplete else { return false }
            return sequence(first: Mirror(reflecting: action), next: \.superclassMirror)
                .contains { $0.subjectType == callActionClass }
        }
    }

    /// Hands a call to the app, as if it had come as a voip push: reports it to the keeper, and keeps the payload for
    /// the app as JSON, below `voip-payloads/` in the state directory. Then calls `completion`, on another thread.
    ///
    /// For a notification service extension. Fails without the filtering entitlement, and with a payload that is no
    /// JSON.
    @preconcurrency open class func reportNewIncomingVoIPPushPayload(
        _ dictionaryPayload: [AnyHashable: Any], completion: (@Sendable ((any Error)?) -> Void)?
    ) {
        VoIPPayload.handOver(dictionaryPayload, completion)
    }

    /// Hands a call to the app, as ``reportNewIncomingVoIPPushPayload(_:completion:)`` does.
    open class func reportNewIncomingVoIPPushPayload(_ dictionaryPayload: [AnyHashable: Any]) async throws {
        try await completion { reportNewIncomingVoIPPushPayload(dictionaryPayload, completion: $0) }
    }
}

/// Why a call ended that its provider ends. Source: Apple, `CXCallEndedReason`.
public enum CXCallEndedReason: Int, Sendable {
    /// It could not be connected, or broke off.
    case failed = 1
    /// The caller's side ended it.
    case remoteEnded
    /// Nobody answered.
    case unanswered
    /// Another device of the person answered.
    case answeredElsewhere
    /// Another device of the person declined.
    case declinedElsewhere
}

/// Awaits the completion that `body` gets.
func completion(of body: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
    // Unsafe, since nothing resumes it once an app under test has ended.
    try await unsafe withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
        body { error in
            if let error { unsafe continuation.resume(throwing: error) } else { unsafe continuation.resume() }
        }
    }
}

extension CXProviderConfiguration {
    /// A copy of the app's object, of a subclass too.
    fileprivate var copied: CXProviderConfiguration { copy() as? CXProviderConfiguration ?? self }
}
