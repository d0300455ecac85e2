extension PropertyListDictionary {
    /// Reads a property list whose outermost value is a dictionary, binary or XML, under ``PropertyListLimits``.
    ///
    /// Both are read here and not by libplist: version 2.2.0 takes `010` for 8 and -9223372036854775809 for a positive
    /// number, needs quadratic time for entities, frees deep nesting by recursion, copies what a binary file shares for
    /// each use, and ends the process on a key with U+0000.
    public static func parse(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListDictionary {
        guard bytes.count <= PropertyListLimits.bytesMax else {
            throw PropertyListError(
                .tooLarge, "found \(bytes.count) bytes, expected at most \(PropertyListLimits.bytesMax)")
        }
        let isBinary = bytes.starts(with: "bplist".utf8)
        let root = try isBinary ? BinaryReader.value(of: bytes) : XMLReader.value(of: bytes)
        guard case .dictionary(let dictionary) = root else {
            throw PropertyListError(.rootNotDictionary, "the outermost value is no dictionary")
        }
        return dictionary
    }
}

/// How much of a property list is read before it is refused: its writer may be hostile, or broken.
public enum PropertyListLimits {
    /// Largest file, in bytes.
    public static let bytesMax = 1_048_576
    /// Dictionaries and arrays inside one another; the outermost counts 1.
    public static let depthMax = 32
    /// Values of any kind, containers included and keys not: three times what a thousand calls need.
    public static let valuesMax = 50_000
    /// Bytes of text and data once everything that a binary property list shares has been copied for each use.
    public static let unfoldedBytesMax = 4 * bytesMax
}

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
    /// Where, in bytes from the start; nil if no place can be named.
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
