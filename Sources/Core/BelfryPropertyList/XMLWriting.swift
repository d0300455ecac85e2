import BelfryTerms

extension PropertyListDictionary {
    /// The dictionary as a property list in XML, which `plutil` and Python's plistlib read.
    ///
    /// A key and its value share a line, without indentation: a thousand calls fit the limit of size. What XML cannot
    /// carry in a string becomes U+FFFD, in keys too, and if keys become equal, the last one's value counts; dates lose
    /// their fraction and are kept within the years 1 to 9999, since no XML property list can say more.
    public func serializedXML() -> [UInt8] {
        var writer = XMLWriter()
        writer.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """)
        writer.write(.dictionary(self))
        writer.append("\n</plist>\n")
        return writer.text
    }

    /// The member `key` as ``serializedXML()`` spells it, with the line feed after it; nil if there is none.
    public func serializedXML(ofMember key: String) -> [UInt8]? {
        guard let value = self[key] else { return nil }
        var writer = XMLWriter()
        writer.write(key, value)
        return writer.text
    }
}

extension PropertyListDictionary {
    /// Itself with keys that XML can carry, so that no key is written twice.
    fileprivate var withKeysForXML: PropertyListDictionary {
        // Nearly all keys have neither a control character nor the first byte of U+FFFE and U+FFFF.
        guard members.contains(where: { $0.key.utf8.contains { $0 < 0x20 || $0 == 0xEF } }) else { return self }
        var carried = PropertyListDictionary()
        for member in members { carried[XMLWriter.carried(member.key)] = member.value }
        return carried
    }
}

/// Appends values as XML.
private struct XMLWriter {
    private(set) var text: [UInt8] = []

    init() { text.reserveCapacity(16_384) }

    mutating func append(_ mark: String) { text.append(contentsOf: mark.utf8) }

    mutating func write(_ value: PropertyListValue) {
        switch value {
        case .bool(let flag): append(flag ? "<true/>" : "<false/>")
        case .integer(let number): write("<integer>", String(number), "</integer>")
        case .unsigned(let number): write("<integer>", String(number), "</integer>")
        case .real(let number): write("<real>", Self.real(number), "</real>")
        case .string(let string):
            append("<string>")
            write(escaping: string)
            append("</string>")
        case .date(let seconds): write("<date>", Self.date(seconds), "</date>")
        case .data(let bytes):
            append("<data>")
            text.append(contentsOf: Base64.encoded(bytes.span))
            append("</data>")
        case .uid(let number): write("<dict><key>CF$UID</key><integer>", String(number), "</integer></dict>")
        case .array(let elements):
            append("<array>\n")
            for element in elements {
                write(element)
                append("\n")
            }
            append("</array>")
        case .dictionary(let dictionary): write(dictionary)
        }
    }

    private mutating func write(_ dictionary: PropertyListDictionary) {
        append("<dict>\n")
        for member in dictionary.withKeysForXML.members { write(member.key, member.value) }
        append("</dict>")
    }

    mutating func write(_ key: String, _ value: PropertyListValue) {
        append("<key>")
        write(escaping: key)
        append("</key>")
        write(value)
        append("\n")
    }

    /// `text` with U+FFFD for what XML cannot carry.
    static func carried(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: scalar
            case 0..<0x20, 0xFFFE, 0xFFFF: "\u{FFFD}"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private mutating func write(_ opening: String, _ content: String, _ closing: String) {
        append(opening)
        append(content)
        append(closing)
    }

    /// As libplist and Apple's reader have them; never without a mark of a real.
    private static func real(_ number: Double) -> String {
        if number.isNaN { return "nan" }
        if number.isInfinite { return number > 0 ? "+infinity" : "-infinity" }
        return number.description
    }

    private static func date(_ seconds: Double) -> String {
        // From 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
        let second = min(max(Int64(clampingReal: seconds.rounded(.down)), -63_113_904_000), 252_423_993_599)
        let days = second >= 0 ? second / 86_400 : (second - 86_399) / 86_400
        let ofDay = second - days * 86_400
        let date = CivilDate(daysSince2001: Int(days))
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return padded(Int64(date.year), 4) + "-" + padded(Int64(date.month), 2) + "-" + padded(Int64(date.day), 2)
            + "T" + padded(ofDay / 3600, 2) + ":" + padded(ofDay / 60 % 60, 2) + ":" + padded(ofDay % 60, 2) + "Z"
    }

    private mutating func write(escaping string: String) {
        let utf8 = string.utf8Span
        let bytes = utf8.span
        // Nearly all text needs no escape and is appended at once.
        guard bytes.indices.contains(where: { Self.escape(at: $0, in: bytes) != nil }) else {
            text.append(contentsOf: string.utf8)
            return
        }
        var index = 0
        while index < bytes.count {
            if let escape = Self.escape(at: index, in: bytes) {
                text.append(contentsOf: escape.text.utf8)
                index += escape.count
            } else {
                text.append(bytes[index])
                index += 1
            }
        }
    }

    /// What stands for the character that begins here, and how many bytes it has; nil if it can stand itself.
    private static func escape(at index: Int, in bytes: Span<UInt8>) -> (text: String, count: Int)? {
        switch bytes[index] {
        case UInt8(ascii: "<"): return ("&lt;", 1)
        case UInt8(ascii: ">"): return ("&gt;", 1)
        case UInt8(ascii: "&"): return ("&amp;", 1)
        // Readers that follow the XML specification would turn it into a line feed.
        case 0x0D: return ("&#13;", 1)
        case 0x09, 0x0A: return nil
        case 0..<0x20: return ("\u{FFFD}", 1)
        // U+FFFE and U+FFFF are the other characters that XML 1.0 (section 2.2) excludes.
        case 0xEF where index + 2 < bytes.count && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE:
            return ("\u{FFFD}", 3)
        default: return nil
        }
    }
}
