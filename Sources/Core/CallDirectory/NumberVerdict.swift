/// Where a number was found.
public enum NumberSource: Hashable, Sendable {
    /// The person's address book.
    case contacts
    /// The list that the person keeps by `belfry directory`.
    case list
    /// An extension of the call directory, and the name of its app.
    case `extension`(id: String, app: String)

    /// What `labelFrom` says: `contacts`, `list`, or the name of the extension's app.
    public var name: String {
        switch self {
        case .contacts: "contacts"
        case .list: "list"
        case .extension(_, let app): app
        }
    }
}

/// What all sources together say of a number.
///
/// The person's address book wins, and a number of it is never blocked (Apple, since iOS 18). Then the person's own
/// list decides: what it labels and does not block is let through. Then the extensions, in the person's order: the
/// first that has a label names the number, and any of them blocks it.
public struct NumberVerdict: Hashable, Sendable {
    /// The source that blocks it; nil if it may ring.
    public private(set) var blockedBy: NumberSource?
    /// Who it is; nil if no source says.
    public private(set) var label: String?
    /// The source of the label; nil if there is none.
    public private(set) var labelledBy: NumberSource?
    private var isDecided = false

    /// What is known before any source was asked: nothing.
    public init() {}

    /// Whether its calls are not to ring.
    public var isBlocked: Bool { blockedBy != nil }

    /// Whether no further source needs to be asked.
    public var isFinal: Bool { isDecided || blockedBy != nil && label != nil }

    /// Adds what the next source says, in the order of the sources.
    public mutating func add(_ entry: NumberEntry, from source: NumberSource) {
        guard !isFinal else { return }
        if label == nil, let text = entry.label, !text.isEmpty { (label, labelledBy) = (text, source) }
        switch source {
        case .contacts: isDecided = true
        case .list:
            isDecided = true
            if entry.isBlocked { blockedBy = source }
        case .extension: if entry.isBlocked, blockedBy == nil { blockedBy = source }
        }
    }

    /// The title of a call that has no name of its own: the label, and before an extension's its app, so that what a
    /// caller sends never passes for one. Nil without a label.
    public var title: String? {
        guard let label, let labelledBy else { return nil }
        if case .extension(_, let app) = labelledBy { return "\(app): \(label)" }
        return label
    }
}
