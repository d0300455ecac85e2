/// What sentences in the log are made of, beside what they say.
enum Sentence {
    /// How many characters of a stranger's word are told.
    private static let wordLengthMax = 32
    /// How many words of a list are told.
    private static let wordsMax = 3

    /// A stranger's word, as far as it may take room in the log.
    static func shortened(_ word: String) -> String {
        String(String.UnicodeScalarView(word.unicodeScalars.prefix(wordLengthMax)))
    }

    /// The same between quotation marks, since there may be nothing to see of it.
    static func quoted(_ word: String) -> String { "\"\(shortened(word))\"" }

    /// Such as `a, b, c and 4 more`.
    static func listed(_ words: [String]) -> String {
        let told = words.prefix(wordsMax).joined(separator: ", ")
        return words.count > wordsMax ? "\(told) and \(words.count - wordsMax) more" : told
    }
}
