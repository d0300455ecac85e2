import BelfryAppGroup
import BelfryClient
import BelfryEventLoop
import BelfryEventLoopExecutor
public import BelfryJSON
public import BelfryProtocol
import BelfryServe
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import GroupLedger
import RingEar
package import Testing

/// One virtual device that rings: its push socket, its workers, and the person who holds it.
///
/// Made by ``Belfry/running(settings:_:)``, or by ``Belfry/start(settings:)``. It has one thread with one event loop.
public actor Bell {
    /// The bell of the test that runs, if its trait gives it one.
    @TaskLocal package static var current: Bell?

    /// Where to push: for a program under test that pushes by itself.
    public nonisolated let socketPath: String
    /// The variables by which other programs find this bell, such as `belfry` or your server: add them to theirs.
    public nonisolated var environment: [String: String] { variables.withLock { $0 } }

    let ledgerFile: LedgerFile
    nonisolated let executor: LoopExecutor
    /// What stands for the process of its extension, if something does.
    package nonisolated let standIn: (any ExtensionStandIn)?
    private nonisolated let variables: LockedValue<[String: String]>
    /// What its workers write; nil if that is not kept.
    private var words: WorkersWords?
    private var folder: ServeFolder?
    private var server: PushServer?
    private var endpoint: ServedEndpoint?
    /// Keeps a bell that is never stopped alive: it rings on until its process ends.
    private var itself: Bell?

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(
        _ folder: consuming ServeFolder, group: GroupName, standIn: (any ExtensionStandIn)?, on executor: LoopExecutor
    ) {
        socketPath = folder.socketPath
        let variables =
            folder.variables(socketPath: folder.socketPath)
            + [(name: Setting.appGroupName.environmentVariable, value: group.text)]
        self.variables = LockedValue(
            Dictionary(variables.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
        let state = StateDirectory(path: folder.statePath)
        ledgerFile = LedgerFile(
            state: state, runtime: RuntimeDirectory(path: folder.runtimePath), group: group)
        self.executor = executor
        self.standIn = standIn
        self.folder = consume folder
    }

    func serve(
        _ program: String, environment: [String: String], log: BellSettings.Log
    ) throws(SystemError) {
        do throws(SystemError) {
            let stream: ChildCommand.Stream
            switch log {
            case .ofFailedTests:
                let words = try WorkersWords(on: executor.loop)
                self.words = words
                stream = words.stream
            case .always: stream = .descriptor(STDERR_FILENO)
            case .never: stream = .null
            }
            let worker = ServedWorker(program, environment: environment, words: stream)
            server = try PushServer(
                at: socketPath, worker: worker.command, keeperSocketPath: worker.keeperSocketPath,
                lifetimeMax: worker.lifetimeMax, on: executor.loop)
            itself = self
        } catch {
            words?.finish()
            folder.take()?.remove()
            throw error
        }
    }

    func serveEndpoint(_ program: String, environment: [String: String]) throws(SystemError) {
        let runtimePath = environment["BELFRY_RUNTIME_DIRECTORY"] ?? ""
        let endpoint = try ServedEndpoint(
            program, environment: environment, runtimePath: runtimePath, on: executor.loop)
        variables.withLock { known in
            for (name, value) in endpoint.variables { known[name] = value }
        }
        self.endpoint = endpoint
    }

    /// Ends every ring, and with it every wait, and removes what the bell had. Does nothing the second time.
    public func stop() async {
        guard let server = server.take() else { return }
        if let endpoint = endpoint.take() {
            await withCheckedContinuation { continuation in
                endpoint.stop { continuation.resume() }
            }
        }
        await withCheckedContinuation { continuation in
            server.stop { continuation.resume() }
        }
        words?.finish()
        // Only now: the workers are gone, and the files that the extension uses are still there.
        await standIn?.leave()
        folder.take()?.remove()
        itself = nil
    }

    /// Calls `body`, and stops once it has returned or thrown. If the test has failed by then, what the workers wrote
    /// is shown on standard error.
    package nonisolated func running<Result>(_ body: @escaping (Bell) async throws -> Result) async throws -> Result {
        let (outcome, hasFailed) = await FailureWatch.watching { try await body(self) }
        await stop()
        if hasFailed { await showWords() }
        return try outcome.get()
    }

    /// Performs what the scope of a test, or of one case of it, is for; see ``running(_:)``.
    package nonisolated func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let (outcome, hasFailed) = await FailureWatch.watching(test, testCase, function)
        await stop()
        if hasFailed { await showWords() }
        try outcome.get()
    }

    /// What its workers have written, the last 256 KiB of it: a line for each event that a journal would have, and what
    /// they complain of. Empty unless ``BellSettings/log`` is ``BellSettings/Log/ofFailedTests``.
    public func workersWords() -> String { words?.text() ?? "" }

    private func showWords() {
        let text = workersWords()
        guard !text.isEmpty else { return }
        let test = Test.current.map { " of \($0.name)" } ?? ""
        let shown = "belfry: the workers of a failed test\(test) wrote:\n\(text)"
        try? writeAll(Array(shown.utf8), to: STDERR_FILENO, path: "standard error")
    }

    /// Pushes `notification`, a payload or an envelope in JSON, as it is: `Data`, `[UInt8]` or a string's `utf8`.
    ///
    /// Once this returns it is on its way, and its worker handles it whether or not its events are read.
    @discardableResult
    public func push(_ notification: some Sequence<UInt8> & Sendable) async throws -> BellPush {
        try await push(Array(notification), callID: nil)
    }

    /// Pushes `notification`, a payload or an envelope in JSON, as it is; see ``push(_:)``.
    @discardableResult
    public func push(_ notification: String) async throws -> BellPush {
        try await push(Array(notification.utf8), callID: nil)
    }

    /// Pushes what is in the file `path`, such as an `.apns` file for a simulator, as it is; see ``push(_:)``.
    ///
    /// A relative path is looked for beside the file of the test, and then in each folder above it. Throws
    /// ``BellError/Code/noSuchFile``.
    @discardableResult
    public func push(contentsOf path: String, source: String = #filePath) async throws -> BellPush {
        try await push(TestFile.read(path, near: source, bytesMax: PushFraming.notificationBytesMax), callID: nil)
    }

    /// Pushes a payload in an envelope; see ``push(_:)``.
    @discardableResult
    public func push(payload: JSONObject, in envelope: Envelope = Envelope()) async throws -> BellPush {
        try await push(envelope.enclosing(payload).serialized(), callID: nil)
    }

    func push(_ notification: [UInt8], callID: String?) async throws -> BellPush {
        guard server != nil else { throw BellError(.stopped, "the bell has been stopped") }
        let push = BellPush(callID: callID, on: executor)
        do {
            try await push.send(notification, to: PushSocket(path: socketPath))
        } catch {
            throw error.inBell
        }
        return push
    }
}

extension PushError {
    /// The same error with a remedy that fits a bell, which has neither a journal nor a service manager.
    var inBell: PushError {
        switch code {
        case .noSocket: mended(by: "the bell must not be stopped before")
        case .connectionFailed, .endedEarly:
            mended(by: "see what its worker wrote: bell.workersWords(), shown if a test fails")
        case .noPath, .pathTooLong, .lineTooLong, .notAnEvent, .readTwice: self
        }
    }
}
