import Glibc

/// A list of hosts as `[Avatar] Allow=` and `From=` write it.
enum HostList {
    /// The entries of `text`, separated by spaces or commas; nil if one is no host, or there are too many.
    ///
    /// With `addresses` an entry may also be an IPv4 or IPv6 address, or a block such as `10.0.0.0/8`.
    static func parse(_ text: String, addresses: Bool) -> [String]? {
        let entries = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
        guard entries.count <= Settings.hostsMax else { return nil }
        var hosts: [String] = []
        for entry in entries {
            let host = String(decoding: entry, as: UTF8.self)
            guard isHostName(host) || (addresses && isAddressOrBlock(host)) else { return nil }
            hosts.append(host.lowercased())
        }
        return hosts
    }

    /// Whether it is a DNS name (RFC 1123, and the underscore that private networks use) or an IPv4 address.
    private static func isHostName(_ text: String) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            !label.isEmpty && label.count <= 63 && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { ValueText.isLetterOrDigit($0) || "-_".utf8.contains($0) }
        }
    }

    private static func isAddressOrBlock(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return false }
        let address = String(decoding: parts[0], as: UTF8.self)
        let bits: Int
        if isAddress(address, family: AF_INET) {
            bits = 32
        } else if isAddress(address, family: AF_INET6) {
            bits = 128
        } else {
            return false
        }
        guard parts.count == 2 else { return true }
        return ValueText.integer(String(decoding: parts[1], as: UTF8.self), in: 0...bits) != nil
    }

    private static func isAddress(_ text: String, family: Int32) -> Bool {
        // A NUL would end the text early for C.
        guard !text.utf8.contains(0) else { return false }
        var address = in6_addr()
        return unsafe withUnsafeMutablePointer(to: &address) { unsafe inet_pton(family, text, $0) } == 1
    }
}
