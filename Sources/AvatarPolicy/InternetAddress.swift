/// An IPv4 or IPv6 address.
public struct InternetAddress: Hashable, Sendable {
    /// Its bytes in network order: 4 of IPv4, 16 of IPv6.
    public let bytes: [UInt8]

    /// The address of these bytes; nil unless there are 4 or 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// The IPv4 address of this number, its highest byte first.
    public init(v4 number: UInt32) {
        bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Whether it has 4 bytes.
    public var isV4: Bool { bytes.count == 4 }

    /// The IPv4 address that an IPv4-mapped IPv6 address (`::ffff:0:0/96`) reaches; itself for any other.
    public var unmapped: InternetAddress {
        guard bytes.count == 16, bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else {
            return self
        }
        return InternetAddress(bytes: Array(bytes.suffix(4))) ?? self
    }
}
