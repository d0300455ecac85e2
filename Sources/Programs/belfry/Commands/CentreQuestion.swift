import BelfryAppGroup
import BelfryCommandLine
import BelfryEventLoop
import BelfryLines
import BelfrySyscalls
import BelfryTerms
import CallChannel
import Glibc
import RingEar

/// One question of a command to `belfry-calls`, and its answer.
enum CentreQuestion {
    /// How long an answer is waited for: an app that is started, and one that does not end by itself, take seconds.
    static let patience = TimeSpan.seconds(30)
    /// What `belfry-calls` is called by the kernel.
    private static let name = "belfry-calls"

    /// Has `belfry-calls` do what `message` says.
    static func order(_ message: ClientMessage, _ context: Context) throws(CommandError) -> ProgramStatus {
        switch try ask(message, context) {
        case .done: return .done
        case .failed(let why): throw CommandError(.notFound, why)
        case .noCall(let why): throw CommandError(.notFound, why)
        case .apps, .calls: throw other
        }
    }

    /// That `belfry-calls` has answered what was not asked.
    static var other: CommandError { CommandError(.defect, "belfry-calls has answered another question") }

    /// Whether `belfry-calls` runs, as far as that is known. A connection would start it where its socket is systemd's,
    /// and one that does not run knows of no call.
    static func mayRun(_ context: Context) throws(CommandError) -> Bool {
        let sockets = ListeningSockets.inodes(at: try socketPath(context))
        return sockets.isEmpty || SocketHolder.first(of: sockets, named: name) != nil
    }

    /// The answer of `belfry-calls` to `message`, if it comes in time. Where nobody listens the command ends with
    /// `absent`.
    static func ask(
        _ message: ClientMessage, _ context: Context, within patience: TimeSpan = patience,
        absent: ProgramStatus = .unavailable
    ) throws(CommandError) -> ClientAnswer {
        let loop = try Command.makeLoop()
        let connection = try connect(context, on: loop, absent: absent)
        var answer: ClientAnswer?
        do throws(SystemError) {
            try connection.listen { news in
                switch news {
                case .line(let line): answer = (try? ClientAnswer.read(line)) ?? answer
                case .taken, .lost: break
                case .ended: loop.stop()
                }
            }
        } catch {
            throw CommandError(.unavailable, "belfry-calls cannot be asked: \(error)")
        }
        connection.send(message.line)
        let timer = loop.schedule(at: loop.now + patience, description: "patience") { loop.stop() }
        loop.run()
        timer.cancel()
        connection.close()
        guard let answer else {
            throw CommandError(
                .unavailable, "belfry-calls has not answered", "see journalctl --user -u belfry-calls.service")
        }
        return answer
    }

    /// A connection to `belfry-calls`, which is started by it where it does not run.
    static func connect(
        _ context: Context, on loop: Loop, absent: ProgramStatus = .unavailable
    ) throws(CommandError) -> LineConnection {
        let path = try socketPath(context)
        do throws(SystemError) {
            let limits = LineConnection.Limits(
                lineBytesMax: CallLimits.lineBytesMax, unsentBytesMax: CallLimits.unsentBytesMax)
            return LineConnection(
                try connectStream(to: path, waits: false), limits, on: loop, description: "belfry-calls")
        } catch  where error.errno == ENOENT || error.errno == ECONNREFUSED {
            throw CommandError(
                absent, "nothing knows of apps, since nobody listens at \(path)",
                "systemctl --user enable --now belfry-calls.socket, or belfry serve with BELFRY_APPS")
        } catch {
            throw CommandError(.unavailable, "belfry-calls cannot be asked: \(error)")
        }
    }

    /// Where it listens.
    static func socketPath(_ context: Context) throws(CommandError) -> String {
        let environment = Environment(context.environment)
        guard let state = StateDirectory(environment: environment) else {
            throw CommandError(
                .unavailable, "there is no telling where belfry-calls listens", "set HOME or BELFRY_RUNTIME_DIRECTORY")
        }
        return RuntimeDirectory(environment: environment, statePath: state.path).callsSocketPath
    }
}

/// `belfry app list`.
enum AppList {
    /// Prints the apps that there are.
    static func print(_ context: Context) throws(CommandError) -> ProgramStatus {
        guard case .apps(let apps) = try CentreQuestion.ask(.listApps, context) else {
            throw CentreQuestion.other
        }
        if context.wantsJSON {
            for app in apps { context.output.json(app.json) }
        } else if apps.isEmpty {
            context.output.line("no app is configured: [Calls] Apps=")
        } else {
            context.printTable(["APP", "NAME", "STATE", "PID", "CALLS", "FOLDER"], apps.map(cells))
        }
        return .done
    }

    private static func cells(of app: ListedApp) -> [String] {
        [app.id, app.name, state(of: app), app.pid.map(String.init) ?? "", "\(app.calls)", app.path]
    }

    /// `registered`, `running`, or why it does not run.
    static func state(of app: ListedApp) -> String {
        if app.isRegistered { return "registered" }
        if app.pid != nil { return "running" }
        return app.problem.isEmpty ? "stopped" : "failed: \(app.problem)"
    }
}
