package import BelfryAppGroup
package import BelfrySyscalls
package import BelfryTerms
package import KeeperChannel

/// The way from Apple's modules to the keeper that runs them; shut in a process without a keeper, such as a
/// developer's app, or a test.
///
/// An extension's own process has one door. Where extensions run in the process of their tests, each has its own, which
/// the threads and tasks of its code know; all other code uses the door that was opened last.
package final class KeeperDoor: Sendable {
    /// Something that a module says to the keeper.
    package enum Word: Sendable {
        /// The code asked for something.
        case asked(Asked)
        /// A sound that was asked for was read; with its file, if it can be played.
        case sound(FoundSound, PassedFile?)
        /// The code has disposed of the sound with this number.
        case disposed(Int64)
        /// A warning: what iOS would have said.
        case warning(WarningCode, detail: String)
        /// The code wrote something.
        case output(ExtensionOutput)
    }

    private struct State {
        var stateDirectory: StateDirectory?
        var memoryBytesMax = AccountedMemory.extensionBytesMax
        var contactsFile: String?
        var tell: (@Sendable (Word) -> Void)?
        /// Where an app's warnings go; nil for standard error.
        var warn: (@Sendable (WarningCode, String) -> Void)?
        /// How many notifications wait for their reply; nil where no keeper counts.
        var openRequests: Int?
        var warned: Set<String> = []
        /// The completions to call once the keeper is done with a request, by the request's token.
        var completions: [Int64: @Sendable () -> Void] = [:]
        var lastToken: Int64 = 0
    }

    /// The queue on which completions are called.
    private static let queue = DispatchQueue(label: "belfry.completions")
    /// How many completions can wait at most; further ones are never called.
    private static let completionsMax = 1_000
    /// How many different warnings a process gives at most: code may make up any number.
    private static let warningsMax = 1_000

    /// The door of the code that runs here, if that is known.
    @TaskLocal private static var own: KeeperDoor?
    /// The doors that are open, in the order in which they were opened.
    private static let open = LockedValue<[KeeperDoor]>([])
    /// The door of a process without a keeper.
    private static let shut = KeeperDoor(State(), bundle: nil, memoryBytesBefore: 0)

    /// The extension's folder, if that is not the main bundle's.
    private let ownBundle: Bundle?
    /// The bytes of memory that the process had before the code ran.
    private let memoryBytesBefore: Int64
    private let state: LockedValue<State>
    /// Work of the code that must learn when the time of the process ends.
    package let activities = ExpiringActivities()

    private init(_ state: State, bundle: Bundle?, memoryBytesBefore: Int64) {
        ownBundle = bundle
        self.memoryBytesBefore = memoryBytesBefore
        self.state = LockedValue(state)
    }

    /// The door of the calling code, to be kept for later work.
    package static var current: KeeperDoor { own ?? open.withLock { $0.last } ?? shut }

    /// The door of the calling code, which uses an object that was made with `door`: even if the thread's owner is
    /// unknown, the object's owner is not.
    static func current(havingMade door: KeeperDoor) -> KeeperDoor {
        own ?? open.withLock { doors in doors.first { $0 === door } ?? doors.last } ?? shut
    }

    /// Opens the door of an extension: each word goes to `tell`, in the order in which it is said, from any thread.
    ///
    /// - Parameter bundle: its folder, if it runs in a process that is not its own.
    @discardableResult
    package static func open(
        _ greeting: KeeperGreeting, bundle: String? = nil, tell: @escaping @Sendable (Word) -> Void
    ) -> KeeperDoor {
        var state = State()
        state.stateDirectory = StateDirectory(path: greeting.stateDirectory)
        state.memoryBytesMax = greeting.memoryBytesMax
        state.contactsFile = greeting.contactsFile
        state.tell = tell
        state.openRequests = 0
        return opened(state, bundle: bundle)
    }

    /// Opens a door for an app, or for that of the extension in the folder `bundle`, with its state in
    /// `stateDirectory`. An app has no keeper: its warnings go to `warn`, else to standard error.
    package static func openForApp(
        stateDirectory: String, contactsFile: String? = nil, bundle: String? = nil,
        warn: (@Sendable (WarningCode, String) -> Void)? = nil
    ) -> KeeperDoor {
        var state = State()
        state.warn = warn
        state.stateDirectory = StateDirectory(path: stateDirectory)
        state.contactsFile = contactsFile
        return opened(state, bundle: bundle)
    }

    private static func opened(_ state: State, bundle: String?) -> KeeperDoor {
        let door = KeeperDoor(
            state, bundle: bundle.flatMap { Bundle(path: $0) },
            memoryBytesBefore: bundle == nil ? 0 : AccountedMemory.bytes)
        open.withLock { $0.append(door) }
        return door
    }

    /// The keeper is gone: words of the code are dropped from now on, and it has no state any more. An app closes after
    /// all its extensions: then its state directory is forgotten.
    package func close() {
        Self.open.withLock { $0.removeAll { $0 === self } }
        let (left, dropped) = state.withLock { state in
            defer {
                state.stateDirectory = nil
                // Not nil: without a keeper, words would go to standard error.
                state.tell = { _ in }
                state.openRequests = 0
                state.completions = [:]
            }
            return (state.tell == nil ? state.stateDirectory : nil, state.completions)
        }
        // Released outside the lock: the deinit of something that a completion holds may use the door.
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

    /// A notification was handed over: until its reply the code may use the notification centre, and earlier warnings
    /// may be repeated.
    package func requestBegan() {
        state.withLock {
            $0.openRequests = ($0.openRequests ?? 0) + 1
            $0.warned = []
        }
        activities.renew()
    }

    /// A notification has its reply.
    package func requestReplied() { state.withLock { $0.openRequests = max(($0.openRequests ?? 0) - 1, 0) } }

    /// Whether the code may use the notification centre now: always without a keeper, else while a reply is due.
    package static var isCenterOpen: Bool { current.state.withLock { $0.openRequests.map { $0 > 0 } ?? true } }

    /// Whether the calling code is an extension's, which a keeper has or had; else it is an app's.
    package static var isOfExtension: Bool { current.state.withLock { $0.openRequests != nil } }

    /// Says to the keeper that the code asks for something.
    package static func ask(_ asked: Asked) { current.say(.asked(asked)) }

    /// Says to the keeper that the code asks for something, and calls `completion` on a serial queue once that is over:
    /// at once without a keeper. Returns the token of the request; nil without a keeper.
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

    /// Whether there is a keeper, or was one, to play what the code asks for.
    package var hasKeeper: Bool { state.withLock { $0.tell != nil } }

    /// Says `word` to the keeper, if there is one.
    package func say(_ word: Word) { state.withLock { $0.tell }?(word) }

    /// The keeper is done with the request with this token.
    package func finished(_ token: Int64) {
        if let completion = state.withLock({ $0.completions.removeValue(forKey: token) }) {
            run(on: Self.queue, completion)
        }
    }

    /// The person's address book, a file of vCards; nil if the code may read none.
    package static var contactsFile: String? { current.state.withLock { $0.contactsFile } }

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

    /// Warns once for each `detail` and notification: by the keeper, or by where an app's warnings go, else on standard
    /// error.
    package static func warn(_ code: WarningCode, _ detail: String) {
        let tell: ((Word) -> Void)? = current.state.withLock { state in
            guard state.warned.count < warningsMax, state.warned.insert("\(code.rawValue) \(detail)").inserted else {
                // Already said: not to standard error either.
                return { _ in }
            }
            if let warn = state.warn { return { _ in warn(code, detail) } }
            return state.tell
        }
        guard let tell else {
            let line = "belfry: \(code.rawValue): \(Printable.escaped(detail))\n"
            return FileHandle.standardError.write(Data(line.utf8))
        }
        tell(.warning(code, detail: detail))
    }

    /// Warns about problems with a change of a file.
    package static func report<Value>(_ transaction: GroupTransaction<Value>) {
        for warning in transaction.warnings { warn(warning.code, warning.detail) }
        if case .failed(let error) = transaction.outcome { warn(.groupUnwritable, "\(error)") }
    }

    /// Changes the file of this app below `folder`, and warns about problems; does nothing if there is no place for
    /// state.
    package static func changeFile(in folder: String, _ body: @escaping (inout GroupEdit) -> Void) {
        if let file = file(in: folder) { report(file.transactBlocking(body)) }
    }

    /// The file of this app below `folder` in the state directory; nil if there is no place for state.
    package static func file(in folder: String) -> GroupFile? {
        guard let state = stateDirectory, let name = ProgramName.ofApp else { return nil }
        return GroupFile(state: StateDirectory(path: "\(state.path)/\(folder)"), group: name)
    }

    /// The name of this app in files; nil if its identifier cannot be made into one.
    package static var appName: String? { ProgramName.ofApp?.text }

    /// The directory of the state: the keeper's choice, else that of this user's programs; nil without a home, and once
    /// the keeper is gone.
    package static var stateDirectory: StateDirectory? {
        let door = current
        guard door === shut else { return door.state.withLock { $0.stateDirectory } }
        return StateDirectory(
            environment: Environment.ofThisProcess(startingWith: [
                "BELFRY_STATE_DIRECTORY=", "XDG_STATE_HOME=", "HOME=",
            ]))
    }
}
