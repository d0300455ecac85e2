extension InternetAddress {
    /// Why no picture may be fetched from this address, in words for an operator; nil for global unicast.
    ///
    /// IPv4: everything but the blocks below. IPv6: nothing but `2000::/3` without the blocks below; whatever carries
    /// an IPv4 address inside (mapped, compatible, NAT64, 6to4, Teredo) is refused whole, since who unwraps it is
    /// unknown. The union of what Synapse, Mastodon, safeurl and smokescreen refuse, and of IANA's special-purpose
    /// registries (RFC 6890).
    public var refusal: String? {
        if isV4 { return Self.refusedV4.first { $0.block.contains(self) }?.name }
        if let known = Self.refusedV6.first(where: { $0.block.contains(self) }) { return known.name }
        return bytes[0] & 0xE0 == 0x20 ? nil : "not a global unicast address"
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
        ("169.254.0.0/16", "a link-local address, where clouds keep their secrets"),
        ("172.16.0.0/12", "a private address"),
        ("192.0.0.0/24", "an address for protocols"),
        ("192.0.2.0/24", "an address for documentation"),
        ("192.88.99.0/24", "a 6to4 relay's address"),
        ("192.168.0.0/16", "a private address"),
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
        ("3fff::/20", "an address for documentation"),
        ("fc00::/7", "a private address"),
        ("fe80::/10", "a link-local address"),
        ("fec0::/10", "a site-local address"),
        ("ff00::/8", "a multicast address"),
    ])
}
