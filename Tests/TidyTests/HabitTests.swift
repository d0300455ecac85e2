import Testing

/// The habits of CONTRIBUTING that a machine can see.
@Suite struct HabitTests {
    /// What stands in no code, and what to use in its place.
    private static let banned: [(word: String, instead: String)] = [
        ("import Foundation", "Glibc, or the rooms that wrap it"),
        ("Dispatch" + "Queue", "the event loop"), ("@Main" + "Actor", "the event loop's executor"),
        ("Task" + ".sleep", "a timer of the loop"), ("uniqueKeys" + "WithValues", "uniquingKeysWith"),
        ("try" + "!", "do and catch"), ("fatal" + "Error()", "a text that says what is wrong"),
        ("precondition" + "Failure()", "a text that says what is wrong"), ("print" + "(error)", "an event"),
    ]

    /// What stands in Apple's modules all the same: they are Foundation for code that knows nothing else.
    private static let ofApples: Set<String> = ["import Foundation", "Dispatch" + "Queue", "@Main" + "Actor"]

    /// Calls that wait for time, which neither sources nor tests do, but for the extension that is as apps have it.
    private static let waits: Set<String> = ["sleep", "usleep", "nanosleep", "clock_nanosleep"]

    private static let sourcesAndTests = SourceTree.sources + SourceTree.tests

    /// Those who write tests hold a `Date`, and Apple's modules are made of what is banned elsewhere.
    private static func pardons(_ word: String, to file: SourceTree.File) -> Bool {
        isOfApples(file) && ofApples.contains(word)
            || word == "import Foundation" && file.path.contains("/BelfryTesting/")
            // An app's code runs where its own process would run it.
            || ofApples.contains(word) && file.path.contains("/CallTesting/")
            // A service as developers have it.
            || word == "@Main" + "Actor" && file.path.hasSuffix("/ExtensionTesting/KindTests.swift")
    }

    @Test("banned words stand in no code")
    func bannedWords() {
        for file in Self.sourcesAndTests {
            for (number, line) in file.code.enumerated() {
                for (word, instead) in Self.banned
                where line.contains(word) && !Self.pardons(word, to: file) {
                    Issue.record("\(file.path):\(number + 1) says \(word): use \(instead)")
                }
                guard line.contains("sleep"), file.module != "RingingExtension" else { continue }
                for wait in Self.waits.intersection(Self.calls(line)) {
                    Issue.record("\(file.path):\(number + 1) calls \(wait): wait for an event")
                }
            }
        }
    }

    /// Whether `file` is of a module of Apple's name, or tests one.
    private static func isOfApples(_ file: SourceTree.File) -> Bool {
        file.floor == "Apple"
            || ["AppSample", "AppleTests", "CallingApp", "DirectorySample", "ForeignSurface"].contains(file.module)
            || file.module.hasPrefix("ForeignApp")
    }

    /// The words that stand where a format should.
    private static let formatsOfOurs: Set<String> = [
        // One of the two that the type itself has.
        "Sources/Apple/os/Logger.swift: format"
    ]

    @Test("S4 a number is written by a format that stands in the code")
    func formats() {
        var found: Set<String> = []
        for file in SourceTree.sources {
            for word in Self.variableFormats(in: file.lines) {
                found.insert("\(file.path): \(word)")
                let isOurs = Self.formatsOfOurs.contains("\(file.path): \(word)")
                #expect(isOurs, "\(file.path) takes a format that may come from outside: \(word)")
            }
        }
        #expect(Self.formatsOfOurs.subtracting(found).isEmpty, "these are formats no longer")
    }

    @Test("S4 a format is seen wherever it begins, and values in its text are none of it")
    func formatsFound() {
        let lines = [
            "String(format: \"%d\", 1)", "// String(format: a)", "String(format: b, 1)", "String(",
            "    format: c + \"d\")", "String(format: \"\\(e)%d\", 1)",
        ]
        #expect(Self.variableFormats(in: lines) == ["b", "c", "\"\\"])
    }

    /// What each `String(format:)` in `lines` begins with, if that is no text as it stands.
    private static func variableFormats(in lines: [String]) -> [String] {
        let code = lines.map { $0.filter { $0 != " " } }.filter { !$0.hasPrefix("//") }.joined()
        let calls = code.split(separator: "String(format:", omittingEmptySubsequences: false).dropFirst()
        return calls.compactMap { rest in
            let text = rest.dropFirst().prefix { $0 != "\"" }
            guard rest.first == "\"" else { return String(rest.prefix { $0.isLetter || $0.isNumber }) }
            return text.contains("\\(") ? "\"\\" : nil
        }
    }

    @Test("in the sources no bare task is made and no turn is yielded")
    func tasks() {
        for file in SourceTree.sources {
            for (number, line) in file.code.enumerated() {
                let isBare = line.contains("Task {") || line.contains("Task.detached") || line.contains("Task.yield")
                #expect(!isBare, "\(file.path):\(number + 1) starts what nobody waits for")
            }
        }
    }

