import BelfryJSON
import BelfryTerms

/// Reads what a payload says about a call: by the names of a foreign server first, if there are any, then by ours; of
/// each from `info` first, then from beside `aps`.
struct CallReader {
    let payload: JSONObject
    let info: JSONObject?
    let envelope: Envelope
    /// The names of a foreign server; nil for none.
    let names: CallNames?
    /// Whether the push stated its id itself.
    let statesID: Bool
    /// The payload with every digit of its integers; asked only if a call id is too large for 64 bits.
    let payloadWithAllDigits: () -> JSONObject?
    var notes: FieldNotes
    /// By what each part of the call was found.
    private(set) var sources = CallSources()
    /// What is to be said of a call without an id; nil if there is nothing.
    private(set) var noCallID: String?

    private enum Kind {
        case request
        case hangup
        case other
    }

    init(
        payload: JSONObject, envelope: Envelope, names: CallNames?, statesID: Bool, notes: FieldNotes,
        payloadWithAllDigits: @escaping () -> JSONObject?
    ) {
        self.payload = payload
        self.info = payload["info"]?.objectValue
        self.envelope = envelope
        self.names = names
        self.statesID = statesID
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
            let sentAt = sentAt() ?? envelope.sentUntil ?? envelope.sentAt
            return .hangup(Hangup(callID: try hangupCallID(), reason: reason(), sentAt: sentAt))
        case .request:
            let callID = try requestCallID()
            let (name, nameField) = text(["callerName", "caller_name"], names?.callerName)
            let (handle, handleField) = text(["handle", "phone"], names?.handle)
            (sources.callerName, sources.handle) = (nameField, handleField)
            if let value = payload["info"], info == nil, !value.isNull {
                notes.add("info", found: value, expected: "an object")
            }
            return .request(
                CallRequest(
                    callID: callID,
                    callerName: name,
                    handle: handle,
                    hasVideo: hasVideo(),
                    callerAvatar: picture(),
                    duration: duration(),
                    sentAt: sentAt() ?? envelope.sentAt
                ))
        }
    }

    private mutating func kind() -> Kind {
        if let kind = namedKind() { return kind }
        if let type = info?["type"], !type.isNull {
            sources.kind = .field("info.type")
            // FCM has texts only: one that is a number counts as that.
            let number = type.numberOrItsText
            if number == 1 { return .request }
            if number == 2 { return .hangup }
            return kind(ofWord: type, in: "info.type")
        }
        let type = payload["type"] ?? .null
        sources.kind = .field("type")
        guard envelope.pushType == .voip else {
            if let number = type.numberValue, info == nil, let meant = Self.typeWord(of: number) {
                notes.add("type", found: type, expected: "perhaps \"\(meant)\", or the number inside info")
            }
            return kind(ofWord: type, in: "type")
        }
        // A voip push is a call unless its type says otherwise, and a bare number says nothing.
        if let number = type.numberValue {
            sources.kind = .voip
            if names?.hold(key: "type") != true {
                notes.add(
                    "type", found: .real(number),
                    expected: "\"call-request\" or \"hangup\", or the number inside info")
            }
            return .request
        }
        if !type.isNull, !isOfForeignServer(type) { return kind(ofWord: type, in: "type") }
        if let (field, value) = namedCandidates(names?.type).first {
            sources.kind = .field(field)
            notes.add(field, found: value, expected: Self.wordsExpected)
            return .other
        }
        sources.kind = .voip
        return .request
    }

    /// Whether `type` is a field of a foreign server's that says nothing of the kind of push: it has no words for that,
    /// and each voip push of it is a call.
    private func isOfForeignServer(_ type: JSONValue) -> Bool {
        guard let names, !names.id.isEmpty, names.callRequest.isEmpty, names.type.isEmpty else { return false }
        return type.stringValue != "call-request" && type.stringValue != "hangup"
    }

    private static let wordsExpected = "a word of [Call] CallRequest= or Hangup=, else a voip push is no call"

    /// The kind by the words of a foreign server; nil if they say nothing.
    private mutating func namedKind() -> Kind? {
        guard let names else { return nil }
        if let field = field(holding: names.hangup) {
            sources.kind = .field(field)
            return .hangup
        }
        if let field = field(holding: names.callRequest) {
            sources.kind = .field(field)
            return .request
        }
        return nil
    }

    /// The keys that may hold a word which names no key.
    private var typeKeys: [String] {
        guard let named = names?.type, !named.isEmpty else { return ["type"] }
        return named
    }

    /// The first field that holds one of `words`.
    private func field(holding words: [CallWord]) -> String? {
        for word in words {
            for (field, value) in namedCandidates(word.key.map { [$0] } ?? typeKeys) where value.isWord(word) {
                return field
            }
        }
        return nil
    }

    private mutating func kind(ofWord type: JSONValue, in field: String) -> Kind {
        switch type.stringValue {
        case "call-request": return .request
        case "hangup": return .hangup
        case let word:
            if let meant = word.flatMap(Self.typeWord) {
                notes.add(field, found: type, expected: "perhaps \"\(meant)\"")
            } else if envelope.pushType == .voip, word != nil {
                notes.add(field, found: type, expected: Self.wordsExpected)
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
        if !isCall { noteCallElsewhere() }
    }

    /// Where services put what an app sends with a notification: FCM in `data`, OneSignal in `custom.a`.
    private static let elsewhere = ["data", "custom.a", "custom", "payload", "extra"]

    /// Notes a call that lies one step away from where it is looked for.
    private mutating func noteCallElsewhere() {
        for place in Self.elsewhere {
            guard let object = payload.value(at: place)?.objectValue else { continue }
            for field in ["type", "info.type"] {
                guard let type = object.value(at: field), !type.isNull, type.stringValue != "" else { continue }
                guard type.numberValue.flatMap(Self.typeWord) ?? type.stringValue.flatMap(Self.typeWord) != nil
                else { continue }
                return notes.add("\(place).\(field)", found: type, expected: "a call inside info")
            }
        }
    }

    private mutating func noteMisspelledFields(of object: JSONObject, at place: String, isCall: Bool) {
        for member in object.members where !Self.fields.contains(member.key) {
            // Every call has these two, and measuring how far they are from each field takes longer than knowing them.
            if place.isEmpty, member.key == "aps" || member.key == "info" { continue }
            if let names, names.hold(key: member.key) { continue }
            let meant = NearestName.nearest(to: member.key, of: Self.fields, within: .slip)
            guard let meant, object[meant] == nil else { continue }
            let number = place.isEmpty ? nil : member.value.numberValue
            let isType = number == 1 || number == 2 || member.value.stringValue.flatMap(Self.typeWord) != nil
            if isCall || meant == "type" && isType { notes.add(unknown: place, member.key, meant: meant) }
        }
    }

    /// Every place where one of `own` may occur, the likeliest first, after those of a foreign server's `named` keys.
    private func candidates(_ own: [String], _ named: [String]? = nil) -> [(field: String, value: JSONValue)] {
        var candidates = namedCandidates(named)
        for name in own {
            if let value = info?[name], !value.isNull { candidates.append(("info." + name, value)) }
        }
        for name in own {
            if let value = payload[name], !value.isNull { candidates.append((name, value)) }
        }
        return candidates
    }

    private func namedCandidates(_ keys: [String]?) -> [(field: String, value: JSONValue)] {
        guard let keys, !keys.isEmpty else { return [] }
        var candidates: [(String, JSONValue)] = []
        for key in keys {
            if let value = info?.value(at: key), !value.isNull { candidates.append(("info." + key, value)) }
            if let value = payload.value(at: key), !value.isNull { candidates.append((key, value)) }
        }
        return candidates
    }

    /// The id of a call that wants to ring. Where the fields have none, a voip push is known by the id that it states,
    /// which another call's push does not share (R8).
    private mutating func requestCallID() throws(Rejection) -> String {
        let id = try callID()
        guard id.isEmpty else { return id }
        let isKnown = envelope.pushType == .voip && statesID
        if isKnown { sources.id = "id" }
        let near = NearCallID(in: payload)
        if envelope.pushType == .voip || !near.fields.isEmpty {
            let known = isKnown ? "the call is known by the push's id" : "it is the one call without an id"
            noCallID = "no callId: \(known), which no hangup names" + near.advice
        }
        return isKnown ? envelope.id : ""
    }

    /// The id of the call that a hangup ends. A misspelled field is refused: without the id the hangup would end
    /// another call, the anonymous one.
    private mutating func hangupCallID() throws(Rejection) -> String {
        let id = try callID()
        guard id.isEmpty else { return id }
        for member in (info?.members ?? []) + payload.members where !Self.fields.contains(member.key) {
            let meant = NearestName.nearest(to: member.key, of: Self.fields, within: .slip)
            guard let meant, Self.idFields.contains(meant) else { continue }
            let key = Printable.excerpt(of: member.key)
            throw Rejection(.badField, detail: "\(key): not known, and a hangup of no call; did you mean callId?")
        }
        let near = NearCallID(in: payload)
        if envelope.pushType == .voip || !near.fields.isEmpty {
            noCallID = "no callId: the hangup ends every ring" + near.advice
        }
        return id
    }

    /// By what the call is known that an app reports for a push which is none. An id that cannot be used ends nobody's
    /// call here, and counts as none.
    mutating func reportedCallID() -> String {
        let known = sources
        defer { sources = known }
        guard let id = try? callID(), !id.isEmpty else { return envelope.id }
        return id
    }

    private static let idFields = ["callId", "call_id"]

    /// Where an id may be. A foreign server's field that holds the empty text says nothing: the next one may.
    private var idCandidates: [(field: String, value: JSONValue)] {
        namedCandidates(names?.id).filter { $0.value.stringValue != "" } + candidates(Self.idFields)
    }

    private mutating func callID() throws(Rejection) -> String {
        guard let (field, value) = idCandidates.first else { return "" }
        sources.id = field
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
                var again = CallReader(
                    payload: exact, envelope: envelope, names: names, statesID: statesID, notes: notes,
                    payloadWithAllDigits: { nil })
                if case .string = again.idCandidates.first?.value { return try again.callID() }
            }
            throw EnvelopeReader.badField(field, found: value, expected: expected)
        case .null, .bool, .array, .object: throw EnvelopeReader.badField(field, found: value, expected: expected)
        }
    }

    /// A text, and the field that has it.
    private mutating func text(_ own: [String], _ named: [String]?) -> (text: String?, field: String?) {
        for (field, value) in candidates(own, named) {
            switch value {
            case .string(let text): if !text.isEmpty { return (text, field) }
            case .integer(let number): return (String(number), field)
            case .unsigned(let number): return (String(number), field)
            case .null, .bool, .real, .array, .object: notes.add(field, found: value, expected: "a string")
            }
        }
        return (nil, nil)
    }

    private mutating func hasVideo() -> Bool {
        let words = names?.video ?? []
        if let field = field(holding: words.filter { $0.value != nil }) {
            sources.video = field
            return true
        }
        let keys = words.isEmpty ? nil : words.filter { $0.value == nil }.compactMap(\.key)
        for (field, value) in candidates(["hasVideo", "has_video"], keys) {
            if let flag = value.flagOrItsText {
                sources.video = field
                return flag
            }
            notes.add(field, found: value, expected: "true or false")
        }
        return false
    }

    /// The first field that holds an address; if none does, what was found in the first.
    private mutating func picture() -> CallerPicture {
        var firstUnusable: CallerPicture?
        for (field, value) in candidates(["callerAvatar", "caller_avatar"], names?.avatar) {
            // A server of many fields has the empty text where there is no picture.
            if names != nil, value.stringValue == "" { continue }
            sources.avatar = sources.avatar ?? field
            if let text = value.stringValue, CallerPicture.isAddress(text) {
                sources.avatar = field
                return .url(text)
            }
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
            if let seconds = value.numberOrItsText, seconds >= CallRequest.durationSecondsMin {
                return TimeSpan(seconds: seconds)
            }
            notes.add(field, found: value, expected: "seconds as a number from 1")
        }
        return nil
    }

    /// When its payload says that it was sent, which is by one clock.
    private mutating func sentAt() -> WallTime? {
        for (field, value) in candidates(["sentAt", "sent_at"]) {
            let time = value.numberOrItsText.flatMap { WallTime(unixSeconds: $0) }
            if let time, time.microseconds > 0 { return time }
            notes.add(field, found: value, expected: "Unix seconds as a number above 0")
        }
        return nil
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
