@testable import BelfryTerms
import Testing

/// Numbers, as people read them.
@Suite struct DecimalTextTests {
    @Test(
        "a number has as many decimals as are asked for, at most six, rounded",
        arguments: [
            (0, 0, "0"), (0, 3, "0.000"), (-0.0004, 3, "0.000"), (1.25, 1, "1.3"), (-1.25, 2, "-1.25"), (2, 1, "2.0"),
            (0.05, 2, "0.05"), (12.999, 2, "13.00"), (1.5, 9, "1.500000"), (1.5, -1, "2"),
        ])
    func fixed(value: Double, digits: Int, text: String) { #expect(DecimalText.fixed(value, digits: digits) == text) }

    @Test("R18 what is no number is ?, and what is too large is the largest that is shown") func bounds() {
        #expect(DecimalText.fixed(.nan, digits: 1) == "?")
        #expect(DecimalText.fixed(1e300, digits: 1) == "1000000000000.0")
        #expect(DecimalText.fixed(-.infinity, digits: 0) == "-1000000000000")
    }

    @Test("a length of time has the decimals that it needs") func seconds() {
        let texts = [30, 1.5, 0.001, 0.0001, 100].map { DecimalText.seconds($0) }
        #expect(texts == ["30 s", "1.5 s", "0.001 s", "0 s", "100 s"])
        #expect(DecimalText.seconds(12.25, digits: 1) == "12.3 s")
    }
}
