/// Something the operator should know of the group file.
public enum GroupWarning: Hashable, Sendable {
    /// Written without the lock: `holder` kept it too long, nil where that cannot be told. Or the lock could not be
    /// made.
    case locked(holder: Int32?, detail: String)
    /// The file could not be read and was set aside as `keptAs`.
    case corrupt(keptAs: String, detail: String)

    /// Its code in a `warning` event.
    public var code: String {
        switch self {
        case .locked: "group-locked"
        case .corrupt: "group-corrupt"
        }
    }

    /// What happened, for people.
    public var detail: String {
        switch self {
        case .locked(_, let detail), .corrupt(_, let detail): detail
        }
    }
}
