import BelfryJSON
import BelfryTerms

extension JSONObject {
    /// What `path` holds: as a key first, then with its first dot as a step into an object, and so on.
    func value(at path: String) -> JSONValue? {
        if let value = self[path], !value.isNull { return value }
        guard let dot = path.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        let rest = path.index(after: dot)
        return self[String(path[..<dot])]?.objectValue?.value(at: String(path[rest...]))
    }
}

extension JSONValue {
    /// A number, or a text that is one, as FCM sends it; nil for all else.
    var numberOrItsText: Double? {
        if let number = numberValue { return number }
        guard let text = stringValue, text.utf8.count <= 32,
            // `Double` takes hexadecimal digits and names of values, too.
            text.utf8.allSatisfy({ $0.isASCIIDigit || ".-+eE".utf8.contains($0) }), let number = Double(text),
            number.isFinite
        else { return nil }
        return number
    }

    /// A truth value, 0 or 1, as Apple's classes make one of these two and of no other numbers, or the text of one of
    /// these, as FCM sends it; nil for all else.
    var flagOrItsText: Bool? {
        if let flag = boolValue { return flag }
        switch stringValue?.lowercased() {
        case "true": return true
        case "false": return false
        default: break
        }
        let number = numberOrItsText
        return number == 1 ? true : number == 0 ? false : nil
    }

    /// Whether it is the value of `word`: by its text, a number by its digits, a truth value as `true` or `false`.
    func isWord(_ word: CallWord) -> Bool {
        guard let expected = word.value else { return false }
        if expected == CallWord.any { return !isNull }
        switch self {
        case .string(let text): return text.hasBytes(of: expected)
        case .integer(let number): return String(number) == expected
        case .unsigned(let number): return String(number) == expected
        case .bool(let flag): return String(flag) == expected
        case .null, .real, .array, .object: return false
        }
    }
}

/// By what each part of a call was found: paths in the payload, nil where there is none.
public struct CallSources: Hashable, Sendable {
    /// What made the push a call, or kept it from being one.
    public enum Kind: Hashable, Sendable {
        /// A field.
        case field(String)
        /// It is a voip push, and no field says anything else.
        case voip
    }

    /// The kind; of an ordinary notification, too.
    public internal(set) var kind = Kind.field("type")
    /// The call's id; `id` is that of the push itself.
    public internal(set) var id: String?
    /// The caller's name.
    public internal(set) var callerName: String?
    /// Their number or address.
    public internal(set) var handle: String?
    /// Whether it is a video call.
    public internal(set) var video: String?
    /// Their picture.
    public internal(set) var avatar: String?
}

/// What lies near the id of a call in a push that has none: for people, so that a few fields are enough.
struct NearCallID {
    /// Most fields that are named.
    private static let fieldsMax = 3
    /// Most members that are looked at, and how deep, so that a large payload costs no time.
    private static let membersMax = 64
    private static let depthMax = 4

    /// Fields that may hold it, those that are called after calls first.
    private(set) var fields: [String] = []
    private var others: [String] = []
    private var looked = 0
    private let payload: JSONObject

    /// Looks through `payload`.
    init(in payload: JSONObject) {
        self.payload = payload
        look(in: payload, at: "", depth: 1)
        fields = Array((fields + others).prefix(Self.fieldsMax))
    }

    /// What to write where, to stand behind a sentence; empty if nothing lies near.
    var advice: String {
        guard !fields.isEmpty else { return "" }
        let set = CallPayload.allCases.first { $0.names.areIn(payload) }
        let names = fields.joined(separator: ", ")
        return "; near is \(names): [Call] " + (set.map { "Payload=\($0.rawValue)" } ?? "Id=\(fields[0])")
    }

    private mutating func look(in object: JSONObject, at place: String, depth: Int) {
        for member in object.members where !(depth == 1 && member.key == "aps") {
            looked += 1
            guard looked <= Self.membersMax else { return }
            let path = place + Printable.excerpt(of: member.key)
            switch member.value {
            case .object(let inner): if depth < Self.depthMax { look(in: inner, at: path + ".", depth: depth + 1) }
            case .string, .integer, .unsigned: note(member.key, path, isOutside: depth == 1 || place == "info.")
            case .null, .bool, .real, .array: break
            }
        }
    }

    private mutating func note(_ key: String, _ path: String, isOutside: Bool) {
        let plain = String(decoding: key.lowercased().utf8.filter { $0.isASCIILetterOrDigit }, as: UTF8.self)
        if ["callid", "calluuid", "callsid", "callcid"].contains(where: plain.hasSuffix) {
            fields.append(path)
        } else if plain == "uuid" || isOutside && ["id", "cid", "sid", "roomid", "sessionid"].contains(plain) {
            others.append(path)
        }
    }
}

extension CallNames {
    /// Whether `payload` has the id by these names, and the caller or the kind.
    fileprivate func areIn(_ payload: JSONObject) -> Bool {
        id.contains { payload.value(at: $0) != nil }
            && (callerName + type).contains { payload.value(at: $0) != nil }
    }
}
