import Testing

/// Rules have a text, code and a test: what is cited as `R…`, `C…` or `S…` is in `docs/rules.md`, and conversely.
@Suite struct RuleTests {
    private static let rules: [String] = (SourceTree.text(of: "docs/rules.md") ?? "").split(separator: "\n")
        .filter { $0.hasPrefix("### ") }.compactMap { tags(in: String($0)).first }

    @Test("rules.md has R1 to R24, C1 to C16 and S1 to S6, in this order, each once")
    func numbering() {
        #expect(Self.rules == (1...24).map { "R\($0)" } + (1...16).map { "C\($0)" } + (1...6).map { "S\($0)" })
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

    @Test("what decides a rule is declared in a file that the rule says to open")
    func declarations() {
        var missing: Set<String> = []
        for (rule, paragraphs) in Self.sections() {
            let code = paragraphs.first { $0.hasPrefix("Code: ") }?.split(separator: "Tests: ").first ?? ""
            let files = Page.code(in: String(code)).flatMap { path in
                SourceTree.sources.filter { $0.path.hasSuffix("/\(path)") }
            }
            for paragraph in paragraphs where paragraph.hasPrefix("Decided by ") {
                for name in Page.code(in: paragraph) where name.contains(".") {
                    if !files.contains(where: { Self.declares(name, $0.lines) }) { missing.insert("\(rule) \(name)") }
                }
            }
        }
        #expect(missing.isEmpty)
    }

    @Test("a declaration is seen in its type or an extension of it, and a mention is none")
    func declaring() {
        let lines = ["extension A {", "    init?(b: Int) {}", "    func c() { d.e() }", "    case f(Int)", "}"]
        #expect(["A.init", "A.c", "A.f"].allSatisfy { Self.declares($0, lines) })
        #expect(!["A.e", "A.d", "B.c"].contains { Self.declares($0, lines) })
        #expect(!Self.declares("A.init", ["struct A {", "    func b() { self.init() }", "}"]))
    }

    /// Whether `lines` declare `name`, a type's member.
    private static func declares(_ name: String, _ lines: [String]) -> Bool {
        let parts = name.split(separator: ".").map(String.init)
        let tokens = CodeWords.lines(of: lines).flatMap { $0 }
        func isDeclared(_ name: String, by keywords: Set<String>) -> Bool {
            zip(tokens, tokens.dropFirst()).contains { first, second in
                guard case .word(let keyword) = first else { return false }
                return keywords.contains(keyword) && second == .word(name)
            }
        }
        let isInit =
            parts.last == "init"
            && zip(tokens, tokens.dropFirst()).contains { $0 != .mark(".") && $1 == .word("init") }
        return isDeclared(parts.first ?? "", by: ["struct", "enum", "class", "actor", "protocol", "extension"])
            && (isInit || isDeclared(parts.last ?? "", by: ["func", "var", "let", "case"]))
    }

    /// The rules, each with its paragraphs.
    private static func sections() -> [(rule: String, paragraphs: [String])] {
        (SourceTree.text(of: "docs/rules.md") ?? "").split(separator: "\n### ").dropFirst().compactMap { section in
            tags(in: "\(section.prefix { $0 != " " })").first.map { rule in
                (rule, section.split(separator: "\n\n").map { $0.split(separator: "\n").joined(separator: " ") })
            }
        }
    }

    @Test("the files that rules.md says to open are there and cite the rule, and every rule names some of both")
    func files() {
        var named: Set<String> = []
        for (rule, paragraphs) in Self.sections() {
            for paragraph in paragraphs where paragraph.hasPrefix("Code: ") && paragraph.contains("Tests: ") {
                named.insert(rule)
                for path in Page.code(in: paragraph) {
                    let file = (SourceTree.sources + SourceTree.tests).first { $0.path.hasSuffix("/\(path)") }
                    let cites = file?.lines.contains { Self.tags(in: $0).contains(rule) } ?? false
                    #expect(cites, "\(rule) is not cited by \(path)")
                    let name = Self.name(of: path)
                    let isAlone = SourceTree.tests.count { Self.name(of: $0.path) == name } < 2
                    #expect(isAlone || file?.path == "Tests/\(path)", "\(rule): more than one file is a \(name)")
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
            + ", " + "C" + "3, UTF-8''%" + "C" + "3, =" + "C" + "3, " + "C" + "0"
        #expect(Self.tags(in: line) == ["R7", "S2", "R14", "C3"])
    }

    private static func name(of path: String) -> Substring? { path.split(separator: "/").last }

    /// HabitTests hold a rule for all code; this suite only writes of rules.
    private static func isHabit(_ file: SourceTree.File) -> Bool { file.path.hasSuffix("/HabitTests.swift") }

    private static let letters = [UInt8(ascii: "R"), UInt8(ascii: "C"), UInt8(ascii: "S")]

    /// The tags in `line`: an R, a C or an S with a number of one digit or two, alone; an underscore is a gap.
    static func tags(in line: String) -> [String] {
        guard line.utf8.contains(where: letters.contains) else { return [] }
        return line.utf8.split { !isLetterOrDigit($0) }.compactMap { word in
            guard (2...3).contains(word.count), let first = word.first, letters.contains(first),
                word.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                word.dropFirst().first != UInt8(ascii: "0")
            else { return nil }
            return String(decoding: word, as: UTF8.self)
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...,
            // What follows is a byte in hexadecimal digits.
            UInt8(ascii: "%"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
