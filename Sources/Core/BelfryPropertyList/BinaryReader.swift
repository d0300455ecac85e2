/// Reads a binary property list of version 00 from any writer, hostile ones included.
///
/// After the eight bytes of its mark the file holds objects, a table that says where each of them begins, and a trailer
/// of 32 bytes that says where the table begins, how wide its entries and the references between objects are, and which
/// object is the outermost (Apple, CFBinaryPList.c). An object is a byte of type and size, then its content; arrays and
/// dictionaries hold the numbers of other objects.
///
/// So one object may be used many times, or lie inside itself. Each use is read anew and counts towards
/// ``PropertyListLimits``, which bounds time, memory and recursion: a list that would unfold from a few bytes to
/// billions of values is refused on the way. Every offset and every size is compared with the file before a byte is
/// read there.
///
/// Stricter than Python's plistlib: no null, no key but a text, no text with U+0000 (which XML cannot carry), no number
/// beyond 64 bits, no UID beyond 32, and no object outside of the part of the file that belongs to objects. More
/// lenient in two things: a set is read as an array, and bytes that are no text in their encoding become U+FFFD.
struct BinaryReader {
    /// Dates further from 2001 than this, in seconds, are none that a calendar of four digits has.
    private static let dateSecondsMax = 1e12
    private static let trailerSize = 32
    /// The mark, one object, its offset and the trailer.
    private static let fileSizeMin = 8 + 1 + 1 + trailerSize

    private let bytes: [UInt8]
    /// The width of an entry of the table, in bytes.
    private let offsetSize: Int
    /// The width of a reference to an object, in bytes.
    private let referenceSize: Int
    private let objectCount: Int
    /// Where the table begins, which is where the objects end.
    private let tableOffset: Int
    private var valueCount = 0
    private var unfoldedBytes = 0

    /// The byte that an object begins with, taken apart, and where its content is.
    private struct Head {
        let kind: UInt8
        let size: Int
        var position: Int
    }

    /// The outermost value.
    static func value(of bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
        guard bytes.count >= fileSizeMin, bytes.starts(with: "bplist00".utf8) else {
            throw PropertyListError(.syntax, "a binary property list of another version, or cut off")
        }
        var reader = try BinaryReader(bytes)
        return try reader.value(ofObject: reader.number(at: bytes.count - 16, size: 8), depth: 0)
    }

    private init(_ bytes: [UInt8]) throws(PropertyListError) {
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerSize
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        objectCount = Self.number(in: bytes, at: trailer + 8, size: 8)
        tableOffset = Self.number(in: bytes, at: trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), objectCount >= 1,
            objectCount <= bytes.count, tableOffset >= 9, tableOffset < trailer,
            objectCount * offsetSize <= trailer - tableOffset
        else { throw PropertyListError(.syntax, at: trailer, "a trailer that points outside of the file") }
    }

    private mutating func value(ofObject object: Int, depth: Int) throws(PropertyListError) -> PropertyListValue {
        valueCount += 1
        guard valueCount <= PropertyListLimits.valuesMax else {
            throw PropertyListError(.tooManyValues, "unfolds to more than \(PropertyListLimits.valuesMax) values")
        }
        let head = try head(ofObject: object)
        switch (head.kind, head.size) {
        case (0x0, 0x8): return .bool(false)
        case (0x0, 0x9): return .bool(true)
        case (0x1, 0...4): return try integer(at: head.position, size: 1 << head.size)
        case (0x2, 2):
            let bits = try bits(at: head.position, size: 4)
            return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case (0x2, 3): return .real(Double(bitPattern: try bits(at: head.position, size: 8)))
        case (0x3, 3): return try date(at: head.position)
        case (0x4, _): return .data(Array(bytes[try content(of: head, unitSize: 1)]))
        case (0x5, _), (0x6, _): return .string(try text(of: head))
        case (0x8, _): return try uid(at: head.position, size: head.size + 1)
        case (0xA, _), (0xC, _): return .array(try elements(of: head, depth: depth + 1))
        case (0xD, _): return .dictionary(try members(of: head, depth: depth + 1))
        default: throw PropertyListError(.syntax, at: head.position - 1, "a type that no property list has")
        }
    }

    private func head(ofObject object: Int) throws(PropertyListError) -> Head {
        guard object < objectCount else { throw PropertyListError(.syntax, "a reference to no object") }
        let position = number(at: tableOffset + object * offsetSize, size: offsetSize)
        guard position >= 8, position < tableOffset else {
            throw PropertyListError(.syntax, "an object outside of the file")
        }
        return Head(kind: bytes[position] >> 4, size: Int(bytes[position] & 0x0F), position: position + 1)
    }

    /// How many units the content of `head` has: its size, or the integer that follows if that is 15. Moves `head` on
    /// to the first unit.
    private func unitCount(of head: inout Head) throws(PropertyListError) -> Int {
        var count = head.size
        if count == 0x0F {
            let size = head.position < tableOffset ? 1 << Int(bytes[head.position] & 0x0F) : 0
            guard (1...8).contains(size), bytes[head.position] >> 4 == 0x1, head.position + 1 + size <= tableOffset
            else { throw PropertyListError(.syntax, at: head.position, "a length that is no integer") }
            count = number(at: head.position + 1, size: size)
            head.position += 1 + size
        }
        // Bounded here so that its product with the width of a unit cannot overflow.
        try check(count, at: head.position)
        return count
    }

