import BelfryCommandLine
import BelfryEventLoop
import BelfryServe
import BelfrySyscalls
import BelfryTerms
import Glibc

extension Command {
    /// `belfry serve`.
    static let serve = Command(
        name: "serve", synopsis: ["serve [--socket PATH] [--apns] [-- COMMAND [ARGUMENT]...]"],
        summary: "serve a push socket of its own, for tests and containers, where no user manager runs",
        details: """
            COMMAND runs with BELFRY_SOCKET, BELFRY_STATE_DIRECTORY and BELFRY_RUNTIME_DIRECTORY, which name a folder that
            is gone afterwards, and the exit status is its own. Without COMMAND these three are printed once pushes can be
            sent, and a signal ends it. No configuration file is read: BELFRY_... variables are the settings.
            With --apns there is an APNs endpoint too, for an app of its own: BELFRY_APNS_URL, BELFRY_APNS_CA and more, see
            docs/testing.md.
            """,
        options: [Option("apns", "serve an APNs endpoint too, with a device and credentials of its own")],
        arguments: 0...Int.max, takesCommandLine: true
    ) { context throws(CommandError) in
        do throws(SystemError) {
            return try Serving(context).run()
        } catch {
            throw CommandError(.unavailable, "no push socket can be served: \(error)")
        }
    }
}

/// One run of `belfry serve`.
private final class Serving {
    /// The exit statuses of shells for a command that does not exist, and for one that cannot be run.
    private static let notFound: Int32 = 127
    private static let notExecutable: Int32 = 126

    private let context: Context
    private let loop: Loop
    private var server: PushServer?
    private var endpoint: ServedEndpoint?
    private var child: ChildProcess?
    private var exitOfChild: ChildExit?

    init(_ context: Context) throws(SystemError) {
        self.context = context
        loop = try Loop()
    }

    func run() throws(SystemError) -> ProgramStatus {
        let words = context.options.arguments
        let program = words.first.flatMap(context.program)
        if let name = words.first, program == nil {
            context.output.complaint(Printable.escaped("belfry: there is no program \(name)"))
            exit(Self.notFound)
        }
        try listenForSignals(passesOn: program != nil)
        let folder = try ServeFolder(in: ServeFolder.places(in: context.environment))
        let socketPath = context.options["socket"] ?? folder.socketPath
        var variables = folder.variables(socketPath: socketPath)
        do throws(SystemError) {
            try serve(at: socketPath, variables)
            if context.options.has("apns") {
                try serveEndpoint(variables, runtimePath: folder.runtimePath)
                variables += endpoint?.variables ?? []
            }
            if let path = program {
                try start(path, arguments: Array(words.dropFirst()), variables)
            } else {
                for (name, value) in variables { context.output.line("\(name)=\(value)") }
            }
        } catch {
            folder.remove()
            throw error
        }
        loop.run()
        folder.remove()
        switch exitOfChild {
        case .exited(let code): exit(code)
        case .killed(let signal):
            // The same end as the command's, so that a shell sees it.
            endThisProcess(by: signal)
            return .unavailable
        case nil: return .done
        }
    }

    private func serve(
        at path: String, _ variables: [(name: String, value: String)]
    ) throws(SystemError) {
        guard let program = programBeside("belfry-worker") else {
            throw SystemError(errno: ENOENT, call: "stat", subject: "belfry-worker beside belfry")
        }
        var environment = context.environment
        for (name, value) in variables { environment[name] = value }
        let worker = ServedWorker(program, environment: environment)
        try removeStaleSocket(path)
        server = try PushServer(
            at: path, worker: worker.command, keeperSocketPath: worker.keeperSocketPath,
            lifetimeMax: worker.lifetimeMax,
            on: loop)
    }

    private func serveEndpoint(
        _ variables: [(name: String, value: String)], runtimePath: String
    ) throws(SystemError) {
        guard let program = programBeside("belfry-apns") else {
            throw SystemError(errno: ENOENT, call: "stat", subject: "belfry-apns beside belfry")
        }
        var environment = context.environment
        for (name, value) in variables { environment[name] = value }
        let endpoint = try ServedEndpoint(program, environment: environment, runtimePath: runtimePath, on: loop)
        endpoint.onEnd = { [context] in context.warn("the APNs endpoint has ended: \($0)") }
        self.endpoint = endpoint
    }

    /// Removes a socket that has no listener any more.
    private func removeStaleSocket(_ path: String) throws(SystemError) {
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

    private func start(
        _ path: String, arguments: [String], _ variables: [(name: String, value: String)]
    ) throws(SystemError) {
        var command = ChildCommand(path: path, arguments: arguments, environment: context.environment)
        for (name, value) in variables { command.environment?[name] = value }
        command.keepsDescriptors = true
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
        for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2] where !isIgnored(signal: number) {
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
        // The endpoint stops first, since it is a client of the workers.
        if let endpoint { endpoint.stop(stopServer) } else { stopServer() }
    }
}
