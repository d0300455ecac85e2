extension WebURL.Host {
    /// Reads the host of a URL: a name, an IPv6 address in brackets, or an IPv4 address in any of the spellings that C
    /// libraries take, such as `0x7f.1`, `2130706433` or `0177.0.0.1`
    /// (https://url.spec.whatwg.org/#concept-ipv4-parser).
    ///
    /// What ends in a number and is no such address is refused, since some resolver might take it for one.
    init(_ bytes: ArraySlice<UInt8>) throws(Skip) {
        guard !bytes.isEmpty else { throw Skip(.badURL, "the URL names no host") }
        if bytes.first == UInt8(ascii: "[") {
            let text = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
            guard let address = InternetAddress(text: text), !address.isV4 else {
                throw Skip(.badURL, "what stands in brackets is no IPv6 address")
            }
            self = .address(address)
            return
        }
        let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if let last = labels.last, Self.endsInNumber(last) {
            guard let number = Self.v4(labels) else { throw Skip(.badURL, "the host is no IPv4 address and no name") }
            self = .address(InternetAddress(v4: number))
            return
        }
        guard name.count <= 253, labels.allSatisfy(Self.isLabel) else {
            throw Skip(
                .badURL, "the host is no DNS name; one beyond ASCII must be written as punycode, which starts with xn--"
            )
        }
        self = .name(String(decoding: name, as: UTF8.self).lowercased())
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        (1...63).contains(label.count)
            && label.allSatisfy { WebURL.isLetter($0) || WebURL.isDigit($0) || $0 == 0x2D || $0 == 0x5F }
    }

    private static func endsInNumber(_ label: ArraySlice<UInt8>) -> Bool {
        !label.isEmpty && (label.allSatisfy(WebURL.isDigit) || number(label) != nil)
    }

    private static func v4(_ labels: [ArraySlice<UInt8>]) -> UInt32? {
        guard labels.count <= 4 else { return nil }
        var address: UInt64 = 0
        for (index, label) in labels.enumerated() {
            guard let part = number(label) else { return nil }
            // The last part fills all the bytes that are left: 127.1 is 127.0.0.1.
            let bytesLeft = index == labels.count - 1 ? 4 - index : 1
            guard part < UInt64(1) << (8 * UInt64(bytesLeft)) else { return nil }
            address = address << (8 * UInt64(bytesLeft)) | part
        }
        return UInt32(exactly: address)
    }

    /// A decimal, octal (`0…`) or hexadecimal (`0x…`) number of at most 32 bits.
    private static func number(_ label: ArraySlice<UInt8>) -> UInt64? {
        var digits = label
        var radix: UInt64 = 10
        if digits.count >= 2, digits.first == UInt8(ascii: "0") {
            let isHexadecimal = digits.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
            radix = isHexadecimal ? 16 : 8
            digits = digits.dropFirst(isHexadecimal ? 2 : 1)
        }
        // WHATWG takes "0x" for 0; longer than any IPv4 number, leading zeros included, is refused.
        guard label.count > 0, digits.count <= 32 else { return nil }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue.flatMap({ UInt64(exactly: $0) }),
                digit < radix
            else { return nil }
            value = value * radix + digit
            guard value <= UInt64(UInt32.max) else { return nil }
        }
        return value
    }
}
