import BelfryCommandLine
import BelfryProtocol
import BelfryPush
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import Glibc

/// One command: its help, its options and arguments, and its action.
struct Command: Sendable {
    /// The command's name.
    let name: String
    /// The forms of the command, one line each, without `belfry`.
    let synopsis: [String]
    /// What the command does, in one line.
    let summary: String
    /// The command's help after the summary.
    var details = ""
    /// The options that the command takes besides ``Option/common``.
    var options: [Option] = []
    /// How many arguments the command takes.
    var arguments = 0...0
    /// Returns, for all words from the first argument on, how many arguments are taken literally, even with a hyphen;
    /// nil if options may come anywhere.
    var verbatimCount: (@Sendable ([String]) -> Int)?
    /// Whether the arguments are a command line: everything from the first of them on is taken literally.
    var takesCommandLine = false
    /// Runs the command.
    let run: @Sendable (Context) throws(CommandError) -> ProgramStatus
}

/// The input of a command: its options, the environment, the settings, and its output.
struct Context {
    /// The options and arguments.
    let options: ParsedOptions
    /// The environment.
    let environment: [String: String]
    /// Where the command prints.
    let output: Output
    /// The settings in force for the shell that runs the command.
    let loaded: LoadedSettings
    /// How words are coloured.
    let style: Style

    /// A context. Reads the configuration.
    init(options: ParsedOptions, environment: [String: String], output: Output) {
        self.options = options
        self.environment = environment
        self.output = output
        loaded = SettingsLoader.load(environment: Environment(environment))
        style = Style(isTerminal: output.isTerminal, environment: environment)
    }

    /// Prints a warning on standard error, and goes on.
    func warn(_ text: String) { output.complaint(Printable.escaped("belfry: warning: " + text)) }

    /// Whether JSON is wanted.
    var wantsJSON: Bool { options.has("json") }

    /// The app group of this command.
    var groupName: String { options["group"] ?? loaded.settings.appGroup }

    /// The app group that a push has to name; nil if the worker's configuration names the same one.
    ///
    /// The shell's environment may differ from the worker's, and both have to use the same file.
    var statedGroup: String? {
        if let group = options["group"] { return group }
        if case .environment = loaded.origin(of: .appGroupName) { return loaded.settings.appGroup }
        return nil
    }

    /// The program that a shell would run for `name`; nil if there is none.
    func program(_ name: String) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) { return unsafe access(name, F_OK) == 0 ? name : nil }
        let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(
            separator: ":", omittingEmptySubsequences: false)
        return folders.map { $0.isEmpty ? name : "\($0)/\(name)" }.first { unsafe access($0, X_OK) == 0 }
    }

    /// The push socket that the options or the environment name.
    func socket() throws(CommandError) -> PushSocket {
        do throws(PushError) {
            if let path = options["socket"] { return try PushSocket(path: path) }
            return try PushSocket(environment: environment)
        } catch {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    /// The command's failure for that of a push.
    init(_ error: PushError) {
        self.init(ProgramStatus(rawValue: error.exitStatus) ?? .defect, error.detail, error.remedy)
    }
}
