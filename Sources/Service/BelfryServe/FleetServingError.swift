public import BelfrySyscalls

/// Why there can be no device of a fleet for a test.
public struct FleetServingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Kind: Hashable, Sendable {
        /// The credential's file is not there, or cannot be read.
        case unreadable
        /// It is no credential, or none that many test jobs may have.
        case unfit
        /// What else is needed is not there, such as a broker that lets it in, a gateway, or a program.
        case unavailable
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// What failed, for people.
    public let description: String

    init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

    /// A system call that failed on the way.
    public init(_ error: SystemError) { self.init(.unavailable, "\(error)") }

    /// What a program complained of before it gave up doing `words`.
    init(_ complaints: [String], of words: [String]) {
        let prefix = "belfry: "
        let lines = complaints.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        self.init(
            .unavailable, lines.isEmpty ? "\(words.joined(separator: " ")) has failed" : lines.joined(separator: "; "))
    }
}
