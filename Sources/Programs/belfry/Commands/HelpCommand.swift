import BelfryCommandLine

extension Command {
    /// `belfry help`.
    static let help = Command(
        name: "help", synopsis: ["help [COMMAND]"], summary: "what there is, or what a command does", arguments: 0...1
    ) { context throws(CommandError) in
        if let name = context.options.arguments.first {
            context.output.line(HelpText.page(of: try Program.command(name)))
        } else {
            context.output.line(HelpText.overview(Program.commands))
        }
        return .done
    }
}
