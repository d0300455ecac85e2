/// One command: what its help says, what it takes, and what it does.
struct Command: Sendable {
    /// Its name.
    let name: String
    /// How it is written, without `belfry`; one line each.
    let synopsis: [String]
    /// What it does, in one line.
    let summary: String
    /// What its help says beside that.
    var details = ""
    /// The options it takes beside ``Option/common``.
    var options: [Option] = []
    /// How many arguments it takes.
    var arguments = 0...0
    /// Whether what follows its first argument is left as it is, hyphens included.
    var stopsAtFirstArgument = false
    /// What it does.
    let run: @Sendable (Context) throws(CommandError) -> ProgramStatus
}
