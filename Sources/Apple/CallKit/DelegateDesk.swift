import BelfryAppDoor
import BelfryTerms
import CallChannel
import Foundation

/// A provider's delegate and its queue: what the delegate is to hear goes through here.
final class DelegateDesk: @unchecked Sendable {
    /// A call of the delegate.
    struct Visit: Sendable {
        /// What it is, for people.
        let what: String
        /// Whether something is lost if there is no delegate.
        let matters: Bool
        let body: @Sendable (CXProvider, any CXProviderDelegate) -> Void
    }

    private let door: AppDoor
    private let lock = NSLock()
    private weak var delegate: (any CXProviderDelegate)?
    private weak var provider: CXProvider?
    private var queue = DispatchQueue.main
    /// Whether there ever was a delegate: before, visits wait for it.
    private var hadDelegate = false
    private var waiting: [Visit] = []
    private var isClosed = false

    init(_ door: AppDoor) { self.door = door }

    /// Sets the delegate and its queue.
    func set(_ delegate: (any CXProviderDelegate)?, _ queue: DispatchQueue?, _ provider: CXProvider) {
        let waited = lock.withLock {
            self.delegate = delegate
            self.provider = provider
            self.queue = queue ?? .main
            guard delegate != nil else { return [Visit]() }
            hadDelegate = true
            defer { waiting = [] }
            return waiting
        }
        for visit in waited { pay(visit) }
    }

    /// Has no more calls of the delegate begin.
    func close() {
        lock.withLock {
            isClosed = true
            waiting = []
        }
    }

    /// What waited for a delegate is void.
    func forgetWaiting() { lock.withLock { waiting = [] } }

    /// Whether it was closed.
    var hasClosed: Bool { lock.withLock { isClosed } }

    /// Whether there is a delegate now.
    var hasDelegate: Bool { lock.withLock { delegate != nil } }

    /// The delegate's queue, if there is a delegate.
    var delegateQueue: DispatchQueue? { lock.withLock { delegate == nil ? nil : queue } }

    /// Calls the delegate on its queue; if there was none yet, once there is.
    func pay(_ visit: Visit) {
        let queue: DispatchQueue? = lock.withLock {
            if isClosed { return nil }
            if hadDelegate { return self.queue }
            if waiting.count < CallLimits.openActionsMax { waiting.append(visit) }
            return nil
        }
        guard let queue else {
            if visit.matters, !hasClosed {
                door.warn(
                    .delegateLate,
                    "\(visit.what): the provider has no delegate yet, and it waits for one; on iOS it is lost. Call "
                        + "setDelegate before the first report")
            }
            return
        }
        door.call(on: queue, visit.what) { [self] in
            let (provider, delegate, isClosed) = lock.withLock { (self.provider, self.delegate, self.isClosed) }
            guard !isClosed else { return }
            guard let provider, let delegate else {
                if visit.matters {
                    let gone = provider == nil ? "provider" : "provider's delegate"
                    door.warn(
                        .delegateLate,
                        "\(visit.what): the \(gone) is gone, which nothing keeps alive: iOS calls nothing. Keep it in "
                            + "a property")
                }
                return
            }
            visit.body(provider, delegate)
        }
    }
}
