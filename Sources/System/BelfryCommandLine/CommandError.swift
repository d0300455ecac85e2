/// How the program ends: the exit statuses that `docs/operations.md` lists, after sysexits(3).
public enum ProgramStatus: Int32, CaseIterable, Sendable {
    /// The command did what was asked.
    case done = 0
    /// Something is missing that an extension needs.
    case missing = 1
    /// The command line is wrong.
    case usage = 64
    /// The notification was rejected, or what a file holds is not what it should be.
    case badNotification = 65
    /// There is no such call, no such key, or no such file.
    case notFound = 66
    /// There is no socket to push to, or the machine cannot ring.
    case unavailable = 69
    /// A defect of Belfry: a worker sent what Belfry never sends.
    case defect = 70
    /// The socket took no connection, or the connection ended before everything was reported.
    case endedEarly = 75
    /// The configuration that `config check` read has mistakes.
    case badConfiguration = 78
    /// Ctrl-C; `main` ends the program by that signal, which a shell reports as this number.
    case interrupted = 130
}

/// Why a command ends without having done what was asked.
public struct CommandError: Error, Equatable {
    /// How the program ends.
    public let status: ProgramStatus
    /// What is wrong, without a full stop.
    public let problem: String
    /// What to do about it, without a full stop; may be empty.
    public let remedy: String

    /// An error that ends the program with `status`.
    public init(_ status: ProgramStatus, _ problem: String, _ remedy: String = "") {
        self.status = status
        self.problem = problem
        self.remedy = remedy
    }

    /// What standard error says: `belfry: what is wrong: what to do`.
    public var message: String { "belfry: " + problem + (remedy.isEmpty ? "" : ": " + remedy) }
}
