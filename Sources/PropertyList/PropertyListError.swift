/// Why bytes are not a property list that can be used: a code for programs, the rest for people.
public struct PropertyListError: Error, Hashable, Sendable {
    /// The kinds of failure.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// Larger than ``PropertyListLimits/bytesMax``.
        case tooLarge
        /// Nothing but white space.
        case empty
        /// The text ends before the property list does.
        case incomplete
        /// Neither XML nor binary as a property list has it.
        case syntax
        /// A text that is not UTF-8.
        case notUTF8
        /// A number, date or data whose text says none, or one that no type can hold.
        case badValue
        /// The outermost value is no dictionary.
        case rootNotDictionary
        /// Nested deeper than ``PropertyListLimits/depthMax``.
        case tooDeep
        /// More values than ``PropertyListLimits/valuesMax``, or shared ones that unfold to more than
        /// ``PropertyListLimits/unfoldedBytesMax``.
        case tooManyValues
    }

    /// Which kind.
    public let code: Code
    /// Where, in bytes from the start; nil where no place can be named.
    public let offset: Int?
    /// What was found or expected, for people.
    public let detail: String

    init(_ code: Code, at offset: Int? = nil, _ detail: String) {
        self.code = code
        self.offset = offset
        self.detail = detail
    }
}

extension PropertyListError: CustomStringConvertible {
    /// Detail and place in one line.
    public var description: String { offset.map { "\(detail) (byte \($0))" } ?? detail }
}
