package import BelfryAppGroup
package import BelfrySyscalls
package import BelfryTerms
package import KeeperChannel

/// The way from Apple's modules to the keeper that runs them; shut in a process that has none, such as an app of the
/// developer's, or a test.
///
/// A process of an extension's own has one door. Where extensions run in the process of their tests each has its own,
/// and it is known to the threads and tasks of its code; whatever else runs goes by the one that was opened last.
package final class KeeperDoor: Sendable {
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
        var stateDirectory: StateDirectory?
        var memoryBytesMax = AccountedMemory.extensionBytesMax
        var tell: (@Sendable (Word) -> Void)?
        /// How many notifications wait for their reply; nil where no keeper counts.
        var openRequests: Int?
        var warned: Set<String> = []
        /// What to call once the keeper is done with what was asked for, by token.
        var completions: [Int64: @Sendable () -> Void] = [:]
        var lastToken: Int64 = 0
    }

    /// Where completions are called.
    private static let queue = DispatchQueue(label: "belfry.completions")
    /// How many completions are waited for at most; beyond them, none is called.
    private static let completionsMax = 1_000
    /// How many different warnings a process gives at most: code may make up any number.
    private static let warningsMax = 1_000

    /// The door of the code that runs here, if that is known.
    @TaskLocal private static var own: KeeperDoor?
    /// The doors that are open, in the order in which they were opened.
    private static let open = LockedValue<[KeeperDoor]>([])
    /// Where there is no keeper.
    private static let shut = KeeperDoor(State(), bundle: nil, memoryBytesBefore: 0)

    /// The extension's folder, where that is not the main bundle's.
    private let ownBundle: Bundle?
    /// How many bytes of memory are not the code's.
    private let memoryBytesBefore: Int64
    private let state: LockedValue<State>
    /// Work that the code wants to be told of the end of.
    package let activities = ExpiringActivities()

    private init(_ state: State, bundle: Bundle?, memoryBytesBefore: Int64) {
        ownBundle = bundle
        self.memoryBytesBefore = memoryBytesBefore
        self.state = LockedValue(state)
    }

    /// The door of the code that calls this, to be kept for what is done later.
    package static var current: KeeperDoor { own ?? open.withLock { $0.last } ?? shut }

    /// The door of the code that calls this, which has something that was made behind `door`: whose thread it is may
    /// not be known, but whose object it is.
    static func current(havingMade door: KeeperDoor) -> KeeperDoor {
        own ?? open.withLock { doors in doors.first { $0 === door } ?? doors.last } ?? shut
    }

    /// Opens the door of an extension: what is said goes to `tell`, in the order in which it is said, from any thread.
    ///
    /// - Parameter bundle: its folder, if it runs in a process that is not its own.
    @discardableResult
    package static func open(
        _ greeting: KeeperGreeting, bundle: String? = nil, tell: @escaping @Sendable (Word) -> Void
    ) -> KeeperDoor {
        var state = State()
        state.stateDirectory = StateDirectory(path: greeting.stateDirectory)
        state.memoryBytesMax = greeting.memoryBytesMax
        state.tell = tell
        state.openRequests = 0
        return opened(state, bundle: bundle)
    }

    /// Opens a door for the app that the extension in the folder `bundle` belongs to, whose state is in
    /// `stateDirectory`: it has no keeper.
    package static func openForApp(stateDirectory: String, bundle: String) -> KeeperDoor {
        var state = State()
        state.stateDirectory = StateDirectory(path: stateDirectory)
        return opened(state, bundle: bundle)
    }

    private static func opened(_ state: State, bundle: String?) -> KeeperDoor {
        let door = KeeperDoor(
            state, bundle: bundle.flatMap { Bundle(path: $0) },
            memoryBytesBefore: bundle == nil ? 0 : AccountedMemory.bytes)
        open.withLock { $0.append(door) }
        return door
    }

    /// The keeper is gone: what the code says from now on nobody hears, and it has no state any more. Of an app, which
    /// goes after all its extensions, the state directory is forgotten.
    package func close() {
        Self.open.withLock { $0.removeAll { $0 === self } }
        let (left, dropped) = state.withLock { state in
            defer {
                state.stateDirectory = nil
                state.tell = { _ in }
                state.openRequests = 0
                state.completions = [:]
            }
            return (state.tell == nil ? state.stateDirectory : nil, state.completions)
        }
        // Released outside the lock: what a completion holds may have something to say as it goes.
        _ = dropped
        guard let left else { return }
        DefaultsDomain.forget(left)
        CFNotificationCenter.forget(left)
    }

    /// Calls `body`, for which this is the door, and for the tasks that it starts.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$own.withValue(self) { try body() }
    }

    /// Calls `body`, for which this is the door, and for the tasks that it starts.
    package func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Self.$own.withValue(self) { try await body() }
    }

    /// Calls `body` on `queue`, with this door.
    package func run(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        queue.async { self.run(body) }
    }

    /// A notification was handed over: until its reply the code may use the notification centre, and what was warned of
    /// before may be warned of again.
    package func requestBegan() {
        state.withLock {
            $0.openRequests = ($0.openRequests ?? 0) + 1
            $0.warned = []
        }
        activities.renew()
    }

    /// A notification has its reply.
    package func requestReplied() { state.withLock { $0.openRequests = max(($0.openRequests ?? 0) - 1, 0) } }

    /// Whether the code may use the notification centre now: always without a keeper, else while a reply is owed.
    package static var isCenterOpen: Bool { current.state.withLock { $0.openRequests.map { $0 > 0 } ?? true } }

    /// Tells the keeper that the code asks for something.
    package static func ask(_ asked: Asked) { current.say(.asked(asked)) }

    /// Tells the keeper that the code asks for something, and calls `completion` on a serial queue once that is over:
    /// at once if there is no keeper. The token by which it was asked; nil without a keeper.
    @discardableResult
    package func ask(_ asked: Asked, then completion: @escaping @Sendable () -> Void) -> Int64? {
        var asked = asked
        let tell = state.withLock { state in
            guard let tell = state.tell else { return nil as (@Sendable (Word) -> Void)? }
            state.lastToken += 1
            asked.token = state.lastToken
            if state.completions.count < Self.completionsMax { state.completions[state.lastToken] = completion }
            return tell
        }
        guard let tell else {
            run(on: Self.queue, completion)
            return nil
        }
        tell(.asked(asked))
        return asked.token
    }

    /// Tells the keeper something, if there is one.
    package func say(_ word: Word) { state.withLock { $0.tell }?(word) }

    /// The keeper is done with what was asked for with this token.
    package func finished(_ token: Int64) {
        if let completion = state.withLock({ $0.completions.removeValue(forKey: token) }) {
            run(on: Self.queue, completion)
        }
    }

    /// How many bytes of memory the code may have.
    static var memoryBytesMax: Int64 { current.state.withLock { $0.memoryBytesMax } }

    /// How many bytes of memory the code has.
    static var memoryBytes: Int64 { max(AccountedMemory.bytes - current.memoryBytesBefore, 0) }

    /// Where the code's resources are.
    package static var bundle: Bundle { current.ownBundle ?? .main }

    /// Hands what the code wrote to the keeper; without one, to standard error.
    package static func write(_ output: ExtensionOutput) {
        if let tell = current.state.withLock({ $0.tell }) { return tell(.output(output)) }
        FileHandle.standardError.write(Data("\(output.text)\n".utf8))
    }

    /// Says what iOS would have said, once for each `detail` and notification: to the keeper, else on standard error.
    package static func warn(_ code: WarningCode, _ detail: String) {
        let tell: ((Word) -> Void)? = current.state.withLock { state in
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
    package static func report<Value>(_ transaction: GroupTransaction<Value>) {
        for warning in transaction.warnings { warn(warning.code, warning.detail) }
        if case .failed(let error) = transaction.outcome { warn(.groupUnwritable, "\(error)") }
    }

    /// Changes the file below `folder` in which something of this app's is kept, and warns of what went wrong; nothing
    /// happens if there is no place for it.
    package static func changeFile(in folder: String, _ body: @escaping (inout GroupEdit) -> Void) {
        if let file = file(in: folder) { report(file.transactBlocking(body)) }
    }

    /// The file below `folder`, of the state directory, in which something of this app's is kept; nil if there is no
    /// place for it.
    package static func file(in folder: String) -> GroupFile? {
        guard let state = stateDirectory, let name = ProgramName.ofApp else { return nil }
        return GroupFile(state: StateDirectory(path: "\(state.path)/\(folder)"), group: name)
    }

    /// What this app is called where something of it is kept; nil if nothing of its identifier may be a file's name.
    package static var appName: String? { ProgramName.ofApp?.text }

    /// Where the state is kept: where the keeper says, else where this user's programs keep it; nil if there is no
    /// home, and once the keeper is gone.
    static var stateDirectory: StateDirectory? {
        let door = current
        guard door === shut else { return door.state.withLock { $0.stateDirectory } }
        return StateDirectory(
            environment: Environment.ofThisProcess(startingWith: [
                "BELFRY_STATE_DIRECTORY=", "XDG_STATE_HOME=", "HOME=",
            ]))
    }
}