    /// The bytes of data or of a text, counted as unfolded.
    private mutating func content(of head: Head, unitSize: Int) throws(PropertyListError) -> Range<Int> {
        var head = head
        let count = try unitCount(of: &head) * unitSize
        try check(count, at: head.position)
        unfoldedBytes += count
        guard unfoldedBytes <= PropertyListLimits.unfoldedBytesMax else {
            throw PropertyListError(.tooManyValues, "unfolds to more than \(PropertyListLimits.unfoldedBytesMax) bytes")
        }
        return head.position..<(head.position + count)
    }

    /// A text in ASCII, for which UTF-8 is accepted too, or in UTF-16.
    private mutating func text(of head: Head) throws(PropertyListError) -> String {
        let unitSize = head.kind == 0x6 ? 2 : 1
        let range = try content(of: head, unitSize: unitSize)
        for unit in stride(from: range.lowerBound, to: range.upperBound, by: unitSize)
        where bytes[unit] == 0 && bytes[unit + unitSize - 1] == 0 {
            throw PropertyListError(.syntax, at: unit, "a text with U+0000")
        }
        guard unitSize == 2 else { return String(decoding: bytes[range], as: UTF8.self) }
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }

    private mutating func elements(of head: Head, depth: Int) throws(PropertyListError) -> [PropertyListValue] {
        var head = head
        let count = try referenceCount(of: &head, perElement: 1, depth: depth)
        var elements: [PropertyListValue] = []
        for index in 0..<count { elements.append(try value(ofObject: reference(index, of: head), depth: depth)) }
        return elements
    }

    private mutating func members(of head: Head, depth: Int) throws(PropertyListError) -> PropertyListDictionary {
        var head = head
        let count = try referenceCount(of: &head, perElement: 2, depth: depth)
        var members = PropertyListDictionary()
        // All keys stand before all values.
        for index in 0..<count {
            let key = try self.head(ofObject: reference(index, of: head))
            guard key.kind == 0x5 || key.kind == 0x6 else {
                throw PropertyListError(.syntax, at: key.position - 1, "a key that is no text")
            }
            // If a key occurs twice, the last value counts, as in XML.
            members[try text(of: key)] = try value(ofObject: reference(count + index, of: head), depth: depth)
        }
        return members
    }

    /// How many elements the array or dictionary of `head` has, all of whose references lie in the file.
    private func referenceCount(
        of head: inout Head, perElement: Int, depth: Int
    ) throws(PropertyListError) -> Int {
        guard depth <= PropertyListLimits.depthMax else {
            throw PropertyListError(
                .tooDeep, at: head.position - 1, "nested more than \(PropertyListLimits.depthMax) deep")
        }
        let count = try unitCount(of: &head)
        try check(count * perElement * referenceSize, at: head.position)
        return count
    }

    private func reference(_ index: Int, of head: Head) -> Int {
        number(at: head.position + index * referenceSize, size: referenceSize)
    }

    /// One, two and four bytes have no sign, eight and sixteen have one. Sixteen are how numbers above `Int64.max` are
    /// written; whatever else they say fits no value of ours.
    private func integer(at start: Int, size: Int) throws(PropertyListError) -> PropertyListValue {
        guard size == 16 else { return .integer(Int64(bitPattern: try bits(at: start, size: size))) }
        try check(size, at: start)
        let low = try bits(at: start + 8, size: 8)
        switch (try bits(at: start, size: 8), Int64(exactly: low)) {
        case (0, let number?): return .integer(number)
        case (0, nil): return .unsigned(low)
        case (.max, nil): return .integer(Int64(bitPattern: low))
        default: throw PropertyListError(.badValue, at: start, "an integer beyond 64 bits")
        }
    }

    private func date(at start: Int) throws(PropertyListError) -> PropertyListValue {
        let seconds = Double(bitPattern: try bits(at: start, size: 8))
        guard seconds.isFinite, seconds.magnitude <= Self.dateSecondsMax else {
            throw PropertyListError(.badValue, at: start, "a date that no calendar has")
        }
        return .date(seconds)
    }

    private func uid(at start: Int, size: Int) throws(PropertyListError) -> PropertyListValue {
        try check(size, at: start)
        var number: UInt64 = 0
        for byte in bytes[start..<(start + size)] {
            number = number << 8 | UInt64(byte)
            guard number <= UInt32.max else { throw PropertyListError(.syntax, at: start, "a UID beyond 32 bits") }
        }
        return .uid(number)
    }

    /// Refuses what does not lie before the table.
    private func check(_ count: Int, at start: Int) throws(PropertyListError) {
        guard count <= tableOffset - start else {
            throw PropertyListError(.syntax, at: start, "an object longer than the file")
        }
    }

    private func bits(at start: Int, size: Int) throws(PropertyListError) -> UInt64 {
        try check(size, at: start)
        return Self.bits(of: bytes[start..<(start + size)])
    }

    /// A number where one is known to lie.
    private func number(at start: Int, size: Int) -> Int { Self.number(in: bytes, at: start, size: size) }

    /// A number of at most 8 bytes; beyond `Int.max` it is `Int.max`, which no check passes.
    private static func number(in bytes: [UInt8], at start: Int, size: Int) -> Int {
        Int(clamping: bits(of: bytes[start..<(start + size)]))
    }

    /// The highest byte comes first.
    private static func bits(of bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
