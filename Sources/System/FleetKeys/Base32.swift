/// Base32 (RFC 4648) without padding, as NATS writes keys.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// `bytes` as digits of five bits.
    static func encoded(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                digits.append(alphabet[Int(bits >> bitCount & 31)])
            }
            bits &= (1 << bitCount) - 1
        }
        if bitCount > 0 { digits.append(alphabet[Int(bits << (5 - bitCount) & 31)]) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes that `text` is; nil if it is none, or bits are left over.
    static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for digit in text.utf8 {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = bits << 5 | UInt32(value)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
                bits &= (1 << bitCount) - 1
            }
        }
        return bitCount < 5 && bits == 0 ? bytes : nil
    }
}
