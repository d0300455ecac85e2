import BelfryApps
import BelfryCommandLine
import BelfryEventLoop
import BelfryJSON
import BelfryProtocol
import BelfryServe
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import Glibc
import RingEar

extension Command {
    /// `belfry serve`.
    static let serve = Command(
        name: "serve",
        synopsis: [
            "serve [--socket PATH] [--apns|--fleet FILE] [--bundle-id ID] [--log FILE] [--record FILE]"
                + " [-- COMMAND [ARGUMENT]...]"
        ],
        summary: "serve a push socket of its own, for tests and containers, where no user manager runs",
        details: """
            COMMAND runs with BELFRY_SOCKET, BELFRY_STATE_DIRECTORY and BELFRY_RUNTIME_DIRECTORY, which name a folder that
            is gone afterwards, and the exit status is its own. Without COMMAND these three are printed once pushes can be
            sent, and a signal ends it. No configuration file is read: BELFRY_... variables are the settings.
            With --apns there is an APNs endpoint too, for the first app of BELFRY_APPS, else for one of its own:
            BELFRY_APNS_URL, BELFRY_APNS_CA and more, see docs/testing.md.
            With --fleet it joins a fleet by the credential in FILE, as one of many, for pushes through a gateway:
            BELFRY_APNS_TOKEN, BELFRY_APNS_VOIP_TOKEN and BELFRY_APNS_DEVICE name a device that is removed afterwards.
            With --record FILE gets a JSON line for each push that arrives, each of its events, its end, and each request
            to the endpoint, as belfry watch --pushes prints them.
            Whatever these start ends with it, also what COMMAND leaves behind, and also if it is killed.
            """,
        options: [
            Option("apns", "serve an APNs endpoint too, with a device and credentials of its own"),
            Option("fleet", "FILE", "join a fleet by the credential in FILE, with a device of its own"),
            Option("bundle-id", "ID", "the app that the device is for"),
            Option("log", "FILE", "append what workers write to FILE, not to standard error or the journal"),
            Option("record", "FILE", "write what arrives to it, a JSON line each"),
        ],
        arguments: 0...Int.max, takesCommandLine: true
    ) { context throws(CommandError) in
        let files = ["log", "record"].compactMap { context.options[$0] }
        if let wrong = (files + [context.options["fleet"]].compactMap(\.self)).first(where: { $0.hasPrefix("-") }) {
            throw CommandError(.usage, "\(wrong) is no file", "a file of such a name: ./\(wrong)")
        }
        if files.count == 2, files[0] == files[1] {
            throw CommandError(.usage, "--log and --record name one file", "name two")
        }
        if context.options.has("apns"), context.options["fleet"] != nil {
            throw CommandError(.usage, "pushes come by an endpoint of its own, or through a fleet", "--apns or --fleet")
        }
        let hasDevice = context.options.has("apns") || context.options["fleet"] != nil
        guard hasDevice || context.options["bundle-id"] == nil else {
            throw CommandError(.usage, "--bundle-id names the app of a device", "with --apns or --fleet")
        }
        do {
            return try guardAndServe(context)
        } catch let error as FleetServingError {
            throw CommandError(error.status, "no device of a fleet can be served: \(error)")
        } catch {
            if let file = files.first(where: { (error as? SystemError)?.subject == $0 }) {
                throw CommandError(.unavailable, "\(file) cannot be written: \(error)")
            }
            throw CommandError(.unavailable, "no push socket can be served: \(error)")
        }
    }

    /// The exit status of shells for a command that does not exist.
    private static let notFound: Int32 = 127

