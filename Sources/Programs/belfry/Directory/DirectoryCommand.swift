import BelfryCommandLine

extension Command {
    /// `belfry directory`.
    static let directory = Command(
        name: "directory",
        synopsis: [
            "directory block NUMBER...", "directory label NUMBER TEXT", "directory remove NUMBER...",
            "directory clear [--blocked|--labels]", "directory list", "directory lookup NUMBER...",
            "directory import FILE|-", "directory export", "directory enable ID", "directory disable ID",
            "directory order ID...", "directory reload ID|contacts", "directory status",
        ],
        summary: "who may not call, and who is calling: your own list, and apps' call directory extensions",
        details: """
            "block" has calls of NUMBER not ring, "label" says who it is, "remove" takes it off your list again. For NUMBER
            or FILE "-" is standard input: a number a line, for "label" with a blank, a tab or a comma and the text behind
            it. All of them are one change: if a number is wrong, none is made.

            "import" takes a file of comma-separated values as "export" writes them (number, label, blocked), or of
            vCards. What it refuses it names by line and reason, and takes the rest.

            "lookup" says which source decides about a number: your contacts, which are never blocked, then your list, then
            extensions in their order. "enable" has an extension of an app count, and loads it; "order" says whose labels
            come first; "reload" loads it anew, or your contacts ([Contacts] File=); "status" shows them all.
            """,
        options: [
            Option("blocked", "take off what is blocked, and keep labels (clear)"),
            Option("labels", "take off labels, and keep what is blocked (clear)"),
        ],
        arguments: 0...Int.max
    ) { context throws(CommandError) in
        let words = context.options.arguments
        let arguments = Array(words.dropFirst())
        for option in ["blocked", "labels"] where context.options.has(option) && words.first != "clear" {
            throw CommandError(.usage, "--\(option) goes with directory clear", "leave it out")
        }
        guard let verb = words.first.flatMap(DirectoryVerb.init(rawValue:)) else {
            let names = DirectoryVerb.allCases.map(\.rawValue)
            throw CommandError(
                .usage, words.first.map { "there is no belfry directory \($0)" } ?? "what about the directory?",
                names.dropLast().joined(separator: ", ") + " or \(names.last ?? "")")
        }
        guard verb.argumentsCount.contains(arguments.count) || verb == .label && arguments == ["-"] else {
            throw CommandError(
                .usage, "belfry directory \(verb) does not take that", "belfry directory \(verb.form)")
        }
        return try verb.run(arguments, context)
    }
}

/// What there is to do with the call directory.
private enum DirectoryVerb: String, CaseIterable {
    case block, label, remove, clear, list, lookup, `import`, export, enable, disable, order, reload, status

    var argumentsCount: ClosedRange<Int> {
        switch self {
        case .block, .remove, .lookup, .order: 1...Int.max
        case .label: 2...2
        case .clear, .list, .export, .status: 0...0
        case .import, .enable, .disable, .reload: 1...1
        }
    }

    /// The verb with what it takes.
    var form: String {
        switch self {
        case .block, .remove: "\(rawValue) NUMBER..."
        case .label: "label NUMBER TEXT"
        case .clear: "clear [--blocked|--labels]"
        case .list, .export, .status: rawValue
        case .lookup: "lookup NUMBER..."
        case .import: "import FILE|-"
        case .enable, .disable: "\(rawValue) ID"
        case .order: "order ID..."
        case .reload: "reload ID|contacts"
        }
    }

    func run(_ arguments: [String], _ context: Context) throws(CommandError) -> ProgramStatus {
        switch self {
        case .block: try ListCommands(context).block(arguments)
        case .label: try ListCommands(context).label(arguments)
        case .remove: try ListCommands(context).remove(arguments)
        case .clear: try ListCommands(context).clear()
        case .list: try ListPrinting(context).list()
        case .export: try ListPrinting(context).export()
        case .lookup: try ListPrinting(context).lookUp(arguments)
        case .import: try ListImport(context).run(arguments[0])
        case .enable: try ExtensionChoice(context).enable(arguments[0])
        case .disable: try ExtensionChoice(context).disable(arguments[0])
        case .order: try ExtensionChoice(context).order(arguments)
        case .reload: try ExtensionChoice(context).reload(arguments[0])
        case .status: try DirectoryStatus(context).print()
        }
    }
}
