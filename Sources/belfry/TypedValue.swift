import Configuration
import PropertyList

/// A value as `belfry group set` takes it: with the type flags of defaults(1).
enum TypedValue {
    /// The value that `words` (a flag and a text, or a text alone) mean for `key`.
    static func parse(_ words: [String], for key: String) throws(CommandError) -> PropertyListValue {
        guard words.count == 2 else { return try value(words[0], ownKind(of: key)) }
        switch words[0] {
        case "-bool", "-boolean": return try value(words[1], .bool)
        case "-int", "-integer": return try value(words[1], .integer)
        case "-float", "-real": return try value(words[1], .real)
        case "-string": return try value(words[1], .string)
        default: throw CommandError(.usage, "there is no type \(words[0])", "-bool, -int, -float or -string")
        }
    }

    /// Whether `word` says of which type the next one is.
    static func isFlag(_ word: String) -> Bool {
        ["-bool", "-boolean", "-int", "-integer", "-float", "-real", "-string"].contains(word)
    }

    private enum Kind {
        case bool, integer, real, string
    }

    /// Belfry reads these only in their own type, so that nobody has to know it.
    private static func ownKind(of key: String) -> Kind {
        switch key {
        case "enterToForground": .bool
        case "keyStartCallTime": .integer
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
