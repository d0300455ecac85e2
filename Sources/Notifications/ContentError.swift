/// Why an object is no notification content: which field, and what stands there instead of what.
public struct ContentError: Error, Hashable, Sendable {
    /// The field, with its way from the outermost object, such as `sound.volume`.
    public let field: String
    /// What was found and what was expected, for people.
    public let detail: String
}

extension ContentError: CustomStringConvertible {
    /// Field and detail in one line.
    public var description: String { "\(field): \(detail)" }
}
