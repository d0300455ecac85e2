import CJansson

extension JSONValue {
    /// What becomes of an integer that 64 bits with a sign cannot hold.
    public enum OversizeIntegers: Hashable, Sendable {
        /// The nearest real, as Apple's reader has it.
        case asReals
        /// A string of its digits, for whoever needs every one of them.
        case asDigits
    }

    /// Reads one JSON value (RFC 8259) by jansson, whatever its kind; a byte order mark before it is skipped.
    ///
    /// Numbers without fraction and exponent are integers, `-0` included; all others are reals, too small ones 0.
    /// A number beyond a 64-bit real, half a surrogate pair and a key that stands twice are errors.
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
        var reader = TreeReader(limits: limits)
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
    var valueCount = 0

    init(limits: JSONLimits) { self.limits = limits }

    mutating func value(of node: UnsafeMutablePointer<json_t>, depth: Int) throws(JSONError) -> JSONValue {
        valueCount += 1
        guard valueCount <= limits.valuesMax else {
            throw JSONError(code: .tooManyValues, detail: "more than \(limits.valuesMax) values")
        }
        switch unsafe node.pointee.type {
        case JSON_NULL: return .null
        case JSON_TRUE: return .bool(true)
        case JSON_FALSE: return .bool(false)
        case JSON_INTEGER: return .integer(unsafe Int64(json_integer_value(node)))
        case JSON_REAL: return .real(unsafe json_real_value(node))
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
        // jansson's iterator goes in the order of the text, and keys that stand twice were refused by it.
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
            detail: code == .empty ? "nothing but white space" : message.excerpt(charactersMax: 200)
        )
    }
}

/// White space as RFC 8259 has it.
func isJSONWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
