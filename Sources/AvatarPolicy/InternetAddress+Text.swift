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
            guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }),
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
