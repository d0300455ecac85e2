/// Looks through a binary property list before libplist reads it, since libplist 2.2.0 copies what is shared for
/// each use (a few hundred bytes unfold to billions of values), nests as deep as the file says, ends the process on a
/// key with U+0000, cuts other texts there, and reckons with dates that are no numbers.
///
/// Only the structure is judged here; whatever else is wrong, libplist finds.
struct BinaryGuard {
    /// Dates further from 2001 than this, in seconds, are none that a calendar of four digits has.
    private static let dateSecondsMax = 1e12

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let tableOffset: Int
    private var valueCount = 0
    private var unfoldedBytes = 0

    /// Refuses what would unfold beyond ``PropertyListLimits``.
    static func check(_ bytes: [UInt8]) throws(PropertyListError) {
        // Eight bytes of mark, one object, one offset and 32 of trailer.
        guard bytes.count >= 42, bytes.starts(with: "bplist00".utf8) else {
            throw PropertyListError(.syntax, "a binary property list of another version, or cut off")
        }
        var walk = try BinaryGuard(bytes)
        let root = walk.number(at: bytes.count - 16, size: 8)
        try walk.visit(object: root, depth: 0)
    }

    private init(_ bytes: [UInt8]) throws(PropertyListError) {
        self.bytes = bytes
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        objectCount = Self.number(in: bytes, at: trailer + 8, size: 8)
        tableOffset = Self.number(in: bytes, at: trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), objectCount >= 1,
            objectCount <= bytes.count, tableOffset >= 9, tableOffset < trailer,
            objectCount * offsetSize <= trailer - tableOffset
        else { throw PropertyListError(.syntax, at: trailer, "a trailer that points outside of the file") }
    }

    private mutating func visit(object: Int, depth: Int) throws(PropertyListError) {
        valueCount += 1
        guard valueCount <= PropertyListLimits.valuesMax else {
            throw PropertyListError(.tooManyValues, "unfolds to more than \(PropertyListLimits.valuesMax) values")
        }
        guard object < objectCount else { throw PropertyListError(.syntax, "a reference to no object") }
        var position = number(at: tableOffset + object * offsetSize, size: offsetSize)
        guard position >= 8, position < tableOffset else {
            throw PropertyListError(.syntax, "an object outside of the file")
        }
        let marker = bytes[position]
        position += 1
        var count = Int(marker & 0x0F)
        let kind = marker >> 4
        let isSized = kind == 0x4 || kind == 0x5 || kind == 0x6 || kind == 0xA || kind == 0xC || kind == 0xD
        guard isSized else {
            if kind == 0x3 { try checkDate(at: position) }
            return
        }
        if count == 0x0F {
            let size = position < tableOffset ? 1 << Int(bytes[position] & 0x0F) : 0
            guard (1...8).contains(size), bytes[position] >> 4 == 0x1, position + 1 + size <= tableOffset else {
                throw PropertyListError(.syntax, at: position, "a length that is no integer")
            }
            count = number(at: position + 1, size: size)
            position += 1 + size
        }
        guard count <= tableOffset - position else {
            throw PropertyListError(.syntax, at: position, "an object longer than the file")
        }
        switch kind {
        case 0x4: try add(unfoldedBytes: count)
        case 0x5: try checkText(at: position, units: count, unitSize: 1)
        case 0x6: try checkText(at: position, units: count, unitSize: 2)
        default: try visitReferences(at: position, count: kind == 0xD ? 2 * count : count, depth: depth + 1)
        }
    }

    private mutating func add(unfoldedBytes count: Int) throws(PropertyListError) {
        unfoldedBytes += count
        guard unfoldedBytes <= PropertyListLimits.unfoldedBytesMax else {
            throw PropertyListError(.tooManyValues, "unfolds to more than \(PropertyListLimits.unfoldedBytesMax) bytes")
        }
    }

    private mutating func checkText(at start: Int, units: Int, unitSize: Int) throws(PropertyListError) {
        let end = start + units * unitSize
        guard end <= tableOffset else { throw PropertyListError(.syntax, at: start, "a text longer than the file") }
        try add(unfoldedBytes: units * unitSize)
        for unit in stride(from: start, to: end, by: unitSize)
        where bytes[unit] == 0 && bytes[unit + unitSize - 1] == 0 {
            throw PropertyListError(.syntax, at: unit, "a text with U+0000")
        }
    }

    private func checkDate(at start: Int) throws(PropertyListError) {
        guard start + 8 <= tableOffset else {
            throw PropertyListError(.syntax, at: start, "an object longer than the file")
        }
        let bits = bytes[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let seconds = Double(bitPattern: bits)
        guard seconds.isFinite, seconds.magnitude <= Self.dateSecondsMax else {
            throw PropertyListError(.badValue, at: start, "a date that no calendar has")
        }
    }

    private mutating func visitReferences(at start: Int, count: Int, depth: Int) throws(PropertyListError) {
        guard depth <= PropertyListLimits.depthMax else {
            throw PropertyListError(.tooDeep, at: start, "nested more than \(PropertyListLimits.depthMax) deep")
        }
        guard count * referenceSize <= tableOffset - start else {
            throw PropertyListError(.syntax, at: start, "an object longer than the file")
        }
        for index in 0..<count {
            try visit(object: number(at: start + index * referenceSize, size: referenceSize), depth: depth)
        }
    }

    private func number(at position: Int, size: Int) -> Int { Self.number(in: bytes, at: position, size: size) }

    /// A number of at most 8 bytes, the highest first; beyond `Int.max` it is `Int.max`, which no check passes.
    private static func number(in bytes: [UInt8], at position: Int, size: Int) -> Int {
        let number = bytes[position..<(position + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(clamping: number)
    }
}
