import BelfryJSON
public import BelfryTerms

extension Push {
    /// Reads one notification: an APNs payload, or an envelope with one in it.
    ///
    /// A wrong field that identifies the push or the call, or cannot be honoured, is refused by name. Every other wrong
    /// field is ignored, as on Apple's devices, and noted (R16). Nothing in `bytes` can trap (R18).
    ///
    /// `names` gives the names of a foreign server, for what the envelope says of them; it is asked once at most.
    public static func parse(
        _ bytes: [UInt8],
        makeID: () -> String = { randomUUID() },
        names: (CallPayload?) -> CallNames? = { $0?.names }
    ) throws(Rejection) -> Push {
        guard bytes.count <= PushFraming.notificationBytesMax else { throw Rejection.notificationTooLarge }
        let notification = try object(in: bytes)
        let (payload, isEnvelope) = try payload(of: notification)
        var envelopeReader = EnvelopeReader(fields: isEnvelope ? notification : JSONObject(), notes: FieldNotes())
        let statedType = try envelopeReader.pushType()
        try checkSize(ofPayloadIn: bytes, isEnvelope: isEnvelope, pushType: statedType)

        let aps = try aps(of: payload, pushType: statedType, notes: &envelopeReader.notes)
        var contentReader = ContentReader(aps: aps, notes: envelopeReader.notes)
        let content = contentReader.content(payload: payload)
        let isMutableContent = contentReader.flag(aps, "mutable-content", "aps.mutable-content")
        let isContentAvailable = contentReader.flag(aps, "content-available", "aps.content-available")
        contentReader.noteNearFlags(payload, isMutable: isMutableContent, isAvailable: isContentAvailable)
        let showsNothing = !content.hasAlertText && content.sound == nil && content.badge == nil
        if showsNothing { contentReader.noteLiveActivity() }

        envelopeReader.notes = contentReader.notes
        let envelope = try envelopeReader.envelope(
            pushType: statedType ?? (isContentAvailable && showsNothing ? .background : .alert),
            payload: payload, makeID: makeID)
        var callReader = CallReader(
            payload: payload, envelope: envelope, names: names(envelope.callPayload),
            statesID: envelopeReader.statesID, notes: envelopeReader.notes
        ) {
            payloadWithAllDigits(bytes)
        }
        let call = try callReader.call()
        return Push(
            envelope: envelope,
            request: NotificationRequest(
                id: envelope.id, identifier: envelope.collapseID, content: content),
            isMutableContent: isMutableContent,
            isContentAvailable: isContentAvailable,
            call: call,
            voipPayload: envelope.pushType == .voip ? payloadText(in: bytes, of: payload) : nil,
            reportedCallID: call == nil && envelope.pushType == .voip ? callReader.reportedCallID() : nil,
            callSources: callReader.sources,
            noCallID: callReader.noCallID,
            notes: callReader.notes.lines
        )
    }

