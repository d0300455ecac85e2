import Testing

/// Rules have a text, code and a test: what is cited as `R…` or `S…` is in `docs/rules.md`, and the other way round.
@Suite struct RuleTests {
    private static let rules: [String] = (SourceTree.text(of: "docs/rules.md") ?? "").split(separator: "\n")
        .filter { $0.hasPrefix("### ") }.compactMap { tags(in: String($0)).first }

    @Test("rules.md has R1 to R23 and S1 to S6, in this order, each once")
    func numbering() {
        #expect(Self.rules == (1...23).map { "R\($0)" } + (1...6).map { "S\($0)" })
    }

    @Test("every rule that code or a test cites is in rules.md")
    func citations() {
        for file in SourceTree.sources + SourceTree.tests {
            for (number, line) in file.lines.enumerated() {
                for tag in Self.tags(in: line) where !Self.rules.contains(tag) {
                    Issue.record("\(file.path):\(number + 1) cites \(tag), which docs/rules.md does not have")
                }
            }
        }
    }

    @Test("every rule has code that cites it")
    func code() {
        let cited = Set(SourceTree.sources.flatMap { $0.lines.flatMap(Self.tags) })
        for rule in Self.rules {
            #expect(cited.contains(rule), "no code says that it decides \(rule)")
        }
    }

    @Test("every rule has a test that cites it")
    func tests() {
        let tests = SourceTree.tests.filter { $0.module.hasSuffix("Tests") && $0.module != "TidyTests" }
        let cited = Set((tests + SourceTree.tests.filter(Self.isHabit)).flatMap { $0.lines.flatMap(Self.tags) })
        for rule in Self.rules {
            #expect(cited.contains(rule), "no test says that it holds \(rule)")
        }
    }

    @Test("what rules.md says decides a rule is in the sources, and every rule says it")
    func deciders() {
        let page = SourceTree.text(of: "docs/rules.md") ?? ""
        let paragraphs = page.split(separator: "\n\n").map { $0.split(separator: "\n").joined(separator: " ") }
        let deciders = paragraphs.filter { $0.hasPrefix("Decided by ") }
        #expect(deciders.count == Self.rules.count)
        var words: Set<String> = []
        for token in SourceTree.sources.flatMap({ CodeWords.lines(of: $0.lines).joined() }) {
            if case .word(let word) = token { words.insert(word) }
        }
        for decider in deciders {
            for name in Page.code(in: decider) {
                for word in name.split(separator: ".") where !words.contains(String(word)) {
                    Issue.record("\(decider) There is no \(word)")
                }
            }
        }
    }

    @Test("the files that rules.md says to open are there and cite the rule, and every rule names some of both")
    func files() {
        let page = SourceTree.text(of: "docs/rules.md") ?? ""
        var named: Set<String> = []
        for section in page.split(separator: "\n### ").dropFirst() {
            guard let rule = Self.tags(in: "\(section.prefix { $0 != " " })").first else { continue }
            let paragraphs = section.split(separator: "\n\n").map { $0.split(separator: "\n").joined(separator: " ") }
            for paragraph in paragraphs where paragraph.hasPrefix("Code: ") && paragraph.contains("Tests: ") {
                named.insert(rule)
                for path in Page.code(in: paragraph) {
                    let file = (SourceTree.sources + SourceTree.tests).first { $0.path.hasSuffix("/\(path)") }
                    let cites = file?.lines.contains { Self.tags(in: $0).contains(rule) } ?? false
                    #expect(cites, "\(rule) is not cited by \(path)")
                }
            }
        }
        #expect(named == Set(Self.rules))
    }

    @Test("code and tests cite the pages of this repository alone")
    func pages() {
        let elsewhere = ["DESI" + "GN", "STY" + "LE"]
        for file in SourceTree.sources + SourceTree.tests {
            for (number, line) in file.lines.enumerated() {
                let found = elsewhere.filter(line.contains)
                #expect(found.isEmpty, "\(file.path):\(number + 1) cites \(found), which nobody has")
            }
        }
    }

    @Test("a tag is seen as one, and nothing else is")
    func reading() {
        let line =
            "/// The end (" + "R" + "7), " + "S" + "2; R, " + "R" + "123, AR" + "7, x.R" + "7a, func R" + "14_silent"
        #expect(Self.tags(in: line) == ["R7", "S2", "R14"])
    }

    /// HabitTests hold a rule for all code; this suite only writes of rules.
    private static func isHabit(_ file: SourceTree.File) -> Bool { file.path.hasSuffix("/HabitTests.swift") }

    /// The tags in `line`: an R or an S with one digit or two, alone; an underscore is a gap.
    static func tags(in line: String) -> [String] {
        guard line.utf8.contains(where: { $0 == UInt8(ascii: "R") || $0 == UInt8(ascii: "S") }) else { return [] }
        return line.utf8.split { !isLetterOrDigit($0) }.compactMap { word in
            guard (2...3).contains(word.count), word.first == UInt8(ascii: "R") || word.first == UInt8(ascii: "S"),
                word.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            return String(decoding: word, as: UTF8.self)
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: false
        }
    }
}
