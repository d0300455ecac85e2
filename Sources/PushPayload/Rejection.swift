/// Why a notification was refused: nothing of it happened (R16).
public struct Rejection: Error, Hashable, Sendable {
    /// What `rejected.reason` may be.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Nothing came, or white space only.
        case empty = "Empty"
        /// The notification was not finished in time.
        case incomplete = "Incomplete"
        /// It is not UTF-8.
        case notUTF8 = "NotUTF8"
        /// It is not JSON, or a key stands twice.
        case notJSON = "NotJSON"
        /// It is JSON, but no object.
        case notAnObject = "NotAnObject"
        /// There is no `aps`, nor an envelope, and it is no voip push.
        case noAps = "NoAps"
        /// A field that cannot be passed over is unusable.
        case badField = "BadField"
        /// The payload or the whole notification is larger than the limit, or holds more values.
        case payloadTooLarge = "PayloadTooLarge"
        /// It is nested too deep.
        case tooDeep = "TooDeep"
        /// `appGroup` is no name of an app group.
        case badAppGroup = "BadAppGroup"
        /// As many calls ring as may.
        case busy = "Busy"
    }

    /// The code word.
    public let reason: Reason
    /// Which field, what was found and what was expected, for people; foreign text in it is short and escaped.
    public let detail: String

    /// A rejection.
    public init(_ reason: Reason, detail: String) {
        self.reason = reason
        self.detail = detail
    }
}

extension Rejection: CustomStringConvertible {
    /// Reason and detail in one line.
    public var description: String { "\(reason.rawValue): \(detail)" }
}
