import BelfryJSON
import BelfryTerms

/// Reads what a payload says about a call: from `info` first, then from beside `aps`.
struct CallReader {
    let payload: JSONObject
    let info: JSONObject?
    let envelope: Envelope
    /// The payload with every digit of its integers; asked only if a call id is too large for 64 bits.
    let payloadWithAllDigits: () -> JSONObject?
    var notes: FieldNotes

    private enum Kind {
        case request
        case hangup
        case other
    }

    init(
        payload: JSONObject, envelope: Envelope, notes: FieldNotes, payloadWithAllDigits: @escaping () -> JSONObject?
    ) {
        self.payload = payload
        self.info = payload["info"]?.objectValue
        self.envelope = envelope
        self.notes = notes
        self.payloadWithAllDigits = payloadWithAllDigits
    }

    /// The call, nil for an ordinary notification. A call id that cannot be used is refused, since a wrong one could
    /// end another call; every other unusable field is ignored, since the worst would be not to ring.
    mutating func call() throws(Rejection) -> CallPush? {
        let kind = kind()
        noteMisspelledFields(isCall: kind != .other)
        switch kind {
        case .other: return nil
        case .hangup:
            return .hangup(Hangup(callID: try hangupCallID(), reason: reason(), sentAt: sentAt()))
        case .request:
            let callID = try callID()
            if let value = payload["info"], info == nil, !value.isNull {
                notes.add("info", found: value, expected: "an object")
            }
            return .request(
                CallRequest(
                    callID: callID,
                    callerName: text(["callerName", "caller_name"]),
                    handle: text(["handle", "phone"]),
                    hasVideo: hasVideo(),
                    callerAvatar: picture(),
                    duration: duration(),
                    sentAt: sentAt()
                ))
        }
    }

    private mutating func kind() -> Kind {
        if let type = info?["type"], !type.isNull {
            if type.numberValue == 1 { return .request }
            if type.numberValue == 2 { return .hangup }
            return kind(ofWord: type, in: "info.type")
        }
        let type = payload["type"] ?? .null
        guard envelope.pushType == .voip else {
            if let number = type.numberValue, info == nil, let meant = Self.typeWord(of: number) {
                notes.add("type", found: type, expected: "perhaps \"\(meant)\", or the number inside info")
            }
            return kind(ofWord: type, in: "type")
        }
        // A voip push is a call unless its type says otherwise, and a bare number says nothing.
        if let number = type.numberValue {
            notes.add(
                "type", found: .real(number), expected: "\"call-request\" or \"hangup\", or the number inside info")
            return .request
        }
        return type.isNull ? .request : kind(ofWord: type, in: "type")
    }

    private mutating func kind(ofWord type: JSONValue, in field: String) -> Kind {
        switch type.stringValue {
        case "call-request": return .request
        case "hangup": return .hangup
        case let word:
            if let meant = word.flatMap(Self.typeWord) {
                notes.add(field, found: type, expected: "perhaps \"\(meant)\"")
            }
            return .other
        }
    }

    private static func typeWord(near word: String) -> String? {
        Double(word).flatMap(typeWord) ?? NearestName.nearest(to: word, of: ["call-request", "hangup"], within: .slip)
    }

    private static func typeWord(of number: Double) -> String? {
        number == 1 ? "call-request" : number == 2 ? "hangup" : nil
    }

    /// Every name of a field of a call.
    private static let fields = [
        "type", "callId", "call_id", "callerName", "caller_name", "handle", "phone", "hasVideo", "has_video",
        "callerAvatar", "caller_avatar", "duration", "sentAt", "sent_at", "reason",
    ]

    /// Notes the fields that are probably meant for us. Others are the app's own, and in a notification that is no
    /// call, a field is meant for us only if it should have made it one.
    private mutating func noteMisspelledFields(isCall: Bool) {
        if let info { noteMisspelledFields(of: info, at: "info.", isCall: isCall) }
        noteMisspelledFields(of: payload, at: "", isCall: isCall)
        if !isCall, let data = payload["data"]?.objectValue, let type = data["type"],
            type.numberValue.flatMap(Self.typeWord) != nil || type.stringValue.flatMap(Self.typeWord) != nil
        {
            notes.add("data.type", found: type, expected: "a call inside info")
        }
    }

    private mutating func noteMisspelledFields(of object: JSONObject, at place: String, isCall: Bool) {
        for member in object.members where !Self.fields.contains(member.key) {
            // Every call has these two, and measuring how far they are from each field takes longer than knowing them.
            if place.isEmpty, member.key == "aps" || member.key == "info" { continue }
            let meant = NearestName.nearest(to: member.key, of: Self.fields, within: .slip)
            guard let meant, object[meant] == nil else { continue }
            let number = place.isEmpty ? nil : member.value.numberValue
            let isType = number == 1 || number == 2 || member.value.stringValue.flatMap(Self.typeWord) != nil
            if isCall || meant == "type" && isType { notes.add(unknown: place, member.key, meant: meant) }
        }
    }

