import BelfryPictures
import BelfryTerms
import Glibc
import Support
import Testing

/// Every block of the list is refused, at its edges and in every spelling; what lies outside is not.
@Suite struct AddressTests {
    @Test(arguments: refusedBlocks)
    func everyBlockIsRefusedFromItsFirstToItsLastAddress(_ text: String) throws {
        let block = try #require(AddressBlock(text: text))
        let first = try #require(InternetAddress(bytes: masked(block, hostBit: 0)))
        let last = try #require(InternetAddress(bytes: masked(block, hostBit: 1)))
        #expect(block.contains(first) && block.contains(last))
        #expect(first.refusal != nil)
        #expect(last.refusal != nil)
    }

    @Test(arguments: [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "168.63.129.15", "168.63.129.17", "192.0.1.0",
        "192.0.3.0", "192.31.195.255", "192.52.194.0", "192.88.98.255",
        "192.175.49.0", "2620:4f:8001::", "2600::100:5efe:0:0", "2600::5efd:0:0",
        "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "203.0.112.255",
        "203.0.114.0", "223.255.255.255", "8.8.8.8", "2000::", "2001:200::", "2001:4860:4860::8888", "2003::",
        "2606:4700::1", "3ffe:ffff::", "3fff:1000::",
    ])
    func publicAddressesAreNot(_ text: String) throws {
        #expect(try #require(InternetAddress(text: text)).refusal == nil)
    }

    @Test(arguments: ["4000::1", "5f00::1", "8000::1", "e000::1", "::1:0:0:1", "0:0:0:0:0:fffe:1:2", "1::"])
    func ofIPv6OnlyGlobalUnicastIsAllowed(_ text: String) throws {
        #expect(try #require(InternetAddress(text: text)).refusal != nil)
    }

    @Test(arguments: refusedBlocks.filter { $0.contains(".") })
    func everySpellingOfIPv4IsRefused(_ text: String) throws {
        let block = try #require(AddressBlock(text: text))
        let number = block.address.bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } | (block.prefixBits < 32 ? 1 : 0)
        for spelling in spellings(of: number) {
            let url = try WebURL("http://\(spelling)/")
            #expect(DestinationRules().refusal(of: url)?.reason == .addressRefused, "\(spelling)")
        }
    }

    @Test(arguments: ["1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4/8", "::1%lo", "", "a", "::g", "1.2.3.4\u{0}"])
    func otherTextIsNoAddress(_ text: String) {
        #expect(InternetAddress(text: text) == nil)
    }

    @Test func blocksHoldTheirOwnAndNothingElse() throws {
        let block = try #require(AddressBlock(text: "10.1.128.0/17"))
        for (text, isInside) in [
            ("10.1.128.0", true), ("10.1.255.255", true), ("10.1.127.255", false), ("10.2.0.0", false),
            ("::ffff:10.1.128.1", false),
        ] {
            #expect(block.contains(try #require(InternetAddress(text: text))) == isInside, "\(text)")
        }
        #expect(try #require(AddressBlock(text: "::/0")).contains(try #require(InternetAddress(text: "ff::"))))
        #expect(try #require(AddressBlock(text: "1.2.3.4")).prefixBits == 32)
        for text in ["10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "/8", "10.0.0.0/8/8", "10.0.0.0/0x8", ""] {
            #expect(AddressBlock(text: text) == nil, "\(text)")
        }
    }

    @Test func addressesReadAsPeopleWriteThem() throws {
        #expect(try #require(InternetAddress(text: "2001:DB8:0::1")).description == "2001:db8::1")
        #expect(InternetAddress(v4: 0xC000_0201).description == "192.0.2.1")
        #expect(try #require(InternetAddress(text: "::ffff:10.0.0.1")).unmapped.description == "10.0.0.1")
        #expect(InternetAddress(bytes: [1, 2, 3]) == nil)
    }

    @Test func readsWhatTheCLibraryReads() throws {
        var random = SeededRandom(seed: 7)
        let pieces = [
            ":", "::", ":", "0", "1", "ffff", "db8", "12345", "00a", "1.2.3.4", "01.2.3.4", ".", "256", "g", "%",
        ]
        var readCount = 0
        for _ in 0..<50_000 {
            let text = (0..<Int.random(in: 1...15, using: &random)).map { _ in random.pick(pieces) }.joined()
            let address = InternetAddress(text: text)
            #expect(address?.bytes == bytesOfTheCLibrary(text), "\(text)")
            guard let address else { continue }
            readCount += 1
            #expect(InternetAddress(text: address.description) == address, "\(text)")
        }
        #expect(readCount > 100)
    }

    @Test(arguments: [
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("::", "::"), ("1::", "1::"), ("0:0:0:0:0:0:0:1", "::1"),
        ("1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"), ("::FFFF:A00:1", "::ffff:10.0.0.1"), ("::1.2.3.4", "::102:304"),
    ])
    func writesTheShortestSpelling(_ text: String, _ shortest: String) throws {
        #expect(try #require(InternetAddress(text: text)).description == shortest)
    }

    private func bytesOfTheCLibrary(_ text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            let result = unsafe bytes.withUnsafeMutableBytes { unsafe inet_pton(family, text, $0.baseAddress) }
            if result == 1 { return bytes }
        }
        return nil
    }

    private func masked(_ block: AddressBlock, hostBit: UInt8) -> [UInt8] {
        block.address.bytes.enumerated().map { index, byte in
            (0..<8).reduce(UInt8(0)) { result, bit in
                let isHostBit = index * 8 + bit >= block.prefixBits
                return result << 1 | (isHostBit ? hostBit : byte >> (7 - UInt8(bit)) & 1)
            }
        }
    }
}

/// The list of the design's references, both families.
let refusedBlocks = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
    "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32", "::/128", "::1/128", "::/96", "::ffff:0:0/96", "64:ff9b::/96",
    "64:ff9b:1::/48", "100::/64", "2001::/23", "2001::/32", "2001:2::/48", "2001:10::/28", "2001:20::/28",
    "2001:db8::/32", "3fff::/20", "2002::/16", "2620:4f:8000::/48", "2001:db9::5efe:0:0/96", "2600::200:5efe:0:0/96",
    "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
]

/// The ways in which a host of a URL may spell an IPv4 address, and the IPv6 addresses that reach it.
func spellings(of number: UInt32) -> [String] {
    let bytes = InternetAddress(v4: number).bytes
    let high = String(number >> 16, radix: 16)
    let low = String(number & 0xFFFF, radix: 16)
    return [
        bytes.map { String($0) }.joined(separator: "."),
        bytes.map { String($0) }.joined(separator: ".") + ".",
        String(number),
        "0" + String(number, radix: 8),
        "0x" + String(number, radix: 16),
        bytes.map { "0" + String($0, radix: 8) }.joined(separator: "."),
        bytes.map { "0X" + String($0, radix: 16) }.joined(separator: "."),
        "\(bytes[0]).\(number & 0xFF_FFFF)",
        "\(bytes[0]).\(bytes[1]).\(number & 0xFFFF)",
        "[::ffff:\(high):\(low)]",
        "[::ffff:\(bytes.map { String($0) }.joined(separator: "."))]",
        "[::\(high):\(low)]",
        "[64:ff9b::\(high):\(low)]",
        "[64:ff9b:1::\(high):\(low)]",
        "[2002:\(high):\(low)::1]",
        "[2001:0:\(high):\(low)::1]",
    ]
}
