import BelfryCommandLine
import BelfryProtocol
import BelfrySettings
import BelfryTerms

/// The command line: finds the command, reads its options, runs it, and prints what went wrong.
enum Program {
    /// What `--version` prints.
    static let version = "belfry \(BelfryVersion.number)"

    /// Every command, in the order of the help.
    static let commands: [Command] = [
        .push, .call, .hangup, .answer, .decline, .silence, .end, .hold, .mute, .keypad, .merge, .split, .app, .calls,
        .alerts, .directory, .watch, .group, .config, .status, .doctor, .serve, .apns, .device, .fleet,
        .newExtension, .newApp, .importFiles, .pack, .help,
    ]

    /// Runs the command in `words`, the command line without the program's name.
    static func run(_ words: [String], environment: [String: String], output: Output) -> ProgramStatus {
        do throws(CommandError) {
            return try dispatch(words, environment, output)
        } catch {
            if !error.problem.isEmpty { output.complaint(Printable.escaped(error.message)) }
            return error.status
        }
    }

    private static func dispatch(
        _ words: [String], _ environment: [String: String], _ output: Output
    ) throws(CommandError) -> ProgramStatus {
        let before = try OptionParser.parse(words, Option.common, stopsAtFirstArgument: true)
        if before.has("version") {
            output.line(version)
            return .done
        }
        guard let name = before.arguments.first else {
            guard before.has("help") else { throw CommandError(.usage, "no command is given", "see belfry --help") }
            output.line(HelpText.overview(commands))
            return .done
        }
        let command = try command(name)
        var options = try parse(Array(before.arguments.dropFirst()), of: command)
        // An option after the command's name wins over the same one before it.
        options.values.merge(before.values) { inner, _ in inner }
        if options.has("help") {
            output.line(HelpText.page(of: command))
            return .done
        }
        if options.has("version") {
            output.line(version)
            return .done
        }
        guard command.arguments.contains(options.arguments.count) else {
            let extra = options.arguments.dropFirst(command.arguments.upperBound).map { "\"\($0)\"" }
            let problem = extra.isEmpty ? "needs more arguments" : "does not take " + extra.joined(separator: ", ")
            throw CommandError(.usage, "belfry \(name) \(problem)", "belfry \(command.synopsis[0])")
        }
        try ForeignHome.refuse(command, options, environment, words)
        return try command.run(Context(options: options, environment: environment, output: output))
    }

    /// The command called `name`.
    static func command(_ name: String) throws(CommandError) -> Command {
        if let command = commands.first(where: { $0.name == name }) { return command }
        let meant = NearestName.nearest(to: name, of: commands.map(\.name))
        throw CommandError(
            .usage, "there is no command \(name)", meant.map { "did you mean \($0)?" } ?? "see belfry --help")
    }

    /// Reads the options of `command`, which may come before, between and after its arguments.
    private static func parse(_ words: [String], of command: Command) throws(CommandError) -> ParsedOptions {
        let known = command.options + Option.common
        if command.takesCommandLine { return try OptionParser.parse(words, known, stopsAtFirstArgument: true) }
        guard let verbatimCount = command.verbatimCount else {
            return try OptionParser.parse(words, known, stopsAtFirstArgument: false)
        }
        var parsed = try OptionParser.parse(words, known, stopsAtFirstArgument: true)
        let name = parsed.arguments.prefix(1)
        let between = try OptionParser.parse(Array(parsed.arguments.dropFirst()), known, stopsAtFirstArgument: true)
        let count = verbatimCount(name + between.arguments) - name.count
        let kept = between.arguments.prefix(max(count, 0))
        let behind = try OptionParser.parse(
            Array(between.arguments.dropFirst(kept.count)), known, stopsAtFirstArgument: false)
        parsed.arguments = name + kept + behind.arguments
        for values in [between.values, behind.values] { parsed.values.merge(values) { $1 } }
        return parsed
    }
}

/// What `--help` prints.
enum HelpText {
    /// How the program ends, and when.
    static let exitStatuses = [
        ["0", "done"], ["1", "the extension misses something (import, pack)"], ["64", "wrong usage"],
        ["65", "the notification was rejected; lines of a file or the input were refused (directory)"],
        ["66", "no such call, key or file"],
        [
            "69",
            "no socket to push to; doctor: calls would not ring; an app did not do it (end, hold, mute, keypad, …)",
        ],
        ["70", "a defect of Belfry"], ["75", "the connection ended before the delivery or the call's end was told"],
        ["78", "mistakes in the configuration (config check)"], ["130", "Ctrl-C; a call rings on"],
    ]

    /// The list of commands.
    static func overview(_ commands: [Command]) -> String {
        let usage = "Usage: belfry COMMAND [OPTION]... [ARGUMENT]...\nRings for incoming calls on Linux."
        let list = indented(commands.map { [$0.name, $0.summary] })
        let footer = "belfry help COMMAND says more about one."
        return [
            usage, "Commands:\n" + list, "Options of every command:\n" + indented(rows(Option.common)),
            "Exit status:\n" + indented(exitStatuses), footer,
        ].joined(separator: "\n\n")
    }

    /// The help of one command.
    static func page(of command: Command) -> String {
        let usage = command.synopsis.enumerated().map { ($0 == 0 ? "Usage: belfry " : "       belfry ") + $1 }
        var parts = [
            (usage + [command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."])
                .joined(separator: "\n")
        ]
        if !command.details.isEmpty { parts.append(command.details) }
        parts.append("Options:\n" + indented(rows(command.options + Option.common)))
        return parts.joined(separator: "\n\n")
    }

    private static func rows(_ options: [Option]) -> [[String]] {
        options.map { [$0.spelling, $0.summary] }
    }

    private static func indented(_ rows: [[String]]) -> String {
        TableText.lines(rows).map { "  " + $0 }.joined(separator: "\n")
    }
}
