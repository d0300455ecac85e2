import BelfryPictures
import BelfryTerms
import Testing

/// A URL is read in one way only, and whatever could be read in two is refused.
@Suite struct WebURLTests {
    @Test(arguments: [
        ("http://a.example", "http://a.example/"),
        ("HTTPS://A.Example:443/x?y#z", "https://a.example/x?y"),
        ("http://a.example.:8080?q", "http://a.example:8080/?q"),
        ("http://a.example:/x y/\"é\"", "http://a.example/x%20y/%22%C3%A9%22"),
        ("http://a_b-c.example/%41/../b;c=d", "http://a_b-c.example/%41/../b;c=d"),
        ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
        ("http://xn--mnchen-3ya.de/", "http://xn--mnchen-3ya.de/"),
        ("http://a.example/@b", "http://a.example/@b"),
        ("http://1.2.3.4", "http://1.2.3.4/"),
    ])
    func readsAndSpellsInOneWay(_ text: String, _ canonical: String) throws {
        let url = try WebURL(text)
        #expect(url.text == canonical)
        #expect(try WebURL(url.text) == url)
    }

    @Test(arguments: [
        ("", SkipReason.badURL),
        ("a.example/x.png", .badURL),
        ("//a.example/x", .badURL),
        ("http:a.example", .badURL),
        ("http:///x", .badURL),
        ("http://", .badURL),
        ("http:\\\\a.example", .badURL),
        ("http://a.example\\@b.example/", .badURL),
        (" http://a.example/", .badURL),
        ("http://a.example/\r\nX: y", .badURL),
        ("http://a.example/\u{0}", .badURL),
        ("http://a example/", .badURL),
        ("http://a%2eexample/", .badURL),
        ("http://münchen.de/", .badURL),
        ("http://１２７.0.0.1/", .badURL),
        ("http://a..b/", .badURL),
        ("http://a.example:0/", .badURL),
        ("http://a.example:65536/", .badURL),
        ("http://a.example:8a/", .badURL),
        ("http://[::1/", .badURL),
        ("http://[::1]x/", .badURL),
        ("http://[fe80::1%25eth0]/", .badURL),
        ("http://[1.2.3.4]/", .badURL),
        ("http://256.1.1.1/", .badURL),
        ("http://1.2.3.4.5/", .badURL),
        ("http://1.2.3.4.0/", .badURL),
        ("http://a.1/", .badURL),
        ("http://08.1.1.1/", .badURL),
        ("file:///etc/passwd", .badScheme),
        ("ftp://a.example/", .badScheme),
        ("data:image/png;base64,AAAA", .badScheme),
        ("javascript:alert(1)", .badScheme),
        ("gopher://a.example", .badScheme),
        ("http://user@a.example/", .credentialsInURL),
        ("http://user:secret@a.example/", .credentialsInURL),
        ("http://@a.example/", .credentialsInURL),
        ("http://allowed.example@169.254.169.254/", .credentialsInURL),
    ])
    func refusesWhatIsNoPlainURL(_ text: String, _ reason: SkipReason) {
        #expect(reasonFor(text) == reason)
    }

    @Test func refusesWhatIsTooLong() {
        let start = "http://a.example/"
        let longest = start + String(repeating: "x", count: FetchLimits.urlBytesMax - start.utf8.count)
        #expect(FetchLimits.urlBytesMax == 2_048 && reasonFor(longest) == nil)
        #expect(reasonFor(longest + "x") == .badURL)
        #expect(reasonFor("http://" + String(repeating: "a", count: 64) + ".example/") == .badURL)
        let host = String(repeating: "a23456789.", count: 25)
        #expect(reasonFor("http://\(host)abc/") == nil && reasonFor("http://\(host)abcd/") == .badURL)
    }

    @Test(
        arguments: [
            ("http://a.example:65535/", nil), ("http://a.example:65536/", .badURL),
            ("http://a.example:000080/", .badURL),
            ("http://a.example:00080/", nil), ("http://a.example/\u{7F}", .badURL), ("http://1.2.3.4.0/", .badURL),
            ("http://0.0.0.0.1/", .badURL),
        ] as [(String, SkipReason?)])
    func itsPartsHaveTheirLimits(text: String, reason: SkipReason?) {
        #expect(reasonFor(text) == reason)
    }

    @Test(arguments: [
        "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.1", "0177.0.0.1", "017700000001",
        "127.0.0.1.", "0x7f.0x0.0x0.0x1", "0000000177.0.0.1", "00000000000000000177.1",
    ])
    func everySpellingOfAnAddressIsThatAddress(_ host: String) throws {
        #expect(try WebURL("http://\(host)/").host == .address(InternetAddress(v4: 0x7F00_0001)))
    }

    @Test(arguments: [
        ("/y", "http://a.example/y"),
        ("y", "http://a.example/folder/y"),
        ("?q", "http://a.example/folder/x?q"),
        ("#f", "http://a.example/folder/x?old"),
        ("", "http://a.example/folder/x?old"),
        ("//b.example/z", "http://b.example/z"),
        ("https://b.example:8443/z", "https://b.example:8443/z"),
        ("y:z/..", "y:z/.."),
    ])
    func followsReferences(_ reference: String, _ target: String) throws {
        let base = try WebURL("http://a.example/folder/x?old")
        guard target.hasPrefix("http") else {
            #expect(throws: Skip.self) { try base.resolving(reference) }
            return
        }
        #expect(try base.resolving(reference).text == target)
    }

    @Test func redirectsToOtherSchemesAndWithCredentialsAreRefused() throws {
        let base = try WebURL("https://a.example/")
        #expect(throws: Skip.self) { try base.resolving("file:///etc/passwd") }
        #expect(throws: Skip.self) { try base.resolving("//user@b.example/") }
        #expect(throws: Skip.self) { try base.resolving("/\\b.example") }
    }

    @Test func theOriginHasNothingOfThePath() throws {
        #expect(try WebURL("https://a.example:8443/secret?token").origin == "https://a.example:8443")
    }

    private func reasonFor(_ text: String) -> SkipReason? {
        do throws(Skip) {
            _ = try WebURL(text)
            return nil
        } catch {
            return error.reason
        }
    }
}
