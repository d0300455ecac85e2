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
    /// How many of its arguments are left as they are, hyphens included, given all words from the first argument on;
    /// nil where options may stand anywhere.
    var verbatimCount: (@Sendable ([String]) -> Int)?
    /// What it does.
    let run: @Sendable (Context) throws(CommandError) -> ProgramStatus
}
