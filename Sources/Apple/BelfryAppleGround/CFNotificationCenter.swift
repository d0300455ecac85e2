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

/// What happens to a notification for a suspended app; no process here is ever suspended.
public enum CFNotificationSuspensionBehavior: Int, Sendable {
    /// It is lost.
    case drop = 1
    /// The last of several is delivered later.
    case coalesce
    /// All are delivered later.
    case hold
    /// It is delivered at once.
    case deliverImmediately
}

/// The function called with a notification. A Swift function, since C cannot express the types of Foundation here; the
/// same closures fit.
public typealias CFNotificationCallback = (
    CFNotificationCenter?, UnsafeMutableRawPointer?, CFNotificationName?, UnsafeRawPointer?, CFDictionary?
) -> Void

/// Distributes notifications. Source: Apple, `CFNotificationCenter`.
@safe
public final class CFNotificationCenter: @unchecked Sendable {
    private static let centers = LockedValue<[StateDirectory?: CFNotificationCenter]>([:])
    private static let lastToken = Atomic<Int32>(-1)

    /// The centre shared by all processes of this user that have the state directory of the calling code.
    static var darwin: CFNotificationCenter {
        let state = KeeperDoor.stateDirectory
        return centers.withLock { centers in
            if let center = centers[state] { return center }
            let center = CFNotificationCenter(board: state.map { PostedNames(path: "\($0.path)/notices") })
            centers[state] = center
            return center
        }
    }

    /// The centre that gave out `token`; nil if it is not registered any more.
    static func registered(with token: Int32) -> CFNotificationCenter? {
        centers.withLock { centers in centers.values.first { $0.isRegistered(token) } }
    }

    /// Forgets the centre of the state directory `state`, which is about to be removed.
    static func forget(_ state: StateDirectory) { centers.withLock { $0.removeValue(forKey: state) }?.close() }

    @safe
    private struct Observation {
        let name: String
        /// Whether it is removed by its observer, which may be nil; otherwise by its token.
        let isByObserver: Bool
        let observer: UnsafeRawPointer?
        let call: (_ token: Int32) -> Void
        /// The last post that was delivered, or that came before the registration.
        var told: NoticeMark?
    }

    private let lock = NSLock()
    private var observations: [Int32: Observation] = [:]
    private var isListening = false
    private var isClosed = false
    private let board: PostedNames?

    private init(board: PostedNames?) { self.board = board }

    /// Delivers nothing any more.
    private func close() {
        let wasListening = lock.withLock {
            isClosed = true
            observations = [:]
            return isListening
        }
        // Wakes the listening thread, so that it sees `isClosed` and ends.
        if wasListening { try? board?.post("") }
    }

    fileprivate func add(_ observer: UnsafeRawPointer?, _ callback: @escaping CFNotificationCallback, _ name: String) {
        // It is used only on the main thread.
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

    /// Has `call` called, on a thread of the centre's, for each post of `name` from now on. Returns a token that no
    /// other registration of this process has; nil, with a warning, if that is impossible.
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
            // Before the last post is read: one that comes between the two counts as earlier, and later ones are heard.
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

    /// Posts `name` to every process; returns whether that succeeded, and warns about an error.
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

    /// The number stored with the name of `token`: 0 unless a process has set it; nil without a registration.
    func state(of token: Int32) -> UInt64? {
        guard let board, let name = lock.withLock({ observations[token]?.name }) else { return nil }
        return board.state(of: name)
    }

    /// Stores `state` with the name of `token`; returns whether that succeeded, and warns about an error.
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

    /// Begins to listen, once for a process, and returns whether it listens. Call it with the lock held.
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

    /// Calls the registrations whose names were posted since, in the order in which they registered.
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
        // Without the lock: a callee may register or cancel.
        for call in calls { call() }
    }
}

/// The centre for notifications between processes: those of one user, by way of the state directory.
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

/// Undoes ``CFNotificationCenterAddObserver(_:_:_:_:_:_:)`` for one name; without a name, for all.
public func CFNotificationCenterRemoveObserver(
    _ center: CFNotificationCenter!, _ observer: UnsafeRawPointer!, _ name: CFNotificationName!,
    _ object: UnsafeRawPointer!
) {
    unsafe center.remove(observer, (name?.rawValue).map { $0 as String })
}

/// Removes everything that `observer` observes.
public func CFNotificationCenterRemoveEveryObserver(_ center: CFNotificationCenter!, _ observer: UnsafeRawPointer!) {
    unsafe center.remove(observer, nil)
}

/// Posts to every process that observes this name; `object` and `userInfo` stay in this process, as on Darwin.
public func CFNotificationCenterPostNotification(
    _ center: CFNotificationCenter!, _ name: CFNotificationName!, _ object: UnsafeRawPointer!,
    _ userInfo: CFDictionary!, _ deliverImmediately: Bool
) {
    guard let name else { return }
    center.post(name.rawValue as String)
}
