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
        var object = JSONObject()
        object.append(newKey: "event", .string(name))
        object.append(newKey: "at", .real(at))
        object.append(newKey: "boot", .real(boot))
        object.append(newKey: "id", .string(id))
        appendFields(to: &object)
        return object
    }

    /// The event as one line of the push socket, its newline included.
    public var line: [UInt8] {
        var line = JSONValue.object(json).serialized()
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private func appendFields(to object: inout JSONObject) {
        switch body {
        case .received(let received): Self.append(received, to: &object)
        case .ringing(let ringing): Self.append(ringing, to: &object)
        case .silent(let call, let why):
            object.append(newKey: "call", .string(call))
            object.append(newKey: "why", .string(why.rawValue))
        case .tick(let n, let late):
            object.append(newKey: "n", .integer(n))
            object.append(newKey: "late", .real(late))
        case .sound(let state, let detail):
            object.append(newKey: "state", .string(state.rawValue))
            object.append(newKey: "detail", .string(detail))
        case .attachment(let attachment): Self.append(attachment, to: &object)
        case .delivered(let by, let content):
            object.append(newKey: "by", .string(by.rawValue))
            object.append(newKey: "content", .object(content.json))
        case .ended(let ended): Self.append(ended, to: &object)
        case .missed(let call, let content):
            object.append(newKey: "call", .string(call))
            object.append(newKey: "content", .object(content.json))
        case .warning(let code, let detail):
            object.append(newKey: "code", .string(code.rawValue))
            object.append(newKey: "detail", .string(detail))
        case .rejected(let reason, let detail):
            object.append(newKey: "reason", .string(reason))
            object.append(newKey: "detail", .string(detail))
        }
    }

    private static func append(_ received: Received, to object: inout JSONObject) {
        object.append(newKey: "type", .string(received.type.rawValue))
        if let call = received.call { object.append(newKey: "call", .string(call)) }
        object.append(newKey: "intercepted", .bool(received.why == nil))
        if let why = received.why { object.append(newKey: "why", .string(why.rawValue)) }
    }

    private static func append(_ ringing: Ringing, to object: inout JSONObject) {
        object.append(newKey: "call", .string(ringing.call))
        object.append(newKey: "mode", .string(ringing.mode.rawValue))
        object.append(newKey: "duration", .real(ringing.duration))
        object.append(newKey: "interval", .real(ringing.interval))
        object.append(newKey: "sound", .string(ringing.sound))
        object.append(newKey: "vibrate", .bool(ringing.vibrate))
    }

    private static func append(_ attachment: Attachment, to object: inout JSONObject) {
        switch attachment.outcome {
        case .attached(let path, let type, let bytes, let seconds):
            object.append(newKey: "state", .string("attached"))
            object.append(newKey: "url", .string(attachment.url))
            object.append(newKey: "path", .string(path))
            object.append(newKey: "type", .string(type))
            object.append(newKey: "bytes", .integer(bytes))
            object.append(newKey: "seconds", .real(seconds))
        case .skipped(let reason, let detail):
            object.append(newKey: "state", .string("skipped"))
            object.append(newKey: "url", .string(attachment.url))
            object.append(newKey: "reason", .string(reason))
            object.append(newKey: "detail", .string(detail))
        }
    }

    private static func append(_ ended: Ended, to object: inout JSONObject) {
        object.append(newKey: "call", .string(ended.call))
        object.append(newKey: "reason", .string(ended.reason.rawValue))
        if let reason = ended.hangupReason { object.append(newKey: "hangupReason", .string(reason.rawValue)) }
        object.append(newKey: "rang", .real(ended.rang))
        object.append(newKey: "ticks", .integer(ended.ticks))
    }
}
