import BelfryJSON
import BelfryProtocol

/// What every end of the channel keeps to.
public enum CallLimits {
    /// How long a line may be, in bytes.
    public static var lineBytesMax: Int { LineFraming.lineBytesMax }
    /// How many bytes may wait for a peer that does not read: a thousand actions, and what each changes for those who
    /// observe a hundred calls, are said in one turn.
    public static let unsentBytesMax = 4 << 20
    /// How long an id, a key or a word of a list may be, in bytes.
    public static let wordBytesMax = 256
    /// How many calls of an app may live at once.
    public static let liveCallsMax = 100
    /// How many bytes an app's icon may have: twice those of a template picture of 120 pixels a side.
    public static let iconBytesMax = 64 << 10
    /// How many digits an action may have.
    public static let digitsMax = 128
    /// How many actions of an app may wait for their outcomes.
    public static let openActionsMax = 1_000
}

/// Why a line of the channel cannot be read: its writer is broken, and the connection is closed.
public struct CallChannelError: Error, Hashable, Sendable {
    /// What was found and what was expected, for people.
    public let detail: String

    /// A reason, for people.
    public init(detail: String) { self.detail = detail }
}

extension CallChannelError {
    /// The message in `line`, by `read`; nil for one that a later version has added.
    static func reading<Message>(
        _ line: [UInt8], _ read: (String, JSONFields) throws(JSONFieldError) -> Message?
    ) throws(CallChannelError) -> Message? {
        do throws(SaidLineError) {
            return try SaidLine.read(line, read)
        } catch {
            throw CallChannelError(detail: error.detail)
        }
    }
}
