/// The words of code, those inside a text's `\(…)` included, and the marks between them; no comments, no other text.
enum CodeWords {
    /// One word or mark.
    enum Token: Equatable {
        case word(String)
        case mark(Unicode.Scalar)
    }

    private enum Mode {
        case code(depth: Int)
        case text(quotes: Int, hashes: Int)
    }

    /// The tokens of each of `lines`.
    static func lines(of lines: [String]) -> [[Token]] {
        var modes: [Mode] = [.code(depth: 0)]
        return lines.map { line in
            // A text of one line ends with it, whatever was misread.
            while case .text(quotes: 1, _)? = modes.last { modes.removeLast() }
            var line = Line(bytes: Array(line.utf8))
            return line.tokens(&modes)
        }
    }

    private struct Line {
        let bytes: [UInt8]
        private var index = 0
        private var wordStart: Int?
        private var tokens: [Token] = []

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func tokens(_ modes: inout [Mode]) -> [Token] {
            while index < bytes.count {
                switch modes[modes.count - 1] {
                case .code(let depth): guard readCode(depth, &modes) else { return tokens }
                case .text(let quotes, let hashes): readText(quotes, hashes, &modes)
                }
            }
            endWord()
            return tokens
        }

        /// Reads one byte of code; false where a comment begins.
        private mutating func readCode(_ depth: Int, _ modes: inout [Mode]) -> Bool {
            let byte = bytes[index]
            if isWord(byte) {
                if wordStart == nil { wordStart = index }
                index += 1
                return true
            }
            endWord()
            if count("/", from: index) > 1 { return false }
            let hashes = count("#", from: index)
            let quotes = count("\"", from: index + hashes)
            if quotes > 0 {
                let opened = quotes >= 3 ? 3 : 1
                modes.append(.text(quotes: opened, hashes: hashes))
                index += hashes + opened
                return true
            }
            index += 1
            if byte == UInt8(ascii: "(") { modes[modes.count - 1] = .code(depth: depth + 1) }
            if byte == UInt8(ascii: ")") {
                modes[modes.count - 1] = .code(depth: depth - 1)
                if depth == 0, modes.count > 1 {
                    modes.removeLast()
                    return true
                }
            }
            if byte != UInt8(ascii: " "), byte != UInt8(ascii: "`") { tokens.append(.mark(Unicode.Scalar(byte))) }
            return true
        }

        /// Reads one byte of a text, its end, or what is escaped in it.
        private mutating func readText(_ quotes: Int, _ hashes: Int, _ modes: inout [Mode]) {
            if bytes[index] == UInt8(ascii: "\\"), count("#", from: index + 1) >= hashes {
                let next = index + 1 + hashes
                if count("(", from: next) > 0 { modes.append(.code(depth: 0)) }
                index = next + 1
            } else if count("\"", from: index) >= quotes, count("#", from: index + quotes) >= hashes {
                modes.removeLast()
                index += quotes + hashes
            } else {
                index += 1
            }
        }

        private mutating func endWord() {
            guard let start = wordStart else { return }
            tokens.append(.word(String(decoding: bytes[start..<index], as: UTF8.self)))
            wordStart = nil
        }

        private func count(_ character: Unicode.Scalar, from place: Int) -> Int {
            var end = min(place, bytes.count)
            let start = end
            while end < bytes.count, bytes[end] == UInt8(ascii: character) { end += 1 }
            return end - start
        }

        private func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                true
            default: false
            }
        }
    }
}
