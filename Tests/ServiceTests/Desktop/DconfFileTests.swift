import Testing

@testable import Desktop

@Suite("GNOME's settings in dconf's file") struct DconfFileTests {
    private static let key = "/org/gnome/desktop/notifications/show-banners"

    /// An entry: the rest of its key, the number of its parent, the bytes of its value; nil for a folder.
    private typealias Entry = (key: String, parent: UInt32, value: [UInt8]?)

    private static func hash(_ key: String) -> UInt32 {
        key.utf8.reduce(5_381) { $0 &* 33 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    }

    private static func word(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }

    /// A file with these entries, as GLib's builder lays it out: one bucket, and a filter of one word.
    private static func file(_ entries: [Entry]) -> [UInt8] {
        var keys: [String] = []
        for entry in entries {
            keys.append((Int(entry.parent) < keys.count ? keys[Int(entry.parent)] : "") + entry.key)
        }
        let tableStart = 24
        let tableEnd = tableStart + 8 + 4 + 4 + entries.count * 24
        var table = word(1 | 5 << 27) + word(1) + word(0) + word(0)
        var data: [UInt8] = []
        for (entry, key) in zip(entries, keys) {
            let keyStart = tableEnd + data.count
            data += Array(entry.key.utf8)
            let valueStart = tableEnd + data.count
            data += entry.value ?? []
            table += word(Int(hash(key))) + word(Int(entry.parent)) + word(keyStart)
            table += [UInt8(entry.key.utf8.count), 0, UInt8(ascii: entry.value == nil ? "L" : "v"), 0]
            table += word(valueStart) + word(tableEnd + data.count)
        }
        return Array("GVariant".utf8) + word(0) + word(0) + word(tableStart) + word(tableEnd) + table + data
    }

    private static func entries(_ value: [UInt8]) -> [Entry] {
        [
            ("/org/gnome/desktop/", .max, nil), ("notifications/", 0, nil), ("show-in-lock-screen", 1, [1, 0, 0x62]),
            ("show-banners", 1, value),
        ]
    }

    @Test("a flag is found by its whole key", arguments: [true, false]) func found(value: Bool) {
        let file = Self.file(Self.entries([value ? 1 : 0, 0, UInt8(ascii: "b")]))
        #expect(DconfFile.flag(Self.key, in: file) == value)
        #expect(DconfFile.flag("/org/gnome/desktop/notifications/show", in: file) == nil)
        #expect(DconfFile.flag("show-banners", in: file) == nil)
    }

    @Test("what is no flag is none", arguments: [[1, 0, 0x73], [2, 0, 0x62], [0x62], [1, 1, 0x62], []] as [[UInt8]])
    func noFlag(value: [UInt8]) {
        #expect(DconfFile.flag(Self.key, in: Self.file(Self.entries(value))) == nil)
    }

    @Test("S5: a file cut off anywhere, or with any byte changed, traps nobody") func damaged() {
        let file = Self.file(Self.entries([0, 0, 0x62]))
        for length in 0..<file.count { _ = DconfFile.flag(Self.key, in: Array(file[..<length])) }
        for index in file.indices {
            for byte in [0x00, 0x7F, 0xFF] as [UInt8] {
                var changed = file
                changed[index] = byte
                _ = DconfFile.flag(Self.key, in: changed)
            }
        }
        #expect(DconfFile.flag(Self.key, in: Array(file[..<20])) == nil)
    }

    @Test("a parent that is its own parent ends the search") func circle() {
        var entries = Self.entries([0, 0, 0x62])
        entries[0].parent = 1
        #expect(DconfFile.flag(Self.key, in: Self.file(entries)) == nil)
    }
}
