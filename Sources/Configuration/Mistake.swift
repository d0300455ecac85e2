/// Something in a configuration that is not in force, and why.
public struct Mistake: Hashable, Sendable, CustomStringConvertible {
    /// What kind of mistake it is.
    public enum Code: String, CaseIterable, Sendable {
        /// A file or directory cannot be read, or is no regular file.
        case unreadable
        /// A file is larger than ``FileReader/bytesMax``, or there are more drop-ins or mistakes than are read.
        case tooLarge = "too-large"
        /// A file is not UTF-8, or holds a NUL.
        case notText = "not-text"
        /// A line is neither a section, a comment, nor `Key=value`.
        case badLine = "bad-line"
        /// There is no such section, or a key stands before the first one.
        case unknownSection = "unknown-section"
        /// There is no such key in its section, or no such environment variable.
        case unknownKey = "unknown-key"
        /// The value is not what the key takes.
        case badValue = "bad-value"
    }

    /// What kind of mistake it is.
    public let code: Code
    /// Where it stands.
    public let origin: Origin
    /// What is wrong, what was expected and what is done instead, for people.
    public internal(set) var detail: String
    /// The setting that keeps another value because of it.
    let setting: Setting?

    /// A mistake at `origin`.
    init(_ code: Code, at origin: Origin, setting: Setting? = nil, _ detail: String) {
        self.code = code
        self.origin = origin
        self.setting = setting
        self.detail = detail
    }

    /// One line for people, its place first.
    public var description: String { "\(origin): \(detail)" }
}
