import BelfryCommandLine

extension Option {
    /// Its spelling in the help and the manual.
    var spelling: String { (name == "help" ? "-h, " : "") + "--\(name)" + (argument.map { " \($0)" } ?? "") }

    /// The options that every command takes, before or after its name.
    static let common = [
        Option("socket", "PATH", "push to this socket ($BELFRY_SOCKET)"),
        Option("group", "NAME", "use this app group ([AppGroup] Name=, $BELFRY_APP_GROUP)"),
        Option("json", "print JSON, one object a line"),
        Option("help", "show this help"),
        Option("version", "show the version"),
    ]
}
