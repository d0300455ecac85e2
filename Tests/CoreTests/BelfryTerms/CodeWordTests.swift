import BelfryTerms
import Testing

/// Words of closed lists, and those that a later version has added.
@Suite struct CodeWordTests {
    @Test("a word of the list is that word, in comparisons and patterns", arguments: WarningCode.allCases)
    func known(code: WarningCode) {
        let word = CodeWord(code)
        #expect(word == code && word.known == code && word.rawValue == code.rawValue && "\(word)" == code.rawValue)
        #expect(word == CodeWord(rawValue: code.rawValue))
        for other in WarningCode.allCases where other != code { #expect(word != other && word != CodeWord(other)) }
        let (absent, present): (CodeWord<WarningCode>?, CodeWord<WarningCode>?) = (nil, word)
        #expect(present == code && !(absent == code))
        for other in WarningCode.allCases where other != code { #expect(!(present == other)) }
        let isBadClock = if case .badClock = word { true } else { false }
        #expect(isBadClock == (code == .badClock))
    }

    @Test("a word that is spelled out is of its own type too: in arrays, optionals and generic comparisons")
    func spelled() {
        let word: CodeWord<EndReason>? = CodeWord(EndReason.answered)
        func areEqual<Value: Equatable>(_ one: Value, _ other: Value) -> Bool { one == other }
        #expect(areEqual(word, .answered) && !areEqual(word, .declined) && [word] == [.answered])
        #expect(word == .answered && word != .declined)
        let reasons: Set<CodeWord<EndReason>> = [.answered, .hangup]
        #expect(reasons.contains(.hangup) && !reasons.contains(.stopped))
        let isAnswered = if case .answered = CodeWord<EndReason>.answered { true } else { false }
        #expect(isAnswered)
        let known = EndReason.answered
        #expect(word == known && !(word == EndReason.declined))
    }

    @Test("a word that the list does not have is kept, and is none of them", arguments: ["", "new", "Bad-Clock"])
    func unknown(text: String) {
        let word = CodeWord<WarningCode>(rawValue: text)
        #expect(word.known == nil && word.rawValue == text && "\(word)" == text)
        for code in WarningCode.allCases { #expect(word != code) }
    }
}
