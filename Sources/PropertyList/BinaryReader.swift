import CPlist
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
