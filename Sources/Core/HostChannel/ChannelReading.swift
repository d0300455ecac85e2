import BelfryJSON
import BelfryProtocol

/// Why what came over the channel cannot be read: whoever wrote it is broken, and nothing more is read of it.
public struct ChannelError: Error, Hashable, Sendable {
    /// What was found or expected, for people.
    public let detail: String

    /// A line was too long to be read.
    public static let lineTooLong = ChannelError(detail: "a line is longer than \(LineFraming.lineBytesMax) bytes")
}

/// The process's end of the channel: what the host says.
public struct ExtensionEnd: Sendable {
    private var lines = LineFraming()

    /// An end of a new channel.
    public init() {}

    /// Takes bytes and returns the messages that are complete now.
    public mutating func take(_ bytes: [UInt8]) throws(ChannelError) -> [HostMessage] {
        var messages: [HostMessage] = []
        for said in try SaidLine.lines(of: bytes, &lines) {
            if let message = try HostMessage(said) { messages.append(message) }
        }
        return messages
    }
}

/// One line of the channel, read field by field.
struct SaidLine {
    /// What it says: the name of its message.
    let word: String
    private let object: JSONObject

    /// The lines that are complete with `bytes`.
    static func lines(of bytes: [UInt8], _ lines: inout LineFraming) throws(ChannelError) -> [SaidLine] {
        let complete: [[UInt8]]
        do throws(LineTooLong) {
            complete = try lines.take(bytes)
        } catch {
            throw .lineTooLong
        }
        var said: [SaidLine] = []
        for line in complete { said.append(try SaidLine(line)) }
        return said
    }

    init(_ line: [UInt8]) throws(ChannelError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(line, limits: .aroundForeignValue)
        } catch {
            throw ChannelError(detail: "\(error)")
        }
        guard case .object(let object) = value, case .string(let word)? = object["say"] else {
            throw ChannelError(detail: "found \(value.foundDescription), expected an object that says something")
        }
        self.object = object
        self.word = word
    }

    func string(_ key: String) throws(ChannelError) -> String {
        guard case .string(let text)? = object[key] else { throw error(key, expected: "a string") }
        return text
    }

    func integer(_ key: String) throws(ChannelError) -> Int64 {
        guard case .integer(let number)? = object[key] else { throw error(key, expected: "an integer") }
        return number
    }

    func strings(_ key: String) throws(ChannelError) -> [String] {
        guard case .array(let values)? = object[key] else { throw error(key, expected: "an array") }
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { throw error(key, expected: "an array of strings") }
        return texts
    }

    func content(_ key: String) throws(ChannelError) -> NotificationContent {
        guard case .object(let content)? = object[key] else { throw error(key, expected: "an object") }
        do throws(ContentError) {
            return try NotificationContent(json: content)
        } catch {
            throw ChannelError(detail: "\(key).\(error)")
        }
    }

    /// What `read` finds; nil for a field that is missing or null.
    func ifPresent<Value>(
        _ key: String, _ read: (String) throws(ChannelError) -> Value
    ) throws(ChannelError) -> Value? {
        guard let value = object[key], !value.isNull else { return nil }
        return try read(key)
    }

    private func error(_ key: String, expected: String) -> ChannelError {
        ChannelError(detail: "\(key): found \((object[key] ?? .null).foundDescription), expected \(expected)")
    }
}
