public import BootTime
public import PropertyList
public import Syscalls

/// The group file as it was at one moment.
public struct GroupSnapshot: Sendable {
    /// How the file was found.
    public enum Status: Hashable, Sendable {
        /// It was read, and ``GroupSnapshot/root`` is what it says.
        case read
        /// There is none: nobody has written to the group yet, or somebody removed it.
        case missing
        /// It is there but cannot be used; why, for people.
        case unreadable(detail: String)
    }

    /// What the file says; empty unless ``status`` is `read`. A key counts as removed only then.
    public let root: PropertyListDictionary
    /// How the file was found.
    public let status: Status
    /// Which version it is; nil where there is none.
    public let identity: FileIdentity?
    /// When it was last written, on the boot clock as the wall clock stands now; before zero for a time before this
    /// boot.
    public let modifiedAt: Instant?
    /// Changes whenever what this process knows of the file does: two snapshots of one ``GroupFile`` that have the same
    /// say the same.
    public let revision: UInt64

    /// Whether it is there but cannot be used.
    var isUnreadable: Bool {
        if case .unreadable = status { true } else { false }
    }
}
