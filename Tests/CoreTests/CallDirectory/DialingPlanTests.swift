import CallDirectory
import Testing

/// Which number a handle is.
@Suite struct DialingPlanTests {
    private static let german: DialingPlan = {
        var plan = DialingPlan()
        plan.countryCode = "49"
        return plan
    }()

    private static let american: DialingPlan = {
        var plan = DialingPlan()
        (plan.countryCode, plan.trunkPrefix, plan.internationalPrefix) = ("1", "", "011")
        return plan
    }()

    @Test(
        "a number of an international form, however it is written",
        arguments: [
            ("+14085555555", 14_085_555_555), ("+1 (408) 555-5555", 14_085_555_555), ("+49 (0)30 / 1234", 49_301_234),
            ("tel:+1-408-555-5555;ext=7", 14_085_555_555), ("sip:+49301234@example.org;user=phone", 49_301_234),
            ("SIPS:+49301234@x", 49_301_234), (" +49\u{a0}30\u{2011}1234", 49_301_234), ("+1", 1),
            ("+999999999999999999", 999_999_999_999_999_999),
        ] as [(String, Int64)])
    func international(handle: String, number: Int64) {
        #expect(DialingPlan().number(of: handle) == number)
        #expect(Self.german.number(of: handle) == number)
    }

    @Test("a national number where there is a country code") func national() {
        #expect(Self.german.number(of: "030 1234") == 49_301_234)
        #expect(Self.german.number(of: "0049 30 1234") == 49_301_234)
        #expect(Self.german.number(of: "tel:030-1234") == 49_301_234)
        #expect(Self.american.number(of: "(408) 555-5555") == 14_085_555_555)
        #expect(Self.american.number(of: "011 49 30 1234") == 49_301_234)
        #expect(DialingPlan().number(of: "030 1234") == nil)
        #expect(DialingPlan().number(of: "0049301234") == nil)
    }

    @Test(
        "all else is no number",
        arguments: [
            "", "+", "ada@example.org", "sip:ada@example.org", "+49abc", "1234", "0", "112", "+0301234", "++49", "4+9",
            "+1234567890123456789", "٠٣٠١٢٣٤", "+٤٩٣٠", "abc-123", "00", "+49\u{0}30", "tel:", "sip:+49x@y",
            String(repeating: "1", count: 300), "+" + String(repeating: " ", count: 300) + "49",
        ])
    func none(handle: String) { #expect(Self.german.number(of: handle) == nil) }
}
