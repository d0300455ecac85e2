/// Why something about a fleet cannot be done.
public struct FleetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What it is about.
    public enum Kind: Hashable, Sendable {
        /// The state, or the machine.
        case store
        /// What was asked for is not there.
        case absent
        /// What was asked for is there already.
        case present
        /// What was given is no such thing, or too much.
        case unusable
    }

    /// What it is about.
    public let kind: Kind
    /// What is wrong, for people.
    public let description: String

    /// A failure.
    init(_ description: String, _ kind: Kind = .store) {
        self.description = description
        self.kind = kind
    }
}
