/// Why a command ends without having done what was asked.
struct CommandError: Error, Equatable {
    /// How the program ends.
    let status: ProgramStatus
    /// What is wrong, without a full stop.
    let problem: String
    /// What to do about it, without a full stop; may be empty.
    let remedy: String

    /// An error that ends the program with `status`.
    init(_ status: ProgramStatus, _ problem: String, _ remedy: String = "") {
        self.status = status
        self.problem = problem
        self.remedy = remedy
    }

    /// What standard error says: `belfry: what is wrong: what to do`.
    var message: String { "belfry: " + problem + (remedy.isEmpty ? "" : ": " + remedy) }
}
