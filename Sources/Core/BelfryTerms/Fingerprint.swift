/// FNV-1a (draft-eastlake-fnv): spreads names. It gives no protection against an attacker who chooses the bytes, and
/// need not.
public enum Fingerprint {
    /// How many digits ``of(_:)`` has.
    public static let digitCount = 16

    /// The 64-bit hash of `bytes` as 16 hexadecimal digits.
    public static func of(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: digitCount - digits.utf8.count) + digits
    }
}