    private static func guardAndServe(_ context: Context) throws -> ProgramStatus {
        let words = context.options.arguments
        let program = words.first.flatMap(context.program)
        if let name = words.first, program == nil {
            context.output.complaint(Printable.escaped("belfry: there is no program \(name)"))
            exit(notFound)
        }
        let signals = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2].filter { !isIgnored(signal: $0) }
        let folder = try ServeFolder(in: ServeFolder.places(in: context.environment))
        let socketPath = context.options["socket"] ?? folder.socketPath
        // COMMAND stays in the group of who called: it reads from the terminal, and hears what that sends.
        let group = getpgrp()
        let end: ChildExit?
        switch try ServeGuard.divide(signals: signals, handsOnKernels: program == nil) {
        case .guarding(let ended):
            // Of a server that was killed.
            try removeStaleSocket(socketPath)
            folder.remove()
            end = ended
        case .serving(let guardian):
            let serving = try Serving(
                context, with: folder.variables(socketPath: socketPath), signals: signals, of: guardian)
            try serving.record(following: RuntimeDirectory(path: folder.runtimePath))
            end = try serving.run(program, in: group, at: socketPath, runtimePath: folder.runtimePath)
            if serving.isAbandoned {
                unsafe unlink(socketPath)
                folder.remove()
            }
        }
        switch end {
        case .exited(let code): exit(code)
        case .killed(let signal):
            // The same end as the command's, so that a shell sees it.
            endThisProcess(by: signal)
            return .unavailable
        case nil: return .done
        }
    }

    /// Removes a socket on which nobody listens any more.
    fileprivate static func removeStaleSocket(_ path: String) throws(SystemError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        do throws(SystemError) {
            _ = try connectStream(to: path, waits: false)
        } catch  where error.errno == ECONNREFUSED {
            unsafe unlink(path)
        } catch {
            // The error of bind(2) will explain what is there.
        }
    }
}

extension FleetServingError {
    /// As `belfry fleet join` ends with such a credential.
    fileprivate var status: ProgramStatus {
        switch kind {
        case .unreadable: .notFound
        case .unfit: .badNotification
        case .unavailable: .unavailable
        }
    }
}

/// The server of `belfry serve`, and COMMAND.
private final class Serving {
    /// The exit status of shells for a command that cannot be run.
    private static let notExecutable: Int32 = 126

    /// Whether its guard is gone, and it has ended all that it started.
    private(set) var isAbandoned = false

    private let context: Context
    /// By which programs find what is served.
    private var variables: [(name: String, value: String)]
    private let signals: [Int32]
    private let loop: Loop
    /// What workers write into, open as long as this process lives; nil if they write as those of an installed Belfry.
    private var log: Int32?
    private var server: PushServer?
    private var endpoint: ServedEndpoint?
    private var fleet: ServedFleet?
    private var recorder: PushRecorder?
    private var recorded: RecordFile?
    private var child: ChildProcess?
    private var exitOfChild: ChildExit?

    init(
        _ context: Context, with variables: [(name: String, value: String)], signals: [Int32],
        of guardian: ProcessIdentity
    ) throws(SystemError) {
        self.context = context
        self.variables = variables
        self.signals = signals
        loop = try Loop()
        if let path = context.options["log"] {
            log = try checked("open", on: path) { unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }
        }
        try loop.onDeath(of: guardian, description: "guard") { [unowned self] in
            isAbandoned = true
            OrphanedProcesses.endAll(withOwn: true)
            loop.stop()
        }
        try loop.onSignal(SIGCHLD, description: "orphans") { _ in OrphanedProcesses.reapEnded() }
    }

    /// Writes what arrives at the phone whose directory is `runtime` to the file that is asked for, if one is.
    func record(following runtime: RuntimeDirectory) throws(SystemError) {
        guard let path = context.options["record"] else { return }
        let file = try RecordFile(path, on: loop)
        recorded = file
        recorder = try PushRecorder(runtime, RecordSelection(), on: loop) { [context] in
            file.write($0.serialized() + [UInt8(ascii: "\n")]) { context.warn($0) }
        }
    }

    /// Serves until COMMAND, which is `program`, has ended, or a signal says so without one; how COMMAND ended.
    func run(
        _ program: String?, in group: Int32, at socketPath: String, runtimePath: String
    ) throws -> ChildExit? {
        try listenForSignals(passesOn: program != nil)
        try serve(at: socketPath)
        if context.options.has("apns") {
            try serveEndpoint(runtimePath: runtimePath)
            variables += endpoint?.variables ?? []
        }
        if let file = context.options["fleet"] {
            try serveFleet(joiningBy: file, runtimePath: runtimePath)
            variables += fleet?.variables ?? []
        }
        if let program {
            try start(program, arguments: Array(context.options.arguments.dropFirst()), in: group)
        } else {
            for (name, value) in variables { context.output.line("\(name)=\(value)") }
        }
        loop.run()
        recorder?.finish()
        recorded?.finish()
        return exitOfChild
    }

