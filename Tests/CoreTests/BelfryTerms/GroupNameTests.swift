import BelfryTerms
import Testing

/// The one rule of app groups' names.
@Suite struct GroupNameTests {
    @Test(
        "a name of letters, digits, dots and hyphens is kept as it is",
        arguments: ["a", "0", "group.belfry", "A-b.C", "a..b", "azAZ09", "9z-Z.0", String(repeating: "a", count: 128)])
    func names(text: String) {
        #expect(GroupName(text)?.text == text)
    }

    @Test(
        "nothing else is a name: no file name that leads elsewhere or hides",
        arguments: [
            "", ".a", "-a", "..", ".", "a/b", "a:b", "a@b", "a[b", "a`b", "a{b", "a_b", "a b", "ä", "a\u{0}", "a\n",
            "a\u{301}",
            String(repeating: "a", count: 129),
        ])
    func others(text: String) {
        #expect(GroupName(text) == nil)
    }
}
