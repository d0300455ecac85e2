/// Clauses of code that catch an `NSError` and stand last: the compiler takes such a one for a clause that catches
/// everything. On Linux it does not catch an error that is no `NSError`, and what follows is undefined.
enum CaughtCasts {
    /// What is said of one.
    static let note =
        "a last clause `as NSError` passes over an error that is none, on Linux, and what follows is undefined: write "
        + "catch { let error = error as NSError"

    /// The lines of `tokens` with such clauses.
    static func lines(in tokens: [SwiftSource.Token]) -> [Int] {
        var lines: [Int] = []
        // For each brace that is open, the line of its clause if that is one.
        var open: [Int?] = []
        for place in tokens.indices {
            switch tokens[place].text {
            case "{": open.append(clause(before: place, tokens))
            case "}":
                guard let line = open.popLast() ?? nil else { continue }
                if place + 1 == tokens.count || tokens[place + 1].text != "catch" { lines.append(line) }
            default: break
            }
        }
        return lines.sorted()
    }

    /// The line of `catch let error as NSError` right before `place`; nil if that is not there.
    private static func clause(before place: Int, _ tokens: [SwiftSource.Token]) -> Int? {
        guard place >= 5 else { return nil }
        let words = tokens[place - 5..<place].map(\.text)
        let isClause =
            words[0] == "catch" && ["let", "var"].contains(words[1]) && words[3] == "as" && words[4] == "NSError"
        return isClause ? tokens[place - 5].line : nil
    }
}
