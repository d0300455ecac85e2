import BelfryCommandLine
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import PushEndpoint

/// `belfry apns fail` and `belfry apns goaway`: requests of testers to a running endpoint.
struct TesterCommands {
    /// Where they print.
    let output: Output

    /// What `--help` prints.
    static let help = """
        Usage: belfry apns fail --status N --reason R [--token T] [--times N] [--delay SECONDS]
               belfry apns goaway [--hard]
        Has the endpoint answer the next pushes, to the device token T or to all, with this status and reason,
        whatever is right or wrong about them, and deliver none of them; 200 needs no reason. goaway has it send its
        clients away, so that none loses anything; with --hard what is on its way is lost. For tests of what a push
        server does then.
        """

    /// The options that they take.
    static let options = [
        Option("status", "N", "what is answered"), Option("reason", "REASON", "why"),
        Option("token", "TOKEN", "the one device token"), Option("times", "N", "how often"),
        Option("delay", "SECONDS", "how late"),
        Option("hard", "goaway: at once, whatever is on its way"), Option("help", "show the help"),
    ]

    /// Runs the command `verb` with `words`, those after `fail` or `goaway`.
    func run(_ verb: String, _ words: [String], environment: Environment) throws(CommandError) {
        let words = try OptionParser.parse(words, Self.options, stopsAtFirstArgument: false)
        guard !words.has("help") else { return output.line(Self.help) }
        guard words.arguments.isEmpty else { throw CommandError(.usage, "belfry apns \(verb) takes no argument") }
        let request = verb == "goaway" ? .sendAway(isHard: words.has("hard")) : try fault(words)
        try ask(request, environment: environment)
    }

    private func fault(_ words: ParsedOptions) throws(CommandError) -> ControlRequest {
        guard let status = words["status"].flatMap({ Int($0) }), (200...599).contains(status),
            let reason = words["reason"] ?? (status == 200 ? "" : nil)
        else {
            throw CommandError(
                .usage, "belfry apns fail needs what to answer", "--status 503 --reason ServiceUnavailable")
        }
        let token = words["token"].flatMap { DeviceToken(hex: $0) }
        guard words["token"] == nil || token != nil else {
            throw CommandError(.usage, "--token is a device token, 64 hexadecimal digits")
        }
        guard let times = Int(words["times"] ?? "1"), times > 0 else {
            throw CommandError(.usage, "--times is a whole number from 1")
        }
        guard let seconds = Double(words["delay"] ?? "0"), seconds >= 0, let delay = TimeSpan(seconds: seconds) else {
            throw CommandError(.usage, "--delay is a number of seconds")
        }
        return .fail(AnswerFault(token: token, status: status, reason: reason, times: times, delay: delay))
    }

    /// Sends `request` to the running endpoint, and waits for its answer.
    private func ask(_ request: ControlRequest, environment: Environment) throws(CommandError) {
        guard let path = ControlPath.of(environment) else {
            throw CommandError(
                .unavailable, "there is no telling where the endpoint's socket is", "set XDG_RUNTIME_DIR")
        }
        let answer: [UInt8]
        do throws(SystemError) {
            answer = try exchange(request.line, at: path)
        } catch {
            throw CommandError(
                .unavailable, "no endpoint answers: \(error)", "systemctl --user start belfry-apns.socket")
        }
        guard answer.starts(with: "ok".utf8) else {
            throw CommandError(.unavailable, "the endpoint does not take that", "are there 1000 faults to come?")
        }
    }

    private func exchange(_ line: [UInt8], at path: String) throws(SystemError) -> [UInt8] {
        let connection = try connectStream(to: path, waits: true)
        let number = connection.number
        try writeAll(line, to: number, path: path)
        var answer = [UInt8](repeating: 0, count: 16)
        let count = try checked("read", on: path) { unsafe read(number, &answer, answer.count) }
        return Array(answer.prefix(count))
    }
}

/// The path of the endpoint's control socket.
enum ControlPath {
    /// `$BELFRY_APNS_SOCKET`, else `apns.sock` in the runtime directory; nil if there is none.
    static func of(_ environment: Environment) -> String? {
        if let path = environment["BELFRY_APNS_SOCKET"], !path.isEmpty { return path }
        return environment["XDG_RUNTIME_DIR"].map { "\($0)/belfry/apns.sock" }
    }
}