    /// What is started finds what is served by these.
    private var environment: [String: String] {
        context.environment.merging(variables.map { ($0.name, $0.value) }) { $1 }
    }

    private func serve(at path: String) throws(SystemError) {
        let worker = ServedWorker(
            try Self.program("belfry-worker"), environment: environment, words: log.map { .descriptor($0) })
        try Command.removeStaleSocket(path)
        server = try PushServer(
            at: path, worker: worker.command, keeperSocketPath: worker.keeperSocketPath, calls: worker.calls,
            lifetimeMax: worker.lifetimeMax, on: loop)
    }

    private func serveEndpoint(runtimePath: String) throws(SystemError) {
        let program = try Self.program("belfry-apns")
        let bundleID = appOfDevice()
        let endpoint = try ServedEndpoint(
            program, environment: environment, runtimePath: runtimePath, bundleID: bundleID, on: loop)
        endpoint.onEnd = { [context] in context.warn("the APNs endpoint has ended: \($0)") }
        self.endpoint = endpoint
    }

    private func serveFleet(joiningBy file: String, runtimePath: String) throws {
        let programs = ServedFleet.Programs(
            fleet: try Self.program("belfry-fleet"), devices: try Self.program("belfry-apns"))
        let bundleID = appOfDevice()
        let fleet = try ServedFleet(
            programs, joiningBy: file, environment: environment, runtimePath: runtimePath, bundleID: bundleID, on: loop)
        fleet.onEnd = { [context] in context.warn("the agent has ended: \($0)") }
        self.fleet = fleet
    }

    private static func program(_ name: String) throws(SystemError) -> String {
        guard let path = programBeside(name) else {
            throw SystemError(errno: ENOENT, call: "stat", subject: "\(name) beside belfry")
        }
        return path
    }

    /// The app that the device is for, whose environment it is in.
    private func appOfDevice() -> String {
        // The first app that is configured is the one that a push server would push to.
        let app = SettingsLoader.load(environment: Environment(environment)).settings.appPaths.first.flatMap {
            try? AppBundle(path: $0)
        }
        // Who pushes here means the environment in which that app registers, unless the operator says otherwise.
        let name = Setting.apnsEnvironment.environmentVariable
        if environment[name] == nil, let stated = app?.knownEnvironment { variables.append((name, stated)) }
        return context.options["bundle-id"] ?? app?.identifier ?? ServedEndpoint.bundleID
    }

    private func start(_ path: String, arguments: [String], in group: Int32) throws(SystemError) {
        var command = ChildCommand(path: path, arguments: arguments, environment: environment)
        command.keepsDescriptors = true
        command.joinsGroup = group
        do throws(SystemError) {
            let child = try ChildProcess(command)
            try loop.onExit(of: child, description: "command") { [unowned self] exit in
                exitOfChild = exit
                stop()
            }
            self.child = child
        } catch {
            context.output.complaint(Printable.escaped("belfry: \(path) cannot be run: \(error)"))
            exitOfChild = .exited(code: Self.notExecutable)
            _ = loop.afterThis(description: "command") { [unowned self] in stop() }
        }
    }

    private func listenForSignals(passesOn: Bool) throws(SystemError) {
        for number in signals {
            try loop.onSignal(number, description: "signal") { [unowned self] signal in
                guard passesOn else { return stop() }
                // The kernel sends a signal of the terminal, such as Ctrl-C, to COMMAND too.
                if !signal.isOfKernel { try? child?.signal(number) }
            }
        }
    }

    private func stop() {
        guard let server else { return loop.stop() }
        let stopServer = { [loop] in server.stop { loop.stop() } }
        // Whose pushes these are stops first, since it is a client of the workers.
        if let endpoint { endpoint.stop(stopServer) } else if let fleet { fleet.stop(stopServer) } else { stopServer() }
    }
}
