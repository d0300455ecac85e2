import BelfryDevices
import Fleet
import Testing

/// What machines and gateways may be called.
@Suite struct FleetNameTests {
    @Test(
        "a name is small letters, digits and hyphens within it",
        arguments: ["a", "7", "kiosk-12", "a--b", String(repeating: "x", count: 63)])
    func names(_ text: String) { #expect(FleetName(text)?.text == text) }

    @Test(
        "all else is none, what a broker would take for several above all",
        arguments: [
            "", "-", "-a", "a-", "A", "a.b", "*", ">", "a*", "a>b", "a b", "a\n", "ä", "a_b", "a\0",
            String(repeating: "x", count: 64),
        ])
    func others(_ text: String) { #expect(FleetName(text) == nil) }
}