    /// Every place where one of `names` may occur, the likeliest first.
    private func candidates(_ names: [String]) -> [(field: String, value: JSONValue)] {
        var candidates: [(String, JSONValue)] = []
        for name in names {
            if let value = info?[name], !value.isNull { candidates.append(("info." + name, value)) }
        }
        for name in names {
            if let value = payload[name], !value.isNull { candidates.append((name, value)) }
        }
        return candidates
    }

    /// The id of the call that a hangup ends. A misspelled field is refused: without the id the hangup would end
    /// another call, the anonymous one.
    private func hangupCallID() throws(Rejection) -> String {
        let id = try callID()
        guard id.isEmpty else { return id }
        for member in (info?.members ?? []) + payload.members where !Self.fields.contains(member.key) {
            guard NearestName.nearest(to: member.key, of: Self.fields, within: .slip) == "callId" else { continue }
            let key = Printable.excerpt(of: member.key)
            throw Rejection(.badField, detail: "\(key): not known, and a hangup of no call; did you mean callId?")
        }
        return id
    }

    private func callID() throws(Rejection) -> String {
        let names = ["callId", "call_id"]
        guard let (field, value) = candidates(names).first else { return "" }
        var expected: String {
            "1 to \(CallRequest.callIDBytesMax) bytes of text without control characters, U+FFFE, U+FFFF, or an integer"
        }
        switch value {
        case .integer(let number): return String(number)
        case .unsigned(let number): return String(number)
        case .string(let text):
            guard (1...CallRequest.callIDBytesMax).contains(text.utf8.count) else {
                throw Rejection(.badField, detail: "\(field): found \(text.utf8.count) bytes, expected \(expected)")
            }
            guard text.unicodeScalars.allSatisfy(CallRequest.callIDMayHold) else {
                throw EnvelopeReader.badField(field, found: value, expected: expected)
            }
            return text
        case .real:
            // Perhaps an integer of more than 64 bits, whose digits a real does not keep.
            if let exact = payloadWithAllDigits() {
                let again = CallReader(
                    payload: exact, envelope: envelope, notes: notes, payloadWithAllDigits: { nil })
                if case .string = again.candidates(names).first?.value { return try again.callID() }
            }
            throw EnvelopeReader.badField(field, found: value, expected: expected)
        case .null, .bool, .array, .object: throw EnvelopeReader.badField(field, found: value, expected: expected)
        }
    }

    private mutating func text(_ names: [String]) -> String? {
        for (field, value) in candidates(names) {
            switch value {
            case .string(let text): if !text.isEmpty { return text }
            case .integer(let number): return String(number)
            case .unsigned(let number): return String(number)
            case .null, .bool, .real, .array, .object: notes.add(field, found: value, expected: "a string")
            }
        }
        return nil
    }

    private mutating func hasVideo() -> Bool {
        for (field, value) in candidates(["hasVideo", "has_video"]) {
            if let flag = value.boolValue { return flag }
            // Apple's classes make a truth value of these two numbers, and of no others.
            if value.numberValue == 1 { return true }
            if value.numberValue == 0 { return false }
            notes.add(field, found: value, expected: "true or false")
        }
        return false
    }

    /// The first field that holds an address; if none does, what was found in the first.
    private func picture() -> CallerPicture {
        var firstUnusable: CallerPicture?
        for (field, value) in candidates(["callerAvatar", "caller_avatar"]) {
            if let text = value.stringValue, CallerPicture.isAddress(text) { return .url(text) }
            if let text = value.stringValue, CallerPicture.hasOtherScheme(text) {
                firstUnusable = firstUnusable ?? .url(text)
            }
            let detail = "\(field): found \(value.foundDescription), expected an http or https address"
            firstUnusable = firstUnusable ?? .unusable(detail: detail)
        }
        return firstUnusable ?? .absent
    }

    private mutating func duration() -> TimeSpan? {
        for (field, value) in candidates(["duration"]) {
            if let seconds = value.numberValue, seconds >= CallRequest.durationSecondsMin {
                return TimeSpan(seconds: seconds)
            }
            notes.add(field, found: value, expected: "seconds as a number from 1")
        }
        return nil
    }

    private mutating func sentAt() -> WallTime? {
        for (field, value) in candidates(["sentAt", "sent_at"]) {
            let time = value.numberValue.flatMap { WallTime(unixSeconds: $0) }
            if let time, time.microseconds > 0 { return time }
            notes.add(field, found: value, expected: "Unix seconds as a number above 0")
        }
        return envelope.sentAt
    }

    private mutating func reason() -> HangupReason {
        for (field, value) in candidates(["reason"]) {
            if let reason = value.stringValue.flatMap({ HangupReason(rawValue: $0) }) { return reason }
            let words = HangupReason.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            notes.add(field, found: value, expected: "one of \(words)", outcome: "taken for \"cancelled\"")
        }
        return .cancelled
    }
}
