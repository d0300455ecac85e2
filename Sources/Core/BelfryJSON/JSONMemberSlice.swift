/// Finds a member of an object in its text: how many bytes a value has as it was written.
public enum JSONMemberSlice {
    /// The text of the object `bytes` itself, without what is around it; nil if there is none.
    public static func object(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard let brace = bytes.firstIndex(of: UInt8(ascii: "{")) else { return nil }
        return bytes[brace..<end(ofValueAt: brace, in: bytes)]
    }

    /// The text of the value of `key` in the object `bytes`, without the white space around it; nil if there is none.
    ///
    /// `bytes` must be an object that ``JSONValue/parse(_:limits:oversizeIntegers:)`` reads; anything else gives
    /// anything, but no trap.
    public static func value(of key: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard let brace = bytes.firstIndex(of: UInt8(ascii: "{")) else { return nil }
        var index = brace + 1
        while let keyStart = bytes[index...].firstIndex(of: UInt8(ascii: "\"")) {
            let keyEnd = end(ofValueAt: keyStart, in: bytes)
            guard let colon = bytes[keyEnd...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let start = bytes[(colon + 1)...].firstIndex { !isJSONWhiteSpace($0) } ?? bytes.endIndex
            let end = end(ofValueAt: start, in: bytes)
            if isKey(key, bytes[keyStart..<keyEnd]) { return bytes[start..<end] }
            index = end
        }
        return nil
    }

    /// Whether `text`, a key with its quotes, spells `key`, perhaps with escapes.
    private static func isKey(_ key: String, _ text: ArraySlice<UInt8>) -> Bool {
        guard text.contains(UInt8(ascii: "\\")) else { return text.dropFirst().dropLast().elementsEqual(key.utf8) }
        let array = [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")]
        return (try? JSONValue.parse(array))?.arrayValue?.first?.stringValue?.utf8.elementsEqual(key.utf8) ?? false
    }

    private static func end(ofValueAt start: Int, in bytes: [UInt8]) -> Int {
        var (depth, isString, isEscaped) = (0, false, false)
        for index in start..<bytes.endIndex {
            let byte = bytes[index]
            if isString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isString = false
                    if depth == 0 { return index + 1 }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // A number has no end mark of its own: the object's brace may end it.
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case _ where depth == 0 && (byte == UInt8(ascii: ",") || isJSONWhiteSpace(byte)): return index
            default: break
            }
        }
        return bytes.endIndex
    }
}
