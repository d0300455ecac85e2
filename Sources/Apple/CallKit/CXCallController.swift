import BelfryAppDoor
public import Foundation

/// Asks the system for what the person does in the app. Source: Apple, `CXCallController`.
open class CXCallController: NSObject, @unchecked Sendable {
    private let system: CallSystem
    private let queue: DispatchQueue?
    /// The calls of all apps.
    public let callObserver: CXCallObserver

    /// A controller whose completions are called on `queue`.
    public init(queue: DispatchQueue) {
        system = AppDoor.current.listener { CallSystem($0) }
        self.queue = queue
        callObserver = CXCallObserver()
        super.init()
    }

    /// A controller whose completions are called on a serial queue of the system's.
    public override init() {
        system = AppDoor.current.listener { CallSystem($0) }
        queue = nil
        callObserver = CXCallObserver()
        super.init()
    }

    /// Asks for a transaction. `completion` says if it is accepted, not that it is done: then the provider's delegate
    /// performs it. Refused, none of it is performed.
    @preconcurrency
    open func request(_ transaction: CXTransaction, completion: @escaping @Sendable ((any Error)?) -> Void) {
        system.request(transaction, queue: queue, completion)
    }

    /// Asks for a transaction of these actions.
    @preconcurrency
    open func requestTransaction(with actions: [CXAction], completion: @escaping @Sendable ((any Error)?) -> Void) {
        request(CXTransaction(actions: actions), completion: completion)
    }

    /// Asks for a transaction of this action.
    @preconcurrency
    open func requestTransaction(with action: CXAction, completion: @escaping @Sendable ((any Error)?) -> Void) {
        request(CXTransaction(action: action), completion: completion)
    }

    /// Asks for a transaction, as ``request(_:completion:)`` does.
    open func request(_ transaction: CXTransaction) async throws {
        try await completion { request(transaction, completion: $0) }
    }

    /// Asks for a transaction of these actions.
    open func requestTransaction(with actions: [CXAction]) async throws {
        try await request(CXTransaction(actions: actions))
    }

    /// Asks for a transaction of this action.
    open func requestTransaction(with action: CXAction) async throws {
        try await request(CXTransaction(action: action))
    }
}
