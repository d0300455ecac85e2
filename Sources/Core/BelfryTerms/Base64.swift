/// Base64 (RFC 4648): digits of six bits for bytes.
public enum Base64 {
    /// What a reader takes beside the standard alphabet with its padding.
    public struct Leniency: OptionSet, Sendable {
        /// The raw bits.
        public let rawValue: UInt8

        /// Those of `rawValue`.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The alphabet for URLs too, and both mixed.
        public static let urlAlphabet = Leniency(rawValue: 1)
        /// Spaces, tabs and ends of lines anywhere, which are passed over.
        public static let whiteSpace = Leniency(rawValue: 2)
        /// No padding at all, beside the one that is right.
        public static let unpadded = Leniency(rawValue: 4)
        /// Bits of the last digit that belong to no byte and are not zero.
        public static let leftoverBits = Leniency(rawValue: 8)
        /// Padding of any count anywhere, and a last digit that begins no byte.
        public static let loosePadding = Leniency(rawValue: 16)
    }

    private static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let url = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let padding = UInt8(ascii: "=")

    /// `bytes` by the standard alphabet, padded.
    public static func encoded(_ bytes: Span<UInt8>) -> [UInt8] { encoded(bytes, by: standard, isPadded: true) }

    /// `bytes` by the alphabet for URLs, without padding, as RFC 7515 has it.
    public static func encodedForURL(_ bytes: Span<UInt8>) -> [UInt8] { encoded(bytes, by: url, isPadded: false) }

    private static func encoded(_ bytes: Span<UInt8>, by alphabet: [UInt8], isPadded: Bool) -> [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var bits: UInt32 = 0
            for offset in 0..<3 { bits = bits << 8 | (offset < count ? UInt32(bytes[index + offset]) : 0) }
            for place in 0...count { digits.append(alphabet[Int(bits >> UInt32(18 - 6 * place) & 63)]) }
            if isPadded { digits.append(contentsOf: repeatElement(padding, count: 3 - count)) }
            index += count
        }
        return digits
    }

    /// The bytes that `digits` are; nil if they are none by what is allowed.
    public static func decoded(_ digits: Span<UInt8>, allowing leniency: Leniency = []) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var bits: UInt32 = 0
        var digitCount = 0
        var paddingCount = 0
        for index in digits.indices {
            let digit = digits[index]
            if leniency.contains(.whiteSpace), isWhiteSpace(digit) { continue }
            if digit == padding {
                paddingCount += 1
                continue
            }
            guard paddingCount == 0 || leniency.contains(.loosePadding),
                let value = value(of: digit, withURLs: leniency.contains(.urlAlphabet))
            else { return nil }
            bits = bits << 6 | UInt32(value)
            digitCount += 1
            // Each digit but the first of four ends a byte, of which it has the last 2, 4 or 6 bits.
            let spare = UInt32(6 - 2 * ((digitCount + 3) % 4))
            if spare < 6 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> spare))
                bits &= (1 << spare) - 1
            }
        }
        if leniency.contains(.loosePadding) { return bytes }
        let missing = (4 - digitCount % 4) % 4
        guard missing < 3, paddingCount == missing || (leniency.contains(.unpadded) && paddingCount == 0),
            bits == 0 || leniency.contains(.leftoverBits)
        else { return nil }
        return bytes
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func value(of digit: UInt8, withURLs: Bool) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        case UInt8(ascii: "-") where withURLs: 62
        case UInt8(ascii: "_") where withURLs: 63
        default: nil
        }
    }
}
