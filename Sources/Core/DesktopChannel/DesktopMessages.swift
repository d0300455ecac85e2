import BelfryJSON
public import BelfryProtocol
public import BelfryTerms

/// The first line that a worker writes to the desktop. The notification's events follow it, as the client gets them.
public struct DesktopHello: Hashable, Sendable {
    /// The app group of the notification.
    public let group: GroupName
    /// The caller's name; empty if it is no call, or its push does not say.
    public let name: String
    /// The caller's number or address.
    public let handle: String
    /// Whether it is a video call.
    public let hasVideo: Bool
    /// The call that goes on, which is shown as long as this connection lasts: `belfry-calls` writes the line again
    /// when something of it changes, and no events. Nil of a notification.
    public var ongoing: OngoingCall?

    /// A first line.
    public init(group: GroupName, name: String = "", handle: String = "", hasVideo: Bool = false) {
        self.group = group
        self.name = name
        self.handle = handle
        self.hasVideo = hasVideo
    }

    /// Reads it from a line; nil if that is none.
    public init?(line: [UInt8]) {
        guard let said = JSONFields(line: line), let group = try? said.word("group", GroupName.init) else { return nil }
        self.init(
            group: group, name: (try? said.string("name")) ?? "", handle: (try? said.string("handle")) ?? "",
            hasVideo: said.isTrue("video"))
        do throws(JSONFieldError) {
            if let call = try said.ifPresent("ongoing", said.fields) { ongoing = try OngoingCall(call) }
        } catch {
            return nil
        }
    }

    /// The line, its newline included.
    public var line: [UInt8] {
        var object: JSONObject = [
            "group": .string(group.text), "name": .string(name), "handle": .string(handle), "video": .bool(hasVideo),
        ]
        if let ongoing { object["ongoing"] = .object(ongoing.json) }
        return object.serialized() + [UInt8(ascii: "\n")]
    }
}

/// A line that the desktop writes to a worker.
public enum DesktopReport: Hashable, Sendable {
    /// The first: what the ring needs to know before it begins.
    case first(isMuted: Bool, vibrates: Bool)
    /// Do-not-disturb is on now, or off.
    case muted(Bool)
    /// What became of the notification.
    case notification(NotificationState, detail: String)
    /// What became of the vibration.
    case vibration(VibrationState, detail: String)
    /// The person wants something done with the call that goes on.
    case chosen(CallCommand)

    /// Reads it from a line; nil if that is none that this version knows.
    public init?(line: [UInt8]) {
        guard let said = JSONFields(line: line) else { return nil }
        let detail = (try? said.string("detail")) ?? ""
        switch try? said.string("report") {
        case "first"?: self = .first(isMuted: said.isTrue("muted"), vibrates: said.isTrue("vibrates"))
        case "muted"?: self = .muted(said.isTrue("muted"))
        case "notification"?:
            guard let state = try? said.word("state", NotificationState.init) else { return nil }
            self = .notification(state, detail: detail)
        case "vibration"?:
            guard let state = try? said.word("state", VibrationState.init) else { return nil }
            self = .vibration(state, detail: detail)
        case "chosen"?:
            guard let command = try? CallCommand(said) else { return nil }
            self = .chosen(command)
        default: return nil
        }
    }

    /// The line, its newline included.
    public var line: [UInt8] {
        let object: JSONObject =
            switch self {
            case .first(let isMuted, let vibrates):
                ["report": "first", "muted": .bool(isMuted), "vibrates": .bool(vibrates)]
            case .muted(let isMuted): ["report": "muted", "muted": .bool(isMuted)]
            case .notification(let state, let detail):
                ["report": "notification", "state": .string(state.rawValue), "detail": .string(detail)]
            case .vibration(let state, let detail):
                ["report": "vibration", "state": .string(state.rawValue), "detail": .string(detail)]
            case .chosen(let command): command.json.with("report", "chosen")
            }
        return object.serialized() + [UInt8(ascii: "\n")]
    }
}

extension JSONFields {
    /// A flag that is left out is false.
    fileprivate func isTrue(_ key: String) -> Bool { (try? bool(key)) ?? false }
}
