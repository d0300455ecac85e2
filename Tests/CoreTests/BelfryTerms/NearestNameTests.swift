import BelfryTerms
import Testing

/// What somebody probably meant.
@Suite struct NearestNameTests {
    @Test(
        "a slip is one changed, added, lost or swapped letter in four",
        arguments: [
            ("callId", "callid"), ("callId", "calId"), ("callId", "calllId"), ("callId", "callIx"),
            ("callId", "aclliD"), ("abc", "abx"), ("hasVideo", "hsVidoe"),
            ("abcdefghijklmnopqrst", "abcdefghijklmnoVWXYZ"),
        ])
    func slips(name: String, word: String) {
        #expect(NearestName.nearest(to: word, of: [name], within: .slip) == name)
    }

    @Test(
        "what is farther is no slip",
        arguments: [
            ("callId", "calxyd"), ("abcd", "abxy"), ("abcdefg", "abcdexy"), ("abcdefg", "abcde"), ("a", "x"),
            ("abcdefgh", "xyzdefhg"), ("callId", "dIllac"), ("callId", ""), ("ab", ""),
            ("abcdefghijklmnopqrst", "abcdefghijklmn012345"),
        ])
    func noSlips(name: String, word: String) {
        #expect(NearestName.nearest(to: word, of: [name], within: .slip) == nil)
    }

    @Test("a guess may be a third of the letters away, and two of a short word, but never all of it")
    func guesses() {
        #expect(NearestName.nearest(to: "sxyp", of: ["stop"]) == "stop")
        #expect(NearestName.nearest(to: "xyzp", of: ["stop"]) == nil)
        #expect(NearestName.nearest(to: "foregrXYZ", of: ["foregroun"]) == "foregroun")
        #expect(NearestName.nearest(to: "foregWXYZ", of: ["foregroun"]) == nil)
        #expect(NearestName.nearest(to: "xy", of: ["ab"]) == nil && NearestName.nearest(to: "xb", of: ["ab"]) == "ab")
        #expect(NearestName.nearest(to: "abcd", of: ["ab"]) == nil)
    }

    @Test("the nearest wins, of equals the first")
    func nearest() {
        #expect(NearestName.nearest(to: "hangop", of: ["handup", "hangup", "hangups"]) == "hangup")
        #expect(NearestName.nearest(to: "hanxup", of: ["hangup", "handup"]) == "hangup")
        #expect(NearestName.nearest(to: "hangup", of: []) == nil)
    }

    @Test("a word of over 64 bytes is near nothing")
    func longest() {
        let name = String(repeating: "a", count: 64)
        #expect(NearestName.nearest(to: name, of: [name]) == name)
        #expect(NearestName.nearest(to: name + "a", of: [name]) == nil)
    }
}
