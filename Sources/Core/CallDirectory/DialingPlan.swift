/// How numbers are written where the operator is: what makes of a handle the number that a call directory knows.
///
/// A number is country code and national number in one integer: `CXCallDirectoryPhoneNumber`.
///
/// Source: Apple, CallKit, "Identifying and blocking calls"; ITU-T E.164, which allows 15 digits.
public struct DialingPlan: Hashable, Sendable {
    /// The country code of numbers that name none: `[Directory] CountryCode=`; empty if such numbers are not looked up.
    public var countryCode = ""
    /// What national numbers begin with: `[Directory] TrunkPrefix=`; empty if they begin with nothing.
    public var trunkPrefix = "0"
    /// What international numbers begin with instead of a plus sign: `[Directory] InternationalPrefix=`.
    public var internationalPrefix = "00"

    /// Numbers of an international form alone.
    public init() {}

    /// A plan as the operator's settings have it: where a prefix is `none`, numbers begin with nothing.
    public init(countryCode: String, trunkPrefix: String, internationalPrefix: String) {
        self.countryCode = countryCode
        self.trunkPrefix = trunkPrefix == Self.noPrefix ? "" : trunkPrefix
        self.internationalPrefix = internationalPrefix == Self.noPrefix ? "" : internationalPrefix
    }

    private static let noPrefix = "none"

    /// How many digits a number may have to be one; E.164 has 15, and an integer of 64 bits holds 18.
    static let digitsMax = 18

    /// The number that `handle` is: `+` and digits, a `tel:` or `sip:` address with such a number, or a national number
    /// where there is a ``countryCode``. Nil for all else: addresses, names of accounts, short numbers.
    public func number(of handle: String) -> Int64? {
        guard handle.utf8.count <= Self.handleBytesMax else { return nil }
        return read(Self.dialled(handle))
    }

    /// More bytes than any number has, with all its punctuation.
    private static let handleBytesMax = 256

    private func read(_ text: Substring) -> Int64? {
        guard let written = Written(text) else { return nil }
        if written.isInternational { return Self.value(written.digits) }
        guard !countryCode.isEmpty else { return nil }
        if !internationalPrefix.isEmpty, written.digits.hasPrefix(internationalPrefix) {
            return Self.value(String(written.digits.dropFirst(internationalPrefix.count)))
        }
        guard written.digits.hasPrefix(trunkPrefix) else { return nil }
        let national = written.digits.dropFirst(trunkPrefix.count)
        return national.isEmpty ? nil : Self.value(countryCode + national)
    }

    private static func value(_ digits: String) -> Int64? {
        // No country code begins with a zero.
        guard (1...digitsMax).contains(digits.utf8.count), digits.first != "0" else { return nil }
        return Int64(digits)
    }

    /// What is dialled in an address: `tel:` and `sip:` name it, and parameters follow.
    private static func dialled(_ handle: String) -> Substring {
        for scheme in ["tel:", "sip:", "sips:"] where handle.lowercased().hasPrefix(scheme) {
            let rest = handle.dropFirst(scheme.count)
            let user = scheme == "tel:" ? rest : rest.prefix { $0 != "@" }
            return user.prefix { $0 != ";" }
        }
        return handle[...]
    }

    /// A number as people write it.
    private struct Written {
        var isInternational = false
        var digits = ""

        /// Reads `text`; nil if it has anything but a plus sign in front, digits, blanks and punctuation.
        init?(_ text: Substring) {
            var text = text
            while let first = text.unicodeScalars.first, Self.isBlank(first) { text = text.dropFirst() }
            if text.first == "+" {
                isInternational = true
                text = text.dropFirst()
                // The trunk prefix that only callers within the country dial.
                if let zero = text.firstRange(of: "(0)") { text.removeSubrange(zero) }
            }
            for scalar in text.unicodeScalars {
                if ("0"..."9").contains(scalar) {
                    digits.unicodeScalars.append(scalar)
                } else if !Self.isBlank(scalar) {
                    return nil
                }
            }
        }

        /// Blanks, and what people write between digits.
        private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace
                || "-.()/\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}".unicodeScalars.contains(scalar)
        }
    }
}
