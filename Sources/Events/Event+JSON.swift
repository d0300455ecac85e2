import CallTerms
public import JSON
import Notifications

extension Event {
    /// The event's own word: `event`.
    public var name: String {
        switch body {
        case .received: "received"
        case .ringing: "ringing"
        case .silent: "silent"
        case .tick: "tick"
        case .sound: "sound"
        case .attachment: "attachment"
        case .delivered: "delivered"
        case .ended: "ended"
        case .missed: "missed"
        case .warning: "warning"
        case .rejected: "rejected"
        }
    }

    /// The id of the call it is about, where it says one.
    public var call: String? {
        switch body {
        case .received(let received): received.call
        case .ringing(let ringing): ringing.call
        case .silent(let call, _), .missed(let call, _): call
        case .ended(let ended): ended.call
        case .tick, .sound, .attachment, .delivered, .warning, .rejected: nil
        }
    }

    /// The event as the object that the push socket writes.
    public var json: JSONObject {
        var object: JSONObject = [
            "event": .string(name), "at": .real(at), "boot": .real(boot), "id": .string(id),
        ]
        for (key, value) in fields { object[key] = value }
        return object
    }

    /// The event as one line of the push socket, its newline included.
    public var line: [UInt8] { JSONValue.object(json).serialized() + [UInt8(ascii: "\n")] }

    private var fields: [(String, JSONValue)] {
        switch body {
        case .received(let received): Self.fields(of: received)
        case .ringing(let ringing): Self.fields(of: ringing)
        case .silent(let call, let why): [("call", .string(call)), ("why", .string(why.rawValue))]
        case .tick(let n, let late): [("n", .integer(n)), ("late", .real(late))]
        case .sound(let state, let detail): [("state", .string(state.rawValue)), ("detail", .string(detail))]
        case .attachment(let attachment): Self.fields(of: attachment)
        case .delivered(let by, let content):
            [("by", .string(by.rawValue)), ("content", .object(content.json))]
        case .ended(let ended): Self.fields(of: ended)
        case .missed(let call, let content): [("call", .string(call)), ("content", .object(content.json))]
        case .warning(let code, let detail): [("code", .string(code.rawValue)), ("detail", .string(detail))]
        case .rejected(let reason, let detail): [("reason", .string(reason)), ("detail", .string(detail))]
        }
    }

    private static func fields(of received: Received) -> [(String, JSONValue)] {
        var fields: [(String, JSONValue)] = [("type", .string(received.type.rawValue))]
        if let call = received.call { fields.append(("call", .string(call))) }
        fields.append(("intercepted", .bool(received.why == nil)))
        if let why = received.why { fields.append(("why", .string(why.rawValue))) }
        return fields
    }

    private static func fields(of ringing: Ringing) -> [(String, JSONValue)] {
        [
            ("call", .string(ringing.call)), ("mode", .string(ringing.mode.rawValue)),
            ("duration", .real(ringing.duration)), ("interval", .real(ringing.interval)),
            ("sound", .string(ringing.sound)), ("vibrate", .bool(ringing.vibrate)),
        ]
    }

    private static func fields(of attachment: Attachment) -> [(String, JSONValue)] {
        switch attachment.outcome {
        case .attached(let path, let type, let bytes, let seconds):
            [
                ("state", .string("attached")), ("url", .string(attachment.url)), ("path", .string(path)),
                ("type", .string(type)), ("bytes", .integer(bytes)), ("seconds", .real(seconds)),
            ]
        case .skipped(let reason, let detail):
            [
                ("state", .string("skipped")), ("url", .string(attachment.url)), ("reason", .string(reason)),
                ("detail", .string(detail)),
            ]
        }
    }

    private static func fields(of ended: Ended) -> [(String, JSONValue)] {
        var fields: [(String, JSONValue)] = [
            ("call", .string(ended.call)), ("reason", .string(ended.reason.rawValue)),
        ]
        if let reason = ended.hangupReason { fields.append(("hangupReason", .string(reason.rawValue))) }
        fields.append(("rang", .real(ended.rang)))
        fields.append(("ticks", .integer(ended.ticks)))
        return fields
    }
}
