import BelfryJSON

/// Reads what a broker says, in the pieces in which it comes.
///
/// One that threw is of no further use.
public struct BrokerWordReader: Sendable {
    /// How long a line may be, in bytes. A broker takes lines of 4,096 from any client, and hands on the subject and
    /// where to answer with some words of its own: a shorter limit, and a client could end the lines of others.
    public static let lineBytesMax = 8 << 10
    /// How long the line may be in which a broker says who it is, and which others there are.
    public static let infoBytesMax = 32 << 10
    /// How long a message may be, headers included: what NATS has unless it is told otherwise.
    public static let messageBytesMax = 1 << 20

    /// What came and has not been read, from `start` on.
    private var bytes: [UInt8] = []
    private var start = 0
    /// Up to where it is known to hold no end of a line.
    private var searched = 0
    /// The message whose line has been read, and of which the rest is to come.
    private var head: MessageHead?

    /// Nothing has come yet.
    public init() {}

    /// Whether all that came has been read, to the end of a word.
    public var isAtEnd: Bool { start == bytes.count && head == nil }

    /// Takes in `piece`, which came next.
    public mutating func hear(_ piece: [UInt8]) {
        if start == bytes.count {
            bytes = piece
        } else {
            bytes.removeFirst(start)
            bytes += piece
        }
        (start, searched) = (0, searched - start)
    }

    /// The next word, once all of it has come.
    public mutating func next() throws(BrokerWordError) -> BrokerWord? {
        if let head { return try message(head) }
        guard let line = try takeLine() else { return nil }
        let name = line.prefix { !$0.isBlank }
        let rest = trimmed(line[name.endIndex...])
        switch String(decoding: name, as: UTF8.self).uppercased() {
        case "MSG": return try message(MessageHead(rest, hasHeaders: false))
        case "HMSG": return try message(MessageHead(rest, hasHeaders: true))
        case "PING" where rest.isEmpty: return .ping
        case "PONG" where rest.isEmpty: return .pong
        case "+OK" where rest.isEmpty: return .okay
        case "-ERR": return .complaint(Self.unquoted(rest))
        case "INFO": return .info(try Self.info(rest))
        default: throw BrokerWordError("found a line that no broker says")
        }
    }

    /// The next line without its end, once all of it has come.
    private mutating func takeLine() throws(BrokerWordError) -> ArraySlice<UInt8>? {
        let isInfo = bytes[start...].starts(with: "INFO ".utf8)
        let bytesMax = isInfo ? Self.infoBytesMax : Self.lineBytesMax
        let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
        guard (end ?? bytes.count) - start <= bytesMax else {
            throw BrokerWordError("found a line of more than \(bytesMax) bytes")
        }
        guard let end else {
            searched = bytes.count
            // A line that is silent for long holds no more than it needs.
            if start == bytes.count { (bytes, start, searched) = ([], 0, 0) }
            return nil
        }
        let line = bytes[start..<end]
        guard line.last == UInt8(ascii: "\r") else { throw BrokerWordError("found a line that ends without CR") }
        start = end + 1
        searched = start
        return line.dropLast()
    }

    private mutating func message(_ head: MessageHead) throws(BrokerWordError) -> BrokerWord? {
        let end = start + head.bytesCount
        guard bytes.count >= end + 2 else {
            self.head = head
            return nil
        }
        guard bytes[end] == UInt8(ascii: "\r"), bytes[end + 1] == UInt8(ascii: "\n") else {
            throw BrokerWordError("found a message that does not end where its line says")
        }
        let body = start + head.headersCount
        let message = LineMessage(
            subject: head.subject, reply: head.reply, block: bytes[start..<body], bytes: Array(bytes[body..<end]))
        self.head = nil
        start = end + 2
        searched = start
        return .message(message)
    }

    private static func unquoted(_ words: ArraySlice<UInt8>) -> String {
        let quote = UInt8(ascii: "'")
        let isQuoted = words.count > 1 && words.first == quote && words.last == quote
        return String(decoding: isQuoted ? words.dropFirst().dropLast() : words, as: UTF8.self)
    }

    private static func info(_ text: ArraySlice<UInt8>) throws(BrokerWordError) -> BrokerInfo {
        guard let fields = JSONFields(line: Array(text)) else {
            throw BrokerWordError("found no JSON object where it says who it is")
        }
        do throws(JSONFieldError) {
            return try BrokerInfo(fields)
        } catch {
            throw BrokerWordError("\(error)")
        }
    }
}

/// The line before a message: `SUBJECT NUMBER [REPLY] [HEADER-BYTES] BYTES`.
private struct MessageHead: Sendable {
    let subject: String
    let reply: String?
    let headersCount: Int
    /// Of all, headers included.
    let bytesCount: Int

    init(_ line: ArraySlice<UInt8>, hasHeaders: Bool) throws(BrokerWordError) {
        let words = line.split(whereSeparator: \.isBlank)
        let least = hasHeaders ? 4 : 3
        guard words.count == least || words.count == least + 1, words[1].allSatisfy({ (0x30...0x39).contains($0) })
        else { throw BrokerWordError("found no subject and number of a subscription before a message") }
        let counts = words.suffix(hasHeaders ? 2 : 1).map { decimal($0) }
        guard let total = counts[counts.count - 1], let headers = hasHeaders ? counts[0] : 0, headers <= total else {
            throw BrokerWordError("found no count of bytes before a message")
        }
        guard total <= BrokerWordReader.messageBytesMax else {
            throw BrokerWordError("found a message of \(total) bytes, more than is taken")
        }
        subject = String(decoding: words[0], as: UTF8.self)
        reply = words.count > least ? String(decoding: words[2], as: UTF8.self) : nil
        (headersCount, bytesCount) = (headers, total)
    }
}
