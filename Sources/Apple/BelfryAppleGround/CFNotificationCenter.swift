import BelfryAppGroup
import BelfrySyscalls
import BelfryTerms
import Synchronization

/// The name of a notification. Source: Apple, `CFNotificationName`.
public struct CFNotificationName: RawRepresentable, Hashable, @unchecked Sendable {
    /// The name.
    public let rawValue: CFString

    /// The notification of this name.
    public init(rawValue: CFString) { self.rawValue = rawValue }

    /// The notification of this name.
    public init(_ rawValue: CFString) { self.rawValue = rawValue }
}

/// What becomes of a notification for an app that is suspended, as no process here ever is.
public enum CFNotificationSuspensionBehavior: Int, Sendable {
    /// It is lost.
    case drop = 1
    /// Of several the last is told later.
    case coalesce
    /// All are told later.
    case hold
    /// It is told at once.
    case deliverImmediately
}

/// What is called with a notification. A function of Swift's, since C has no form for the types of Foundation here; the
/// same closures fit.
public typealias CFNotificationCallback = (
    CFNotificationCenter?, UnsafeMutableRawPointer?, CFNotificationName?, UnsafeRawPointer?, CFDictionary?
) -> Void

/// A way for notifications. Source: Apple, `CFNotificationCenter`.
@safe
public final class CFNotificationCenter: @unchecked Sendable {
    private static let centers = LockedValue<[StateDirectory?: CFNotificationCenter]>([:])
    private static let lastToken = Atomic<Int32>(-1)

    /// The one of all processes of this user that have the state directory of the code that asks.
    static var darwin: CFNotificationCenter {
        let state = KeeperDoor.stateDirectory
        return centers.withLock { centers in
            if let center = centers[state] { return center }
            let center = CFNotificationCenter(board: state.map { PostedNames(path: "\($0.path)/notices") })
            centers[state] = center
            return center
        }
    }

    /// The one at which `token` was given; nil if it is not registered any more.
    static func registered(with token: Int32) -> CFNotificationCenter? {
        centers.withLock { centers in centers.values.first { $0.isRegistered(token) } }
    }

    /// Forgets the one with the state directory `state`, which will be gone.
    static func forget(_ state: StateDirectory) { centers.withLock { $0.removeValue(forKey: state) }?.close() }

    @safe
    private struct Observation {
        let name: String
        /// By an observer, which may be nil; else by whoever has the token.
        let isByObserver: Bool
        let observer: UnsafeRawPointer?
        let call: (_ token: Int32) -> Void
        /// The last post, as far as it was told or came before.
        var told: NoticeMark?
    }

    private let lock = NSLock()
    private var observations: [Int32: Observation] = [:]
    private var isListening = false
    private var isClosed = false
    private let board: PostedNames?

    private init(board: PostedNames?) { self.board = board }

    /// Tells nobody anything any more.
    private func close() {
        let wasListening = lock.withLock {
            isClosed = true
            observations = [:]
            return isListening
        }
        // The ear hears no more than this.
        if wasListening { try? board?.post("") }
    }

    fileprivate func add(_ observer: UnsafeRawPointer?, _ callback: @escaping CFNotificationCallback, _ name: String) {
        // It is used on the main thread alone.
        nonisolated(unsafe) let call = { (center: CFNotificationCenter) in
            unsafe callback(
                center, UnsafeMutableRawPointer(mutating: observer), CFNotificationName(name as NSString), nil, nil)
        }
        unsafe register(name, isByObserver: true, observer) { [unowned self] token in
            // A timer also wakes a run loop that serves no queue.
            let timer = Timer(timeInterval: 0, repeats: false) { [weak self] _ in
                if let self, isRegistered(token) { unsafe call(self) }
            }
            RunLoop.main.add(timer, forMode: .common)
        }
    }

    /// Has `call` called, on a thread of the centre's, for each post of `name` from now on. The token is its name
    /// here, which no other registration of this process has; nil if it cannot be, which is warned of.
    func register(_ name: String, call: @escaping (_ token: Int32) -> Void) -> Int32? {
        unsafe register(name, isByObserver: false, nil, call: call)
    }

    @discardableResult
    private func register(
        _ name: String, isByObserver: Bool, _ observer: UnsafeRawPointer?, call: @escaping (_ token: Int32) -> Void
    ) -> Int32? {
        lock.withLock {
            guard let board else {
                KeeperDoor.warn(.unsupported, "Darwin notifications without a home")
                return nil
            }
            guard listen(at: board) else { return nil }
            let token = Self.lastToken.add(1, ordering: .relaxed).newValue
            observations[token] = unsafe Observation(
                name: name, isByObserver: isByObserver, observer: observer, call: call, told: board.lastPost(of: name))
            return token
        }
    }