    @Test("nothing is left to do later")
    func leftovers() {
        let words = ["FIX" + "ME", "TO" + "DO", "X" + "XX", "HA" + "CK"]
        for file in Self.sourcesAndTests {
            for (number, line) in file.lines.enumerated() {
                let found = line.split { !$0.isLetter }.contains { words.contains(String($0)) }
                #expect(!found, "\(file.path):\(number + 1) leaves something to do")
            }
        }
    }

    /// The conversions that bound their real first, on the same line or on those before.
    private static let boundedConversions: Set<String> = [
        "Sources/Core/BelfryTerms/Time.swift: Int64((min(max(seconds, -limit), limit) * 1e6).rounded())",
        "Sources/Core/BelfryTerms/DecimalText.swift: Int64((bounded * Double(scale)).rounded())",
    ]

    @Test("R18 a real becomes an integer only where it is bounded first")
    func realsToIntegers() {
        var found: Set<String> = []
        for file in SourceTree.sources {
            for (number, line) in file.code.enumerated() where line.contains("Int") {
                for conversion in ["Int(", "Int64(", "Int32(", "UInt64(", "UInt32(", "UInt8(", "UInt("] {
                    guard let operand = Self.operand(of: conversion, in: line) else { continue }
                    let isReal = ["Double", "rounded", ".seconds", "* 1e", "/ 1e"].contains { operand.contains($0) }
                    guard isReal, !operand.hasPrefix("clampingReal:") else { continue }
                    let name = "\(file.path): \(conversion)\(operand))"
                    found.insert(name)
                    let isBounded = Self.boundedConversions.contains(name)
                    #expect(isBounded, "line \(number + 1) converts a real: \(name)")
                }
            }
        }
        #expect(Self.boundedConversions.subtracting(found).isEmpty, "these are converted no longer")
    }

    @Test("lines have at most 120 columns, but for a text that cannot be broken")
    func lineLengths() {
        for file in Self.sourcesAndTests {
            for (number, line) in file.lines.enumerated() where line.utf8.count > 120 {
                let isText = file.isText[number] || line.drop { $0 == " " || $0 == "#" }.first == "\""
                let columns = line.unicodeScalars.count
                #expect(columns <= 120 || isText, "\(file.path):\(number + 1) has \(columns) columns")
            }
        }
    }

    @Test("files have at most 500 lines, state machines 700")
    func fileLengths() {
        for file in Self.sourcesAndTests {
            let limit = file.path.hasSuffix("StateMachine.swift") ? 700 : 500
            #expect(file.lines.count <= limit, "\(file.path) has \(file.lines.count) lines")
        }
    }

    @Test("functions have at most 70 lines")
    func functionLengths() {
        for file in Self.sourcesAndTests {
            for (name, start, length) in FunctionLengths.of(file.code) where length > 70 {
                Issue.record("\(file.path):\(start) \(name) has \(length) lines")
            }
        }
    }

    /// A test that leaves without a word passes where it should fail. What is so only at times is written with `if`,
    /// and counted; what may be another value than the one that is looked into is required.
    @Test("no test returns from a guard in silence, nor expects something of a case that need not be")
    func silentTests() {
        for file in SourceTree.tests {
            for line in SilentTests.lines(of: file.code) {
                Issue.record("\(file.path):\(line) may pass without a word: #require, or record an issue")
            }
        }
    }

    @Test("silence is found in tests, closures and what is wrapped included, and not in what helps them")
    func silence() {
        let code = [
            "@Test(arguments: [", "    1", "])", "func a() {", "    guard case .b = c else { return } // x", "    d {",
            "        guard e.contains(where: { f($0) }) else {", "            return", "        }", "    }",
            "    if case .g = h {", "        #expect(i)", "    }", "    guard j else { return Issue.record(k) }",
            "    if case .g = h { #expect(i) } else { Issue.record(k) }", "    if case .g = h { l += 1 }", "}",
            "func m() {", "    guard n else { return }", "}", "", "@Test func o() {", "    func p() {",
            "        guard q else { return }", "    }", "    guard", "        case .r = s", "    else { return }", "}",
            "",
            "@Test(\"a\") func t() {", "    guard u else { return }", "}",
        ]
        #expect(SilentTests.lines(of: code) == [5, 7, 11, 26, 32])
    }

