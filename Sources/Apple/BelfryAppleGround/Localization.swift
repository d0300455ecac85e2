import BelfryTerms

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

        /// A text that is known only at run time, used as it is.
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

    /// The text of `keyAndValue` in the person's language, from the `.lproj` folders of `bundle`, with its values in
    /// their places.
    public init(
        localized keyAndValue: LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
        locale: Locale = .current, comment: StaticString? = nil
    ) {
        let text = (bundle ?? KeeperDoor.bundle).text(forKey: keyAndValue.key, value: nil, table: table)
        self = Placeholders.filled(text, keyAndValue.arguments)
    }
}
