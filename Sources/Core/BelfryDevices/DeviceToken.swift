/// The address of a virtual device's app for push servers: 32 random bytes.
public struct DeviceToken: Hashable, Sendable {
    /// How many bytes a token of ours has. Servers must not count on it.
    public static let byteCount = 32

    // Words rather than an array: a token is looked up and compared with each push.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// The token of `bytes`; nil if they are not ``byteCount``.
    public init?(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        func word(_ index: Int) -> UInt64 { bytes[8 * index..<8 * index + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        (first, second, third, fourth) = (word(0), word(1), word(2), word(3))
    }

    /// The token that is written `hex`, digits of either case; nil if that is no such token.
    public init?(hex: some StringProtocol) {
        self.init(hexDigits: Array(hex.utf8).span)
    }

    /// The token that is written in `digits`, of either case; nil if that is no such token.
    public init?(hexDigits digits: Span<UInt8>) {
        guard digits.count == 2 * Self.byteCount else { return nil }
        func word(_ index: Int) -> UInt64? {
            var word: UInt64 = 0
            for place in 16 * index..<16 * index + 16 {
                guard let value = Self.value(ofDigit: digits[place]) else { return nil }
                word = word << 4 | UInt64(value)
            }
            return word
        }
        guard let first = word(0), let second = word(1), let third = word(2), let fourth = word(3) else { return nil }
        self.init(first, second, third, fourth)
    }

    /// A new random token.
    public static func random() -> DeviceToken {
        var generator = SystemRandomNumberGenerator()
        return DeviceToken(generator.next(), generator.next(), generator.next(), generator.next())
    }

    private init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    }

    /// Its bytes.
    public var bytes: [UInt8] {
        let bytes = inlineBytes
        return bytes.indices.map { bytes[$0] }
    }

    /// Its bytes, without an array of their own.
    public var inlineBytes: InlineArray<32, UInt8> {
        InlineArray { index in
            let word = index < 16 ? (index < 8 ? first : second) : (index < 24 ? third : fourth)
            return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7)))
        }
    }

    /// As apps and servers write it: 64 hexadecimal digits of lower case.
    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * Self.byteCount)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
