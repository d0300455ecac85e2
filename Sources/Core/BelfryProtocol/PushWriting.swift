public import BelfryJSON
import BelfryTerms

extension CallRequest {
    /// A payload that asks for this call to ring: intercepted, since it has text and `mutable-content`, and read back
    /// by ``Push/parse(_:makeID:names:)`` as the same request.
    public func payload(alertBody: String = "Incoming call") -> JSONObject {
        var alert: JSONObject = ["body": .string(alertBody)]
        if let title = callerName ?? handle { alert["title"] = .string(title) }
        return [
            "aps": [
                "alert": .object(alert), "mutable-content": 1, "interruption-level": "time-sensitive",
            ],
            "info": .object(fields),
        ]
    }

    /// A payload for a voip push, which asks for the same: an app finds each field at the top.
    public func payloadForApp() -> JSONObject { fields }

    private var fields: JSONObject {
        var info: JSONObject = ["type": "call-request"]
        if !callID.isEmpty { info["callId"] = .string(callID) }
        if let callerName { info["callerName"] = .string(callerName) }
        if let handle { info["handle"] = .string(handle) }
        if hasVideo { info["hasVideo"] = true }
        if case .url(let address) = callerAvatar { info["callerAvatar"] = .string(address) }
        if let duration { info["duration"] = .seconds(microseconds: duration.microseconds) }
        if let sentAt { info["sentAt"] = .seconds(microseconds: sentAt.microseconds) }
        return info
    }
}

extension Hangup {
    /// A payload that ends this call: intercepted, and read back by ``Push/parse(_:makeID:names:)`` as the same hangup.
    public func payload(alertBody: String = "Call ended") -> JSONObject {
        var info: JSONObject = ["type": "hangup", "reason": .string(reason.rawValue)]
        if !callID.isEmpty { info["callId"] = .string(callID) }
        if let sentAt { info["sentAt"] = .seconds(microseconds: sentAt.microseconds) }
        return [
            "aps": ["alert": ["body": .string(alertBody)], "mutable-content": 1],
            "info": .object(info),
        ]
    }
}

extension Envelope {
    /// The envelope with `payload` in it, as the push socket takes it.
    public func enclosing(_ payload: JSONObject) -> JSONObject {
        var object = fields
        object["payload"] = .object(payload)
        return object
    }

    /// The envelope with a payload that stays byte for byte as it came; the caller ensures that it is one object.
    public func enclosing(payloadBytes: [UInt8]) -> [UInt8] {
        // Everything except the final brace.
        JSONValue.object(fields).serialized().dropLast() + Array(",\"payload\":".utf8) + payloadBytes
            + [UInt8(ascii: "}")]
    }

    private var fields: JSONObject {
        var object: JSONObject = ["id": .string(id), "pushType": .string(pushType.rawValue)]
        if let topic { object["topic"] = .string(topic) }
        if let sentAt { object["sentAt"] = .seconds(microseconds: sentAt.microseconds) }
        if let sentUntil { object["sentUntil"] = .seconds(microseconds: sentUntil.microseconds) }
        if let expiration { object["expiration"] = .seconds(microseconds: expiration.microseconds) }
        if let collapseID { object["collapseId"] = .string(collapseID) }
        if let appGroup { object["appGroup"] = .string(appGroup) }
        if let simulatorTargetBundle { object["Simulator Target Bundle"] = .string(simulatorTargetBundle) }
        if let callPayload { object[EnvelopeReader.callPayloadKey] = .string(callPayload.rawValue) }
        return object
    }
}

extension JSONValue {
    /// Seconds as people write them: an integer if there is no fraction.
    fileprivate static func seconds(microseconds: Int64) -> JSONValue {
        microseconds.isMultiple(of: 1_000_000)
            ? .integer(microseconds / 1_000_000)
            : .real(Double(microseconds) / 1e6)
    }
}
