public import BelfryDevices
import BelfryJSON
public import BelfryTerms

/// One line of the log.
public struct PushNote: Hashable, Sendable {
    /// When it was.
    public let at: WallTime
    /// `apns-id`.
    public let apnsID: String
    /// What became of the push.
    public let step: PushStep
    /// The device; nil of a push that was refused before anybody knew whom it is for.
    public var deviceID: String?
    /// The topic.
    public var topic: String?
    /// The kind of push.
    public var pushType: APNsPushType?
    /// The status that it was answered with; nil if this is no answer.
    public var status: Int?
    /// What the worker tells of.
    public var event: String?
    /// A word of a closed list that says how or why.
    public var code: String?
    /// For people.
    public var detail: String?

    /// A line that says `step` of the push `apnsID`.
    public init(at: WallTime, apnsID: String, step: PushStep) {
        self.at = at
        self.apnsID = apnsID
        self.step = step
    }

    /// Appends the line, a JSON object without an end of line: neither token nor payload are in it.
    ///
    /// Without making the object first, since there are several lines for each push.
    public func write(to text: inout [UInt8]) {
        text.append(contentsOf: "{\"at\":".utf8)
        JSONValue.real(at.unixSeconds).write(to: &text)
        func add(_ name: String, _ value: JSONValue?) {
            guard let value else { return }
            text.append(UInt8(ascii: ","))
            JSONValue.string(name).write(to: &text)
            text.append(UInt8(ascii: ":"))
            value.write(to: &text)
        }
        add("id", .string(apnsID))
        add("step", .string(step.rawValue))
        add("device", deviceID.map(JSONValue.string))
        add("topic", topic.map(JSONValue.string))
        add("type", pushType.map { .string($0.rawValue) })
        add("status", status.map { .integer(Int64($0)) })
        add("event", event.map(JSONValue.string))
        add("code", code.map(JSONValue.string))
        add("detail", detail.map(JSONValue.string))
        text.append(UInt8(ascii: "}"))
    }
}
