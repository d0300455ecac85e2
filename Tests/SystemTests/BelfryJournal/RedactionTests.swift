@testable import BelfryJournal
import Testing

@Suite struct RedactionTests {
    @Test(arguments: [
        ("https://pictures.example/a/b?token=secret#x", "https://pictures.example"),
        ("http://name:password@pictures.example:8080/", "http://pictures.example:8080"),
        ("https://pictures.example", "https://pictures.example"),
        ("abcdefghijklmnop://pictures.example/secret", "abcdefghijklmnop://pictures.example"),
        ("abcdefghijklmnopq://pictures.example/secret", "an unusable address"),
        ("https://a@b@c.example\\@d/", "https://c.example"),
        ("https://", "https://"),
        ("mailto:someone@example.org", "an unusable address"),
        ("://x", "an unusable address"),
        ("", "an unusable address"),
        ("Anna Müller 555://1234", "an unusable address"),
    ])
    func ofAnAddressSchemeAndHostRemain(address: String, kept: String) {
        #expect(Redaction.schemeAndHost(of: address) == kept)
    }

    @Test(arguments: [
        ("cannot fetch https://a.example/secret: 404", "cannot fetch https://a.example 404"),
        ("see (http://a.example/x) and https://b.example/y", "see (http://a.example and https://b.example"),
        ("no address  here", "no address  here"),
    ])
    func addressesInTextAreCut(detail: String, kept: String) {
        #expect(Redaction.ofAddresses(detail) == kept)
    }

    @Test(arguments: [
        ("info.handle: found 4930123456, expected a string: ignored", "info.handle: expected a string: ignored"),
        ("callId: found \"x, expected y\", expected 1 to 128 bytes", "callId: expected 1 to 128 bytes"),
        ("callerName: found {\"a\":1}", "callerName"),
        ("line 1, column 5: unexpected \"Anna\" near \"Anna\"", "line 1, column 5: unexpected \"…\""),
        ("deeper than 32 levels", "deeper than 32 levels"),
        ("an odd \" alone", "an odd \" alone"),
    ])
    func whatThePayloadSaidIsLeftOut(detail: String, kept: String) {
        #expect(Redaction.ofPayload(detail) == kept)
    }
}
