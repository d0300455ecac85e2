/// Who has a caller's number, as a source of the person's says: never what the caller says (R24).
public struct NumberLabel: Hashable, Sendable {
    /// `contacts`, the source that is the person's address book.
    public static let contacts = "contacts"
    /// `list`, the source that is the list which the person keeps.
    public static let list = "list"

    /// Who it is.
    public let text: String
    /// Who says so: ``contacts``, ``list``, or else the name of an app.
    public let source: String

    /// A label of a source.
    public init(_ text: String, from source: String) { (self.text, self.source) = (text, source) }

    /// The title of a call that has no name of its own: an app's label stands behind the app's name, so that it passes
    /// neither for the person's own word nor for the caller's.
    public var title: String { source == Self.contacts || source == Self.list ? text : "\(source): \(text)" }
}
