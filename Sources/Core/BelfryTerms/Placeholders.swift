/// Puts texts where a text has places for values. Never uses a format of the C library: foreign text decides nothing
/// but the places (S4).
package enum Placeholders {
    /// What counts as a place.
    package enum Grammar: Hashable, Sendable {
        /// `%@` and `%2$@`, and `%%` for a percent sign: what a push may have in a `loc-key`.
        case texts
        /// Also `%lld`, `%.1f`, `%{public}s` and the like: what code has in its formats.
        case formats
    }

    /// The most digits in the number of a place.
    private static let digitsMax = 4
    /// The most characters in the braces that say who may read a value.
    private static let optionCharactersMax = 64

    /// `text` with `arguments` in its places, cut after `bytesMax`, since an argument can be named many times. A place
    /// without an argument stays as it is.
    package static func filled(
        _ text: String, _ arguments: [String], _ grammar: Grammar = .formats, bytesMax: Int = .max
    ) -> String {
        var filled = String.UnicodeScalarView()
        var bytes = 0
        var next = 0
        var rest = Substring(text).unicodeScalars
        while !rest.isEmpty, bytes < bytesMax {
            let place = Place(rest, grammar)
            let number = place?.number ?? next + 1
            var value = rest.prefix(place?.length ?? 1)
            rest = rest.dropFirst(value.count)
            if place?.isPercent ?? false {
                value = Substring("%").unicodeScalars
            } else if let place, arguments.indices.contains(number - 1) {
                value = Substring(arguments[number - 1]).unicodeScalars
                if place.number == nil { next += 1 }
            }
            for scalar in value {
                bytes += scalar.utf8.count
                guard bytes <= bytesMax else { break }
                filled.append(scalar)
            }
        }
        return String(filled)
    }

    /// A place at the beginning of a text.
    private struct Place {
        let length: Int
        /// Which argument, from 1; nil for the next.
        var number: Int?
        let isPercent: Bool

        init?(_ text: Substring.UnicodeScalarView, _ grammar: Grammar) {
            guard text.first == "%" else { return nil }
            var rest = text.dropFirst()
            let digits = rest.prefix(digitsMax).prefix { ("0"..."9").contains($0) }
            if let number = Int(String(digits)), rest.dropFirst(digits.count).first == "$" {
                self.number = number
                rest = rest.dropFirst(digits.count + 1)
            }
            if grammar == .formats {
                if rest.first == "{", let end = rest.prefix(optionCharactersMax).firstIndex(of: "}") {
                    rest = rest[end...].dropFirst()
                }
                rest = rest.drop { "-+ #0123456789.".unicodeScalars.contains($0) }
                    .drop { "hlqLzjt".unicodeScalars.contains($0) }
            }
            let kinds = grammar == .texts ? "@%" : "@%diouxXeEfgGaAcsCSp"
            guard let kind = rest.first, kinds.unicodeScalars.contains(kind) else { return nil }
            isPercent = kind == "%"
            if isPercent, number != nil { return nil }
            length = text.distance(from: text.startIndex, to: rest.startIndex) + 1
        }
    }
}
