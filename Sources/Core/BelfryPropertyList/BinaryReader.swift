import CBelfryPlist
import Glibc

/// Reads a binary property list by libplist, once ``BinaryGuard`` has looked through it.
struct BinaryReader {
    private let plist: cplist_calls

    /// The outermost value.
    static func value(of bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
        guard let library = PlistLibrary.opened else {
            throw PropertyListError(.syntax, "a binary property list, and \(PlistLibrary.fileName) is not installed")
        }
        return try BinaryReader(plist: library.calls).root(of: bytes)
    }

    private func root(of bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
        var root: plist_t?
        unsafe bytes.withUnsafeBytes { raw in
            let start = unsafe raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            unsafe plist.from_bin(start, UInt32(clamping: raw.count), &root)
        }
        guard let root = unsafe root else {
            throw PropertyListError(.syntax, "a binary property list that libplist does not read")
        }
        defer { unsafe plist.free(root) }
        return unsafe try value(of: root)
    }

    private func value(of node: plist_t) throws(PropertyListError) -> PropertyListValue {
        switch unsafe plist.get_node_type(node) {
        case PLIST_BOOLEAN:
            var flag: UInt8 = 0
            unsafe plist.get_bool_val(node, &flag)
            return .bool(flag != 0)
        case PLIST_UINT:
            var number: UInt64 = 0
            unsafe plist.get_uint_val(node, &number)
            // Above Int64.max it may be a negative number as well; only libplist's writer tells.
            if let number = Int64(exactly: number) { return .integer(number) }
            return unsafe try spelledOut(node)
        case PLIST_REAL:
            var number = 0.0
            unsafe plist.get_real_val(node, &number)
            return .real(number)
        case PLIST_DATE: return unsafe try date(of: node)
        case PLIST_STRING:
            var count: UInt64 = 0
            let start = unsafe plist.get_string_ptr(node, &count)
            return .string(unsafe text(start, count: Int(clamping: count)))
        case PLIST_DATA:
            var count: UInt64 = 0
            let start = unsafe plist.get_data_ptr(node, &count)
            return .data(unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(clamping: count))))
        case PLIST_UID:
            var number: UInt64 = 0
            unsafe plist.get_uid_val(node, &number)
            return .uid(number)
        case PLIST_ARRAY: return .array(unsafe try elements(of: node))
        case PLIST_DICT: return .dictionary(unsafe try members(of: node))
        default: throw PropertyListError(.syntax, "a type that no property list has")
        }
    }

    private func elements(of array: plist_t) throws(PropertyListError) -> [PropertyListValue] {
        var elements: [PropertyListValue] = []
        var iterator: plist_array_iter?
        unsafe plist.array_new_iter(array, &iterator)
        defer { unsafe free(iterator) }
        while true {
            var item: plist_t?
            unsafe plist.array_next_item(array, iterator, &item)
            guard let item = unsafe item else { return elements }
            elements.append(unsafe try value(of: item))
        }
    }

    private func members(of dictionary: plist_t) throws(PropertyListError) -> PropertyListDictionary {
        var members = PropertyListDictionary()
        var iterator: plist_dict_iter?
        unsafe plist.dict_new_iter(dictionary, &iterator)
        defer { unsafe free(iterator) }
        while true {
            var key: UnsafeMutablePointer<CChar>?
            var item: plist_t?
            unsafe plist.dict_next_item(dictionary, iterator, &key, &item)
            defer { unsafe free(key) }
            guard let key = unsafe key, let item = unsafe item else { return members }
            members[unsafe text(key, count: strlen(key))] = unsafe try value(of: item)
        }
    }

    private func date(of node: plist_t) throws(PropertyListError) -> PropertyListValue {
        var seconds: Int32 = 0
        var microseconds: Int32 = 0
        unsafe plist.get_date_val(node, &seconds, &microseconds)
        // libplist's seconds are 32 bits, which is past 2069 or before 1932, and Apple's distant future is 4001.
        guard seconds != .min, seconds != .max else { return unsafe try spelledOut(node) }
        let fraction = Double(microseconds) / 1e6
        return .date(seconds < 0 ? Double(seconds) - fraction : Double(seconds) + fraction)
    }

    /// A value by way of libplist's XML, which says more than its other functions.
    private func spelledOut(_ node: plist_t) throws(PropertyListError) -> PropertyListValue {
        var start: UnsafeMutablePointer<CChar>?
        var count: UInt32 = 0
        unsafe plist.to_xml(node, &start, &count)
        defer { unsafe plist.to_xml_free(start) }
        let text = unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
        return try XMLReader.value(of: text)
    }

    private func text(_ start: UnsafePointer<CChar>?, count: Int) -> String {
        guard let start = unsafe start else { return "" }
        // What is not UTF-8 becomes U+FFFD: libplist does not look.
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

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

/// libplist, opened when a binary property list is read: we write XML, so only a stranger's file needs it, and linking
/// it would cost every start 0.06 ms. It is never closed.
@safe
struct PlistLibrary: @unchecked Sendable {
    /// The file that is opened.
    static let fileName = "libplist-2.0.so.3"

    /// The calls, every one of them there.
    let calls: cplist_calls

    /// The one of this process; nil, and a binary property list is one that cannot be read, where it is not installed.
    static let opened = PlistLibrary(fileName: fileName)

    /// Opens the library (dlopen) and finds its calls.
    init?(fileName: String) {
        guard let handle = unsafe dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else { return nil }
        var calls = cplist_calls()
        let isComplete =
            unsafe Self.find("plist_from_bin", &calls.from_bin, in: handle)
            && Self.find("plist_free", &calls.free, in: handle)
            && Self.find("plist_get_node_type", &calls.get_node_type, in: handle)
            && Self.find("plist_get_bool_val", &calls.get_bool_val, in: handle)
            && Self.find("plist_get_uint_val", &calls.get_uint_val, in: handle)
            && Self.find("plist_get_real_val", &calls.get_real_val, in: handle)
            && Self.find("plist_get_date_val", &calls.get_date_val, in: handle)
            && Self.find("plist_get_uid_val", &calls.get_uid_val, in: handle)
            && Self.find("plist_get_string_ptr", &calls.get_string_ptr, in: handle)
            && Self.find("plist_get_data_ptr", &calls.get_data_ptr, in: handle)
            && Self.find("plist_array_new_iter", &calls.array_new_iter, in: handle)
            && Self.find("plist_array_next_item", &calls.array_next_item, in: handle)
            && Self.find("plist_dict_new_iter", &calls.dict_new_iter, in: handle)
            && Self.find("plist_dict_next_item", &calls.dict_next_item, in: handle)
            && Self.find("plist_to_xml", &calls.to_xml, in: handle)
            && Self.find("plist_to_xml_free", &calls.to_xml_free, in: handle)
        guard isComplete else { return nil }
        self.calls = calls
    }

    private static func find<Call>(_ symbol: String, _ call: inout Call, in handle: UnsafeMutableRawPointer) -> Bool {
        guard let address = unsafe dlsym(handle, symbol) else { return false }
        // The field that takes it has the type that libplist's own header gives the call.
        call = unsafe unsafeBitCast(address, to: Call.self)
        return true
    }
}
