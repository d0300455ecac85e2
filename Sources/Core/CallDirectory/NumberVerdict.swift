public import BelfryTerms

/// Where a number was found.
public enum NumberSource: Hashable, Sendable {
    /// The person's address book.
    case contacts
    /// The list that the person keeps by `belfry directory`.
    case list
    /// An extension of the call directory, and the name of its app.
    case `extension`(id: String, app: String)

    /// What `labelFrom` says: `contacts`, `list`, or the name of the extension's app. An app without a name, or with
    /// one of those two, has the extension's identifier beside it: it passes for neither.
    public var name: String {
        switch self {
        case .contacts: NumberLabel.contacts
        case .list: NumberLabel.list
        case .extension(let id, let app):
            switch app {
            case "": "(\(id))"
            case NumberLabel.contacts, NumberLabel.list: "\(app) (\(id))"
            default: Printable.escaped(app)
            }
        }
    }
}

/// What all sources together say of a number (R24).
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

    /// The label as events say it; nil if there is none.
    public var known: NumberLabel? {
        guard let label, let labelledBy else { return nil }
        return NumberLabel(label, from: labelledBy.name)
    }

    /// The title of a call that has no name of its own: the label, and before an extension's its app, so that what a
    /// caller sends never passes for one. Nil without a label.
    public var title: String? { known?.title }
}

/// Says what the sources know of the number that a handle is: nothing of a handle that is none. What is wrong with a
/// source is said to the second argument, for people.
public typealias NumberLookUp = @Sendable (_ handle: String, _ complain: (String) -> Void) -> NumberVerdict
