/// Reads a property list in XML: Apple's elements, the five entities of XML itself, no others.
///
/// Each byte is looked at a bounded number of times, nesting is bounded, and nothing in the text can trap.
struct XMLReader {
    var scanner: XMLScanner
    private var valueCount = 0

    private init(_ bytes: [UInt8]) { scanner = XMLScanner(bytes) }

    /// The outermost value.
    static func value(of bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
        var reader = XMLReader(bytes)
        guard try reader.scanner.skipToTag(isProlog: true) else {
            throw PropertyListError(.empty, "nothing but white space")
        }
        var tag = try reader.scanner.tag()
        let isWrapped = tag.name == .plist
        if isWrapped {
            guard tag.kind == .opening else { throw reader.scanner.error(.syntax, "an empty <plist>") }
            tag = try reader.nextTag()
        }
        let value = try reader.value(for: tag, depth: 0)
        if isWrapped { try reader.expectClosing(.plist) }
        guard try !reader.scanner.skipToTag(isProlog: false) else {
            throw reader.scanner.error(.syntax, "more than one value")
        }
        return value
    }

    private mutating func value(for tag: XMLTag, depth: Int) throws(PropertyListError) -> PropertyListValue {
        valueCount += 1
        guard valueCount <= PropertyListLimits.valuesMax else {
            throw scanner.error(.tooManyValues, "more than \(PropertyListLimits.valuesMax) values")
        }
        guard tag.kind != .closing else { throw scanner.error(.syntax, "found </\(tag.name)>, expected a value") }
        let isEmpty = tag.kind == .empty
        switch tag.name {
        case .dict: return try dictionary(isEmpty: isEmpty, depth: depth + 1)
        case .array: return .array(try elements(isEmpty: isEmpty, depth: depth + 1))
        case .string: return .string(isEmpty ? "" : try scanner.text(until: .string))
        case .true, .false:
            if !isEmpty { try expectClosing(tag.name) }
            return .bool(tag.name == .true)
        case .integer, .real, .date, .data:
            let start = scanner.position
            let text = isEmpty ? [] : try scanner.bytes(until: tag.name)
            guard let value = XMLScalar.value(of: text, as: tag.name) else {
                throw PropertyListError(.badValue, at: start, "the text of <\(tag.name)> is none")
            }
            return value
        case .plist, .key: throw scanner.error(.syntax, "found <\(tag.name)>, expected a value")
        }
    }

    private mutating func elements(isEmpty: Bool, depth: Int) throws(PropertyListError) -> [PropertyListValue] {
        try check(depth: depth)
        var elements: [PropertyListValue] = []
        guard !isEmpty else { return elements }
        while true {
            let tag = try nextTag()
            if tag.kind == .closing, tag.name == .array { return elements }
            elements.append(try value(for: tag, depth: depth))
        }
    }

    private mutating func dictionary(isEmpty: Bool, depth: Int) throws(PropertyListError) -> PropertyListValue {
        try check(depth: depth)
        var dictionary = PropertyListDictionary()
        guard !isEmpty else { return .dictionary(dictionary) }
        while true {
            let tag = try nextTag()
            if tag.kind == .closing, tag.name == .dict { break }
            guard tag.name == .key, tag.kind != .closing else {
                throw scanner.error(.syntax, "found <\(tag.name)> in a dictionary, expected <key>")
            }
            let key = tag.kind == .empty ? "" : try scanner.text(until: .key)
            // Of a key that stands twice the last value counts, as for Python's plistlib and libplist.
            dictionary[key] = try value(for: nextTag(), depth: depth)
        }
        if dictionary.count == 1, case .integer(let number)? = dictionary["CF$UID"], let uid = UInt32(exactly: number) {
            return .uid(UInt64(uid))
        }
        return .dictionary(dictionary)
    }

    private mutating func nextTag() throws(PropertyListError) -> XMLTag {
        guard try scanner.skipToTag(isProlog: false) else {
            throw scanner.error(.incomplete, "the text ends inside the property list")
        }
        return try scanner.tag()
    }

    private mutating func expectClosing(_ name: XMLTag.Name) throws(PropertyListError) {
        let tag = try nextTag()
        guard tag.kind == .closing, tag.name == name else { throw scanner.error(.syntax, "expected </\(name)>") }
    }

    private func check(depth: Int) throws(PropertyListError) {
        guard depth <= PropertyListLimits.depthMax else {
            throw scanner.error(.tooDeep, "nested more than \(PropertyListLimits.depthMax) deep")
        }
    }
}
