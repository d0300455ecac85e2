public import BootTime
public import PropertyList
public import Syscalls

/// What a transaction changes.
public struct GroupEdit {
    /// What the file says, to be changed in place; empty where it could not be read.
    public var root: PropertyListDictionary
    /// Set it where the change must outlive a power cut: it is then written through to the disk (fsync), which may take
    /// long.
    public var isDurable = false
    /// The file as the transaction found it.
    public let found: GroupSnapshot
}

/// What became of a transaction's change.
public enum GroupOutcome: Hashable, Sendable {
    /// It is in the file.
    case written
    /// It changed nothing, so nothing was written.
    case unchanged
    /// It was made, but the file could not be written: nobody else will see it.
    case failed(SystemError)
}

/// How a transaction went.
public struct GroupTransaction<Result> {
    /// What the change returned.
    public let value: Result
    /// What became of it.
    public let outcome: GroupOutcome
    /// What the operator should know.
    public let warnings: [GroupWarning]
    /// How long it waited for its turn.
    public let waited: TimeSpan
}
