@testable import BelfrySettings
import BelfryTerms
import Testing

/// The first and the last value that each setting takes, and the next ones, which it does not.
@Suite struct RangeTests {
    @Test(
        "a setting takes the values of its range, ends included, and no other",
        arguments: [
            (Setting.ringDuration, ["1s", "120s"], ["999ms", "0s", "120001ms"]),
            (.ringInterval, ["200ms", "10s"], ["199ms", "10001ms"]),
            (.maxCalls, ["1", "\(Settings.callsMaxLargest)"], ["0", "\(Settings.callsMaxLargest + 1)"]),
            (.expiryBudget, ["1s", "120s"], ["999ms", "120001ms"]),
            (.avatarTimeout, ["0s", "25s"], ["25001ms"]),
            (.avatarMaxBytes, ["1024", "10M"], ["1023", "10485761"]),
        ])
    func ranges(setting: Setting, good: [String], bad: [String]) {
        for text in good {
            var settings = Settings()
            let isTaken = settings.set(setting, to: text)
            #expect(isTaken, "\(text)")
        }
        for text in bad {
            var settings = Settings()
            let isTaken = settings.set(setting, to: text)
            #expect(!isTaken && settings == Settings(), "\(text)")
        }
    }

    @Test("each setting has the row at its place, and a section's settings stand together") func rows() {
        #expect(Setting.allCases.map(\.row.setting) == Setting.allCases)
        #expect(SettingRow.table.count == Setting.allCases.count)
        let sections = Setting.allCases.map(\.section)
        let changes = zip(sections, sections.dropFirst()).count { $0 != $1 }
        #expect(changes + 1 == Set(sections).count)
    }

    @Test("a host's name has 253 bytes at most, and a block of addresses one length")
    func hosts() {
        let label = String(repeating: "a", count: 63)
        let longest = [label, label, label, String(repeating: "a", count: 61)].joined(separator: ".")
        #expect(HostList.parse(longest, addresses: false) == [longest])
        #expect(HostList.parse(longest + "a", addresses: false) == nil)
        #expect(HostList.parse("10.0.0.0/8", addresses: true) != nil)
        #expect(HostList.parse("10.0.0.0/8/8", addresses: true) == nil)
    }

    @Test("names of variables are letters, digits and _, with a * at the end at most, and 64 of them")
    func variables() {
        #expect(ValueText.variables("PATH, LC_* *") == ["PATH", "LC_*", "*"])
        for text in ["", " ", "A=b", "1A", "L*C", "**", "A-B", "é"] {
            #expect(ValueText.variables(text) == nil, "\(text)")
        }
        let most = Array(repeating: "A", count: 64)
        #expect(ValueText.variables(most.joined(separator: " ")) == most)
        #expect(ValueText.variables((most + ["A"]).joined(separator: " ")) == nil)
    }

    @Test("a size is written in the largest unit that it is whole in") func sizes() {
        let texts = [0, 1, 1_023, 1_024, 1_025, 1 << 20, 3 << 20, 1 << 20 | 1 << 10].map { ValueText.text(ofSize: $0) }
        #expect(texts == ["0", "1", "1023", "1K", "1025", "1M", "3M", "1025K"])
    }
}
