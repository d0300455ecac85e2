import BelfryTerms
import Testing

/// S4: what a text from outside has in it are places for values, and nothing else.
@Suite struct PlaceholdersTests {
    @Test(
        "S4 values fill places, and what is no place stays",
        arguments: [
            ("%@ calls %@", ["Ada", "you"], "Ada calls you"), ("%2$@ %1$@", ["a", "b"], "b a"),
            ("%lld of %.1f%%", ["3", "4.0"], "3 of 4.0%"), ("%{public}s %{private}@", ["a", "b"], "a b"),
            ("%{", ["a"], "%{"), ("%@ %@", ["a"], "a %@"), ("100 %", ["a"], "100 %"),
            ("%", ["a"], "%"), ("%9$@", ["a"], "%9$@"), ("%0$@", ["a"], "%0$@"), ("é%@é", ["ü"], "éüé"),
            ("%n%y", ["a"], "%n%y"), ("%99999999999999999999@", ["a"], "a"), ("%@", ["%@%1$@"], "%@%1$@"),
        ])
    func places(format: String, arguments: [String], text: String) {
        #expect(Placeholders.filled(format, arguments) == text)
    }

    @Test("S4 of a push only texts are places, each by its turn or its number")
    func texts() {
        #expect(
            Placeholders.filled("%@ %lld %{public}@ %5@ %2$s %%", ["a", "b"], .texts) == "a %lld %{public}@ %5@ %2$s %")
        #expect(Placeholders.filled("%2$@ %@ %0001$@ %00001$@ %1$%", ["a", "b"], .texts) == "b a a %00001$@ %1$%")
    }

    @Test("S4 a text is cut, whatever it has grown from")
    func cut() {
        #expect(Placeholders.filled("%1$@%1$@%1$@", ["aü"], bytesMax: 5) == "aüa")
        #expect(Placeholders.filled("abc", [], bytesMax: 2) == "ab")
    }

    @Test("S4 places that are filled with nothing cost no more than their own length", .timeLimit(.minutes(10)))
    func nothing() {
        let text = String(repeating: "%1$@", count: 250_000)
        #expect(Placeholders.filled(text, [""], .texts, bytesMax: 4096) == "")
    }
}
