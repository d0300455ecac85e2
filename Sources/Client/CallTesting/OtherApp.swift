import BelfryEventLoopExecutor
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
public import BelfryTesting
import CallChannel
import Glibc

/// Another app beside the one that is tested: its calls ring, and go on, as those of any app do. It does what it is
/// told, and whatever it is asked to perform: its delegate, so to speak, fulfils each action at once.
///
/// What becomes of its calls is among the events of ``BellApp``, as is what becomes of the tested app's.
public actor OtherApp {
    /// Its bundle identifier.
    public nonisolated let id: String

    private nonisolated let place: BellPlace
    private nonisolated let story: EventStory
    private var line: CentreLine<AppWord>?
    /// The number of the last report or request.
    private var last: Int64 = 0

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe place.executor.asUnownedSerialExecutor() }

    init(_ id: String, at place: BellPlace, _ story: EventStory) {
        (self.id, self.place, self.story) = (id, place, story)
    }

    /// Connects to the `belfry-calls` at `socketPath`, as an app called `name`.
    func launch(_ name: String, at socketPath: String) async throws(BellError) {
        let line: CentreLine<AppWord>
        do throws(SystemError) {
            line = try CentreLine(at: socketPath, on: place.executor.loop, read: { try? AppWord.read($0) }) {
                [weak self] word in self?.assumeIsolated { $0.take(word) }
            }
        } catch {
            throw BellError(.notServed, "belfry-calls cannot be asked: \(error)")
        }
        self.line = line
        var hello = AppHello(id: id, pid: Int64(getpid()))
        (hello.name, hello.hasVoIPMode) = (name, true)
        line.send(AppMessage.hello(hello).line)
        var provider = ProviderSettings()
        (provider.supportsVideo, provider.supportedHandleTypes) = (true, [.generic])
        line.send(AppMessage.provider(provider).line)
        switch await line.next(within: patience) {
        case .welcome?: return
        case .refused(let why)?: throw BellError(.notServed, Printable.escaped(why))
        default: throw BellError(.notServed, "belfry-calls did not let \(id) in: see bell.workersWords()")
        }
    }

    /// Its process is gone: its calls end as failed. Does nothing the second time.
    public func quit() { line.take()?.close() }

    /// Reports an incoming call, which rings once this returns: its UUID, by which the person answers and ends it, too.
    ///
    /// Throws ``BelfryTesting/BellError/Code/notDone`` if it is refused, with the number of
    /// `CXErrorCodeIncomingCallError`.
    public func report(
        name: String, handle: String? = nil, hasVideo: Bool = false
    ) async throws(BellError) -> String {
        let uuid = CallUUID.random()
        var update = CallUpdate()
        (update.name, update.hasVideo) = (name, hasVideo)
        update.handle = CallHandle(.generic, handle ?? name)
        try await done("the report") { .report(CallReport($0, of: uuid, update)) }
        return uuid.text
    }

    /// Calls somebody, whose side answers at once: the call's UUID. It is connected once this returns.
    ///
    /// Throws ``BelfryTesting/BellError/Code/notDone`` if that is refused, with the number of
    /// `CXErrorCodeRequestTransactionError`.
    public func start(to handle: String) async throws(BellError) -> String {
        let uuid = CallUUID.random()
        try await request(.start(CallStart(CallHandle(.generic, handle))), of: uuid)
        line?.send(AppMessage.outgoing(uuid, .connected, at: nil).line)
        try await wait(for: .connected, of: uuid)
        return uuid.text
    }

    /// Answers the call with that UUID, by its own transaction: it is connected once this returns. Throws as
    /// ``start(to:)``.
    public func answer(_ call: String) async throws(BellError) {
        let uuid = try uuid(call)
        try await request(.answer, of: uuid)
        try await wait(for: .connected, of: uuid)
    }

    /// Ends the call with that UUID, by its own transaction: it is over once this returns. Throws as ``start(to:)``.
    public func end(_ call: String) async throws(BellError) {
        let uuid = try uuid(call)
        try await request(.end, of: uuid)
        try await wait(for: .ended, of: uuid)
    }

    private var patience: TimeSpan { TimeSpan(place.patience.forOne) }

    /// What its delegate does: all that it is asked for.
    private func take(_ word: AppWord) {
        guard case .perform(let action, _, _) = word else { return }
        line?.send(AppMessage.performed(action.uuid, isImplemented: true).line)
        line?.send(AppMessage.outcome(action.uuid, isFulfilled: true, at: nil).line)
    }

    private func uuid(_ call: String) throws(BellError) -> CallUUID {
        guard let uuid = CallUUID(call) else { throw BellError(.noSuchCall, "\(Printable.escaped(call)) is no UUID") }
        return uuid
    }

    private func request(_ kind: CallAction.Kind, of call: CallUUID) async throws(BellError) {
        let action = CallAction(kind, of: call, uuid: .random())
        try await done("to \(kind.word) \(call.text)") { .request($0, transaction: .random(), [action]) }
    }

    /// Says the message with a number of its own, and waits for its completion.
    private func done(_ what: String, _ message: (Int64) -> AppMessage) async throws(BellError) {
        guard let line else { throw BellError(.stopped, "\(id) has quit") }
        last += 1
        let number = last
        line.send(message(number).line)
        switch await line.next(within: patience, where: { $0.isCompletion(of: number) }) {
        case .reported(_, let error?)?, .requested(_, let error?)?:
            throw BellError(.notDone, "\(what) was refused: error \(error)")
        case nil: throw BellError(.notServed, "belfry-calls has not answered \(what): see bell.workersWords()")
        default: return
        }
    }

    /// Waits until that is told of the call.
    private func wait(for state: AppCallState, of call: CallUUID) async throws(BellError) {
        let event = await story.first(.call, within: place.patience.forOne) {
            $0.appCall?.uuid == call.text && $0.appCall?.state == state
        }
        guard event != nil else {
            throw BellError(.notDone, "\(call.text) was not \(state.rawValue): see bell.app.events")
        }
    }
}

extension AppWord {
    /// Whether it is the completion of the report or the request with that number.
    fileprivate func isCompletion(of number: Int64) -> Bool {
        switch self {
        case .reported(number, _), .requested(number, _): true
        default: false
        }
    }
}

extension Bell {
    /// Another app in this bell, beside the one that is tested, until that ends; there may be several, with different
    /// identifiers.
    ///
    /// ```swift
    /// let other = try await bell.otherApp()
    /// let call = try await other.report(name: "Ben")
    /// try await other.answer(call)
    /// try await bell.app.waitFor(.call) { $0.appCall?.state == .held }
    /// ```
    ///
    /// Throws ``BellError/Code/noApp`` if the bell was made without an app, and ``BellError/Code/notServed`` if an app
    /// of that identifier is there.
    public nonisolated func otherApp(
        _ id: String = "belfry.other.app", name: String = "Other"
    ) async throws(BellError) -> OtherApp {
        try await app.launchOther(id, name)
    }
}

extension BellApp {
    fileprivate func launchOther(_ id: String, _ name: String) async throws(BellError) -> OtherApp {
        guard let socketPath else { throw BellError(.stopped, "the app has ended") }
        let other = OtherApp(id, at: place, story)
        add(other)
        try await other.launch(name, at: socketPath)
        return other
    }
}
