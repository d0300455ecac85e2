/// A message that came by a line.
public struct LineMessage: Hashable, Sendable {
    /// What came.
    public enum Kind: Hashable, Sendable {
        /// What somebody published.
        case published
        /// The broker's answer to a question that nobody listens to.
        case noResponders
        /// The broker's word to a subscriber of a stream, such as 100.
        case status(Int)
    }

    /// What it is.
    public let kind: Kind
    /// The subject it was published to.
    public let subject: String
    /// Where its asker wants the answer; nil if nowhere.
    public let reply: String?
    /// Its headers, each with its first value; of a status, its words are `Description`.
    public let headers: [String: String]
    /// What it says.
    public let bytes: [UInt8]

    /// A message with the headers in `block`.
    ///
    /// A broker hands on what a client wrote there as it is: whatever it is, it must not end the line of another
    /// client. So a line that is no header is passed over.
    init(subject: String, reply: String?, block: ArraySlice<UInt8>, bytes: [UInt8]) {
        let (status, headers) = Self.read(block)
        kind =
            switch status {
            case Self.noRespondersStatus where bytes.isEmpty: .noResponders
            case let status?: .status(status)
            case nil: .published
            }
        (self.subject, self.reply, self.headers, self.bytes) = (subject, reply, headers, bytes)
    }

    private static let noRespondersStatus = 503
    /// How a block of headers begins.
    static let blockStart = Array("NATS/1.0".utf8)

    private static func read(_ block: ArraySlice<UInt8>) -> (status: Int?, headers: [String: String]) {
        let lines = block.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first, first.starts(with: blockStart) else { return (nil, [:]) }
        var headers: [String: String] = [:]
        let words = trimmed(first.dropFirst(blockStart.count)).split(maxSplits: 1, whereSeparator: \.isBlank)
        let status = words.first.flatMap { decimal($0) }
        if status != nil, words.count == 2 { headers["Description"] = text(words[1]) }
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { continue }
            let name = text(line[..<colon])
            if headers[name] == nil { headers[name] = text(line[(colon + 1)...]) }
        }
        return (status, headers)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: trimmed(bytes), as: UTF8.self)
    }
}

/// `bytes` without the blanks, and the end of a line, at both ends.
func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isEdge = { (byte: UInt8) in byte.isBlank || byte == UInt8(ascii: "\r") }
    let rest = bytes.drop(while: isEdge)
    return rest[..<(rest.lastIndex { !isEdge($0) }.map { $0 + 1 } ?? rest.startIndex)]
}

/// The number that `digits` write, below a thousand million; nil if they are none.
func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
}

extension UInt8 {
    /// Whether it stands between the words of a line: a space or a tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }
}
