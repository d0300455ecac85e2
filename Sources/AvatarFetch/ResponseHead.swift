internal import AvatarPolicy

/// The status and headers of one answer, fed line by line as libcurl hands them over.
struct ResponseHead {
    /// What a line means for the transfer.
    enum Progress {
        /// More is to come.
        case needMore
        /// The head of the final answer is complete.
        case complete
        /// The server sends more than anybody needs.
        case tooLong
    }

    /// The status, 0 before it is known.
    private(set) var status = 0
    /// Names in lower case, values without surrounding blanks, in the order they came; only what somebody asks for.
    private(set) var fields: [(name: String, value: String)] = []
    /// Whether what follows is body or trailers.
    private(set) var isComplete = false
    private var byteCount = 0

    private static let namesKept: Set<String> = ["location", "cache-control", "age", "etag"]

    /// Where a redirect leads; nil where the answer is none, or does not say.
    var redirection: String? {
        guard [301, 302, 303, 307, 308].contains(status) else { return nil }
        return fields.first { $0.name == "location" }?.value
    }

    /// Takes one line, its line end included.
    mutating func feed(_ line: [UInt8]) -> Progress {
        byteCount += line.count
        guard byteCount <= FetchLimits.headerBytesMax else { return .tooLong }
        guard !isComplete else { return .needMore }
        let content = line.trimmingBlanks
        if content.starts(with: "HTTP/".utf8) {
            // An interim answer (1xx) may have come before.
            fields = []
            status = Self.status(content)
        } else if content.isEmpty {
            isComplete = status >= 200
            return isComplete ? .complete : .needMore
        } else if let colon = content.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(decoding: content[..<colon], as: UTF8.self).lowercased()
            if Self.namesKept.contains(name) {
                let value = String(decoding: Array(content[(colon + 1)...]).trimmingBlanks, as: UTF8.self)
                fields.append((name, value))
            }
        }
        return .needMore
    }

    private static func status(_ line: ArraySlice<UInt8>) -> Int {
        let words = line.split(separator: UInt8(ascii: " "))
        guard words.count >= 2, words[1].count == 3, words[1].allSatisfy({ (0x30...0x39).contains($0) }) else {
            return 0
        }
        return words[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}

extension [UInt8] {
    /// Without the blanks and line ends at either side.
    fileprivate var trimmingBlanks: ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        let start = drop(while: isBlank)
        return start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? []
    }
}
