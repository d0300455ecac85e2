import BelfryPictures
import BelfryTerms
import Testing

/// `[Avatar] Allow=` and `From=`, and the ports.
@Suite struct DestinationRulesTests {
    private let home = InternetAddress(v4: 0x7F00_0001)
    private let elsewhere = InternetAddress(v4: 0x0808_0808)

    @Test func withoutAllowOnlyPublicAddressesOnTwoPortsAreConnectedTo() throws {
        let rules = DestinationRules()
        let url = try WebURL("http://a.example/")
        #expect(rules.isStrict)
        #expect(rules.refusal(of: url) == nil)
        #expect(rules.refusal(of: elsewhere, port: 80, for: url) == nil)
        #expect(rules.refusal(of: elsewhere, port: 443, for: url) == nil)
        #expect(rules.refusal(of: elsewhere, port: 22, for: url)?.reason == .portRefused)
        #expect(rules.refusal(of: home, port: 80, for: url)?.reason == .addressRefused)
        #expect(rules.refusal(of: try WebURL("http://a.example:8080/"))?.reason == .portRefused)
        #expect(rules.refusal(of: try WebURL("http://8.8.8.8:25/"))?.reason == .portRefused)
    }

    @Test func anAllowedNameMayBeAnywhere() throws {
        let rules = DestinationRules(allow: ["Door.Example"])
        let url = try WebURL("http://door.example:8080/")
        #expect(!rules.isStrict)
        #expect(rules.refusal(of: url) == nil)
        #expect(rules.refusal(of: home, port: 8080, for: url) == nil)
        // Another name at the same address is not meant, nor is one below it.
        for text in ["http://other.example:8080/", "http://x.door.example:8080/"] {
            #expect(rules.refusal(of: home, port: 80, for: try WebURL(text))?.reason == .addressRefused)
        }
    }

    @Test("the root's trailing dot makes no other name, in a list as in a URL")
    func trailingDots() throws {
        let rules = DestinationRules(allow: ["door.example."], from: ["door.example.", "pictures.example"])
        for text in ["http://door.example/", "http://door.example./", "http://pictures.example./"] {
            #expect(rules.refusal(of: try WebURL(text)) == nil, "\(text)")
        }
        #expect(rules.refusal(of: home, port: 80, for: try WebURL("http://door.example/")) == nil)
    }

    @Test func anAllowedBlockMayHaveAnyName() throws {
        let rules = DestinationRules(allow: ["127.0.0.0/8", "fd00::/8", "10.1.2.3"])
        let url = try WebURL("http://a.example:8080/")
        #expect(rules.refusal(of: url) == nil)
        #expect(rules.refusal(of: home, port: 8080, for: url) == nil)
        #expect(rules.refusal(of: try WebURL("http://[::ffff:127.0.0.1]:8080/")) == nil)
        #expect(rules.refusal(of: try WebURL("http://[fd00::1]/")) == nil)
        #expect(rules.refusal(of: try WebURL("http://10.1.2.3:81/")) == nil)
        #expect(rules.refusal(of: try WebURL("http://10.1.2.4/"))?.reason == .addressRefused)
        #expect(rules.refusal(of: elsewhere, port: 8080, for: url)?.reason == .portRefused)
        // NAT64 and 6to4 would be unwrapped by somebody else.
        #expect(rules.refusal(of: try WebURL("http://[64:ff9b::7f00:1]/"))?.reason == .addressRefused)
        #expect(rules.refusal(of: try WebURL("http://[2002:7f00:1::]/"))?.reason == .addressRefused)
    }

    @Test func fromLimitsTheHosts() throws {
        let rules = DestinationRules(allow: ["door.example"], from: ["pictures.example.", "192.0.2.1"])
        #expect(rules.refusal(of: try WebURL("https://Pictures.example./x")) == nil)
        for text in ["https://evil.example/", "https://pictures.example.evil.example/", "http://door.example/"] {
            #expect(rules.refusal(of: try WebURL(text))?.reason == .hostNotAllowed, "\(text)")
        }
        // Named, and still no public address.
        #expect(rules.refusal(of: try WebURL("http://192.0.2.1/"))?.reason == .addressRefused)
    }

    @Test func detailsNameTheHostAndNeverThePath() throws {
        let refusal = try #require(DestinationRules().refusal(of: try WebURL("http://127.1/secret?token")))
        #expect(refusal.detail.contains("127.0.0.1"))
        #expect(!refusal.detail.contains("secret"))
    }

    @Test func detailsNameNoAddressThatANameHas() throws {
        let url = try WebURL("http://intranet.example/")
        for text in ["10.1.2.3", "127.0.0.1", "fd00::1"] {
            let address = try #require(InternetAddress(text: text))
            let refusal = try #require(DestinationRules().refusal(of: address, port: 80, for: url))
            #expect(refusal.detail.hasPrefix("intranet.example has no public address; "), "\(text)")
        }
    }
}
