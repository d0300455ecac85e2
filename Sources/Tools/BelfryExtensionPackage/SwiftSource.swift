/// The text of a Swift file, read as far as `belfry import` needs it: which of its bytes are code, and what that code
/// imports, declares and compiles at all.
///
/// It is no compiler: it knows code from comments and literals in every file that compiles, except for a bare regular
/// expression that follows a word.
public struct SwiftSource: Sendable {
    /// The file's bytes.
    public private(set) var bytes: [UInt8]
    /// Whether the byte at each place is code, and neither in a comment nor in a literal.
    private var isCode: [Bool]

    /// The file of these `bytes`.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var scan = SourceScan(bytes)
        scan.run()
        isCode = scan.isCode
    }

    /// A word or a mark of the code.
    struct Token: Hashable {
        /// Its bytes' places.
        let range: Range<Int>
        /// Its line, the first is 1.
        let line: Int
        /// What it says: a name with the `@` or `#` before it, or one mark.
        let text: String
    }

    /// The words and marks of the code, in their order.
    var tokens: [Token] {
        var tokens: [Token] = []
        var line = 1
        // Editors put a mark of the encoding before all text, which is no part of a name.
        var place = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "\n") { line += 1 }
            guard isCode[place], bytes[place] > UInt8(ascii: " ") else {
                place += 1
                continue
            }
            var end = place + 1
            let begins = bytes[place] == UInt8(ascii: "@") || bytes[place] == UInt8(ascii: "#")
            if begins || Self.isOfName(bytes[place]) {
                while end < bytes.count, isCode[end], Self.isOfName(bytes[end]) { end += 1 }
            }
            tokens.append(
                Token(range: place..<end, line: line, text: String(decoding: bytes[place..<end], as: UTF8.self)))
            place = end
        }
        return tokens
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Fills `range` with spaces: lines and columns of all else stay.
    mutating func blank(_ range: Range<Int>) {
        for place in range where bytes[place] != UInt8(ascii: "\n") && bytes[place] != UInt8(ascii: "\r") {
            bytes[place] = UInt8(ascii: " ")
        }
    }

    /// Fills `range` with `text`, which is no longer, and with spaces behind it.
    mutating func put(_ text: String, in range: Range<Int>) {
        blank(range)
        for (place, byte) in zip(range, text.utf8) { bytes[place] = byte }
    }

    /// Adds an import of `module` at the end, where Swift takes it as well: lines and columns of all else stay.
    mutating func append(importOf module: String) {
        let line = Array("\(bytes.last == UInt8(ascii: "\n") || bytes.isEmpty ? "" : "\n")import \(module)\n".utf8)
        bytes += line
        isCode += [Bool](repeating: true, count: line.count)
    }

    /// Whether `byte` may be part of a name; every byte of a letter beyond ASCII may.
    static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}

/// Finds out which bytes are code.
private struct SourceScan {
    /// How deep nested interpolations are followed.
    private static let depthMax = 64
    /// How long a regular expression between `#/` and `/#` is.
    private static let regexBytesMax = 4 << 10

    private let bytes: [UInt8]
    private(set) var isCode: [Bool]
    private var place = 0
    /// The last byte of code that is no space: it decides what a `/` after it means.
    private var previous = UInt8(ascii: "\n")

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        isCode = [Bool](repeating: false, count: bytes.count)
    }

    mutating func run() {
        while place < bytes.count {
            if stands("/", "/") {
                while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
            } else if stands("/", "*") {
                skipComment()
            } else if let end = endOfRegex() {
                place = end
                previous = UInt8(ascii: "/")
            } else if let pounds = poundsBeforeQuote() {
                skipString(pounds: pounds, depth: 0)
                previous = UInt8(ascii: "\"")
            } else {
                // A whole run of `#`, since each that stands in one would be looked at with all that follow.
                let end = max(place + 1, endOfPounds)
                for code in place..<end { isCode[code] = true }
                if bytes[place] > UInt8(ascii: " ") || bytes[place] == UInt8(ascii: "\n") { previous = bytes[place] }
                place = end
            }
        }
    }

    /// Where the `#` end that begin here.
    private var endOfPounds: Int { bytes[place...].firstIndex { $0 != UInt8(ascii: "#") } ?? bytes.count }

    private func stands(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
        place + 1 < bytes.count && bytes[place] == UInt8(ascii: first) && bytes[place + 1] == UInt8(ascii: second)
    }

    /// Comments nest.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            if stands("/", "*") {
                depth += 1
                place += 2
            } else if stands("*", "/") {
                depth -= 1
                place += 2
            } else {
                place += 1
            }
        } while depth > 0 && place < bytes.count
    }

    /// How many `#` stand before the quote of a literal that begins here; nil if none does.
    private func poundsBeforeQuote() -> Int? {
        let end = endOfPounds
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - place : nil
    }

    /// A literal, with what is interpolated; one of a single line ends with its line at the latest.
    private mutating func skipString(pounds: Int, depth: Int) {
        place += pounds
        let isLong = bytes[place...].starts(with: "\"\"\"".utf8)
        place += isLong ? 3 : 1
        let tail = [UInt8](repeating: UInt8(ascii: "#"), count: pounds)
        let close = [UInt8](repeating: UInt8(ascii: "\""), count: isLong ? 3 : 1) + tail
        let escape = [UInt8(ascii: "\\")] + tail
        while place < bytes.count {
            let rest = bytes[place...]
            if bytes[place] == UInt8(ascii: "\""), rest.starts(with: close) {
                place += close.count
                return
            }
            if bytes[place] == UInt8(ascii: "\\"), rest.starts(with: escape) {
                place += escape.count
                if place < bytes.count, bytes[place] == UInt8(ascii: "("), depth < Self.depthMax {
                    skipInterpolation(depth: depth)
                } else if place < bytes.count, isLong || bytes[place] != UInt8(ascii: "\n") {
                    place += 1
                }
            } else if !isLong, bytes[place] == UInt8(ascii: "\n") {
                return
            } else {
                place += 1
            }
        }
    }

    private mutating func skipInterpolation(depth: Int) {
        var parentheses = 0
        repeat {
            if let pounds = poundsBeforeQuote() {
                skipString(pounds: pounds, depth: depth + 1)
            } else if stands("/", "*") {
                skipComment()
            } else {
                if bytes[place] == UInt8(ascii: "(") { parentheses += 1 }
                if bytes[place] == UInt8(ascii: ")") { parentheses -= 1 }
                place = max(place + 1, endOfPounds)
            }
        } while parentheses > 0 && place < bytes.count
    }

    /// Where the regular expression ends that begins here; nil if none does.
    private func endOfRegex() -> Int? {
        let start = endOfPounds
        let tail = bytes[place..<start]
        guard start + 1 < bytes.count, bytes[start] == UInt8(ascii: "/") else { return nil }
        if tail.isEmpty {
            // After anything else, or before a space, a bare `/` is an operator.
            guard "\n=(,:[{!&|?;".utf8.contains(previous), bytes[start + 1] > UInt8(ascii: " ") else { return nil }
        }
        let limit = min(bytes.count, start + Self.regexBytesMax)
        var end = start + 1
        while end < limit, bytes[end] != UInt8(ascii: "\n") || !tail.isEmpty {
            if bytes[end] == UInt8(ascii: "\\") {
                end += 2
            } else if bytes[end] == UInt8(ascii: "/"), bytes[(end + 1)...].starts(with: tail) {
                return end + 1 + tail.count
            } else {
                end += 1
            }
        }
        return nil
    }
}
