/// A block of addresses in CIDR notation, such as `10.0.0.0/8`.
public struct AddressBlock: Hashable, Sendable {
    /// Any address of the block.
    public let address: InternetAddress
    /// How many leading bits all its addresses share.
    public let prefixBits: Int

    /// The block written as `10.0.0.0/8`, or one address; nil for anything else.
    public init?(text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = InternetAddress(text: String(decoding: parts[0], as: UTF8.self)) else {
            return nil
        }
        let bitsMax = address.bytes.count * 8
        var prefixBits = bitsMax
        if parts.count == 2 {
            let digits = parts[1]
            guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            prefixBits = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            guard prefixBits <= bitsMax else { return nil }
        }
        self.address = address
        self.prefixBits = prefixBits
    }

    /// Whether `other` lies in it. Families never meet: `::ffff:10.0.0.1` is not in `10.0.0.0/8`.
    public func contains(_ other: InternetAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        var bitsLeft = prefixBits
        for (ours, theirs) in zip(address.bytes, other.bytes) {
            guard bitsLeft > 0 else { return true }
            let mask = bitsLeft >= 8 ? 0xFF : UInt8(truncatingIfNeeded: 0xFF00 >> bitsLeft)
            guard ours & mask == theirs & mask else { return false }
            bitsLeft -= 8
        }
        return true
    }
}
