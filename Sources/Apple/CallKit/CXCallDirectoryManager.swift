import BelfryAppDoor
import BelfrySyscalls
import CallChannel
public import Foundation

/// Loads call directories. Source: Apple, `CXCallDirectoryManager`.
///
/// An app may load its own extensions: those in its `PlugIns`, and configured ones, whose identifiers begin with its
/// own. Completions are called on a serial queue of the system's.
open class CXCallDirectoryManager: NSObject, @unchecked Sendable {
    /// Whether the person has enabled an extension.
    public enum EnabledStatus: Int, Sendable {
        /// That is not known.
        case unknown
        /// It is not enabled.
        case disabled
        /// It is enabled.
        case enabled
    }

    private static let one = CXCallDirectoryManager()
    private static let asked = LockedValue(0)

    /// How often this process has had an extension loaded.
    package static var reloads: Int { asked.withLock { $0 } }

    /// The only one.
    open class var sharedInstance: CXCallDirectoryManager { one }

    /// Loads an extension's numbers anew. `completion` hears how that ended, once it has: `loadingInterrupted` also if
    /// `belfry-calls` is gone meanwhile, and `unknown` if it is not there to be asked.
    @preconcurrency open func reloadExtension(
        withIdentifier identifier: String, completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        Self.asked.withLock { $0 += 1 }
        ask(.reload(identifier)) { completion?($1) }
    }

    /// Asks if the person has enabled an extension, no matter how its last load went.
    @preconcurrency open func getEnabledStatusForExtension(
        withIdentifier identifier: String,
        completionHandler completion: @escaping @Sendable (EnabledStatus, (any Error)?) -> Void
    ) {
        ask(.status(identifier), completion)
    }

    /// Opens the settings of call directories: here a warning says how the person enables the app's extensions.
    @preconcurrency open func openSettings(completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        ask(.settings) { completion?($1) }
    }

    /// Loads an extension's numbers anew, as ``reloadExtension(withIdentifier:completionHandler:)`` does.
    open func reloadExtension(withIdentifier identifier: String) async throws {
        try await completion { reloadExtension(withIdentifier: identifier, completionHandler: $0) }
    }

    /// Asks if the person has enabled an extension, no matter how its last load went.
    open func enabledStatusForExtension(withIdentifier identifier: String) async throws -> EnabledStatus {
        // Unsafe, since nothing resumes it once an app under test has ended.
        try await unsafe withUnsafeThrowingContinuation {
            (continuation: UnsafeContinuation<EnabledStatus, any Error>) in
            getEnabledStatusForExtension(withIdentifier: identifier) { status, error in
                if let error {
                    unsafe continuation.resume(throwing: error)
                } else {
                    unsafe continuation.resume(returning: status)
                }
            }
        }
    }

    /// Opens the settings of call directories, as ``openSettings(completionHandler:)`` does.
    open func openSettings() async throws {
        try await completion { openSettings(completionHandler: $0) }
    }

    private func ask(
        _ question: DirectoryQuestion, _ completion: @escaping @Sendable (EnabledStatus, (any Error)?) -> Void
    ) {
        AppDoor.current.listener { DirectoryQuestions($0) }.ask(question, completion)
    }
}

/// What an app has asked the call directory, and is not answered yet.
private final class DirectoryQuestions: AppListener, @unchecked Sendable {
    private struct Open {
        let question: DirectoryQuestion
        let completion: @Sendable (CXCallDirectoryManager.EnabledStatus, (any Error)?) -> Void
    }

    private static let queue = DispatchQueue(label: "belfry.call-directory")

    private let door: AppDoor
    private let lock = NSLock()
    // Guarded by the lock, which is never held while code of others runs.
    private var lastNumber: Int64 = 0
    private var open: [Int64: Open] = [:]

    init(_ door: AppDoor) { self.door = door }

    func ask(
        _ question: DirectoryQuestion,
        _ completion: @escaping @Sendable (CXCallDirectoryManager.EnabledStatus, (any Error)?) -> Void
    ) {
        let number = lock.withLock {
            lastNumber += 1
            open[lastNumber] = Open(question: question, completion: completion)
            return lastNumber
        }
        door.connect()
        if !door.say(.directory(number, question)) { answer(number, .unknown, .unknown) }
    }

    func heard(_ word: AppWord) {
        guard case .directory(let number, let isEnabled, let error) = word else { return }
        let status: CXCallDirectoryManager.EnabledStatus =
            switch isEnabled {
            case true?: .enabled
            case false?: .disabled
            case nil: .unknown
            }
        answer(
            number, status,
            error.map { CXErrorCodeCallDirectoryManagerError.Code(rawValue: Int($0)) ?? .unknown })
    }

    func lost(wasWelcome: Bool) {
        let lost = lock.withLock { open.sorted { $0.key < $1.key } }
        for (number, open) in lost {
            // Its loader ends with it.
            let isLoad = if case .reload = open.question { wasWelcome } else { false }
            answer(number, .unknown, isLoad ? .loadingInterrupted : .unknown)
        }
    }

    func left() {
        let dropped = lock.withLock {
            defer { open = [:] }
            return open
        }
        // Released outside the lock. Nothing of it is called: its process would be gone.
        _ = dropped
    }

    private func answer(
        _ number: Int64, _ status: CXCallDirectoryManager.EnabledStatus,
        _ code: CXErrorCodeCallDirectoryManagerError.Code?
    ) {
        guard let asked = lock.withLock({ open.removeValue(forKey: number) }) else { return }
        let error = code.map { CXErrorCodeCallDirectoryManagerError($0) }
        door.call(on: Self.queue, "a completion of CXCallDirectoryManager") { asked.completion(status, error) }
    }
}