    /// The payload as it came: a value that was read and written anew might be another number.
    private static func payloadText(in bytes: [UInt8], of payload: JSONObject) -> String {
        // A voip push is stated by an envelope.
        guard let slice = JSONMemberSlice.value(of: "payload", in: bytes) else {
            return String(decoding: payload.serialized(), as: UTF8.self)
        }
        return String(decoding: slice, as: UTF8.self)
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

    /// The payload in a notification: the notification itself if it has `aps`, else the `payload` of an envelope.
    private static func payload(
        of notification: JSONObject
    ) throws(Rejection) -> (payload: JSONObject, isEnvelope: Bool) {
        if let aps = notification["aps"], !aps.isNull { return (notification, false) }
        guard let value = notification["payload"] else {
            throw Rejection(.noAps, detail: NeitherKind.detail(of: notification))
        }
        guard case .object(let payload) = value else {
            throw EnvelopeReader.badField("payload", found: value, expected: "an object")
        }
        return (payload, true)
    }

    /// The payload's bytes count as they came, as APNs counts them: an escape of six bytes is six bytes.
    private static func checkSize(
        ofPayloadIn bytes: [UInt8], isEnvelope: Bool, pushType: PushType?
    ) throws(Rejection) {
        let limit = pushType == .voip ? voipPayloadBytesMax : payloadBytesMax
        guard bytes.count > limit else { return }
        let payload = isEnvelope ? JSONMemberSlice.value(of: "payload", in: bytes) : JSONMemberSlice.object(in: bytes)
        let count = payload?.count ?? 0
        guard count <= limit else {
            throw Rejection(.payloadTooLarge, detail: "the payload has \(count) bytes, expected at most \(limit)")
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
        case .bool, .integer, .unsigned, .real, .string, .array:
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
        let reason: RejectionReason
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

/// What an object is that is neither a payload nor an envelope, for people.
private enum NeitherKind {
    static func detail(of object: JSONObject) -> String {
        guard let request = fcmRequest(object) else {
            return "there is neither \"aps\" nor an envelope's \"payload\", expected an APNs payload; a voip push, "
                + "which needs no \"aps\", is {\"pushType\": \"voip\", \"payload\": {…}}"
        }
        let place = request["apns"]?.objectValue?["payload"]?.objectValue == nil ? nil : "message.apns.payload"
        return "this is a request to FCM, not what a phone gets of it, expected an APNs payload"
            + (place.map { ", as is in its \($0)" } ?? ", which has \"aps\" and, beside it, the fields of its data")
    }

    /// The message of a request to FCM: `message` of its HTTP v1 interface, or all of a legacy one's.
    private static func fcmRequest(_ object: JSONObject) -> JSONObject? {
        let message = object["message"]?.objectValue
        let isLegacy = object["to"] != nil || object["registration_ids"] != nil
        let request = message ?? (isLegacy ? object : nil)
        return ["notification", "data", "apns", "android"].contains { request?[$0] != nil } ? request : nil
    }
}

/// Reads the fields of an envelope: a value that cannot be honoured is refused, an unknown field is noted.
struct EnvelopeReader {
    /// The envelope; empty if the payload came without one.
    let fields: JSONObject
    var notes: FieldNotes

    private static let known = [
        "payload", "id", "pushType", "topic", "sentAt", "sentUntil", "expiration", "collapseId", "appGroup",
        bundleKey, callPayloadKey,
    ]
    /// APNs' names for fields of ours: its headers, with values as written there. The priority says how hard APNs
    /// tries; nothing here depends on it.
    private static let aliases = [
        "id": "apns-id", "pushType": "apns-push-type", "topic": "apns-topic", "expiration": "apns-expiration",
        "collapseId": "apns-collapse-id", "priority": "apns-priority",
    ]
    /// Kinds of push that reach no notification, and so nothing here.
    private static let otherPushTypes = [
        "complication", "controls", "fileprovider", "liveactivity", "location", "mdm", "pushtotalk", "widgets",
    ]
    private static let bundleKey = "Simulator Target Bundle"
    /// The key of ``Envelope/callPayload``.
    static let callPayloadKey = "callPayload"

    /// Whether the push states its id.
    var statesID: Bool { value("id") != nil }

    init(fields: JSONObject, notes: FieldNotes) {
        self.fields = fields
        self.notes = notes
    }

    /// The stated kind of push, nil if none is stated.
    func pushType() throws(Rejection) -> PushType? {
        guard let value = value("pushType") else { return nil }
        guard let type = value.stringValue.flatMap({ PushType(rawValue: $0) }) else {
            let isOther = value.stringValue.map(Self.otherPushTypes.contains) ?? false
            let expected = "\"alert\", \"background\" or \"voip\""
            throw Self.badField(
                "pushType", found: value, expected: isOther ? "\(expected): it is not supported here" : expected)
        }
        return type
    }

    /// Everything but the kind of push; `makeID` gives the id if none is stated.
    mutating func envelope(
        pushType: PushType, payload: JSONObject, makeID: () -> String
    ) throws(Rejection) -> Envelope {
        for member in fields.members
        where !Self.known.contains(member.key) && !Self.aliases.values.contains(member.key) {
            notes.add(unknown: "", member.key, meant: NearestName.nearest(to: member.key, of: Self.known))
        }
        var envelope = Envelope(id: try id() ?? makeID(), pushType: pushType)
        if let value = value("topic") {
            envelope.topic = value.stringValue
            if envelope.topic == nil { notes.add("topic", found: value, expected: "a string") }
        }
        envelope.sentAt = try sentTime("sentAt")
        envelope.sentUntil = try sentTime("sentUntil")
        envelope.expiration = try expiration()
        envelope.collapseID = try collapseID()
        envelope.appGroup = try appGroup()
        envelope.simulatorTargetBundle = Self.bundle(of: payload) ?? Self.bundle(of: fields)
        if let value = value(Self.callPayloadKey) {
            envelope.callPayload = value.stringValue.flatMap(CallPayload.init(rawValue:))
            if envelope.callPayload == nil {
                notes.add(Self.callPayloadKey, found: value, expected: CallPayload.words)
            }
        }
        return envelope
    }

    /// `Simulator Target Bundle`, as `simctl push` files have it beside `aps`.
    static func bundle(of object: JSONObject) -> String? { object[bundleKey]?.stringValue }

    /// A rejection that names the field, what was found and what was expected.
    static func badField(_ field: String, found value: JSONValue, expected: String) -> Rejection {
        Rejection(.badField, detail: "\(field): found \(value.foundDescription), expected \(expected)")
    }

    private func value(_ key: String) -> JSONValue? {
        let names = [key] + (Self.aliases[key].map { [$0] } ?? [])
        return names.compactMap { fields[$0] }.first { !$0.isNull }
    }

    private func id() throws(Rejection) -> String? {
        guard let value = value("id") else { return nil }
        guard let text = value.stringValue, isUUID(text) else {
            throw Self.badField("id", found: value, expected: "a UUID such as \"01234567-89ab-4cde-8f01-23456789abcd\"")
        }
        return text.lowercased()
    }

    private mutating func sentTime(_ key: String) throws(Rejection) -> WallTime? {
        guard let value = value(key) else { return nil }
        guard let seconds = value.numberValue, let time = WallTime(unixSeconds: seconds) else {
            throw Self.badField(key, found: value, expected: "Unix seconds as a number")
        }
        guard time.microseconds > 0 else {
            notes.add(key, found: value, expected: "Unix seconds above 0")
            return nil
        }
        return time
    }

    private func expiration() throws(Rejection) -> WallTime? {
        guard let value = value("expiration") else { return nil }
        // In a header the number is text.
        let header = fields["expiration"] == nil ? value.stringValue.flatMap { Int64($0) } : nil
        let seconds = header.map { Double($0) } ?? value.numberValue
        guard let seconds, let time = WallTime(unixSeconds: seconds), time.microseconds >= 0 else {
            throw Self.badField("expiration", found: value, expected: "Unix seconds as a number, or 0 for \"try once\"")
        }
        return time
    }

    private func collapseID() throws(Rejection) -> String? {
        guard let value = value("collapseId") else { return nil }
        guard let text = value.stringValue else {
            throw Self.badField("collapseId", found: value, expected: "a string")
        }
        guard text.utf8.count <= Envelope.collapseIDBytesMax else {
            throw Rejection(
                .badField,
                detail: "collapseId: found \(text.utf8.count) bytes, expected at most \(Envelope.collapseIDBytesMax)")
        }
        return text.isEmpty ? nil : text
    }

    private func appGroup() throws(Rejection) -> String? {
        guard let value = value("appGroup") else { return nil }
        guard let name = value.stringValue.flatMap({ GroupName($0) }) else {
            throw Rejection(
                .badAppGroup, detail: "appGroup: found \(value.foundDescription), expected \(GroupName.rule)")
        }
        return name.text
    }
}

/// The fields that were ignored while a push was read, for people. Bounded, since the sender decides how many are
/// wrong.
struct FieldNotes {
    /// Most lines that are kept.
    static let linesMax = 16

    private(set) var lines: [String] = []

    /// Notes that `field` holds `value`, which is not what was expected, and `outcome`.
    mutating func add(_ field: String, found value: JSONValue, expected: String, outcome: String = "ignored") {
        add("\(field): found \(value.foundDescription), expected \(expected): \(outcome)")
    }

    /// Notes that `field` is something of which nothing here comes.
    mutating func add(_ field: String, isOf what: String) {
        add("\(field): is of \(what): ignored")
    }

    /// Notes that the field `key` in `place` is not one of ours; perhaps `meant` was intended.
    mutating func add(unknown place: String, _ key: String, meant: String?) {
        let advice = meant.map { "; did you mean \($0)?" } ?? ""
        add("\(place)\(Printable.excerpt(of: key)): not known, ignored\(advice)")
    }

    private mutating func add(_ line: String) {
        if lines.count < Self.linesMax {
            lines.append(line)
        } else if lines.count == Self.linesMax {
            lines.append("more fields were ignored")
        }
    }
}
