import BelfryAppDoor
import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms
import CallChannel
import Foundation

/// A registry's delegate and its queue: what the delegate is to hear goes through here.
final class RegistryDesk: @unchecked Sendable {
    /// A call of the delegate.
    private struct Visit: Sendable {
        let what: String
        let body: @Sendable (PKPushRegistry, any PKPushRegistryDelegate) -> Void
    }

    /// How many calls wait at most for the first delegate.
    private static let waitingMax = 100

    private let queue: DispatchQueue
    private let door: AppDoor
    private let lock = NSLock()
    // Guarded by the lock.
    private weak var ownDelegate: (any PKPushRegistryDelegate)?
    private weak var ownRegistry: PKPushRegistry?
    private var hadDelegate = false
    private var waiting: [Visit] = []
    private var ownDesired: Set<PKPushType>?

    init(_ queue: DispatchQueue, _ door: AppDoor) {
        self.queue = queue
        self.door = door
    }

    /// The registry, set once.
    var registry: PKPushRegistry? {
        get { lock.withLock { ownRegistry } }
        set { lock.withLock { ownRegistry = newValue } }
    }

    /// The delegate.
    var delegate: (any PKPushRegistryDelegate)? { lock.withLock { ownDelegate } }

    /// Sets the delegate.
    func set(_ delegate: (any PKPushRegistryDelegate)?) {
        let waited = lock.withLock {
            ownDelegate = delegate
            guard delegate != nil else { return [Visit]() }
            hadDelegate = true
            defer { waiting = [] }
            return waiting
        }
        for visit in waited { pay(visit) }
    }

    /// The kinds of pushes that the registry wants.
    var desired: Set<PKPushType>? {
        get { lock.withLock { ownDesired } }
        set { lock.withLock { ownDesired = newValue } }
    }

    /// The token is this one.
    func update(_ token: Data) {
        let credentials = PKPushCredentials(.voIP, token: token)
        pay(
            Visit(what: "pushRegistry(_:didUpdate:for:)") {
                $1.pushRegistry($0, didUpdate: credentials, for: .voIP)
            })
    }

    /// The token counts no longer.
    func invalidate() {
        pay(
            Visit(what: "pushRegistry(_:didInvalidatePushTokenFor:)") {
                $1.pushRegistry($0, didInvalidatePushTokenFor: .voIP)
            })
    }

    /// A push has come.
    func receive(_ push: ReceivedPush) {
        pay(
            Visit(what: "the receive method for push \(push.number)") { [door] registry, delegate in
                Reception(push, door).hand(to: delegate, of: registry)
            })
    }

    private func pay(_ visit: Visit) {
        let isNow = lock.withLock {
            if !hadDelegate, waiting.count < Self.waitingMax { waiting.append(visit) }
            return hadDelegate
        }
        guard isNow else { return }
        door.call(on: queue, visit.what) { [self] in
            guard let registry, let delegate else {
                return door.warn(
                    .registryLost,
                    "\(visit.what): the registry or its delegate is gone, which nothing keeps alive: iOS calls "
                        + "nothing. Keep both in properties")
            }
            visit.body(registry, delegate)
        }
    }
}
