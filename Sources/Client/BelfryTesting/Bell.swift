import BelfryAppGroup
import BelfryClient
import BelfryDevices
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
import PushFollowing
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
    /// The variables by which other programs find this bell, such as `belfry` or your server: add them to theirs, as
    /// ``run(_:_:environment:in:)`` does.
    public nonisolated var environment: [String: String] { variables.withLock { $0 } }

    /// More than a file of the endpoint's log has.
    private static let logBytesMax = 64 << 20

    let ledgerFile: LedgerFile
    nonisolated let executor: LoopExecutor
    /// What stands for the process of its extension or its app, if something does.
    package nonisolated let standIn: (any StandIn)?
    private nonisolated let variables: LockedValue<[String: String]>
    /// How long its waits last.
    nonisolated let patience: Patience
    /// The pushes that have arrived.
    nonisolated let arrivals: Story<BellPush>
    /// Which of them ``nextPush(within:fileID:filePath:line:column:where:)`` has returned.
    var returnedPushes: Set<ObjectIdentifier> = []
    /// Whether its test has failed, for what is shown then.
    private nonisolated let failure = FailureWatch()
    private let arrived: ArrivedPushes
    private let settings: Settings
    private let statePath: String
    private nonisolated let runtime: RuntimeDirectory
    private var processes: [BellProcess] = []
    /// What its workers write; nil if that is not kept.
    private var words: WorkersWords?
    /// Where they write it.
    private var stream: ChildCommand.Stream?
    private var hasShownOutput = false
    private var folder: ServeFolder?
    private var listener: PushListener?
    private var server: PushServer?
    private var servedEndpoint: ServedEndpoint?
    private var servedFleet: ServedFleet?
    /// Keeps a bell that is never stopped alive: it rings on until its process ends.
    private var itself: Bell?

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(
        _ folder: consuming ServeFolder, group: GroupName, settings: Settings, patience: Patience,
        standIn: (any StandIn)?, on executor: LoopExecutor
    ) {
        socketPath = folder.socketPath
        var variables = Dictionary(
            folder.variables(socketPath: folder.socketPath).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        variables[Setting.appGroupName.environmentVariable] = group.text
        self.variables = LockedValue(variables)
        self.settings = settings
        self.patience = patience
        let arrived = ArrivedPushes(patience: patience, on: executor)
        self.arrived = arrived
        arrivals = arrived.pushes
        statePath = folder.statePath
        runtime = RuntimeDirectory(path: folder.runtimePath)
        ledgerFile = LedgerFile(state: StateDirectory(path: folder.statePath), runtime: runtime, group: group)
        self.executor = executor
        self.standIn = standIn
        self.folder = consume folder
    }

    /// Where `belfry-calls` listens, if this bell has an app.
    package nonisolated var callsSocketPath: String { runtime.callsSocketPath }

    /// Serves by the worker at `program`, and, for an app, by the `belfry-calls` at `callsPath`.
    func serve(
        _ program: String, calls callsPath: String?, environment: [String: String], log: BellSettings.Log
    ) throws(SystemError) {
        do throws(SystemError) {
            listener = try PushListener(in: runtime, on: executor.loop) { [arrived] in
                arrived.hear($0, from: $1)
            }
            let stream = try stream(of: log)
            self.stream = stream
            let worker = ServedWorker(program, calls: callsPath, environment: environment, words: stream)
            server = try PushServer(
                at: socketPath, worker: worker.command, keeperSocketPath: worker.keeperSocketPath,
                calls: worker.calls, lifetimeMax: worker.lifetimeMax, on: executor.loop)
            itself = self
        } catch {
            words?.finish()
            listener.take()?.close()
            folder.take()?.remove()
            throw error
        }
    }

    func serveEndpoint(
        _ program: String, bundleID: String?, environment: [String: String]
    ) throws(SystemError) {
        let runtimePath = environment["BELFRY_RUNTIME_DIRECTORY"] ?? ""
        let endpoint = try ServedEndpoint(
            program, environment: environment, runtimePath: runtimePath,
            bundleID: bundleID ?? ServedEndpoint.bundleID, on: executor.loop)
        tell(endpoint.variables)
        servedEndpoint = endpoint
    }

    func serveFleet(
        _ programs: ServedFleet.Programs, joiningBy file: String, bundleID: String?, environment: [String: String]
    ) throws(FleetServingError) {
        let runtimePath = environment["BELFRY_RUNTIME_DIRECTORY"] ?? ""
        let fleet = try ServedFleet(
            programs, joiningBy: file, environment: environment, runtimePath: runtimePath,
            bundleID: bundleID ?? ServedEndpoint.bundleID, words: stream, on: executor.loop)
        tell(fleet.variables)
        servedFleet = fleet
    }

    /// Whether its device is one of a fleet's.
    var isInFleet: Bool { servedFleet != nil }

    private func tell(_ more: [(name: String, value: String)]) {
        variables.withLock { known in
            for (name, value) in more { known[name] = value }
        }
    }

    /// Ends every ring, and with it every wait, and removes what the bell had. Does nothing the second time.
    ///
    /// If the test has failed by then, what the workers wrote is shown on standard error, and what the processes that
    /// ``run(_:_:environment:in:)`` has started did: in `Belfry.running`, with the trait, and in XCTest.
    public func stop() async {
        if let server = server.take() { await end(server) }
        await showOutput()
    }

    private func end(_ server: PushServer) async {
        for process in processes { await process.stop() }
        // While the workers still run: their end would be the app's missed calls.
        await standIn?.terminate()
        if let endpoint = servedEndpoint.take() {
            await withCheckedContinuation { continuation in
                endpoint.stop { continuation.resume() }
            }
        }
        if let fleet = servedFleet.take() {
            await withCheckedContinuation { continuation in
                fleet.stop { continuation.resume() }
            }
        }
        await withCheckedContinuation { continuation in
            server.stop { continuation.resume() }
        }
        words?.finish()
        // Only now: the workers are gone, and the files that the extension uses are still there.
        listener.take()?.close()
        arrived.finish()
        await standIn?.leave()
        folder.take()?.remove()
        itself = nil
    }

    /// Calls `body`, and stops once it has returned or thrown; see ``stop()``.
    package nonisolated func running<Result>(_ body: @escaping (Bell) async throws -> Result) async throws -> Result {
        let outcome = await failure.watching { try await body(self) }
        await stop()
        do {
            return try outcome.get()
        } catch {
            throw FailedWait.recorded(error)
        }
    }

    /// Performs what the scope of a test, or of one case of it, is for, and stops; a wait that has failed in it is
    /// reported where it stands.
    package nonisolated func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let outcome = await failure.watching(test, testCase) { try await FailedWait.recorded(function) }
        await stop()
        try outcome.get()
    }

    /// What its workers have written, the last 256 KiB of it: a line for each event that a journal would have, and what
    /// they complain of. Empty unless ``BellSettings/log`` is ``BellSettings/Log/ofFailedTests``.
    public func workersWords() -> String { words?.text() ?? "" }

    /// Shows what its workers and the processes of ``run(_:_:environment:in:)`` wrote, once, if the test has failed.
    private func showOutput() async {
        guard failure.hasFailed, !hasShownOutput else { return }
        hasShownOutput = true
        var text = workersWords()[...]
        if !text.isEmpty {
            if text.last == "\n" { text.removeLast() }
            let test = Test.current.map { "the failed test \($0.name)" } ?? "a failed test"
            complain("belfry: the workers of \(test) wrote:\n\(text)")
        }
        for process in processes { complain(await "belfry: \(process.told)") }
    }

    /// Where its workers write.
    private func stream(of log: BellSettings.Log) throws(SystemError) -> ChildCommand.Stream {
        switch log {
        case .ofFailedTests:
            let words = try WorkersWords(on: executor.loop)
            self.words = words
            return words.stream
        case .always: return .descriptor(STDERR_FILENO)
        case .never: return .null
        }
    }

    /// Starts the program `path` with `arguments`, such as the server under test, with this process's environment, the
    /// bell's ``environment``, and `environment`.
    ///
    /// It reads nothing; what it writes is kept, and shown with a failed test. It ends with the bell, with all that it
    /// has started. Foundation's `Process` may crash in a process that has many descriptors, as tests with many bells
    /// do.
    ///
    /// - Parameters:
    ///   - path: a name without a slash is looked for beside the tests, where SwiftPM builds programs, and in `PATH`.
    ///   - folder: the directory it starts in; nil for this process's own.
    ///
    /// Throws ``BellError/Code/noSuchFile`` if it cannot be run, and ``BellError/Code/stopped``.
    @discardableResult
    public func run(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:], in folder: String? = nil
    ) async throws(BellError) -> BellProcess {
        guard server != nil else { throw BellError(.stopped, "the bell has been stopped") }
        let all = Environment.allOfThisProcess().merging(self.environment) { $1 }.merging(environment) { $1 }
        do throws(SystemError) {
            var command = ChildCommand(
                path: try Belfry.program(path, all), arguments: arguments, environment: all)
            command.workingDirectory = folder
            let process = try BellProcess(command, patience: patience, on: executor)
            try await process.watch()
            processes.append(process)
            return process
        } catch {
            throw BellError(.noSuchFile, "\(Printable.escaped(path)) cannot be run: \(error)")
        }
    }

    /// The requests that the endpoint has answered.
    var requests: [PushRecord.Request] { arrived.requests }

    /// The lines of the endpoint's log.
    func logLines() -> [[UInt8]] {
        let names = [PushLogPlace.olderFileName, PushLogPlace.fileName]
        return names.flatMap { name -> [[UInt8]] in
            let path = "\(statePath)/\(PushLogPlace.folderName)/\(name)"
            let bytes = (try? readFile(at: path, bytesMax: Self.logBytesMax))?.bytes ?? []
            return bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
        }
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
        let push = BellPush(
            notification, callID: callID, names: settings.callNames(for:), patience: patience, on: executor)
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
