import BelfryAppDoor
import CallChannel
public import Foundation

/// A call of any app, as it was when the object was made. Source: Apple, `CXCall`.
open class CXCall: NSObject, @unchecked Sendable {
    /// Its UUID.
    public let uuid: UUID
    /// Whether this side called.
    public let isOutgoing: Bool
    /// Whether it is held.
    public let isOnHold: Bool
    /// Whether it was connected.
    public let hasConnected: Bool
    /// Whether it is over.
    public let hasEnded: Bool

    init?(_ call: ObservedCall) {
        guard let uuid = UUID(uuidString: call.uuid.text) else { return nil }
        self.uuid = uuid
        (isOutgoing, isOnHold) = (call.isOutgoing, call.isOnHold)
        (hasConnected, hasEnded) = (call.hasConnected, call.hasEnded)
        super.init()
    }

    /// Whether both say the same of the same call.
    open func isEqual(to call: CXCall) -> Bool {
        uuid == call.uuid && isOutgoing == call.isOutgoing && isOnHold == call.isOnHold
            && hasConnected == call.hasConnected && hasEnded == call.hasEnded
    }

    /// Whether `object` says the same of the same call.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CXCall).map { isEqual(to: $0) } ?? false }

    /// The same for equal ones.
    open override var hash: Int { uuid.hashValue }
}

/// What an observer's delegate hears. Source: Apple, `CXCallObserverDelegate`.
public protocol CXCallObserverDelegate: NSObjectProtocol {
    /// A call is new, or another than before.
    func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall)
}

/// Observes the calls of all apps. Source: Apple, `CXCallObserver`.
open class CXCallObserver: NSObject, @unchecked Sendable {
    private let observation: CallObservation
    private let lock = NSLock()
    private weak var delegate: (any CXCallObserverDelegate)?
    private var queue = DispatchQueue.main

    /// An observer.
    public override init() {
        let system = AppDoor.current.listener { CallSystem($0) }
        observation = system.observation
        super.init()
        observation.enter(self)
        system.door.connect()
    }

    /// The calls that are not over.
    open var calls: [CXCall] { observation.calls.compactMap { CXCall($0) } }

    /// Sets the delegate, which is not kept alive, and the queue on which it is called; nil for the main one.
    open func setDelegate(_ delegate: (any CXCallObserverDelegate)?, queue: DispatchQueue?) {
        lock.withLock {
            self.delegate = delegate
            self.queue = queue ?? .main
        }
    }

    /// Calls the delegate with the calls that changed.
    func changed(_ changes: [ObservedCall], _ door: AppDoor) {
        let queue = lock.withLock { delegate == nil ? nil : self.queue }
        guard let queue else { return }
        door.call(on: queue, "callObserver(_:callChanged:)") { [weak self] in
            guard let self, let delegate = lock.withLock({ self.delegate }) else { return }
            for call in changes.compactMap({ CXCall($0) }) { delegate.callObserver(self, callChanged: call) }
        }
    }
}

/// The calls of all apps, and who observes them.
final class CallObservation: @unchecked Sendable {
    private struct Observer {
        weak var object: CXCallObserver?
    }

    private let door: AppDoor
    private let lock = NSLock()
    private var known: [ObservedCall] = []
    private var observers: [Observer] = []

    init(_ door: AppDoor) { self.door = door }

    /// The calls that are not over.
    var calls: [ObservedCall] { lock.withLock { known } }

    /// One more observer.
    func enter(_ observer: CXCallObserver) {
        lock.withLock { observers = observers.filter { $0.object != nil } + [Observer(object: observer)] }
    }

    /// These are the calls now: observers hear of each that is another than before. One that is gone has ended.
    func take(_ calls: [ObservedCall]) {
        let (changes, observers) = lock.withLock {
            var changes = calls.filter { call in !known.contains(call) }
            for var gone in known where !calls.contains(where: { $0.uuid == gone.uuid }) {
                gone.hasEnded = true
                changes.append(gone)
            }
            known = calls.filter { !$0.hasEnded }
            return (changes, self.observers.compactMap(\.object))
        }
        guard !changes.isEmpty else { return }
        for observer in observers { observer.changed(changes, door) }
    }
}
