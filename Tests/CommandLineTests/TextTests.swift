import BelfryCommandLine
import BelfryPropertyList
import BelfryTerms
import Testing
@testable import belfry

@Suite struct TextTests {
    @Test(arguments: [
        (0.0, 3, "0.000"), (1.0005, 3, "1.001"), (-0.25, 1, "-0.3"), (12.345678, 6, "12.345678"), (7.5, 0, "8"),
        (1e300, 1, "1000000000000.0"), (-.infinity, 0, "-1000000000000"), (.nan, 3, "?"), (0.0004, 3, "0.000"),
    ])
    func numbersAreBounded(value: Double, digits: Int, text: String) {
        #expect(DecimalText.fixed(value, digits: digits) == text)
    }

    @Test func secondsHaveNoNeedlessDecimals() {
        #expect(DecimalText.seconds(30) == "30 s")
        #expect(DecimalText.seconds(1.5) == "1.5 s")
        #expect(DecimalText.seconds(29.972, digits: 1) == "30 s")
        #expect(DecimalText.seconds(100) == "100 s")
    }

    @Test("what is wide in East Asia takes two columns, and what is combined takes one") func wideText() {
        #expect("李娜".columns == 4 && "👩‍🚒".columns == 2 && "e\u{301}".columns == 1 && "Ｅ".columns == 2)
        #expect(TableText.lines([["李娜", "x"], ["Anna", "y"]]) == ["李娜  x", "Anna  y"])
    }

    @Test func columnsStandBelowOneAnother() {
        #expect(
            TableText.lines([["a", "bb", "c"], ["aaa", "b", "cc"], ["x"]]) == ["a    bb  c", "aaa  b   cc", "x"])
    }

    @Test func colourIsForTerminalsThatWantIt() {
        #expect(Style(isTerminal: true, environment: ["TERM": "xterm"]).paint("x", .good) == "\u{1B}[32mx\u{1B}[0m")
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            #expect(Style(isTerminal: true, environment: environment).paint("x", .good) == "x")
        }
        #expect(Style(isTerminal: true, environment: ["NO_COLOR": ""]).isColoured)
        #expect(Style(isTerminal: false, environment: [:]).paint("x", .good) == "x")
    }

    @Test func valuesAreTypedAsDefaultsTypesThem() throws {
        #expect(try TypedValue.parse(["5"], for: "a") == .string("5"))
        #expect(try TypedValue.parse(["-int", "-5"], for: "a") == .integer(-5))
        #expect(try TypedValue.parse(["-int", "18446744073709551615"], for: "a") == .unsigned(.max))
        #expect(try TypedValue.parse(["-float", "1e3"], for: "a") == .real(1000))
        #expect(try TypedValue.parse(["-bool", "YES"], for: "a") == .bool(true))
        #expect(try TypedValue.parse(["-string", "true"], for: "enterToForground") == .string("true"))
        #expect(try TypedValue.parse(["true"], for: "enterToForground") == .bool(true))
        #expect(try TypedValue.parse(["0"], for: "keyStartCallTime") == .integer(0))
    }

    @Test(arguments: [
        ["-int", "5.0"], ["-int", "18446744073709551616"], ["-float", "nan"], ["-float", "1e999"],
        ["-bool", "perhaps"],
        ["-date", "x"],
    ])
    func otherValuesAreRefused(words: [String]) {
        #expect(throws: CommandError.self) { _ = try TypedValue.parse(words, for: "a") }
    }

    @Test func propertyListsReadAsJSON() {
        let data = { (text: String) in PropertyListText.text(.data(Array(text.utf8))) }
        #expect(
            ["", "f", "fo", "foo", "foob"].map(data) == [#""""#, #""Zg==""#, #""Zm8=""#, #""Zm9v""#, #""Zm9vYg==""#])
        #expect(PropertyListText.text(.date(0)) == "978307200.0")
        #expect(PropertyListText.text(.unsigned(.max)) == "18446744073709551615")
        #expect(PropertyListText.text(.array([.bool(true), .real(0.5), .uid(7)])) == #"[true,0.5,{"CF$UID":"7"}]"#)
        #expect(PropertyListText.text(.string("a\nb\u{202E}")) == "a\\u{a}b\\u{202e}")
    }

    @Test func theUnitsEnvironmentIsUnquoted() {
        #expect(UnitEnvironment.words(#"A=1 "B=two words" C=\"x\""#) == ["A=1", "B=two words", #"C="x""#])
        #expect(UnitEnvironment.words("") == [])
    }
}
