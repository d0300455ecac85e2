/// What of a group file somebody waits for: all that is outside of one dictionary, and a few of that dictionary's
/// members.
public struct GroupFocus: Hashable, Sendable {
    /// The key of the dictionary whose other members do not matter.
    public let dictionary: String
    /// The keys of those members that do; the first matters most.
    public let members: [String]

    /// All that is outside of `dictionary`, and its `members`.
    public init(dictionary: String, members: [String]) {
        self.dictionary = dictionary
        self.members = members
    }
}
