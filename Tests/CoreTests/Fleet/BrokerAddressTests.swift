import Fleet
import Testing

/// Where brokers are.
@Suite struct BrokerAddressTests {
    @Test(
        "a host with or without a port is read, and written with one",
        arguments: [
            ("broker", "broker:4222"), ("Broker-1.Example:1", "broker-1.example:1"), ("10.0.0.1", "10.0.0.1:4222"),
            ("10.0.0.1:65535", "10.0.0.1:65535"), ("[::1]", "[::1]:4222"), ("[2001:DB8::a:1]:7", "[2001:db8::a:1]:7"),
            ("[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]:4222"), ("[::]", "[::]:4222"), ("a1", "a1:4222"),
        ])
    func both(_ text: String, _ written: String) {
        let address = BrokerAddress(text)
        #expect(address?.description == written)
        #expect(BrokerAddress(written) == address)
    }

    @Test(
        "all else is none",
        arguments: [
            "", ":1", "a:", "a:0", "a:65536", "a:01", "a:+1", "a:1:2", "a b", "a\n", "-a", "a-", "a..b", ".a", "a.",
            "a/b", "a\"b", "*", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.1.1.1", "::1", "[::1", "[a]", "[::1]a",
            "[::1]1", "[1::2::3]", "[:::]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7::8]", "[g::]", "[-1::]", "[12345::]",
            "ä", String(repeating: "a", count: 64), String(repeating: "abc.", count: 63) + "de",
        ])
    func others(_ text: String) { #expect(BrokerAddress(text) == nil) }

    @Test("a long name of short labels is one")
    func longest() {
        let host = String(repeating: "abc.", count: 63) + "d"
        #expect(host.utf8.count == 253 && BrokerAddress(host)?.host == host)
        #expect(BrokerAddress(String(repeating: "a", count: 63)) != nil)
    }

    @Test("an address is told from a name")
    func numeric() {
        for (text, isNumeric) in [("a.b", false), ("10.0.0.1", true), ("[::1]", true)] {
            #expect(BrokerAddress(text)?.isNumeric == isNumeric)
        }
    }
}
