import BelfryJSON
import BelfryTerms

/// What a line says to its broker, by NATS' protocol of text.
public enum LineWords {
    /// How long a subject and where to answer may be, together: a broker ends a line that says 4,096 bytes at once.
    public static let subjectsBytesMax = 4_000

    /// It wants a PONG.
    public static let ping = Array("PING\r\n".utf8)
    /// The answer to a PING.
    public static let pong = Array("PONG\r\n".utf8)

    /// Who the line is: a user, by `jwt` and the signature of the broker's nonce; nil if there was none.
    ///
    /// The broker is to tell at once of a question that nobody listens to, and nothing of what went well. What a line
    /// publishes comes back to it, if it listens there.
    public static func connect(jwt: String, signature: [UInt8]?) -> [UInt8] {
        var fields: JSONObject = [
            "verbose": false, "pedantic": false, "echo": true, "headers": true, "no_responders": true, "protocol": 1,
            "lang": "swift", "jwt": .string(jwt),
        ]
        if let signature {
            fields["sig"] = .string(String(decoding: Base64.encodedForURL(signature.span), as: UTF8.self))
        }
        return Array("CONNECT ".utf8) + fields.serialized() + Array("\r\n".utf8)
    }

    /// Adds to `text` that it listens to `subject` by that number; false, and nothing is added, if that is no subject.
    public static func subscribe(_ subject: String, number: Int, to text: inout [UInt8]) -> Bool {
        guard isSubject(subject), subject.utf8.count <= subjectsBytesMax else { return false }
        text += "SUB \(subject) \(number)\r\n".utf8
        return true
    }

    /// Adds to `text` the message `bytes` for `subject`; false, and nothing is added, if a subject or a header is none,
    /// or if all is more than `bytesMax`.
    public static func publish(
        _ subject: String, reply: String?, headers: [(name: String, value: String)], _ bytes: [UInt8], bytesMax: Int,
        to text: inout [UInt8]
    ) -> Bool {
        let subjects = reply.map { [subject, $0] } ?? [subject]
        guard subjects.allSatisfy(isSubject), subjects.reduce(0, { $0 + $1.utf8.count }) <= subjectsBytesMax,
            headers.allSatisfy({ isName($0.name) && isValue($0.value) })
        else { return false }
        var block: [UInt8] = []
        if !headers.isEmpty {
            let lines = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
            block = LineMessage.blockStart + Array("\r\n\(lines)\r\n".utf8)
        }
        let total = block.count + bytes.count
        guard total <= bytesMax else { return false }
        let words = [block.isEmpty ? "PUB" : "HPUB"] + subjects + (block.isEmpty ? [] : ["\(block.count)"])
        text += "\(words.joined(separator: " ")) \(total)\r\n".utf8
        text += block
        text += bytes
        text += "\r\n".utf8
        return true
    }

    /// What ends a word, or a line, would have the broker read another word than was meant.
    private static func isSubject(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    private static func isName(_ text: String) -> Bool {
        isSubject(text) && !text.utf8.contains(UInt8(ascii: ":"))
    }

    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
