/// Why text is not the JSON that was asked for: a code for programs, the rest for people.
public struct JSONError: Error, Hashable, Sendable {
    /// The kinds of failure.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The text is longer than the limit.
        case tooLarge
        /// The text is not UTF-8, or a string holds half of a surrogate pair in bytes.
        case notUTF8
        /// There is nothing but white space.
        case empty
        /// The text ends before the value does.
        case incomplete
        /// Anything else that the grammar of RFC 8259 does not allow.
        case syntax
        /// A key stands twice in one object.
        case duplicateKey
        /// A key holds U+0000, which jansson cannot keep.
        case nulInKey
        /// A number is beyond what a 64-bit real can hold, such as `1e400`.
        case numberTooLarge
        /// Arrays and objects are nested deeper than the limit.
        case tooDeep
        /// There are more values than the limit.
        case tooManyValues
        /// There is no memory.
        case outOfMemory
    }

    /// Which kind.
    public let code: Code
    /// Line on which it was noticed, from 1; 0 where no place can be named.
    public let line: Int
    /// Character of that line, from 1; 0 where no place can be named.
    public let column: Int
    /// What was found, with control characters escaped, at most a few hundred characters.
    public let detail: String

    /// An error, without a place unless one is given.
    public init(code: Code, line: Int = 0, column: Int = 0, detail: String) {
        self.code = code
        self.line = line
        self.column = column
        self.detail = detail
    }
}

extension JSONError: CustomStringConvertible {
    /// Place and detail in one line.
    public var description: String { line == 0 ? detail : "line \(line), column \(column): \(detail)" }
}
