import BelfryCommandLine
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import PushAPI

/// `belfry apns fail` and `belfry apns goaway`: requests of testers to a running endpoint.
struct TesterCommands {
    /// Where they print.
    let output: Output

    /// What `--help` prints.
    static let help = """
        Usage: belfry apns fail --status N --reason R [--token T] [--times N] [--delay SECONDS]
               belfry apns fail --clear
               belfry apns goaway [--hard]
        Has the endpoint answer the next pushes, to the device token T or to all, with this status and reason,
        whatever is right or wrong about them, and deliver none of them; 200 needs no reason. belfry apns list says
        what is still to come, and --clear takes all of it back. goaway has it send its clients away, so that none
        loses anything; with --hard what is on its way is lost. For tests of what a push server does then.
        """

    /// The options that they take.
    static let options = [
        Option("status", "N", "what is answered"), Option("reason", "REASON", "why"),
        Option("token", "TOKEN", "the one device token"), Option("times", "N", "how often"),
        Option("delay", "SECONDS", "how late"), Option("clear", "fail: take back what is still to come"),
        Option("hard", "goaway: at once, whatever is on its way"), Option("help", "show the help"),
    ]

    /// Runs the command `verb` with `words`, those after `fail` or `goaway`.
    func run(_ verb: String, _ words: [String], environment: Environment) throws(CommandError) {
        let words = try OptionParser.parse(words, Self.options, stopsAtFirstArgument: false)
        guard !words.has("help") else { return output.line(Self.help) }
        guard words.arguments.isEmpty else { throw CommandError(.usage, "belfry apns \(verb) takes no argument") }
        let request = verb == "goaway" ? .sendAway(isHard: words.has("hard")) : try fault(words)
        guard try RunningEndpoint.ask(request, environment: environment) == .done else {
            throw CommandError(.unavailable, "the endpoint does not take that", "are there 1000 faults to come?")
        }
    }

    private func fault(_ words: ParsedOptions) throws(CommandError) -> ControlRequest {
        if words.has("clear") {
            guard !["status", "reason", "token", "times", "delay"].contains(where: words.has) else {
                throw CommandError(.usage, "belfry apns fail --clear takes all of it back, and no other option")
            }
            return .clearFaults
        }
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
}