    /// Whether the registration of `token` was not taken back.
    func isRegistered(_ token: Int32) -> Bool { lock.withLock { observations[token] != nil } }

    /// Takes back the registration of `token`.
    func cancel(_ token: Int32) { lock.withLock { observations[token] = nil } }

    /// Forgets `observer`, for one name or for all.
    fileprivate func remove(_ observer: UnsafeRawPointer?, _ name: String?) {
        lock.withLock {
            observations = observations.filter {
                unsafe !$0.value.isByObserver || $0.value.observer != observer
                    || (name != nil && $0.value.name != name)
            }
        }
    }

    /// Tells every process; whether that could be done, else it is warned of.
    @discardableResult
    func post(_ name: String) -> Bool {
        do throws(SystemError) {
            try board?.post(name)
            return board != nil
        } catch {
            KeeperDoor.warn(.unsupported, "the Darwin notification \(name): \(error)")
            return false
        }
    }

    /// The number that lies beside the name of `token`: 0 unless somebody has set it; nil without a registration.
    func state(of token: Int32) -> UInt64? {
        guard let board, let name = lock.withLock({ observations[token]?.name }) else { return nil }
        return board.state(of: name)
    }

    /// Lays `state` beside the name of `token`; whether that could be done, else it is warned of.
    func setState(_ state: UInt64, of token: Int32) -> Bool {
        guard let board, let name = lock.withLock({ observations[token]?.name }) else { return false }
        do throws(SystemError) {
            try board.setState(state, of: name)
            return true
        } catch {
            KeeperDoor.warn(.unsupported, "the state of the Darwin notification \(name): \(error)")
            return false
        }
    }

    /// With the lock held: begins to listen, once for a process; whether it listens.
    private func listen(at board: PostedNames) -> Bool {
        guard !isListening else { return true }
        do throws(SystemError) {
            let ear = try board.listen()
            isListening = true
            let thread = Thread { [weak self] in
                while let self, !self.lock.withLock({ self.isClosed }) {
                    ear.wait()
                    self.tell(of: board)
                }
            }
            thread.name = "notices"
            thread.start()
        } catch {
            KeeperDoor.warn(.unsupported, "no Darwin notification is heard: \(error)")
        }
        return isListening
    }

    /// Calls whoever registered for what was posted since, in the order in which they came.
    private func tell(of board: PostedNames) {
        let calls = lock.withLock {
            var posts: [String: NoticeMark] = [:]
            for name in Set(observations.values.map(\.name)) { posts[name] = board.lastPost(of: name) }
            return observations.keys.sorted().compactMap { token -> (() -> Void)? in
                guard let registration = observations[token], let last = posts[registration.name],
                    last != registration.told
                else { return nil }
                observations[token]?.told = last
                return { registration.call(token) }
            }
        }
        for call in calls { call() }
    }
}

/// The centre of the notifications between processes: those of one user, over the state directory.
public func CFNotificationCenterGetDarwinNotifyCenter() -> CFNotificationCenter! { .darwin }

/// Calls `callBack`, on the main thread, for each notification of this name from now on. Several that come close
/// together are one, as on Darwin; `object` does not count.
public func CFNotificationCenterAddObserver(
    _ center: CFNotificationCenter!, _ observer: UnsafeRawPointer!, _ callBack: CFNotificationCallback!,
    _ name: CFString!, _ object: UnsafeRawPointer!, _ suspensionBehavior: CFNotificationSuspensionBehavior
) {
    guard let name, let callBack = unsafe callBack else { return }
    unsafe center.add(observer, callBack, name as String)
}

/// Takes back what ``CFNotificationCenterAddObserver(_:_:_:_:_:_:)`` did; without a name, for all of them.
public func CFNotificationCenterRemoveObserver(
    _ center: CFNotificationCenter!, _ observer: UnsafeRawPointer!, _ name: CFNotificationName!,
    _ object: UnsafeRawPointer!
) {
    unsafe center.remove(observer, (name?.rawValue).map { $0 as String })
}

/// Takes back all that `observer` observes.
public func CFNotificationCenterRemoveEveryObserver(_ center: CFNotificationCenter!, _ observer: UnsafeRawPointer!) {
    unsafe center.remove(observer, nil)
}

/// Tells every process that observes this name; `object` and `userInfo` do not leave this process, as on Darwin.
public func CFNotificationCenterPostNotification(
    _ center: CFNotificationCenter!, _ name: CFNotificationName!, _ object: UnsafeRawPointer!,
    _ userInfo: CFDictionary!, _ deliverImmediately: Bool
) {
    guard let name else { return }
    center.post(name.rawValue as String)
}
