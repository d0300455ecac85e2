import BelfryTerms
import Testing

/// What may be an identifier or a name.
@Suite struct NameTests {
    @Test func identifiersAreRandomUUIDsInLowerCase() throws {
        let all = Set((0..<1_000).map { _ in randomUUID() })
        #expect(all.count == 1_000)
        for text in all {
            let parts = text.split(separator: "-")
            #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
            #expect(parts[2].first == "4")
            #expect("89ab".contains(try #require(parts[3].first)))
            #expect(text == text.lowercased())
        }
    }

    @Test func identifiersAreKnownInEitherCase() {
        #expect((0..<100).allSatisfy { _ in isUUID(randomUUID()) })
        #expect(isUUID("01234567-89AB-4CDE-8F01-23456789abcd"))
        for text in [
            "", "01234567-89ab-4cde-8f01-23456789abc", "01234567-89ab-4cde-8f01-23456789abcde",
            "0123456789ab-4cde-8f01-23456789abcd-", "01234567-89ab-4cde-8f01-23456789abcg",
            "01234567_89ab_4cde_8f01_23456789abcd", "01234567-89ab-4cde-8f01-23456789ab\u{FF11}",
        ] {
            #expect(!isUUID(text), "\(text)")
        }
    }

    @Test(arguments: [
        "ring", "a.wav", "my-ring_2", "azAZ09", "Z", "9", "0", "-", String(repeating: "x", count: SoundName.bytesMax),
    ])
    func namesOfSounds(text: String) {
        #expect(SoundName.isValid(text))
    }

    @Test(arguments: [
        "", ".ring", "..", "a/b", "a:b", "a@b", "a[b", "a`b", "a{b", "a b", "é", "a\n",
        String(repeating: "x", count: SoundName.bytesMax + 1),
    ])
    func whatIsNoNameOfASound(text: String) {
        #expect(!SoundName.isValid(text))
    }
}
