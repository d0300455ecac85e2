import BelfryJSON
import BelfryProtocol

/// Why the input of the channel cannot be read: the writer is broken, and nothing more is read from it.
public struct ChannelError: Error, Hashable, Sendable {
    /// What was found or expected, for people.
    public let detail: String

    /// What is wrong, for people.
    public init(detail: String) { self.detail = detail }

    /// A line was too long to be read.
    public static let lineTooLong = ChannelError(detail: "a line is longer than \(LineFraming.lineBytesMax) bytes")
}

/// The process's end of the channel, which reads what the keeper says.
public struct ExtensionEnd: Sendable {
    private var lines = LineFraming()

    /// An end of a new channel.
    public init() {}

    /// Takes bytes and returns the messages that are complete now.
    public mutating func take(_ bytes: [UInt8]) throws(ChannelError) -> [KeeperMessage] {
        var messages: [KeeperMessage] = []
        for line in try lines.said(bytes) {
            if let message = try ChannelError.reading(line, KeeperMessage.init) { messages.append(message) }
        }
        return messages
    }
}

extension LineFraming {
    /// The lines that are complete with `bytes`.
    mutating func said(_ bytes: [UInt8]) throws(ChannelError) -> [[UInt8]] {
        do throws(LineTooLong) { return try take(bytes) } catch { throw .lineTooLong }
    }
}

extension ChannelError {
    /// The message in `line`, by `read`; nil for one that a later version has added.
    static func reading<Message>(
        _ line: [UInt8], _ read: (String, JSONFields) throws(JSONFieldError) -> Message?
    ) throws(ChannelError) -> Message? {
        do throws(SaidLineError) {
            return try SaidLine.read(line, read)
        } catch {
            throw ChannelError(detail: error.detail)
        }
    }
}

extension JSONFields {
    /// What a notification shows.
    func content(_ key: String) throws(JSONFieldError) -> NotificationContent {
        try NotificationContent(fields(key))
    }
}
