package import BelfryAppleGround
package import BelfrySyscalls
package import BelfryTerms
package import CallChannel

/// The way from Apple's modules in an app to `belfry-calls`. An app has one, which opens when it is first used; apps
/// under test have one after the other ``underTest``.
///
/// In the process of an extension it is shut: its keeper stands between.
package final class AppDoor: Sendable {
    private struct State {
        /// Who the app is; nil if it has no identifier.
        var hello: AppHello?
        /// Whether the app under test has left: nothing is said or warned of any more.
        var hasLeft = false
        var listeners: [ObjectIdentifier: any AppListener] = [:]
        var provider: ProviderSettings?
        var tune: (name: String, file: PassedFile)?
        var registry: [String]?
        var warned: Set<String> = []
        /// The door to the group's files, once it is known where they are.
        var files: KeeperDoor?
        var whenStopped: (@Sendable () -> Void)?
        var isWelcome = false
        var waiting: [Int64: Waiting] = [:]
        var lastWaiting: Int64 = 0
    }

    /// A call that a queue has not taken yet.
    private struct Waiting {
        let what: String
        let since: Int64
    }

    /// How long a queue may take before a warning, in microseconds.
    private static let queueMicrosecondsMax: Int64 = 1_000_000
    /// How many different warnings an app gives at most: code may make up any number.
    private static let warningsMax = 1_000

    /// The door of the code that runs here, if that is known.
    @TaskLocal private static var own: AppDoor?
    /// The push in whose delivery the code runs here, if it does.
    @TaskLocal package static var push: Int64?
    /// The doors that tests have opened, in that order.
    private static let open = LockedValue<[AppDoor]>([])
    /// The door of this process.
    private static let ofThisProcess = {
        let door = AppDoor(isOnlyApp: true)
        door.state.withLock { $0.hello = AppIdentity.hello(of: KeeperDoor.bundle) }
        door.beginAudio()
        door.prepare(AppIdentity.socketPath, .init(first: 100, last: 30_000))
        return door
    }()
    /// The door of the apps that are tested in this process, of which each has its turn: what code keeps for the whole
    /// process, such as the provider of a singleton, serves the next one too.
    package static let underTest = AppDoor(isOnlyApp: false)

    /// Whether the process is this app and nothing else, and ends with it.
    private let isOnlyApp: Bool
    /// What the app's calls allow it to do with sound.
    package let audio: CallAudio
    private let state = LockedValue(State())
    private let connection: LockedValue<CentreConnection?> = LockedValue(nil)

    private init(isOnlyApp: Bool) {
        self.isOnlyApp = isOnlyApp
        audio = isOnlyApp ? .ofThisProcess : CallAudio()
    }

    private func beginAudio() { audio.begin { [weak self] in self?.warn($0, $1) } }

    /// Has the next use connect to the socket at `path`, as the app that the state names.
    private func prepare(_ path: String, _ backOff: CentreConnection.BackOff) {
        guard state.withLock({ $0.hello }) != nil else { return }
        let made = CentreConnection(path: path, backOff: backOff) { [weak self] in
            self?.greeting ?? []
        } heard: { [weak self] news in
            self?.heard(news)
        }
        connection.withLock { $0 = made }
    }

    /// The door of the calling code, to be kept for later work.
    package static var current: AppDoor { own ?? open.withLock { $0.last } ?? ofThisProcess }

    /// Opens a door for an app that is one of several things in this process.
    package static func open(socketPath: String, hello: AppHello) -> AppDoor {
        let door = AppDoor(isOnlyApp: false)
        door.open(socketPath: socketPath, hello: hello)
        return door
    }

    /// Opens the door for another app, after the one before has left.
    package func open(socketPath: String, hello: AppHello) {
        state.withLock { ($0.hello, $0.hasLeft, $0.warned) = (hello, false, []) }
        prepare(socketPath, .init(first: 10, last: 1_000))
        beginAudio()
        Self.open.withLock { $0.append(self) }
    }

    /// Ends the connection, calls `release`, by which the app's objects go, and forgets its calls. Nothing is said,
    /// heard or warned of any more, until the door is opened again.
    package func leave(_ release: () -> Void) {
        disconnect()
        release()
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.left() }
    }

    /// Ends the connection for good. Nothing is said or heard any more.
    package func close() {
        disconnect()
        let (left, files) = state.withLock { state in
            defer { (state.listeners, state.files) = ([:], nil) }
            return (state.listeners, state.files)
        }
        files?.close()
        // Released outside the lock: what a listener holds may use the door.
        _ = left
    }

    private func disconnect() {
        Self.open.withLock { $0.removeAll { $0 === self } }
        audio.end()
        state.withLock { state in
            (state.hasLeft, state.isWelcome) = (true, false)
            (state.whenStopped, state.waiting) = (nil, [:])
        }
        connection.withLock { connection in
            defer { connection = nil }
            return connection
        }?.close()
    }

    /// Calls `body`, for which this is the door, and for the tasks that it starts.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$own.withValue(self) { try audio.run(body) }
    }

    /// Calls `body`, for which this is the door, and for the tasks that it starts.
    package func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Self.$own.withValue(self) { try await audio.run(body) }
    }

    /// Connects, unless it has. True if it does so now: then what was declared before is said.
    @discardableResult
    package func connect() -> Bool {
        if isOnlyApp, KeeperDoor.isOfExtension {
            let remedy = "hand one over by CXProvider.reportNewIncomingVoIPPushPayload"
            warn(.unsupported, "CallKit and PushKit in an extension, which has no calls: \(remedy)")
            return false
        }
        guard let connection = connection.withLock({ $0 }) else {
            // Without effect, once the app has left.
            warn(.callsUnavailable, "Info.plist has no CFBundleIdentifier, by which an app is known")
            return false
        }
        return connection.start()
    }

    /// The listener of this kind: one for each door, made the first time.
    package func listener<Listener: AppListener>(_ make: (AppDoor) -> Listener) -> Listener {
        if let made = state.withLock({ $0.listeners[ObjectIdentifier(Listener.self)] }) as? Listener { return made }
        let new = make(self)
        return state.withLock { state in
            if let made = state.listeners[ObjectIdentifier(Listener.self)] as? Listener { return made }
            state.listeners[ObjectIdentifier(Listener.self)] = new
            return new
        }
    }

    // MARK: Saying

    /// Says `message`, and passes `file` beside it; false if there is no connection, or if it is too long: then no
    /// answer comes.
    package func say(_ message: AppMessage, passing file: PassedFile? = nil) -> Bool {
        let line = message.line
        guard line.count <= CallLimits.lineBytesMax else {
            warn(
                .unsupported,
                "a call of CallKit has \(line.count) bytes to say, and is refused: belfry-calls takes "
                    + "\(CallLimits.lineBytesMax). Shorten its texts")
            return false
        }
        return connection.withLock { $0 }?.say(line, passing: file) ?? false
    }

    /// Says what the provider is, and again at each new connection; nil for none.
    package func declare(provider: ProviderSettings?) {
        let isNews = state.withLock { state in
            defer { state.provider = provider }
            return state.provider != provider
        }
        guard isNews, !connect() else { return }
        _ = say(provider.map(AppMessage.provider) ?? .invalidated)
    }

    /// Passes the tune of the provider that was declared, and again at each new connection; nil for none.
    package func declare(tune: (name: String, file: PassedFile)?) {
        state.withLock { $0.tune = tune }
        if let tune { _ = say(.tone(tune.name), passing: tune.file) }
    }

    /// Says which push types the registry wants, and again at each new connection.
    package func declare(registry types: [String]) {
        state.withLock { $0.registry = types }
        if !connect() { _ = say(.registry(types)) }
    }

    /// Warns once of each `detail`: by `belfry-calls`, else on standard error; in an extension by its keeper.
    package func warn(_ code: WarningCode, _ detail: String) {
        if isOnlyApp, KeeperDoor.isOfExtension { return KeeperDoor.warn(code, detail) }
        let isNew = state.withLock { state in
            !state.hasLeft && state.warned.count < Self.warningsMax
                && state.warned.insert("\(code.rawValue) \(detail)").inserted
        }
        guard isNew, !say(.warning(CodeWord(code), detail: detail)) else { return }
        let line = "belfry: \(code.rawValue): \(Printable.escaped(detail))\n"
        FileHandle.standardError.write(Data(line.utf8))
    }

    private var greeting: [(message: AppMessage, file: PassedFile?)] {
        let (hello, provider, registry, tune) = state.withLock { ($0.hello, $0.provider, $0.registry, $0.tune) }
        let messages = [
            hello.map(AppMessage.hello), provider.map(AppMessage.provider), registry.map(AppMessage.registry),
        ]
        return messages.compactMap { $0 }.map { ($0, nil) } + [tune].compactMap { $0 }.map { (.tone($0.name), $0.file) }
    }

    // MARK: Hearing

    /// Whether `belfry-calls` has let this app in.
    package var isWelcome: Bool { state.withLock { $0.isWelcome } }

    /// Has `body` called when `belfry-calls` asks the app to end, instead of ending the process.
    package func whenStopped(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenStopped = body } }

    /// Calls `body` on `queue`, with this door; warns if the queue does not take it in time. `what` names the call.
    package func call(on queue: DispatchQueue, _ what: String, _ body: @escaping @Sendable () -> Void) {
        let now = bootTimeMicroseconds()
        let number = state.withLock { state in
            state.lastWaiting += 1
            state.waiting[state.lastWaiting] = Waiting(what: "\(what) on \(queue.label)", since: now)
            return state.lastWaiting
        }
        connection.withLock { $0 }?.wake(by: now + Self.queueMicrosecondsMax)
        queue.async {
            self.state.withLock { _ = $0.waiting.removeValue(forKey: number) }
            self.run(body)
        }
    }

    private func heard(_ news: CentreConnection.News) {
        switch news {
        case .time: return warnOfBlockedQueues()
        case .word(.welcome(let welcome)): enter(welcome)
        case .word(.refused(let why)): warn(.callsUnavailable, "belfry-calls refused this process: \(why)")
        case .word(.stop): return stop()
        case .nonsense(let why): return warn(.callsUnavailable, "belfry-calls said what cannot be read: \(why)")
        case .word: break
        case .lost: state.withLock { $0.isWelcome = false }
        }
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners {
            switch news {
            case .word(let word): listener.heard(word)
            case .lost(let wasWelcome): listener.lost(wasWelcome: wasWelcome)
            case .time, .nonsense: break
            }
        }
    }

    private func enter(_ welcome: AppWelcome) {
        let isFirst = state.withLock { state in
            state.isWelcome = true
            return state.files == nil
        }
        guard isFirst, isOnlyApp else { return }
        let files = KeeperDoor.openForApp(
            stateDirectory: welcome.stateDirectory, contactsFile: welcome.contactsFile
        ) { [weak self] in self?.warn($0, $1) }
        state.withLock { $0.files = files }
    }

    private func stop() {
        if let whenStopped = state.withLock({ $0.whenStopped }) { return whenStopped() }
        if isOnlyApp { exit(EXIT_SUCCESS) }
    }

    private func warnOfBlockedQueues() {
        let now = bootTimeMicroseconds()
        let (late, next) = state.withLock { state in
            let late = state.waiting.filter { $0.value.since + Self.queueMicrosecondsMax <= now }
            for number in late.keys { state.waiting[number] = nil }
            return (late.sorted { $0.key < $1.key }.map(\.value.what), state.waiting.values.map(\.since).min())
        }
        for what in late {
            let remedy = "on iOS time-outs follow. Do not wait on that queue, or give setDelegate one of its own"
            warn(.mainBlocked, "\(what) was not called within 1 s: \(remedy)")
        }
        if let next { connection.withLock { $0 }?.wake(by: next + Self.queueMicrosecondsMax) }
    }
}
