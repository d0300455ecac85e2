import Testing

/// A declaration that nothing in Sources uses is dead, tests or not: it goes.
@Suite struct DeadDeclarationTests {
    /// Modules whose public declarations are for other people's programs: those of the product.
    private static let libraries: Set<String> = [
        "AVFAudio", "AudioToolbox", "BelfryAppleGround", "BelfryClient", "BelfryNumberStore", "BelfryPush",
        "BelfryTesting", "BelfryProtocol", "BelfryJSON", "BelfryTerms", "CallKit", "CallTesting", "Combine",
        "CommonCrypto", "Compression", "Contacts", "CoreLocation", "CryptoKit", "DirectoryProcess",
        "ExtensionProcess", "ExtensionTesting", "ImageIO", "Intents", "CoreServices", "PushKit", "Security", "UIKit",
        "UniformTypeIdentifiers", "UserNotifications", "WidgetKit", "os",
    ]

    /// What Swift's own library or runtime calls, and nobody by name.
    private static let calledBySwift: Set<String> = [
        "callAsFunction", "checkIsolated", "enqueue", "isIsolatingCurrentContext", "isRecursive", "provideScope",
        "unownedExecutor",
    ]

    /// What only tests use, since it is how they move or look into the real thing: a loop driven by hand, its timers,
    /// and a child that is asked without waiting whether it runs. What Sources use one day may not stay here.
    private static let forTests: Set<String> = [
        "BelfryEventLoop.descriptions", "BelfryEventLoop.runUntilIdle", "BelfrySyscalls.reap",
    ]

    @Test("what is declared is used")
    func used() {
        let findings = Self.findings(in: SourceTree.sources)
        for finding in findings
        where !Self.forTests.contains(finding.fullName) {
            Issue.record("\(finding.path):\(finding.line) declares \(finding.name), which nothing uses")
        }
        let pardoned = Self.forTests.subtracting(findings.map(\.fullName)).sorted()
        #expect(pardoned.isEmpty, "these are gone, or used again: strike them off")
    }

    @Test("a dead declaration is found, and one that is used is not")
    func measures() {
        let text = """
            public enum Kind: String { case one, two(Int) }
            enum Sort { case dead; case live }
            struct Box { let used: Int; static func idle() {}; private var hidden = 0 }
            func calls(_ sort: Sort) { switch sort { case .live: print("dead \\(Box(used: 1).used)") } }
            // idle, dead
            let shown = #"a "quoted" word"#, other = \"\"\"
                idle \\(shown)
                \"\"\"
            calls(other)
            """
        let file = SourceTree.File(path: "Sources/Core/Kind/Kind.swift", text: text)
        #expect(Self.findings(in: [file]).map(\.name) == ["Kind", "dead", "idle"])
    }

    private struct Finding {
        let module: String
        let name: String
        let path: String
        let line: Int
        var fullName: String { "\(module).\(name)" }
    }

    private static func findings(in files: [SourceTree.File]) -> [Finding] {
        var declarations: [(finding: Finding, isExcepted: Bool)] = []
        var occurrences: [String: Int] = [:]
        for file in files {
            var enums = EnumScopes()
            for (number, tokens) in CodeWords.lines(of: file.lines).enumerated() {
                for case .word(let word) in tokens { occurrences[word, default: 0] += 1 }
                for (name, isExcepted) in enums.declarations(in: tokens, ofLibrary: libraries.contains(file.module)) {
                    declarations.append(
                        (Finding(module: file.module, name: name, path: file.path, line: number + 1), isExcepted))
                }
            }
        }
        let declared = declarations.reduce(into: [String: Int]()) { $0[$1.finding.name, default: 0] += 1 }
        return declarations.filter { declaration in
            let name = declaration.finding.name
            return !declaration.isExcepted && !calledBySwift.contains(name) && occurrences[name] == declared[name]
        }.map(\.finding)
    }
}

/// Finds declarations, and knows in what kind of scope they stand.
private struct EnumScopes {
    private enum Scope {
        case enumeration(isRaw: Bool)
        case body
        /// What a library's protocol asks of other people's types.
        case requirements
        case other
    }

    private static let kinds: Set<String> = [
        "func", "var", "let", "struct", "class", "enum", "protocol", "actor", "typealias",
    ]

    private var scopes: [Scope] = []
    private var announced: Scope?

    /// What `tokens`, a line, declares and is not private. Excepted is what nobody needs to name: `main`, overrides,
    /// what a library offers, and cases that are made from a raw value.
    mutating func declarations(
        in tokens: [CodeWords.Token], ofLibrary isLibrary: Bool
    ) -> [(name: String, isExcepted: Bool)] {
        var found: [(String, Bool)] = []
        var modifiers: Set<String> = []
        var index = 0
        func word(_ place: Int) -> String? {
            guard tokens.indices.contains(place), case .word(let word) = tokens[place] else { return nil }
            return word
        }
        while index < tokens.count {
            defer { index += 1 }
            switch tokens[index] {
            case .mark("{"):
                scopes.append(announced ?? .other)
                announced = nil
                modifiers = []
            case .mark("}"):
                _ = scopes.popLast()
                modifiers = []
            case .mark(";"): modifiers = []
            case .mark: break
            case .word("case"):
                guard case .enumeration(let isRaw)? = scopes.last else { continue }
                found += cases(in: tokens[(index + 1)...]).map { ($0, isRaw || isLibrary) }
            case .word(let kind) where Self.kinds.contains(kind):
                guard let name = word(index + 1), !Self.kinds.contains(name) else {
                    modifiers.insert(kind)
                    continue
                }
                if kind == "enum" {
                    let isRaw = ["String", "Int", "Int32", "UInt8", "UInt32"].contains { word(index + 3) == $0 }
                    announced = .enumeration(isRaw: isRaw)
                } else if kind == "protocol", isLibrary, modifiers.contains("public") {
                    announced = .requirements
                } else if kind != "var", kind != "let", kind != "typealias", !isRequirement {
                    announced = kind == "func" ? .body : .other
                }
                guard modifiers.isDisjoint(with: ["private", "fileprivate"]), name != "_", !isLocal else { continue }
                let isOffered = isLibrary && (!modifiers.isDisjoint(with: ["public", "open"]) || isRequirement)
                found.append((name, isOffered || name == "main" || modifiers.contains("override")))
            case .word(let other): modifiers.insert(other)
            }
        }
        return found
    }

    /// Whether a body stands around: its own variables are the compiler's to watch.
    private var isLocal: Bool {
        scopes.contains { if case .body = $0 { true } else { false } }
    }

    private var isRequirement: Bool {
        if case .requirements? = scopes.last { true } else { false }
    }

    /// The names behind `case` in an enumeration, up to the end of what it declares.
    private func cases(in tokens: ArraySlice<CodeWords.Token>) -> [String] {
        var names: [String] = []
        var depth = 0
        var isName = true
        for token in tokens {
            switch token {
            case .mark("("): depth += 1
            case .mark(")"): depth -= 1
            case .mark(","): if depth == 0 { isName = true }
            case .mark(";"), .mark("}"): return names
            case .mark: break
            case .word(let word):
                if isName, depth == 0 { names.append(word) }
                isName = false
            }
        }
        return names
    }
}
