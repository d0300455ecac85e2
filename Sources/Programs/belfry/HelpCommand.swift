import BelfryCommandLine
import BelfryTerms

extension Command {
    /// `belfry help`.
    static let help = Command(
        name: "help", synopsis: ["help [COMMAND]", "help --completion SHELL", "help --man PAGE"],
        summary: "what there is, or what a command does",
        details: """
            With --completion it prints what completes belfry's command lines in a shell: bash, zsh or fish. With --man it
            prints a manual page: belfry.1, belfry-worker.8 or belfry.conf.5. "make install" puts all of them in place.
            """,
        options: [
            Option("completion", "SHELL", "print what completes command lines", Completion.allCases.map(\.rawValue)),
            Option("man", "PAGE", "print a manual page", ManualPage.allCases.map(\.rawValue)),
        ],
        arguments: 0...1, completes: .command
    ) { context throws(CommandError) in
        if let word = context.options["completion"] {
            guard let shell = Completion(rawValue: word) else { throw noSuch("shell", word, Completion.allCases) }
            context.output.bytes(Array(shell.text.utf8))
        } else if let word = context.options["man"] {
            guard let page = ManualPage(rawValue: word) else { throw noSuch("page", word, ManualPage.allCases) }
            context.output.bytes(Array(page.text.utf8))
        } else if let name = context.options.arguments.first {
            context.output.line(HelpText.page(of: try Program.command(name)))
        } else {
            context.output.line(HelpText.overview(Program.commands))
        }
        return .done
    }

    private static func noSuch<Word: RawRepresentable<String>>(
        _ kind: String, _ word: String, _ known: [Word]
    ) -> CommandError {
        CommandError(
            .usage, "there is no \(kind) \(word) to write for",
            "one of " + known.map(\.rawValue).joined(separator: ", "))
    }
}
