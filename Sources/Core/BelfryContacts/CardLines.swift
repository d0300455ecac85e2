/// A line of a vCard: `group.NAME;PARAMETER=VALUE:value`.
struct CardLine {
    /// What groups it with other lines, such as `item1`; empty if nothing does.
    let group: String
    /// The name of its property, in capitals.
    let name: String
    /// The values of its parameters, in capitals: of `TYPE=home,cell`, `ENCODING=b` and 2.1's `CELL` alike.
    let words: Set<String>
    /// The value as it is written, but for a transfer encoding.
    let value: String

    private static let colon = UInt8(ascii: ":")
    private static let quote = UInt8(ascii: "\"")

    /// The line in `bytes`; nil if it is none.
    init?(_ bytes: ArraySlice<UInt8>) {
        var isQuoted = false
        let end = bytes.firstIndex { byte in
            if byte == Self.quote { isQuoted.toggle() }
            return byte == Self.colon && !isQuoted
        }
        guard let end else { return nil }
        let head = String(decoding: bytes[..<end], as: UTF8.self).uppercased()
        let parts = head.split(separator: ";", omittingEmptySubsequences: false)
        let names = (parts.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard let last = names.last, !last.isEmpty, names.count <= 2 else { return nil }
        name = String(last)
        group = names.count == 2 ? String(names[0]) : ""
        words = Set(
            parts.dropFirst().flatMap { part in
                (part.split(separator: "=", maxSplits: 1).last ?? "").split { $0 == "," || $0 == "\"" }.map(String.init)
            })
        let value = bytes[(end + 1)...]
        let isPrintable = words.contains("QUOTED-PRINTABLE")
        self.value = String(decoding: isPrintable ? Self.decoded(value)[...] : value, as: UTF8.self)
    }

    /// Whether a value that begins in the line `bytes` is quoted-printable, and goes on in the next one after a `=`.
    static func isPrintable(_ bytes: ArraySlice<UInt8>) -> Bool {
        String(decoding: bytes.prefix { $0 != colon }, as: UTF8.self).uppercased().contains("QUOTED-PRINTABLE")
    }

    /// `=C3=A9` as the bytes that it stands for.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "="), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}

/// The lines of a file of vCards, each with what was folded into further ones.
struct CardLines {
    private static let newline = UInt8(ascii: "\n")

    private let bytes: [UInt8]
    private var place = 0
    /// How many lines of the file were read, folded ones as often as they go on.
    private(set) var count = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // Programs write a mark of the encoding before the first card.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    /// The next line that is one; nil at the end.
    mutating func next() -> CardLine? {
        while place < bytes.count {
            if let line = CardLine(unfolded()[...]) { return line }
        }
        return nil
    }

    /// The bytes of the next line, and of those that go on with it.
    private mutating func unfolded() -> [UInt8] {
        var line = Array(physical())
        // Asked once: a line may go on a million times.
        let isPrintable = CardLine.isPrintable(line[...])
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: " ") || bytes[place] == UInt8(ascii: "\t") {
                line += physical().dropFirst()
            } else if isPrintable, line.last == UInt8(ascii: "=") {
                line.removeLast()
                line += physical()
            } else {
                break
            }
        }
        return line
    }

    private mutating func physical() -> ArraySlice<UInt8> {
        let end = bytes[place...].firstIndex(of: Self.newline) ?? bytes.count
        defer { (place, count) = (end + 1, count + 1) }
        let line = bytes[place..<end]
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
