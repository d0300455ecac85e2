/// A message that came by a line.
public struct LineMessage: Hashable, Sendable {
    /// What came.
    public enum Kind: Hashable, Sendable {
        /// What somebody published.
        case published
        /// The broker's answer to a question that nobody listens to.
        case noResponders
        /// The broker's word to a subscriber of a stream, such as 100.
        case status(Int)
    }

    /// What it is.
    public let kind: Kind
    /// The subject it was published to.
    public let subject: String
    /// Where its asker wants the answer; nil if nowhere.
    public let reply: String?
    /// Its headers, each with its first value.
    public let headers: [String: String]
    /// What it says.
    public let bytes: [UInt8]
}
