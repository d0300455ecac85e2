/// The lines of a file in systemd's syntax (systemd.syntax(7)): sections, `Key=value`, comments, continued lines.
struct ConfigurationText {
    /// What one line says.
    enum Item: Equatable {
        /// `[Name]`.
        case section(String)
        /// `Key=value`, both trimmed.
        case assignment(key: String, value: String)
        /// Anything else.
        case unreadable(String)
    }

    /// The items with the number of the line each begins at, from 1.
    let items: [(line: Int, item: Item)]

    /// Reads `text`; total, and linear in its length.
    init(_ text: String) {
        var items: [(line: Int, item: Item)] = []
        var continued: (line: Int, text: String)?
        var number = 0
        let bytes = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
        for slice in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let line = Self.trimmed(slice)
            // A comment inside a continued line is skipped and does not end it.
            if let first = line.first, first == UInt8(ascii: "#") || first == UInt8(ascii: ";") { continue }
            if line.last == UInt8(ascii: "\\") {
                let part = String(decoding: line.dropLast(), as: UTF8.self)
                continued = (continued?.line ?? number, (continued?.text ?? "") + part + " ")
                continue
            }
            let start = continued?.line ?? number
            let whole = (continued?.text ?? "") + String(decoding: line, as: UTF8.self)
            continued = nil
            if let item = Self.item(Self.trimmed(whole.utf8[...])) { items.append((start, item)) }
        }
        if let continued, let item = Self.item(Self.trimmed(continued.text.utf8[...])) {
            items.append((continued.line, item))
        }
        self.items = items
    }

    private static func item(_ line: Substring.UTF8View) -> Item? {
        guard let first = line.first else { return nil }
        if first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") {
            return .section(String(decoding: trimmed(line.dropFirst().dropLast()), as: UTF8.self))
        }
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
            return .unreadable(String(decoding: line, as: UTF8.self))
        }
        let key = trimmed(line[..<equals])
        let value = trimmed(line[line.index(after: equals)...])
        guard !key.isEmpty else { return .unreadable(String(decoding: line, as: UTF8.self)) }
        return .assignment(key: String(decoding: key, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text = text.dropLast() }
        return text
    }
}
