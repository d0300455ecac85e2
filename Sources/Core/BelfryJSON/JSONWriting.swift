import BelfryTerms

extension JSONValue {
    /// The value as compact UTF-8 text, object members in their order.
    ///
    /// Reals are written as short as they read back exactly, always recognisable as reals; characters outside ASCII
    /// stand as they are. A real that is not finite, which no text can give, becomes `null`.
    public func serialized() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(512)
        write(to: &text)
        return text
    }

    /// Appends the compact text to `text`.
    public func write(to text: inout [UInt8]) {
        switch self {
        case .null: text.append(contentsOf: "null".utf8)
        case .bool(let flag): text.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let number): text.append(contentsOf: String(number).utf8)
        case .unsigned(let number): text.append(contentsOf: String(number).utf8)
        case .real(let number): text.append(contentsOf: (number.isFinite ? number.description : "null").utf8)
        case .string(let string): Self.write(string, to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.write(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let object): object.write(to: &text)
        }
    }

    /// Appends `string` as JSON has it.
    public static func write(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { bytes in
            // Whole runs at once: nearly all text needs no escape.
            var runStart = 0
            for index in bytes.indices {
                let byte = unsafe bytes[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                unsafe text.append(contentsOf: bytes[runStart..<index])
                writeEscape(of: byte, to: &text)
                runStart = index + 1
            }
            unsafe text.append(contentsOf: bytes[runStart...])
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func writeEscape(of byte: UInt8, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(byte)
        case 0x0A: text.append(UInt8(ascii: "n"))
        case 0x0D: text.append(UInt8(ascii: "r"))
        case 0x09: text.append(UInt8(ascii: "t"))
        default:
            let digits = Array("0123456789abcdef".utf8)
            text.append(contentsOf: "u00".utf8)
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
    }
}

extension JSONObject {
    /// The object as compact UTF-8 text, as ``JSONValue/serialized()`` writes it.
    public func serialized() -> [UInt8] { JSONValue.object(self).serialized() }

    /// Appends the compact text to `text`.
    public func write(to text: inout [UInt8]) {
        text.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            JSONValue.write(member.key, to: &text)
            text.append(UInt8(ascii: ":"))
            member.value.write(to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }
}

extension JSONValue: CustomStringConvertible {
    /// The compact text in one line for people, with invisible characters escaped (S3).
    public var description: String { Printable.escaped(String(decoding: serialized(), as: UTF8.self)) }
}

extension JSONObject: CustomStringConvertible {
    /// The compact text in one line for people, with invisible characters escaped (S3).
    public var description: String { JSONValue.object(self).description }
}
