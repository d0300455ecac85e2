import BelfryEventLoop
import BelfryEventLoopExecutor
import BelfryLines
import BelfrySyscalls
import BelfryTerms
import BelfryTesting
import ExtensionKeeping
import ExtensionProcess
import Glibc
import UserNotifications

/// An extension whose code runs on threads of this process, while its life, its budget and its events are those of real
/// workers: `belfry-worker --lend` stands for its process, and lends its end of the channel to here.
actor LentExtension: StandIn {
    /// How long keepers, and the threads that serve them, may take to leave once they were asked to.
    static let leavePatience = TimeSpan.seconds(30)
    private static let backlog: Int32 = 256
    private static let program = "Tested"
    /// More than the path of a temporary folder has.
    private static let wordBytesMax = 8_192

    /// The extension's folder.
    nonisolated let path: String
    private nonisolated let socketPath: String
    private nonisolated let place: BellPlace
    private nonisolated let executor: LoopExecutor
    private let holder: String
    private let turnPatience: TimeSpan
    private let leavePatience: TimeSpan
    private let makeService: MakeService
    private let appDoor = LockedValue<KeeperDoor?>(nil)
    private var socket: OwnedDescriptor?
    private var listener: SocketListener?
    private var loans: [Int: Loan] = [:]
    private var lastLoan = 0
    private var whenReturned: CheckedContinuation<Void, Never>?

    /// The connection of a process that lends its channel, and waits until it is given back.
    private final class Loan {
        let connection: OwnedDescriptor
        var source: DescriptorSource?
        /// Whether a thread serves the channel.
        var isServed = false

        init(_ connection: consuming OwnedDescriptor) { self.connection = connection }

        deinit { source?.cancel() }
    }

    /// The loop's thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// An extension for the bell at `place`, of the test in `holder`.
    init(
        at place: BellPlace, holder: String, turnPatience: TimeSpan = ProcessTurn.patience,
        leavePatience: TimeSpan = leavePatience, makeService: @escaping MakeService
    ) {
        self.place = place
        self.holder = holder
        self.turnPatience = turnPatience
        self.leavePatience = leavePatience
        self.makeService = makeService
        executor = place.executor
        path = "\(place.folder)/\(Self.program).appex"
        socketPath = "\(place.folder)/lend.sock"
    }

    nonisolated var extensionPath: String? { path }
    nonisolated var appID: String? { nil }

    /// How the extension's app and the test reach their state.
    nonisolated var app: KeeperDoor? { appDoor.withLock { $0 } }

    /// Waits for its turn, and takes what is lent from then on. Throws if the turn does not come.
    func settle(resources: String?) async throws(BellError) {
        try await ProcessTurn.ofProcess.take(as: holder, patience: turnPatience, on: executor.loop)
        do {
            try layOut(resources)
            let socket = try listenPrivately(at: socketPath, backlog: Self.backlog)
            listener = try SocketListener(at: socket.number, on: executor.loop, description: "lent channels") {
                self.lend($0)
            }
            self.socket = consume socket
        } catch {
            ProcessTurn.ofProcess.pass()
            throw BellError(.notServed, "the extension cannot be laid out: \(error)")
        }
        let app = KeeperDoor.openForApp(stateDirectory: place.statePath, bundle: path)
        appDoor.withLock { $0 = app }
    }

    private func layOut(_ resources: String?) throws {
        let files = FileManager.default
        if let resources {
            try files.copyItem(atPath: resources, toPath: path)
        } else {
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        let list = "\(path)/Info.plist"
        let found = files.contents(atPath: list).flatMap { data in
            unsafe try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        }
        var information = found as? [String: Any] ?? [:]
        information["CFBundleExecutable"] = Self.program
        information[ExtensionBundle.lentKey] = true
        // A value with `$(` is a placeholder that Xcode fills in.
        if (information["CFBundleIdentifier"] as? String)?.contains("$(") ?? true {
            information["CFBundleIdentifier"] = "belfry.tested.extension"
        }
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: list))
        let words = [place.workerPath, socketPath].map { "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'" }
        let script = "#!/bin/sh\nexec \(words[0]) --lend \(words[1])\n"
        let program = "\(path)/\(Self.program)"
        guard
            files.createFile(
                atPath: program, contents: Data(script.utf8), attributes: [.posixPermissions: 0o755])
        else { throw SystemError(errno: EIO, call: "write", subject: program) }
    }

    private func lend(_ connection: consuming OwnedDescriptor) {
        lastLoan += 1
        let (id, loan) = (lastLoan, Loan(connection))
        loan.source = try? executor.loop.watch(
            descriptor: loan.connection.number, events: .readable, description: "lent channel"
        ) { _ in self.take(id) }
        if loan.source != nil { loans[id] = loan }
    }

    /// Takes the channel that is lent, and serves it on a thread.
    private func take(_ id: Int) {
        guard let loan = loans[id] else { return }
        loan.source?.cancel()
        let (bytes, files) = receiveSome(from: loan.connection.number, bytesMax: Self.wordBytesMax)
        guard let channel = files.first else { return giveBack(id, []) }
        let lodging = Lodging(bundle: path, temporary: String(decoding: bytes, as: UTF8.self))
        let thread = Thread { [executor, makeService] in
            let running = lodging.run(channel, makeService)
            Task(executorPreference: executor) { await self.giveBack(id, running) }
        }
        thread.name = "host"
        loan.isServed = true
        thread.start()
    }

    /// The keeper of a channel has left; the code still runs for the notifications `running`.
    private func giveBack(_ id: Int, _ running: [String]) {
        for identifier in running {
            let line = "belfry: didReceive of \(Printable.escaped(identifier)) still runs: its thread is left to it\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
        loans[id] = nil
        if loans.isEmpty { whenReturned.take()?.resume() }
    }

    /// Gives up on code that does not return, so that other tests do not wait for ever.
    private func giveUpLoans() {
        let states = loans.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.isServed ? "served" : "not taken")" }
        FileHandle.standardError.write(
            Data("belfry: lent channels that do not come back: \(states.joined(separator: ", "))\n".utf8))
        loans = [:]
        whenReturned.take()?.resume()
    }

    /// Nothing: its keepers end with their workers.
    func terminate() async {}

    /// Waits until all that was lent is given back, and passes the turn on.
    func leave() async {
        listener = nil
        socket = nil
        if !loans.isEmpty {
            let loop = executor.loop
            let timer = loop.schedule(at: loop.now + leavePatience, description: "leave") { self.giveUpLoans() }
            await withCheckedContinuation { whenReturned = $0 }
            timer.cancel()
        }
        app?.close()
        ProcessTurn.ofProcess.pass()
    }
}
