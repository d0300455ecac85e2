/// What `--help` prints.
enum HelpText {
    private static let exitStatuses = [
        ["0", "done"], ["64", "wrong usage"], ["65", "the notification was rejected"],
        ["66", "no such call or key"], ["69", "no socket to push to; doctor: calls would not ring"],
        ["70", "a defect of Belfry"], ["75", "the connection ended before the notification was delivered"],
        ["78", "mistakes in the configuration (config check)"],
    ]

    /// The list of commands.
    static func overview(_ commands: [Command]) -> String {
        let usage = "Usage: belfry COMMAND [OPTION]... [ARGUMENT]...\nRings for incoming calls on Linux."
        let list = indented(commands.map { [$0.name, $0.summary] })
        let footer = "belfry COMMAND --help says more about one."
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
        options.map { option in
            let letter = option.name == "help" ? "-h, " : ""
            return [letter + "--\(option.name)" + (option.argument.map { " \($0)" } ?? ""), option.summary]
        }
    }

    private static func indented(_ rows: [[String]]) -> String {
        TableText.lines(rows).map { "  " + $0 }.joined(separator: "\n")
    }
}
