import BelfryTerms

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
            // If a key occurs twice, the last value counts, as in Python's plistlib and libplist.
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

/// What stands between the tags of `<integer>`, `<real>`, `<date>` and `<data>`.
enum XMLScalar {
    /// The value that `text` says, nil if it says none of that kind; white space around it does not count.
    static func value(of text: ArraySlice<UInt8>, as name: XMLTag.Name) -> PropertyListValue? {
        switch name {
        case .integer: integer(trimmed(text))
        case .real: Double(String(decoding: trimmed(text), as: UTF8.self)).map { .real($0) }
        case .date: date(trimmed(text)).map { .date($0) }
        case .data: data(text).map { .data($0) }
        case .plist, .dict, .array, .key, .string, .true, .false: nil
        }
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while let first = text.first, isWhiteSpace(first) { text.removeFirst() }
        while let last = text.last, isWhiteSpace(last) { text.removeLast() }
        return text
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Decimal, or hexadecimal after `0x` as Apple's reader takes it.
    private static func integer(_ text: ArraySlice<UInt8>) -> PropertyListValue? {
        var digits = text
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        var radix: UInt64 = 10
        if digits.starts(with: [0x30, 0x78]) || digits.starts(with: [0x30, 0x58]) {
            radix = 16
            digits.removeFirst(2)
        }
        guard !digits.isEmpty else { return nil }
        var magnitude: UInt64 = 0
        for byte in digits {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46 where radix == 16: digit = byte - 0x41 + 10
            case 0x61...0x66 where radix == 16: digit = byte - 0x61 + 10
            default: return nil
            }
            let (product, isTooLarge) = magnitude.multipliedReportingOverflow(by: radix)
            let (sum, isStillTooLarge) = product.addingReportingOverflow(UInt64(digit))
            guard !isTooLarge, !isStillTooLarge else { return nil }
            magnitude = sum
        }
        if isNegative {
            guard magnitude <= UInt64(Int64.max) + 1 else { return nil }
            return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
        }
        return Int64(exactly: magnitude).map { .integer($0) } ?? .unsigned(magnitude)
    }

    /// Seconds since 2001 of `2026-11-20T16:19:00Z`. Years with other than four digits, which libplist writes, and
    /// fractions of a second, which no known writer uses, are read too.
    private static func date(_ text: ArraySlice<UInt8>) -> Double? {
        let isNegative = text.first == UInt8(ascii: "-")
        let parts = text.dropFirst(isNegative ? 1 : 0)
        guard let yearEnd = parts.firstIndex(of: UInt8(ascii: "-")), (1...9).contains(yearEnd - parts.startIndex),
            parts.last == UInt8(ascii: "Z"), (16...26).contains(parts.count - (yearEnd - parts.startIndex))
        else { return nil }
        let marks: [(offset: Int, mark: UInt8)] = [
            (3, UInt8(ascii: "-")), (6, UInt8(ascii: "T")), (9, UInt8(ascii: ":")), (12, UInt8(ascii: ":")),
        ]
        guard marks.allSatisfy({ parts[yearEnd + $0.offset] == $0.mark }) else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            let digits = parts[range]
            guard digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        func pair(_ offset: Int) -> Int? { number((yearEnd + offset)..<(yearEnd + offset + 2)) }
        guard let year = number(parts.startIndex..<yearEnd), let month = pair(1), let day = pair(4),
            let hour = pair(7), let minute = pair(10), let second = pair(13), (1...12).contains(month),
            (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction = 0.0
        let fractionStart = yearEnd + 15
        if fractionStart < parts.endIndex - 1 {
            guard parts[fractionStart] == UInt8(ascii: "."), fractionStart + 1 < parts.endIndex - 1,
                number((fractionStart + 1)..<(parts.endIndex - 1)) != nil,
                let value = Double("0" + String(decoding: parts[fractionStart..<(parts.endIndex - 1)], as: UTF8.self))
            else { return nil }
            fraction = value
        }
        let days = CivilDate(year: isNegative ? -year : year, month: month, day: day).daysSince2001
        return Double(days * 86_400 + hour * 3600 + minute * 60 + second) + fraction
    }

    /// Base64 with white space anywhere, as Apple's reader takes it.
    private static func data(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        Base64.decoded(text.span, allowing: [.whiteSpace, .leftoverBits])
    }
}

/// A day of the Gregorian calendar, reckoned backwards and forwards without end.
///
/// The arithmetic is Howard Hinnant's `days_from_civil` and its inverse
/// (https://howardhinnant.github.io/date_algorithms.html), which needs no table and no branch for leap years.
struct CivilDate {
    /// Days from 1970-01-01 to 2001-01-01, from which property lists count.
    private static let days1970To2001 = 11_323

    let year: Int
    let month: Int
    let day: Int

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day so many days after 2001-01-01; meant for a few thousand years around it.
    init(daysSince2001: Int) {
        let days = daysSince2001 + Self.days1970To2001 + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 2001-01-01, negative before.
    var daysSince2001: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468 - Self.days1970To2001
    }
}
