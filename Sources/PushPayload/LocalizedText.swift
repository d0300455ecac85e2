/// A `loc-key` text with its arguments, as a device shows it that has no table of translations: the key itself.
///
/// The text comes from outside, so it is no format string of ours (S4): `%@`, `%1$@` and `%%` are replaced here, and
/// everything else stays as it is.
enum LocalizedText {
    /// Most bytes that replacing may grow a text to: an argument can be named many times.
    static let bytesMax = 4096

    /// `key` with `arguments` in the places of its placeholders; a placeholder without an argument stays.
    static func substituted(_ key: String, arguments: [String]) -> String {
        guard !arguments.isEmpty else { return key }
        let source = Array(key.unicodeScalars)
        var text = String.UnicodeScalarView()
        var byteCount = 0
        var nextArgument = 0
        var index = 0
        while index < source.count, byteCount < bytesMax {
            let placeholder = placeholder(in: source[index...])
            let scalars: ArraySlice<Unicode.Scalar>
            switch placeholder?.kind {
            case nil: scalars = source[index...index]
            case .percent?: scalars = ["%"]
            case .numbered(let number)?:
                scalars =
                    arguments.indices.contains(number - 1)
                    ? ArraySlice(arguments[number - 1].unicodeScalars)
                    : source[index..<(index + (placeholder?.count ?? 1))]
            case .next?:
                scalars =
                    nextArgument < arguments.count
                    ? ArraySlice(arguments[nextArgument].unicodeScalars)
                    : source[index..<(index + (placeholder?.count ?? 1))]
                nextArgument += 1
            }
            for scalar in scalars {
                byteCount += scalar.utf8.count
                guard byteCount <= bytesMax else { break }
                text.append(scalar)
            }
            index += placeholder?.count ?? 1
        }
        return String(text)
    }

    private enum Kind {
        case percent
        case next
        /// From 1.
        case numbered(Int)
    }

    private static func placeholder(in text: ArraySlice<Unicode.Scalar>) -> (kind: Kind, count: Int)? {
        guard text.first == "%" else { return nil }
        let rest = text.dropFirst()
        if rest.first == "%" { return (.percent, 2) }
        if rest.first == "@" { return (.next, 2) }
        // More digits than any array of arguments needs are no placeholder, and cannot overflow.
        let digits = rest.prefix(4).prefix { $0.value >= 0x30 && $0.value <= 0x39 }
        guard !digits.isEmpty, rest.dropFirst(digits.count).starts(with: ["$", "@"]) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1.value - 0x30) }
        return (.numbered(number), 1 + digits.count + 2)
    }
}