    @Test("the measures measure: a long function, a string with braces and a comment are seen as what they are")
    func measures() {
        let body = (0..<70).map { "        let a\($0) = \"}}{ // no\" // {{{" }
        let lines =
            ["struct A {", "    func long(a: Int) -> Int {"] + body + [
                "        return a", "    }", "    var b = 1", "}",
            ]
        let found = FunctionLengths.of(CodeOnly.lines(of: lines))
        #expect(found.count == 1 && found.first?.start == 2 && found.first?.length == 73)
        #expect(FunctionLengths.of(["@Test(\"\", arguments: [1]) func a(b: Int) {", "}"]).first?.length == 2)
        #expect(
            CodeOnly.lines(of: ["let a = \"Task\" + \"\"\"", "Task {", "\"\"\" // Task"]) == [
                "let a = \"\" + ", "", " ",
            ])
        #expect(Self.operand(of: "Int(", in: "let n = Int((a * 2).rounded()) + UInt(b)") == "(a * 2).rounded()")
        #expect(Self.calls("Task.sleep(1); usleep (2); sleepy(3)").contains("sleep"))
        #expect(!Self.calls("asleep(1)").contains("sleep"))
    }

    /// The names that are followed by a parenthesis.
    private static func calls(_ line: String) -> Set<String> {
        var names: Set<String> = []
        var name = ""
        for character in line {
            if character.isLetter || character == "_" || character.isNumber {
                name.append(character)
            } else {
                if character == "(" { names.insert(name) }
                if character != " " { name = "" }
            }
        }
        return names
    }

    /// What stands between the parentheses of `conversion`, where it is a word of its own.
    private static func operand(of conversion: String, in line: String) -> String? {
        let text = Array(line)
        let word = Array(conversion)
        guard text.count >= word.count else { return nil }
        for start in 0...(text.count - word.count) where Array(text[start..<start + word.count]) == word {
            guard start == 0 || !(text[start - 1].isLetter || text[start - 1] == ".") else { continue }
            var depth = 1
            let operand = text[(start + word.count)...].prefix { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return depth > 0
            }
            return String(operand)
        }
        return nil
    }
}

/// How long each function is, from its name to its last brace.
enum FunctionLengths {
    static func of(_ code: [String]) -> [(name: String, start: Int, length: Int)] {
        var found: [(name: String, start: Int, length: Int)] = []
        var open: [(name: String, start: Int, depth: Int)] = []
        var announced: (name: String, start: Int)?
        var depth = 0
        for (index, line) in code.enumerated() {
            if let name = declaration(in: line) { announced = (name, index + 1) }
            for character in line {
                if character == "{" {
                    if let function = announced { open.append((function.name, function.start, depth)) }
                    announced = nil
                    depth += 1
                } else if character == "}" {
                    depth -= 1
                    guard let function = open.last, function.depth == depth else { continue }
                    open.removeLast()
                    found.append((function.name, function.start, index + 2 - function.start))
                }
            }
        }
        return found
    }

    private static func declaration(in line: String) -> String? {
        let words = line.split { " (<{?:".contains($0) }
        let modifiers: Set<Substring> = [
            "public", "package", "private", "fileprivate", "internal", "static", "final", "mutating", "override",
            "convenience", "required", "nonisolated", "@discardableResult", "consuming", "borrowing",
        ]
        let rest = words.drop { modifiers.contains($0) || $0.hasPrefix("@") }
        // Whatever stands before it, as the name of a test does: `func` is nothing else.
        if let place = words.firstIndex(of: "func") { return String(words[place...].dropFirst().first ?? "") }
        return ["init", "deinit", "subscript"].first { $0 == rest.first ?? "" }
    }
}

/// Where a test may pass without having looked: a guard that but returns, and an `if case` with an expectation and no
/// else. Functions inside a test are left out: they come back, as recursion does.
enum SilentTests {
    /// The numbers of such lines in `code`, from 1.
    static func lines(of code: [String]) -> [Int] {
        guard code.contains(where: { $0.contains("@Test") }) else { return [] }
        let functions = FunctionLengths.of(code).map { $0.start..<$0.start + $0.length }
        let tests = functions.filter { isTest($0.lowerBound, in: code) }
        return code.indices.filter { index in
            let line = code[index] + " "
            guard let start = line.firstRange(of: "guard ") ?? line.firstRange(of: "if case ") else { return false }
            // Of the functions around it, the innermost.
            let around = functions.filter { $0.contains(index + 1) }.max { $0.lowerBound < $1.lowerBound }
            guard let around, tests.contains(around) else { return false }
            let rest = [String(line[start.lowerBound...])] + code[(index + 1)..<(around.upperBound - 1)]
            return isSilent(rest.joined(separator: " "))
        }.map { $0 + 1 }
    }

    /// Whether the attribute stands before the function that is declared in line `number`.
    private static func isTest(_ number: Int, in code: [String]) -> Bool {
        if code[number - 1].contains("@Test") { return true }
        for line in code[..<(number - 1)].reversed() {
            guard let last = line.last, !["{", "}"].contains(last) else { return false }
            if line.contains("@Test") { return true }
        }
        return false
    }

    /// Whether the guard or the `if case` with which `text` begins is silent.
    private static func isSilent(_ text: String) -> Bool {
        if text.hasPrefix("guard") {
            guard let other = text.firstRange(of: "else {") else { return false }
            return text[other.upperBound...].prefix { $0 != "}" }.split(separator: " ") == ["return"]
        }
        var depth = 0
        let inner = text.drop { $0 != "{" }.prefix { character in
            depth += character == "{" ? 1 : character == "}" ? -1 : 0
            return depth > 0
        }
        let hasElse = text[inner.endIndex...].dropFirst().drop { $0 == " " }.hasPrefix("else")
        return !hasElse && ["#expect", "#require"].contains { inner.contains($0) }
    }
}
