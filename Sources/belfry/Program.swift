import Configuration
import Events

/// The command line as a whole: finds the command, reads its options, runs it, and says what went wrong.
enum Program {
    /// What `--version` prints.
    static let version = "belfry 0.1.0"

    /// Every command, in the order of the help.
    static let commands: [Command] = [
        .push, .call, .hangup, .answer, .decline, .app, .calls, .watch, .group, .config, .doctor,
    ]

    /// Runs what `words`, the command line without the program's name, asks for.
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
        guard let command = commands.first(where: { $0.name == name }) else {
            let meant = NearestName.nearest(to: name, of: commands.map(\.name))
            throw CommandError(
                .usage, "there is no command \(name)", meant.map { "did you mean \($0)?" } ?? "see belfry --help")
        }
        var options = try parse(Array(before.arguments.dropFirst()), of: command)
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
            let problem = options.arguments.count < command.arguments.lowerBound ? "needs more" : "takes fewer"
            throw CommandError(.usage, "belfry \(name) \(problem) arguments", "belfry \(command.synopsis[0])")
        }
        return try command.run(Context(options: options, environment: environment, output: output))
    }

    /// Reads the options of `command`, which may stand before, between and behind its arguments.
    private static func parse(_ words: [String], of command: Command) throws(CommandError) -> ParsedOptions {
        let known = command.options + Option.common
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
