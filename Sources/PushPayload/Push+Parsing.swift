import JSON
import Notifications

extension Push {
    /// Reads one notification: an APNs payload, or an envelope with one in it.
    ///
    /// What identifies the push or the call, or cannot be honoured, is refused with the field's name; everything else
    /// that is wrong is passed over as Apple's device does, and noted. Nothing in `bytes` can trap.
    public static func parse(
        _ bytes: [UInt8],
        makeID: () -> String = { Push.makeRandomID() }
    ) throws(Rejection) -> Push {
        guard bytes.count <= PushFraming.notificationBytesMax else { throw Rejection.notificationTooLarge }
        let notification = try object(in: bytes)
        let (payload, isEnvelope) = try payload(of: notification)
        var envelopeReader = EnvelopeReader(fields: isEnvelope ? notification : JSONObject(), notes: FieldNotes())
        let statedType = try envelopeReader.pushType()
        try checkSize(of: payload, pushType: statedType)

        let aps = try aps(of: payload, pushType: statedType, notes: &envelopeReader.notes)
        var contentReader = ContentReader(aps: aps, notes: envelopeReader.notes)
        let content = contentReader.content(payload: payload)
        let isMutableContent = contentReader.flag(aps, "mutable-content", "aps.mutable-content")
        let isContentAvailable = contentReader.flag(aps, "content-available", "aps.content-available")
        let showsNothing = !content.hasAlertText && content.sound == nil && content.badge == nil

        envelopeReader.notes = contentReader.notes
        let envelope = try envelopeReader.envelope(
            pushType: statedType ?? (isContentAvailable && showsNothing ? .background : .alert),
            payload: payload, makeID: makeID)
        var callReader = CallReader(payload: payload, envelope: envelope, notes: envelopeReader.notes) {
            payloadWithAllDigits(bytes)
        }
        let call = try callReader.call()
        return Push(
            envelope: envelope,
            request: NotificationRequest(id: envelope.id, content: content),
            isMutableContent: isMutableContent,
            isContentAvailable: isContentAvailable,
            call: call,
            notes: callReader.notes.lines
        )
    }

    private static func object(in bytes: [UInt8]) throws(Rejection) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(bytes)
        } catch {
            throw Rejection(error)
        }
        guard case .object(let object) = value else {
            throw Rejection(.notAnObject, detail: "found \(value.foundDescription), expected an object with \"aps\"")
        }
        return object
    }

    /// The payload in a notification, which is itself one where it has `aps`.
    private static func payload(
        of notification: JSONObject
    ) throws(Rejection) -> (payload: JSONObject, isEnvelope: Bool) {
        if let aps = notification["aps"], !aps.isNull { return (notification, false) }
        guard let value = notification["payload"] else {
            throw Rejection(
                .noAps, detail: "there is neither \"aps\" nor an envelope's \"payload\", expected an APNs payload")
        }
        guard case .object(let payload) = value else {
            throw EnvelopeReader.badField("payload", found: value, expected: "an object")
        }
        return (payload, true)
    }

    private static func checkSize(of payload: JSONObject, pushType: PushType?) throws(Rejection) {
        let limit = pushType == .voip ? voipPayloadBytesMax : payloadBytesMax
        let count = payload.serialized().count
        guard count <= limit else {
            throw Rejection(
                .payloadTooLarge, detail: "the payload has \(count) bytes when compact, expected at most \(limit)")
        }
    }

    private static func aps(
        of payload: JSONObject, pushType: PushType?, notes: inout FieldNotes
    ) throws(Rejection) -> JSONObject {
        let value = payload["aps"] ?? .null
        switch value {
        case .object(let aps): return aps
        case .null where pushType == .voip: return JSONObject()
        case .null: throw Rejection(.noAps, detail: "the payload has no \"aps\", which only a voip push may lack")
        case .bool, .integer, .real, .string, .array:
            guard pushType == .voip else { throw EnvelopeReader.badField("aps", found: value, expected: "an object") }
            notes.add("aps", found: value, expected: "an object")
            return JSONObject()
        }
    }

    private static func payloadWithAllDigits(_ bytes: [UInt8]) -> JSONObject? {
        guard case .object(let notification)? = try? JSONValue.parse(bytes, oversizeIntegers: .asDigits) else {
            return nil
        }
        return try? payload(of: notification).payload
    }
}

extension Rejection {
    /// Why text that is not JSON is refused.
    init(_ error: JSONError) {
        let reason: Reason
        switch error.code {
        case .empty: reason = .empty
        case .notUTF8: reason = .notUTF8
        case .tooDeep: reason = .tooDeep
        case .tooLarge, .tooManyValues: reason = .payloadTooLarge
        case .incomplete, .syntax, .duplicateKey, .nulInKey, .numberTooLarge, .outOfMemory: reason = .notJSON
        }
        self.init(reason, detail: error.description)
    }
}
