extension PropertyListDictionary {
    /// Reads a property list whose outermost value is a dictionary, binary or XML, under ``PropertyListLimits``.
    ///
    /// XML is read by us, since libplist 2.2.0 takes `010` for 8 and -9223372036854775809 for a positive number, needs
    /// quadratic time for entities, and frees deep nesting by recursion; binary is read by libplist.
    public static func parse(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListDictionary {
        guard bytes.count <= PropertyListLimits.bytesMax else {
            throw PropertyListError(
                .tooLarge, "found \(bytes.count) bytes, expected at most \(PropertyListLimits.bytesMax)")
        }
        let root: PropertyListValue
        if bytes.starts(with: "bplist".utf8) {
            try BinaryGuard.check(bytes)
            root = try BinaryReader.value(of: bytes)
        } else {
            root = try XMLReader.value(of: bytes)
        }
        guard case .dictionary(let dictionary) = root else {
            throw PropertyListError(.rootNotDictionary, "the outermost value is no dictionary")
        }
        return dictionary
    }
}
