import BelfryTerms
import CBelfryJansson

extension JSONValue {
    /// How to return an integer that fits 64 bits neither with a sign nor without.
    public enum OversizeIntegers: Hashable, Sendable {
        /// The nearest real, as Apple's reader has it.
        case asReals
        /// A string of its digits, for callers that need every digit.
        case asDigits
    }

    /// Reads one JSON value (RFC 8259) by jansson, whatever its kind; a byte order mark before it is skipped.
    ///
    /// Numbers without fraction and exponent are integers, `-0` included; all others are reals, too small ones 0.
    /// A number beyond a 64-bit real, half a surrogate pair and a key that occurs twice are errors.
    public static func parse(
        _ bytes: [UInt8],
        limits: JSONLimits = JSONLimits(),
        oversizeIntegers: OversizeIntegers = .asReals
    ) throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.bytesMax else {
            throw JSONError(
                code: .tooLarge,
                detail: "the text has \(bytes.count) bytes, expected at most \(limits.bytesMax)"
            )
        }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
        switch load(text, limits: limits) {
        case .success(let value): return value
        case .failure(let error) where error.code == .numberTooLarge:
            // jansson refuses what Apple reads. Only the integers that do not fit are respelled, so the others stay
            // exact; a real beyond the range fails again, and finally.
            let respelling = OversizeIntegerRespelling(of: text, as: oversizeIntegers)
            guard respelling.changes else { throw error }
            return try load(respelling.text, limits: limits, origin: respelling).get()
        case .failure(let error): throw error
        }
    }

    private static func load(
        _ text: [UInt8],
        limits: JSONLimits,
        origin: OversizeIntegerRespelling? = nil
    ) -> Result<JSONValue, JSONError> {
        var failure = json_error_t()
        let flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL
        let root = unsafe text.withUnsafeBytes { raw in
            unsafe json_loadb(raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count, Int(flags), &failure)
        }
        guard let root = unsafe root else {
            return .failure(JSONError(failure, text: text, origin: origin))
        }
        defer { unsafe json_decref(root) }
        var reader = TreeReader(limits: limits, unsigned: origin?.unsigned ?? [:])
        do throws(JSONError) {
            return .success(unsafe try reader.value(of: root, depth: 0))
        } catch {
            return .failure(error)
        }
    }
}

/// Turns jansson's tree into ours and counts on the way.
private struct TreeReader {
    let limits: JSONLimits
    /// The numbers of the text that fit 64 bits only without a sign, by their place among its numbers.
    let unsigned: [Int: UInt64]
    var valueCount = 0
    var numberCount = 0

    init(limits: JSONLimits, unsigned: [Int: UInt64]) {
        self.limits = limits
        self.unsigned = unsigned
    }

    mutating func value(of node: UnsafeMutablePointer<json_t>, depth: Int) throws(JSONError) -> JSONValue {
        valueCount += 1
        guard valueCount <= limits.valuesMax else {
            throw JSONError(code: .tooManyValues, detail: "more than \(limits.valuesMax) values")
        }
        switch unsafe node.pointee.type {
        case JSON_NULL: return .null
        case JSON_TRUE: return .bool(true)
        case JSON_FALSE: return .bool(false)
        case JSON_INTEGER:
            numberCount += 1
            return .integer(unsafe Int64(json_integer_value(node)))
        case JSON_REAL:
            defer { numberCount += 1 }
            return unsigned[numberCount].map { .unsigned($0) } ?? .real(unsafe json_real_value(node))
        case JSON_STRING:
            return .string(unsafe text(json_string_value(node), count: json_string_length(node)))
        case JSON_ARRAY: return .array(unsafe try elements(of: node, depth: depth + 1))
        case JSON_OBJECT: return .object(unsafe try members(of: node, depth: depth + 1))
        default: return .null
        }
    }

    private mutating func elements(
        of array: UnsafeMutablePointer<json_t>,
        depth: Int
    ) throws(JSONError) -> [JSONValue] {
        try check(depth: depth)
        let count = unsafe json_array_size(array)
        var elements: [JSONValue] = []
        elements.reserveCapacity(min(count, limits.valuesMax))
        for index in 0..<count {
            guard let element = unsafe json_array_get(array, index) else { break }
            elements.append(unsafe try value(of: element, depth: depth))
        }
        return elements
    }

    private mutating func members(of object: UnsafeMutablePointer<json_t>, depth: Int) throws(JSONError) -> JSONObject {
        try check(depth: depth)
        var members = JSONObject()
        // jansson's iterator goes in the order of the text, and it has refused keys that occur twice.
        var iterator = unsafe json_object_iter(object)
        while let current = unsafe iterator {
            guard let member = unsafe json_object_iter_value(current) else { break }
            let key = unsafe text(json_object_iter_key(current), count: json_object_iter_key_len(current))
            members.append(newKey: key, unsafe try value(of: member, depth: depth))
            unsafe iterator = json_object_iter_next(object, current)
        }
        return members
    }

    private func check(depth: Int) throws(JSONError) {
        guard depth <= limits.depthMax else {
            throw JSONError(code: .tooDeep, detail: "nested more than \(limits.depthMax) deep")
        }
    }

    private func text(_ start: UnsafePointer<CChar>?, count: Int) -> String {
        guard let start = unsafe start else { return "" }
        return unsafe String(
            decoding: UnsafeRawBufferPointer(start: start, count: count),
            as: UTF8.self
        )
    }
}

