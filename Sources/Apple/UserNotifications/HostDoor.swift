package import BelfryAppGroup
package import BelfrySyscalls
package import BelfryTerms
package import HostChannel
import Synchronization

/// The way from Apple's modules to the host that runs them; closed in a process that has none, such as an app of the
/// developer's, or a test.
package enum HostDoor {
    /// What a module has to say.
    package enum Word: Sendable {
        /// The code asked for something.
        case asked(Asked)
        /// A sound that was asked for was looked at; its file, if it can be played.
        case sound(FoundSound, PassedFile?)
        /// The code has disposed of the sound with this number.
        case disposed(Int64)
        /// What iOS would have said.
        case warning(WarningCode, detail: String)
        /// The code wrote something.
        case output(ExtensionOutput)
    }

    private struct State {
        var stateDirectory: String?
        var memoryBytesMax = AccountedMemory.extensionBytesMax
        var tell: (@Sendable (Word) -> Void)?
        /// How many notifications wait for their reply; nil where no host counts.
        var openRequests: Int?
        var warned: Set<String> = []
        /// What to call once the host is done with what was asked for, by token.
        var completions: [Int64: @Sendable () -> Void] = [:]
        var lastToken: Int64 = 0
    }

    /// Where completions are called.
    private static let queue = DispatchQueue(label: "belfry.completions")
    /// How many completions are waited for at most; beyond them, none is called.
    private static let completionsMax = 1_000

    private static let state = Mutex(State())

    /// How many different warnings a process gives at most: code may make up any number.
    private static let warningsMax = 1_000

    /// Opens the door: what is said goes to `tell`, in the order in which it is said, from any thread.
    package static func open(_ greeting: HostGreeting, tell: @escaping @Sendable (Word) -> Void) {
        state.withLock {
            $0.stateDirectory = greeting.stateDirectory
            $0.memoryBytesMax = greeting.memoryBytesMax
            $0.tell = tell
            $0.openRequests = 0
        }
    }

    /// A notification was handed over: until its reply the code may use the notification centre, and what was warned of
    /// before may be warned of again.
    package static func requestBegan() {
        state.withLock {
            $0.openRequests = ($0.openRequests ?? 0) + 1
            $0.warned = []
        }
    }

    /// A notification has its reply.
    package static func requestReplied() { state.withLock { $0.openRequests = max(($0.openRequests ?? 0) - 1, 0) } }

    /// Whether the code may use the notification centre now: always without a host, else while a reply is owed.
    static var isCenterOpen: Bool { state.withLock { $0.openRequests.map { $0 > 0 } ?? true } }

    /// Tells the host that the code asks for something.
    package static func ask(_ asked: Asked) { state.withLock { $0.tell }?(.asked(asked)) }

    /// Tells the host that the code asks for something, and calls `completion`, if there is one, on a serial queue once
    /// that is over: at once if there is no host. The token by which it was asked; nil without a host.
    @discardableResult
    package static func ask(_ asked: Asked, then completion: (@Sendable () -> Void)?) -> Int64? {
        var asked = asked
        let tell = state.withLock { state in
            guard let tell = state.tell else { return nil as (@Sendable (Word) -> Void)? }
            state.lastToken += 1
            asked.token = state.lastToken
            if let completion, state.completions.count < completionsMax {
                state.completions[state.lastToken] = completion
            }
            return tell
        }
        guard let tell else {
            if let completion { queue.async(execute: completion) }
            return nil
        }
        tell(.asked(asked))
        return asked.token
    }

    /// Tells the host what was found of a sound that was asked for, with its file, if it can be played.
    package static func found(_ sound: FoundSound, _ file: PassedFile?) {
        state.withLock { $0.tell }?(.sound(sound, file))
    }

    /// Tells the host that the code has disposed of a sound.
    package static func disposed(_ sound: Int64) { state.withLock { $0.tell }?(.disposed(sound)) }

    /// The host is done with what was asked for with this token.
    package static func finished(_ token: Int64) {
        if let completion = state.withLock({ $0.completions.removeValue(forKey: token) }) {
            queue.async(execute: completion)
        }
    }

    /// How many bytes of memory the process may have.
    static var memoryBytesMax: Int64 { state.withLock { $0.memoryBytesMax } }

    /// Hands what the code wrote to the host; without one, to standard error.
    package static func write(_ output: ExtensionOutput) {
        if let tell = state.withLock({ $0.tell }) { return tell(.output(output)) }
        FileHandle.standardError.write(Data("\(output.text)\n".utf8))
    }

    /// Says what iOS would have said, once for each `detail` and notification: to the host, else on standard error.
    package static func warn(_ code: WarningCode, _ detail: String) {
        let tell: ((Word) -> Void)? = state.withLock { state in
            guard state.warned.count < warningsMax, state.warned.insert("\(code.rawValue) \(detail)").inserted else {
                return { _ in }
            }
            return state.tell
        }
        guard let tell else {
            let line = "belfry: \(code.rawValue): \(Printable.escaped(detail))\n"
            return FileHandle.standardError.write(Data(line.utf8))
        }
        tell(.warning(code, detail: detail))
    }

    /// Warns of what went wrong with a change of a file.
    package static func report(_ transaction: GroupTransaction<Void>) {
        for warning in transaction.warnings { warn(warning.code, warning.detail) }
        if case .failed(let error) = transaction.outcome { warn(.groupUnwritable, "\(error)") }
    }

    /// The file below `folder`, of the state directory, in which something of this app's is kept; nil if there is no
    /// place for it.
    package static func file(in folder: String) -> GroupFile? {
        guard let state = stateDirectory, let name = ProgramName.ofApp else { return nil }
        return GroupFile(state: StateDirectory(path: "\(state.path)/\(folder)"), group: name)
    }

    /// Where the state is kept: where the host says, else where this user's programs keep it; nil if there is no home.
    static var stateDirectory: StateDirectory? {
        if let path = state.withLock({ $0.stateDirectory }) { return StateDirectory(path: path) }
        return StateDirectory(
            environment: Environment.ofThisProcess(startingWith: [
                "BELFRY_STATE_DIRECTORY=", "XDG_STATE_HOME=", "HOME=",
            ]))
    }
}
