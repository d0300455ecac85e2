extension String {
    /// A text to be looked up, with values in it: `"\(count) messages"` has the key `%lld messages`.
    public struct LocalizationValue: ExpressibleByStringInterpolation, Equatable, Sendable {
        let key: String
        let arguments: [String]

        /// A text without values.
        public init(stringLiteral value: String) {
            key = value
            arguments = []
        }

        /// A text that is known only at run time, as it is.
        public init(_ value: String) { self.init(stringLiteral: value) }

        /// A text with values.
        public init(stringInterpolation: StringInterpolation) {
            key = stringInterpolation.key
            arguments = stringInterpolation.arguments
        }

        /// Collects a text and its values.
        public struct StringInterpolation: StringInterpolationProtocol, Sendable {
            var key = ""
            var arguments: [String] = []

            /// Nothing yet.
            public init(literalCapacity: Int, interpolationCount: Int) {}

            /// Adds text.
            public mutating func appendLiteral(_ literal: String) {
                key += literal.replacingOccurrences(of: "%", with: "%%")
            }

            /// Adds a text's place.
            public mutating func appendInterpolation(_ string: String) { append("%@", string) }

            /// Adds a whole number's place.
            public mutating func appendInterpolation<Number: BinaryInteger>(_ number: Number) {
                append("%lld", String(number))
            }

            /// Adds a number's place.
            public mutating func appendInterpolation<Number: BinaryFloatingPoint>(_ number: Number) {
                append("%lf", String(format: "%f", Double(number)))
            }

            /// Adds anything else's place.
            public mutating func appendInterpolation<Value>(_ value: Value) { append("%@", String(describing: value)) }

            private mutating func append(_ placeholder: String, _ argument: String) {
                key += placeholder
                arguments.append(argument)
            }
        }
    }

    /// The text of `keyAndValue` in the user's language, from the `.lproj` folders of `bundle`, with its values in
    /// their places.
    public init(
        localized keyAndValue: LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
        locale: Locale = .current, comment: StaticString? = nil
    ) {
        let text = (bundle ?? HostDoor.bundle).localizedString(forKey: keyAndValue.key, value: nil, table: table)
        self = Placeholders.filled(text, keyAndValue.arguments)
    }
}

/// Puts texts where a format has places for values. Never a format of the C library: what is in a file decides nothing
/// but places (S4).
package enum Placeholders {
    /// As many digits tell a place or a width.
    private static let digitsMax = 3
    /// As many characters say in braces who may read a value.
    private static let optionCharactersMax = 64

    /// `format` with `arguments` in their places; a place without an argument stays as it is.
    package static func filled(_ format: String, _ arguments: [String]) -> String {
        var text = ""
        var next = 0
        var rest = Substring(format)
        while let percent = rest.firstIndex(of: "%") {
            text += rest[..<percent]
            rest = rest[percent...]
            guard let place = Place(rest) else {
                text.append(rest.removeFirst())
                continue
            }
            let number = place.number ?? next + 1
            if place.isPercent {
                text.append("%")
            } else if arguments.indices.contains(number - 1) {
                text += arguments[number - 1]
                if place.number == nil { next += 1 }
            } else {
                text += rest.prefix(place.length)
            }
            rest = rest.dropFirst(place.length)
        }
        return text + rest
    }

    /// `%@`, `%2$@`, `%lld`, `%.1f`, `%{public}s`, `%%` and the like at the beginning of a text.
    private struct Place {
        let length: Int
        /// Which argument, from 1; nil for the next.
        var number: Int?
        let isPercent: Bool

        init?(_ text: Substring) {
            var rest = text.dropFirst()
            let digits = rest.prefix(digitsMax).prefix(while: \.isWholeNumber)
            if let number = Int(digits), rest.dropFirst(digits.count).first == "$" {
                self.number = number
                rest = rest.dropFirst(digits.count + 1)
            }
            if rest.first == "{", let end = rest.prefix(optionCharactersMax).firstIndex(of: "}") {
                rest = rest[end...].dropFirst()
            }
            rest = rest.drop { "-+ #0123456789.".contains($0) }.drop { "hlqLzjt".contains($0) }
            guard let kind = rest.first, "@%diouxXeEfgGaAcsCSp".contains(kind) else { return nil }
            isPercent = kind == "%"
            length = text.count - rest.count + 1
        }
    }
}
