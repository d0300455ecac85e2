import BelfryTerms

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

extension InternetAddress {
    /// The address written as `192.0.2.1` or `2001:db8::1` (RFC 4291, 2.2), as inet_pton(3) reads them; nil for any
    /// other spelling, zones such as `%eth0` included.
    public init?(text: String) {
        let text = Array(text.utf8)[...]
        guard let bytes = text.contains(UInt8(ascii: ":")) ? Self.v6(text) : Self.v4(text) else { return nil }
        self.bytes = bytes
    }

    /// Four decimal numbers without leading zeros.
    private static func v4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(\.isASCIIDigit),
                part.count == 1 || part.first != 0x30,
                let byte = UInt8(exactly: part.reduce(0) { $0 * 10 + Int($1 - 0x30) })
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// Eight groups, of which one run of zeros may be left out as `::`.
    private static func v6(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard let gap = text.indices.dropLast().first(where: { text[$0] == 0x3A && text[$0 + 1] == 0x3A }) else {
            return groups(text).flatMap { $0.count == 16 ? $0 : nil }
        }
        let (head, tail) = (text[..<gap], text[(gap + 2)...])
        guard !head.contains(UInt8(ascii: ".")), let first = head.isEmpty ? [] : groups(head),
            let last = tail.isEmpty ? [] : groups(tail), first.count + last.count <= 14
        else { return nil }
        return first + [UInt8](repeating: 0, count: 16 - first.count - last.count) + last
    }

    /// The bytes of groups between colons, the last of which may be an IPv4 address.
    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, let address = v4(part) { return bytes + address }
            guard (1...4).contains(part.count) else { return nil }
            var group: UInt16 = 0
            for byte in part {
                guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
                group = group << 4 | UInt16(digit)
            }
            bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
        }
        return bytes
    }
}

extension InternetAddress: CustomStringConvertible {
    /// As people write it (RFC 5952): `192.0.2.1`, `2001:db8::1`, `::ffff:192.0.2.1`.
    public var description: String {
        let dotted = bytes.suffix(4).map { String($0) }.joined(separator: ".")
        if isV4 { return dotted }
        if unmapped.isV4 { return "::ffff:" + dotted }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        func text(_ groups: ArraySlice<UInt16>) -> String {
            groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        let gap = Self.longestZeros(groups)
        guard gap.count >= 2 else { return text(groups[...]) }
        return text(groups[..<gap.lowerBound]) + "::" + text(groups[gap.upperBound...])
    }

    /// The first of the longest runs of zeros.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 {
                start = index + 1
            } else if index + 1 - start > longest.count {
                longest = start..<index + 1
            }
        }
        return longest
    }
}

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
            guard (1...3).contains(digits.count), digits.allSatisfy(\.isASCIIDigit) else { return nil }
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

extension InternetAddress {
    /// Why no picture may be fetched from this address, in words for an operator; nil for global unicast.
    ///
    /// IPv4: everything but the blocks below. IPv6: nothing but `2000::/3` without the blocks below; every address that
    /// carries an IPv4 address inside (mapped, compatible, NAT64, 6to4, Teredo, ISATAP) is refused, since it is unknown
    /// which machine unwraps it. An operator's own NAT64 prefix looks like any other address, and is not known here.
    /// The union of what Synapse, Mastodon, safeurl and smokescreen refuse, and of IANA's special-purpose registries
    /// (RFC 6890).
    public var refusal: String? {
        if isV4 { return Self.refusedV4.first { $0.block.contains(self) }?.name }
        if let known = Self.refusedV6.first(where: { $0.block.contains(self) }) { return known.name }
        if isISATAP { return "an IPv4 address behind ISATAP" }
        return bytes[0] & 0xE0 == 0x20 ? nil : "not a global unicast address"
    }

    /// Whether its interface identifier holds an IPv4 address (RFC 5214, 6.1).
    private var isISATAP: Bool {
        let identifier = bytes.dropFirst(8).prefix(4)
        return identifier.elementsEqual([0x00, 0x00, 0x5E, 0xFE]) || identifier.elementsEqual([0x02, 0x00, 0x5E, 0xFE])
    }

    private struct Refused {
        let block: AddressBlock
        let name: String
    }

    private static func table(_ rows: [(String, String)]) -> [Refused] {
        rows.map { text, name in
            guard let block = AddressBlock(text: text) else { preconditionFailure("\(text) is no block") }
            return Refused(block: block, name: name)
        }
    }

    private static let refusedV4 = table([
        ("0.0.0.0/8", "an address of this network"),
        ("10.0.0.0/8", "a private address"),
        ("100.64.0.0/10", "a carrier's private address"),
        ("127.0.0.0/8", "this machine's loopback address"),
        ("168.63.129.16/32", "Azure's own address, which answers its machines alone"),
        ("169.254.0.0/16", "a link-local address, where clouds keep their secrets"),
        ("172.16.0.0/12", "a private address"),
        ("192.0.0.0/24", "an address for protocols"),
        ("192.0.2.0/24", "an address for documentation"),
        ("192.31.196.0/24", "an address for discarding"),
        ("192.52.193.0/24", "a multicast relay's address"),
        ("192.88.99.0/24", "a 6to4 relay's address"),
        ("192.168.0.0/16", "a private address"),
        ("192.175.48.0/24", "an address for discarding"),
        ("198.18.0.0/15", "an address for benchmarks"),
        ("198.51.100.0/24", "an address for documentation"),
        ("203.0.113.0/24", "an address for documentation"),
        ("224.0.0.0/4", "a multicast address"),
        ("240.0.0.0/4", "a reserved or broadcast address"),
    ])

    private static let refusedV6 = table([
        ("::/128", "the unspecified address"),
        ("::1/128", "this machine's loopback address"),
        ("::ffff:0:0/96", "an IPv4 address inside an IPv6 one"),
        ("::/96", "an IPv4 address inside an IPv6 one"),
        ("64:ff9b::/96", "an IPv4 address behind NAT64"),
        ("64:ff9b:1::/48", "an IPv4 address behind NAT64"),
        ("100::/64", "an address for discarding"),
        ("2001::/23", "an address for protocols such as Teredo"),
        ("2001:db8::/32", "an address for documentation"),
        ("2002::/16", "an IPv4 address behind 6to4"),
        ("2620:4f:8000::/48", "an address for discarding"),
        ("3fff::/20", "an address for documentation"),
        ("fc00::/7", "a private address"),
        ("fe80::/10", "a link-local address"),
        ("fec0::/10", "a site-local address"),
        ("ff00::/8", "a multicast address"),
    ])
}