extension JSONError {
    /// jansson's error, with the place counted in the text as it came.
    fileprivate init(_ failure: json_error_t, text: [UInt8], origin: OversizeIntegerRespelling?) {
        var failure = failure
        let code: Code
        switch unsafe json_error_code(&failure) {
        case json_error_out_of_memory: code = .outOfMemory
        case json_error_stack_overflow: code = .tooDeep
        case json_error_invalid_utf8: code = .notUTF8
        case json_error_duplicate_key: code = .duplicateKey
        case json_error_null_byte_in_key: code = .nulInKey
        case json_error_numeric_overflow: code = .numberTooLarge
        case json_error_premature_end_of_input:
            code = text.allSatisfy { isJSONWhiteSpace($0) } ? .empty : .incomplete
        default: code = .syntax
        }
        let message = unsafe withUnsafeBytes(of: &failure.text) { raw in
            // The last byte carries the code.
            unsafe String(decoding: raw.dropLast().prefix { $0 != 0 }, as: UTF8.self)
        }
        let source = origin?.original ?? text
        let position = min(max(Int(failure.position), 0), text.count)
        let before = source.prefix(origin?.position(inOriginal: position) ?? position)
        let newline = UInt8(ascii: "\n")
        let lastLine = before.lastIndex(of: newline).map { before[($0 + 1)...] } ?? before
        self.init(
            code: code,
            line: 1 + before.reduce(0) { $0 + ($1 == newline ? 1 : 0) },
            // Continuation bytes are no characters of their own.
            column: max(1, lastLine.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }),
            detail: code == .empty ? "nothing but white space" : Printable.excerpt(of: message, charactersMax: 200)
        )
    }
}

/// White space as RFC 8259 has it.
func isJSONWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

/// How much JSON is read before it is refused: its writer may be hostile.
public struct JSONLimits: Hashable, Sendable {
    /// Text longer than this, in bytes, is not looked at.
    public var bytesMax: Int
    /// Arrays and objects inside one another; the outermost counts 1.
    public var depthMax: Int
    /// Values of any kind, containers included and keys not.
    public var valuesMax: Int

    /// For lines that Belfry wrote around a foreign value, which may itself be as large as the default limits allow.
    public static let aroundForeignValue = JSONLimits(depthMax: 40, valuesMax: 10_100)

    /// Limits, by default what S5 gives everything that comes from outside.
    public init(bytesMax: Int = 1_048_576, depthMax: Int = 32, valuesMax: Int = 10_000) {
        self.bytesMax = bytesMax
        self.depthMax = depthMax
        self.valuesMax = valuesMax
    }
}

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
        /// A key occurs twice in one object.
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
    /// Line on which it was noticed, from 1; 0 if no place can be named.
    public let line: Int
    /// Character of that line, from 1; 0 if no place can be named.
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

/// A copy of JSON text in which integers beyond 64 bits are spelled so that jansson reads them.
struct OversizeIntegerRespelling {
    /// The text as it came.
    let original: [UInt8]
    /// The text to read instead.
    private(set) var text: [UInt8] = []
    /// The integers that fit 64 bits only without a sign, by their place among the numbers of ``text``, where they are
    /// spelled as reals.
    private(set) var unsigned: [Int: UInt64] = [:]
    private var numberCount = 0
    private var insertions: [(position: Int, count: Int)] = []

    /// Whether any integer had to be respelled.
    var changes: Bool { !insertions.isEmpty }

    /// Looks at every number outside strings; text that is not JSON comes out as it went in, or nearly so.
    init(of original: [UInt8], as spelling: JSONValue.OversizeIntegers) {
        self.original = original
        text.reserveCapacity(original.count + 64)
        var index = 0
        var isInString = false
        while index < original.count {
            let byte = original[index]
            if isInString {
                text.append(byte)
                index += 1
                if byte == UInt8(ascii: "\\"), index < original.count {
                    text.append(original[index])
                    index += 1
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            guard Self.isOfNumber(byte) else {
                isInString = byte == UInt8(ascii: "\"")
                text.append(byte)
                index += 1
                continue
            }
            let end = original[index...].firstIndex { !Self.isOfNumber($0) } ?? original.count
            appendNumber(original[index..<end], as: spelling)
            index = end
        }
    }

    /// Where `position` of the new text lies in the original.
    func position(inOriginal position: Int) -> Int {
        var shift = 0
        for insertion in insertions where insertion.position < position { shift += insertion.count }
        return min(max(position - shift, 0), original.count)
    }

    private mutating func appendNumber(_ literal: ArraySlice<UInt8>, as spelling: JSONValue.OversizeIntegers) {
        let digits = literal.first == UInt8(ascii: "-") ? literal.dropFirst() : literal
        let isInteger = !digits.isEmpty && digits.allSatisfy(Self.isDigit)
        // A leading zero is an error of syntax and has to stay one: as a string it would pass.
        let isWellFormed = isInteger && (digits.count == 1 || digits.first != UInt8(ascii: "0"))
        let spelled = String(decoding: literal, as: UTF8.self)
        let needsRespelling = isWellFormed && Int64(spelled) == nil
        let exact = needsRespelling ? UInt64(spelled) : nil
        if needsRespelling, exact == nil, spelling == .asDigits {
            insert("\"")
            text.append(contentsOf: literal)
            insert("\"")
            return
        }
        text.append(contentsOf: literal)
        if needsRespelling { insert(".0") }
        unsigned[numberCount] = exact
        // A letter of `true` or `false` can look like part of a number.
        if literal.contains(where: Self.isDigit) { numberCount += 1 }
    }

    private mutating func insert(_ addition: StaticString) {
        insertions.append((position: text.count, count: addition.utf8CodeUnitCount))
        text.append(contentsOf: addition.description.utf8)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
