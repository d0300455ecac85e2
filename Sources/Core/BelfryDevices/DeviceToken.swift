/// What a push server addresses a virtual device's app by: 32 random bytes.
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
        // In one go: what is made here for any kind of text takes long for each of its digits.
        let digits = Array(hex.utf8)
        guard digits.count == 2 * Self.byteCount else { return nil }
        func word(_ index: Int) -> UInt64? {
            var word: UInt64 = 0
            for digit in digits[16 * index..<16 * index + 16] {
                guard let value = Self.value(ofDigit: digit) else { return nil }
                word = word << 4 | UInt64(value)
            }
            return word
        }
        guard let first = word(0), let second = word(1), let third = word(2), let fourth = word(3) else { return nil }
        self.init(first, second, third, fourth)
    }

    /// A token that nobody has.
    public static func random() -> DeviceToken {
        var generator = SystemRandomNumberGenerator()
        return DeviceToken(generator.next(), generator.next(), generator.next(), generator.next())
    }

    private init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    }

    /// Its bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for word in [first, second, third, fourth] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return bytes
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
