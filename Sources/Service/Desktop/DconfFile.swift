public import BelfrySyscalls

/// GNOME's settings, as dconf keeps them in `$XDG_CONFIG_HOME/dconf/user`: what has never been changed is not in it.
///
/// No program answers for a setting on the bus but to those who link GLib; the file's form is GVDB, a table of hashes
/// (gvdb-format.h of GLib): a header, and in it where the root table lies; of a table a header, a filter, buckets, and
/// then its items of 24 bytes: hash, parent, where the rest of the key lies, its length, a type, and where the value
/// lies. Numbers are little-endian.
public enum DconfFile {
    /// No such file is longer.
    static let bytesMax = 8 << 20
    /// A key has no more parts.
    private static let depthMax = 16
    private static let itemBytes = 24

    /// Where it is, by the base directory specification; nil if `environment` does not say.
    public static func path(_ environment: Environment) -> String? {
        if let configuration = environment["XDG_CONFIG_HOME"], configuration.utf8.first == UInt8(ascii: "/") {
            return "\(configuration)/dconf/user"
        }
        return environment["HOME"].map { "\($0)/.config/dconf/user" }
    }

    /// The flag `key`, such as `/org/gnome/desktop/notifications/show-banners`; nil if `bytes` do not say it.
    static func flag(_ key: String, in bytes: [UInt8]) -> Bool? {
        let file = Bytes(bytes)
        guard bytes.starts(with: "GVariant".utf8), file.number(8) == 0, let start = file.number(16),
            let end = file.number(20), end <= bytes.count, start <= end, let filter = file.number(start),
            let buckets = file.number(start + 4)
        else { return nil }
        // The upper five bits are the filter's shift.
        let items = start + 8 + (filter & 0x07FF_FFFF) * 4 + buckets * 4
        guard items <= end else { return nil }
        let count = (end - items) / itemBytes
        let hash = hash(of: key)
        for index in 0..<count {
            let item = items + index * itemBytes
            guard file.number(item) == hash, file.byte(item + 14) == UInt8(ascii: "v"),
                self.key(of: index, of: count, at: items, in: file) == Array(key.utf8)
            else { continue }
            return value(item, in: file)
        }
        return nil
    }

    /// The whole key of an item: that of its parent, and the rest.
    private static func key(of index: Int, of count: Int, at items: Int, in file: Bytes) -> [UInt8]? {
        var key: [UInt8] = []
        var next = index
        for _ in 0..<depthMax {
            let item = items + next * itemBytes
            guard let start = file.number(item + 8), let length = file.short(item + 12),
                let part = file.slice(start, length), let parent = file.number(item + 4)
            else { return nil }
            key = part + key
            guard parent < count else { return key }
            next = parent
        }
        return nil
    }

    /// The value of an item, a variant that holds a flag: its byte, a zero, and its type.
    private static func value(_ item: Int, in file: Bytes) -> Bool? {
        guard let start = file.number(item + 16), let end = file.number(item + 20), end - start == 3,
            let value = file.slice(start, 3), value[1] == 0, value[2] == UInt8(ascii: "b"), value[0] <= 1
        else { return nil }
        return value[0] == 1
    }

    /// Bernstein's hash, by signed characters.
    private static func hash(of key: String) -> Int {
        Int(key.utf8.reduce(UInt32(5_381)) { $0 &* 33 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) })
    }

    private struct Bytes {
        private let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func byte(_ offset: Int) -> UInt8? { bytes.indices.contains(offset) ? bytes[offset] : nil }

        func slice(_ offset: Int, _ count: Int) -> [UInt8]? {
            offset + count <= bytes.count ? Array(bytes[offset..<offset + count]) : nil
        }

        func short(_ offset: Int) -> Int? { slice(offset, 2).map { Int($0[0]) | Int($0[1]) << 8 } }

        func number(_ offset: Int) -> Int? {
            guard let low = short(offset), let high = short(offset + 2) else { return nil }
            return low | high << 16
        }
    }
}
