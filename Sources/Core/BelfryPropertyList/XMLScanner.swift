/// A tag of a property list in XML.
struct XMLTag {
    /// The elements there are.
    enum Name: String, CaseIterable {
        case plist, dict, array, key, string, integer, real, date, data, `true`, `false`
    }

    /// How it stands.
    enum Kind {
        case opening, closing, empty
    }

    let name: Name
    let kind: Kind
}

/// Cuts XML into tags and texts.
struct XMLScanner {
    private let bytes: [UInt8]
    /// Where the next byte is.
    private(set) var position: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        position = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    }

    /// An error at the place reached.
    func error(_ code: PropertyListError.Code, _ detail: String) -> PropertyListError {
        PropertyListError(code, at: position, detail)
    }

    /// Passes over white space, comments and instructions, in the prolog a document type too; false at the end.
    mutating func skipToTag(isProlog: Bool) throws(PropertyListError) -> Bool {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            case UInt8(ascii: "<"):
                // Nearly always; the comparisons below cost as much as all the rest.
                guard second == UInt8(ascii: "!") || second == UInt8(ascii: "?") else { return true }
                if try skipComment() { continue }
                if isNext("<?") {
                    try skip(past: "?>")
                } else if isProlog, isNext("<!DOCTYPE") {
                    try skipDocumentType()
                } else {
                    return true
                }
            default: throw error(.syntax, "found text between values")
            }
        }
        return false
    }

    /// The tag here; its attributes are passed over.
    mutating func tag() throws(PropertyListError) -> XMLTag {
        position += 1
        let isClosing = position < bytes.count && bytes[position] == UInt8(ascii: "/")
        if isClosing { position += 1 }
        let start = position
        while position < bytes.count, Self.isOfName(bytes[position]) { position += 1 }
        guard let name = Self.name(bytes[start..<position]) else {
            let found = String(decoding: bytes[start..<min(position, start + 32)], as: UTF8.self)
            throw position < bytes.count
                ? error(.syntax, "found <\(found)>, which no property list has")
                : error(.incomplete, "the text ends inside a tag")
        }
        var quote: UInt8?
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "<") {
                throw error(.syntax, "found < inside a tag")
            } else if byte == UInt8(ascii: ">") {
                let isEmpty = bytes[position - 2] == UInt8(ascii: "/") && !isClosing
                return XMLTag(name: name, kind: isClosing ? .closing : isEmpty ? .empty : .opening)
            }
        }
        throw error(.incomplete, "the text ends inside a tag")
    }

    /// The text here, up to and with the closing tag of `name`.
    mutating func text(until name: XMLTag.Name) throws(PropertyListError) -> String {
        let start = position
        let text = try bytes(until: name)
        // From a span: the library checks and copies a slice byte by byte, but a span at once.
        guard let span = try? UTF8Span(validating: text.span) else {
            throw PropertyListError(.notUTF8, at: start, "found a text that is not UTF-8")
        }
        return String(copying: span)
    }

    /// The text's bytes: entities resolved, CDATA as it stands, comments out.
    mutating func bytes(until name: XMLTag.Name) throws(PropertyListError) -> ArraySlice<UInt8> {
        let start = position
        skipPlainText()
        // The usual text has neither entities nor sections and is taken as it stands.
        if position < bytes.count, bytes[position] == UInt8(ascii: "<"), second == UInt8(ascii: "/") {
            let end = position
            try expectClosing(name)
            return bytes[start..<end]
        }
        var text = Array(bytes[start..<position])
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "&") {
                try appendEntity(to: &text)
            } else if isNext("<![CDATA[") {
                position += 9
                let sectionStart = position
                try skip(past: "]]>")
                text.append(contentsOf: bytes[sectionStart..<(position - 3)])
            } else if try !skipComment() {
                try expectClosing(name)
                return text[...]
            }
            let runStart = position
            skipPlainText()
            text.append(contentsOf: bytes[runStart..<position])
        }
        throw error(.incomplete, "the text ends inside <\(name)>")
    }

    /// The byte after the next.
    private var second: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

    private mutating func skipPlainText() {
        while position < bytes.count, bytes[position] != UInt8(ascii: "<"), bytes[position] != UInt8(ascii: "&") {
            position += 1
        }
    }

    private mutating func expectClosing(_ name: XMLTag.Name) throws(PropertyListError) {
        let tag = try tag()
        guard tag.kind == .closing, tag.name == name else { throw error(.syntax, "expected </\(name)>") }
    }

    /// Appends what the entity here stands for.
    private mutating func appendEntity(to text: inout [UInt8]) throws(PropertyListError) {
        let start = position + 1
        // The longest is `&#x10FFFF;`; zeros before a number are passed over by no writer of ours or Apple's.
        let limit = min(bytes.count, start + 12)
        guard start < limit, let end = bytes[start..<limit].firstIndex(of: UInt8(ascii: ";")) else {
            throw error(.syntax, "found & without an entity")
        }
        let entity = bytes[start..<end]
        switch entity {
        case _ where entity.elementsEqual("lt".utf8): text.append(UInt8(ascii: "<"))
        case _ where entity.elementsEqual("gt".utf8): text.append(UInt8(ascii: ">"))
        case _ where entity.elementsEqual("amp".utf8): text.append(UInt8(ascii: "&"))
        case _ where entity.elementsEqual("quot".utf8): text.append(UInt8(ascii: "\""))
        case _ where entity.elementsEqual("apos".utf8): text.append(UInt8(ascii: "'"))
        default:
            guard let scalar = Self.scalar(entity) else {
                throw error(.syntax, "found an entity that no property list has")
            }
            text.append(contentsOf: scalar.utf8)
        }
        position = end + 1
    }

    private static func scalar(_ entity: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard entity.first == UInt8(ascii: "#") else { return nil }
        var digits = entity.dropFirst()
        let isHexadecimal = digits.first == UInt8(ascii: "x")
        if isHexadecimal { digits = digits.dropFirst() }
        // A sign would pass as a number.
        guard let first = digits.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return nil }
        let number = UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10)
        guard let number, number != 0 else { return nil }
        return Unicode.Scalar(number)
    }

    /// Passes over a comment; false if there is none here.
    private mutating func skipComment() throws(PropertyListError) -> Bool {
        guard isNext("<!--") else { return false }
        position += 4
        try skip(past: "-->")
        return true
    }

    /// Passes over a document type with the part of it in brackets, whose entities are not read.
    private mutating func skipDocumentType() throws(PropertyListError) {
        var bracketDepth = 0
        while position < bytes.count {
            if try skipComment() { continue }
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let end = bytes[position...].firstIndex(of: byte) else { position = bytes.count; break }
                position = end + 1
            case UInt8(ascii: "["): bracketDepth += 1
            case UInt8(ascii: "]"): bracketDepth -= 1
            case UInt8(ascii: ">") where bracketDepth <= 0: return
            default: break
            }
        }
        throw error(.incomplete, "the text ends inside <!DOCTYPE>")
    }

    private mutating func skip(past mark: String) throws(PropertyListError) {
        while position < bytes.count {
            if isNext(mark) {
                position += mark.utf8.count
                return
            }
            position += 1
        }
        throw error(.incomplete, "the text ends before \(mark)")
    }

    private func isNext(_ mark: String) -> Bool {
        var index = position
        for byte in mark.utf8 {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }

    private static func isOfName(_ byte: UInt8) -> Bool { byte >= 0x61 && byte <= 0x7A }

    /// The element of that name, by its letters as one number, since this is asked of every tag.
    private static func name(_ letters: ArraySlice<UInt8>) -> XMLTag.Name? {
        guard letters.count <= 8 else { return nil }
        var packed: UInt64 = 0
        for letter in letters { packed = packed << 8 | UInt64(letter) }
        switch packed {
        case 0x6B_6579: return .key
        case 0x73_7472_696E67: return .string
        case 0x69_6E74_6567_6572: return .integer
        case 0x7472_7565: return .true
        case 0x66_616C_7365: return .false
        case 0x6469_6374: return .dict
        case 0x61_7272_6179: return .array
        case 0x7265_616C: return .real
        case 0x6461_7465: return .date
        case 0x6461_7461: return .data
        case 0x70_6C69_7374: return .plist
        default: return nil
        }
    }
}
