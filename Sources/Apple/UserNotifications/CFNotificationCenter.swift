import BelfryAppGroup
import BelfryNotices
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
    private static let centers = Mutex<[StateDirectory?: CFNotificationCenter]>([:])

    /// The one of all processes of this user that have the state directory of the code that asks.
    fileprivate static var darwin: CFNotificationCenter {
        let state = HostDoor.stateDirectory
        return centers.withLock { centers in
            if let center = centers[state] { return center }
            let center = CFNotificationCenter(board: state.map { NoticeBoard(path: "\($0.path)/notices") })
            centers[state] = center
            return center
        }
    }

    /// Forgets the one with the state directory `state`, which will be gone.
    static func forget(_ state: StateDirectory) { centers.withLock { $0.removeValue(forKey: state) }?.close() }

    @safe
    private struct Observer {
        let observer: UnsafeRawPointer?
        let callback: CFNotificationCallback
        let name: String
    }

    private let lock = NSLock()
    private var observers: [Observer] = []
    /// The last post of each name that somebody observes, as far as it was told.
    private var told: [String: NoticeMark?] = [:]
    private var isListening = false
    private var isClosed = false
    private let board: NoticeBoard?

    private init(board: NoticeBoard?) { self.board = board }

    /// Tells nobody anything any more.
    private func close() {
        let wasListening = lock.withLock {
            isClosed = true
            observers = []
            return isListening
        }
        // The ear hears no more than this.
        if wasListening { try? board?.post("") }
    }

    fileprivate func add(_ observer: UnsafeRawPointer?, _ callback: @escaping CFNotificationCallback, _ name: String) {
        lock.withLock {
            guard let board else { return HostDoor.warn(.unsupported, "Darwin notifications without a home") }
            listen(at: board)
            if told[name] == nil { told[name] = .some(board.lastPost(of: name)) }
            unsafe observers.append(Observer(observer: observer, callback: callback, name: name))
        }
    }

    /// Forgets `observer`, for one name or for all.
    fileprivate func remove(_ observer: UnsafeRawPointer?, _ name: String?) {
        lock.withLock {
            observers.removeAll { unsafe $0.observer == observer && (name == nil || $0.name == name) }
            let observed = Set(observers.map { $0.name })
            told = told.filter { observed.contains($0.key) }
        }
    }

    fileprivate func post(_ name: String) {
        do throws(SystemError) {
            try board?.post(name)
        } catch {
            HostDoor.warn(.unsupported, "the Darwin notification \(name): \(error)")
        }
    }

    /// With the lock held: begins to listen, once for a process.
    private func listen(at board: NoticeBoard) {
        guard !isListening else { return }
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
            HostDoor.warn(.unsupported, "no Darwin notification is heard: \(error)")
        }
    }

    /// Calls whoever observes what was posted since, on the main thread.
    private func tell(of board: NoticeBoard) {
        let posted = lock.withLock {
            told.keys.filter { name in
                let last = board.lastPost(of: name)
                guard let last, told[name] != last else { return false }
                told[name] = .some(last)
                return true
            }
        }
        for name in posted {
            // A timer also wakes a run loop that serves no queue.
            let timer = Timer(timeInterval: 0, repeats: false) { [self] _ in call(name) }
            RunLoop.main.add(timer, forMode: .common)
        }
    }

    private func call(_ name: String) {
        for observer in lock.withLock({ observers.filter { $0.name == name } }) {
            unsafe observer.callback(
                self, UnsafeMutableRawPointer(mutating: observer.observer), CFNotificationName(name as NSString), nil,
                nil)
        }
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
