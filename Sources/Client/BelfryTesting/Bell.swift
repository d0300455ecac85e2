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
import GroupLedger
import PushFollowing
import RingEar

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
    /// What stands for the process of its extension, if something does.
    package nonisolated let standIn: (any ExtensionStandIn)?
    private nonisolated let variables: LockedValue<[String: String]>
    /// How long its waits last.
    nonisolated let patience: Patience
    /// The pushes that have arrived.
    nonisolated let arrivals: Story<BellPush>
    /// Which of them ``nextPush(within:fileID:filePath:line:column:where:)`` has returned.
    var returnedPushes: Set<ObjectIdentifier> = []
    private let arrived: ArrivedPushes
    private nonisolated let failure = LockedValue(false)
    /// How many failures XCTest knew when it was made.
    private let failuresBefore: Int
    private let statePath: String
    private let runtime: RuntimeDirectory
    private var processes: [BellProcess] = []
    private var folder: ServeFolder?
    private var listener: PushListener?
    private var server: PushServer?
    private var servedEndpoint: ServedEndpoint?
    /// Keeps a bell that is never stopped alive: it rings on until its process ends.
    private var itself: Bell?

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(
        _ folder: consuming ServeFolder, group: GroupName, patience: Patience, standIn: (any ExtensionStandIn)?,
        on executor: LoopExecutor
    ) {
        socketPath = folder.socketPath
        var variables = Dictionary(
            folder.variables(socketPath: folder.socketPath).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        variables[Setting.appGroupName.environmentVariable] = group.text
        self.variables = LockedValue(variables)
        self.patience = patience
        let arrived = ArrivedPushes(patience: patience, on: executor)
        self.arrived = arrived
        arrivals = arrived.pushes
        failuresBefore = XCTestFailures.count
        statePath = folder.statePath
        runtime = RuntimeDirectory(path: folder.runtimePath)
        ledgerFile = LedgerFile(state: StateDirectory(path: folder.statePath), runtime: runtime, group: group)
        self.executor = executor
        self.standIn = standIn
        self.folder = consume folder
    }

    func serve(_ worker: ServedWorker) throws(SystemError) {
        do throws(SystemError) {
            listener = try PushListener(in: runtime, on: executor.loop) { [arrived] in
                arrived.hear($0, from: $1)
            }
            server = try PushServer(
                at: socketPath, worker: worker.command, keeperSocketPath: worker.keeperSocketPath,
                lifetimeMax: worker.lifetimeMax, on: executor.loop)
            itself = self
        } catch {
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
        servedEndpoint = endpoint
    }

    /// Ends every ring, and with it every wait, and removes what the bell had. Does nothing the second time.
    public func stop() async {
        guard let server = server.take() else { return }
        for process in processes { await process.stop() }
        if let endpoint = servedEndpoint.take() {
            await withCheckedContinuation { continuation in
                endpoint.stop { continuation.resume() }
            }
        }
        await withCheckedContinuation { continuation in
            server.stop { continuation.resume() }
        }
        // Only now: the workers are gone, and the files that the extension uses are still there.
        listener.take()?.close()
        arrived.finish()
        await standIn?.leave()
        folder.take()?.remove()
        await showOutput()
        itself = nil
    }

    /// Calls `body`, and stops once it has returned or thrown.
    package nonisolated func running<Result>(_ body: (Bell) async throws -> Result) async throws -> Result {
        do {
            let result = try await body(self)
            await stop()
            return result
        } catch {
            noteFailure()
            await stop()
            throw FailedWait.recorded(error)
        }
    }

    /// Notes that the test has failed: at its end it shows what is of use then.
    package nonisolated func noteFailure() { failure.withLock { $0 = true } }

    private var hasFailed: Bool { failure.withLock { $0 } || XCTestFailures.count > failuresBefore }

    private func showOutput() async {
        guard hasFailed else { return }
        for process in processes {
            complain(await "belfry: \(process.told)")
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
        let push = BellPush(notification, callID: callID, patience: patience, on: executor)
        try await push.send(notification, to: PushSocket(path: socketPath))
        return push
    }
}
