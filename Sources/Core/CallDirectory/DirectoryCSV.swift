import BelfryTerms

/// The person's list as comma-separated values (RFC 4180): a number a line, with its label and whether it is blocked.
public enum DirectoryCSV {
    /// A line may not be longer, in bytes, with all that its quotes hold.
    public static let recordBytesMax = 64 << 10

    /// The first line of what is written.
    public static let heading = Array("number,label,blocked\n".utf8)

    /// The line of an entry.
    public static func line(of entry: NumberEntry) -> [UInt8] {
        var line = Array("+\(entry.number),".utf8)
        let label = Array((entry.label ?? "").utf8)
        let special = Array(",;\t\"\r\n".utf8)
        let isQuoted = label.contains(where: special.contains) || label.first == blank || label.last == blank
        if isQuoted {
            line.append(quote)
            for byte in label { line += byte == quote ? [quote, quote] : [byte] }
            line.append(quote)
        } else {
            line += label
        }
        return line + (entry.isBlocked ? ",yes\n" : ",no\n").utf8
    }

    /// A line that was read.
    public struct Row: Hashable, Sendable {
        /// The number, as it is written.
        public var number: String
        /// Its label; nil if the line says none.
        public var label: String?
        /// Whether it is blocked; nil if the line does not say.
        public var isBlocked: Bool?

        /// A line.
        public init(_ number: String, label: String? = nil, isBlocked: Bool? = nil) {
            (self.number, self.label, self.isBlocked) = (number, label, isBlocked)
        }
    }

    /// Why a line says nothing.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// In words for people, without a full stop.
        public let description: String

        init(_ description: String) { self.description = description }
    }

    static let quote = UInt8(ascii: "\"")
    static let newline = UInt8(ascii: "\n")
    private static let blank = UInt8(ascii: " ")
}

/// Which column holds what.
struct DirectoryCSVColumns {
    /// What a column is.
    private enum Kind { case number, label, blocked }

    /// Of a file without a header.
    private var kinds: [Kind?] = [.number, .label, .blocked]
    private var hasHeading = false

    private static let names: [String: Kind] = [
        "number": .number, "phone": .number, "tel": .number, "label": .label, "name": .label, "blocked": .blocked,
        "block": .blocked,
    ]
    private static let words: [String: Bool] = [
        "yes": true, "true": true, "1": true, "block": true, "blocked": true, "no": false, "false": false, "0": false,
    ]

    /// Takes the file's first line for its header, if it names a column of numbers.
    mutating func takeHeading(_ fields: [[UInt8]]) -> Bool {
        let kinds = fields.map { Self.names[String(decoding: $0, as: UTF8.self).lowercased()] }
        guard kinds.contains(.number) else { return false }
        (self.kinds, hasHeading) = (kinds, true)
        return true
    }

    /// What the line with these fields says.
    func row(_ fields: [[UInt8]]) throws(DirectoryCSV.Fault) -> DirectoryCSV.Row {
        guard fields.count <= kinds.count else {
            let rule = hasHeading ? "the header names \(kinds.count)" : "number, label and blocked are 3"
            throw DirectoryCSV.Fault("it has \(fields.count) columns, and \(rule)")
        }
        var row = DirectoryCSV.Row("")
        for (kind, field) in zip(kinds, fields) where kind != nil && !field.isEmpty {
            guard let text = String(validating: field, as: UTF8.self) else {
                throw DirectoryCSV.Fault("it is no UTF-8")
            }
            switch kind {
            case .number: row.number = text
            case .label: row.label = text
            case .blocked:
                guard let isBlocked = Self.words[text.lowercased()] else {
                    throw DirectoryCSV.Fault(
                        "blocked is \"\(Printable.excerpt(of: text))\", and neither yes nor no")
                }
                row.isBlocked = isBlocked
            case nil: break
            }
        }
        return row
    }
}
