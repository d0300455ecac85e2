/// An option that a command takes.
struct Option: Sendable {
    /// Its long name without the hyphens.
    let name: String
    /// What its argument is called in the help; nil where it takes none.
    let argument: String?
    /// What it does, for the help.
    let summary: String

    /// A switch.
    init(_ name: String, _ summary: String) {
        self.name = name
        argument = nil
        self.summary = summary
    }

    /// An option with an argument.
    init(_ name: String, _ argument: String, _ summary: String) {
        self.name = name
        self.argument = argument
        self.summary = summary
    }

    /// The options that every command takes, before or behind its name.
    static let common = [
        Option("socket", "PATH", "push to this socket ($BELFRY_SOCKET)"),
        Option("group", "NAME", "use this app group ([AppGroup] Name=, $BELFRY_APP_GROUP)"),
        Option("json", "print JSON, one object a line"),
        Option("help", "show this help"),
        Option("version", "show the version"),
    ]
}
