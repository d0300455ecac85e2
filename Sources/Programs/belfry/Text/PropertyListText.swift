import BelfryCommandLine
import BelfryJSON
import BelfryPropertyList
import BelfryProtocol
import BelfrySettings
import BelfryTerms
import CallLedger

/// Property list values, written for people and as JSON.
enum PropertyListText {
    /// Seconds from the start of Unix time to that of property lists, in 2001.
    private static let secondsFrom1970To2001 = 978_307_200.0

    /// One line for people, escaped (S3): scalars as they are, the rest as JSON.
    static func text(_ value: PropertyListValue) -> String {
        switch value {
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .unsigned(let number): String(number)
        case .real(let number): String(number)
        case .string(let text): Printable.escaped(text)
        case .date, .data, .uid, .array, .dictionary:
            Printable.escaped(String(decoding: json(value).serialized(), as: UTF8.self))
        }
    }

    /// The value in JSON. A date becomes Unix seconds, data base64.
    static func json(_ value: PropertyListValue) -> JSONValue {
        switch value {
        case .bool(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .unsigned(let number): .unsigned(number)
        case .real(let number): number.isFinite ? .real(number) : .null
        case .string(let text): .string(text)
        case .date(let seconds): .real(seconds + secondsFrom1970To2001)
        case .data(let bytes): .string(String(decoding: Base64.encoded(bytes.span), as: UTF8.self))
        case .uid(let number): .object(["CF$UID": .string(String(number))])
        case .array(let elements): .array(elements.map(json))
        case .dictionary(let dictionary): .object(object(dictionary))
        }
    }

    /// A dictionary in JSON.
    static func object(_ dictionary: PropertyListDictionary) -> JSONObject {
        var object = JSONObject()
        for member in dictionary.members { object[member.key] = json(member.value) }
        return object
    }
}

extension PropertyListValue {
    /// The type of the value, in one word.
    var kind: String {
        switch self {
        case .bool: "bool"
        case .integer, .unsigned: "int"
        case .real: "float"
        case .string: "string"
        case .date: "date"
        case .data: "data"
        case .uid: "uid"
        case .array: "array"
        case .dictionary: "dict"
        }
    }
}

/// A value as `belfry group set` takes it, with the type flags of defaults(1).
enum TypedValue {
    /// The value of `words`, a text with or without a flag before it, for `key`.
    static func parse(_ words: [String], for key: String) throws(CommandError) -> PropertyListValue {
        guard words.count == 2 else { return try value(words[0], kind(of: key)) }
        switch words[0] {
        case "-bool", "-boolean": return try value(words[1], .bool)
        case "-int", "-integer": return try value(words[1], .integer)
        case "-float", "-real": return try value(words[1], .real)
        case "-string": return try value(words[1], .string)
        default: throw CommandError(.usage, "there is no type \(words[0])", "-bool, -int, -float or -string")
        }
    }

    /// Whether `word` is a flag that gives the type of the next word.
    static func isFlag(_ word: String) -> Bool {
        ["-bool", "-boolean", "-int", "-integer", "-float", "-real", "-string"].contains(word)
    }

    private enum Kind {
        case bool, integer, real, string
    }

    /// The type of `key` without a flag: Belfry's own keys have theirs, others are strings.
    private static func kind(of key: String) -> Kind {
        switch key {
        case Ledger.Key.foreground: .bool
        case Ledger.Key.startCallTime: .integer
        default: .string
        }
    }

    private static func value(_ text: String, _ kind: Kind) throws(CommandError) -> PropertyListValue {
        switch kind {
        case .string: return .string(text)
        case .bool:
            guard let flag = ValueText.boolean(text) else {
                throw CommandError(.usage, "\(text) is no boolean", "yes or no, true or false")
            }
            return .bool(flag)
        case .integer:
            if let number = Int64(text) { return .integer(number) }
            if let number = UInt64(text) { return .unsigned(number) }
            throw CommandError(.usage, "\(text) is no integer", "a whole number of at most 64 bits")
        case .real:
            guard let number = Double(text), number.isFinite else {
                throw CommandError(.usage, "\(text) is no number", "such as 0.5")
            }
            return .real(number)
        }
    }
}
