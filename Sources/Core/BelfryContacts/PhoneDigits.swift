/// A telephone number as its digits, so that one is found however it is written.
public struct PhoneDigits: Hashable, Sendable {
    /// So many last digits tell a number from another, where one of the two has no country.
    private static let nationalDigitsMin = 7

    private let digits: [UInt8]
    private let isInternational: Bool

    /// The digits of `text`: `+49 (30) 123`, `+49 (0)30 123`, `0049 30 123` and `tel:+4930123;ext=1` are the same.
    public init(_ text: String) {
        // What follows a semicolon are parameters (RFC 3966).
        var number = text.prefix { $0 != ";" }
        let hasPlus = number.utf8.contains(UInt8(ascii: "+"))
        // Dialled within the country alone.
        if hasPlus { number.replace("(0)", with: "") }
        let found = number.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let hasZeros = !hasPlus && found.starts(with: [UInt8(ascii: "0"), UInt8(ascii: "0")])
        isInternational = hasPlus || hasZeros
        digits = Array(found.dropFirst(hasZeros ? 2 : 0))
    }

    /// Whether both are one number: all digits are the same, or one has a country and the other is its end, without
    /// the 0 that stands for the country.
    public func isSame(as other: PhoneDigits) -> Bool {
        guard !digits.isEmpty, digits != other.digits else { return !digits.isEmpty }
        guard isInternational != other.isInternational else { return false }
        let (whole, part) = isInternational ? (self, other) : (other, self)
        let national = part.digits.drop { $0 == UInt8(ascii: "0") }
        return national.count >= Self.nationalDigitsMin && whole.digits.count > national.count
            && whole.digits.suffix(national.count).elementsEqual(national)
    }
}
