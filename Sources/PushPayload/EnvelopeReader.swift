import BootTime
import JSON

/// Reads the fields of an envelope: what cannot be honoured is refused, what nobody asked for is noted.
struct EnvelopeReader {
    /// The envelope, or the payload itself where it came bare.
    let fields: JSONObject
    var notes: FieldNotes

    private static let known = [
        "payload", "id", "pushType", "topic", "sentAt", "expiration", "collapseId", "appGroup", bundleKey,
    ]
    private static let bundleKey = "Simulator Target Bundle"

    init(fields: JSONObject, notes: FieldNotes) {
        self.fields = fields
        self.notes = notes
    }

    /// The stated kind of push, nil where none is stated.
    func pushType() throws(Rejection) -> PushType? {
        guard let value = value("pushType") else { return nil }
        guard let type = value.stringValue.flatMap({ PushType(rawValue: $0) }) else {
            throw Self.badField("pushType", found: value, expected: "\"alert\", \"background\" or \"voip\"")
        }
        return type
    }

    /// Everything but the kind of push; `makeID` gives the id where none is stated.
    mutating func envelope(
        pushType: PushType, payload: JSONObject, makeID: () -> String
    ) throws(Rejection) -> Envelope {
        for member in fields.members where !Self.known.contains(where: { $0 == member.key }) {
            notes.add("the envelope's field \"\(member.key.excerpt())\": not known: ignored")
        }
        var envelope = Envelope(id: try id() ?? makeID(), pushType: pushType)
        if let value = value("topic") {
            envelope.topic = value.stringValue
            if envelope.topic == nil { notes.add("topic", found: value, expected: "a string") }
        }
        envelope.sentAt = try sentAt()
        envelope.expiration = try expiration()
        envelope.collapseID = try collapseID()
        envelope.appGroup = try appGroup()
        envelope.simulatorTargetBundle = Self.bundle(of: payload) ?? Self.bundle(of: fields)
        return envelope
    }

    /// `Simulator Target Bundle`, as `simctl push` files have it beside `aps`.
    static func bundle(of object: JSONObject) -> String? { object[bundleKey]?.stringValue }

    /// A rejection that names the field, what was found and what was expected.
    static func badField(_ field: String, found value: JSONValue, expected: String) -> Rejection {
        Rejection(.badField, detail: "\(field): found \(value.foundDescription), expected \(expected)")
    }

    private func value(_ key: String) -> JSONValue? {
        guard let value = fields[key], !value.isNull else { return nil }
        return value
    }

    private func id() throws(Rejection) -> String? {
        guard let value = value("id") else { return nil }
        guard let text = value.stringValue, Self.isUUID(text) else {
            throw Self.badField("id", found: value, expected: "a UUID such as \"01234567-89ab-4cde-8f01-23456789abcd\"")
        }
        return text.lowercased()
    }

    static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default:
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
                default: false
                }
            }
        }
    }

    private mutating func sentAt() throws(Rejection) -> WallTime? {
        guard let value = value("sentAt") else { return nil }
        guard let seconds = value.numberValue, let time = WallTime(unixSeconds: seconds) else {
            throw Self.badField("sentAt", found: value, expected: "Unix seconds as a number")
        }
        guard time.microseconds > 0 else {
            notes.add("sentAt", found: value, expected: "Unix seconds above 0")
            return nil
        }
        return time
    }

    private func expiration() throws(Rejection) -> WallTime? {
        guard let value = value("expiration") else { return nil }
        guard let seconds = value.numberValue, let time = WallTime(unixSeconds: seconds), time.microseconds >= 0 else {
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
        guard let name = value.stringValue, Self.isGroupName(name) else {
            throw Rejection(
                .badAppGroup,
                detail: "appGroup: found \(value.foundDescription), expected 1 to \(Envelope.appGroupCharactersMax)"
                    + " letters, digits, dots and hyphens that start with a letter or digit")
        }
        return name
    }

    static func isGroupName(_ name: String) -> Bool {
        func isLetterOrDigit(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: false
            }
        }
        guard let first = name.utf8.first, isLetterOrDigit(first) else { return false }
        return name.utf8.count <= Envelope.appGroupCharactersMax
            && name.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }
}
