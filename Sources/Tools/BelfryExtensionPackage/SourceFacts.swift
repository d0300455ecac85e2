/// An `import` that a file makes.
public struct SourceImport: Hashable, Sendable {
    /// The module, without the submodule or the declaration that is named.
    public let module: String
    /// Its line, the first is 1.
    public let line: Int
}

/// A class that a file declares.
public struct SourceClass: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// What it inherits, each without the module before it.
    public let parents: [String]
}

/// An `import` of a module that is not here.
public struct GoneImport: Hashable, Sendable {
    /// The module.
    public let module: String
    /// The module that is imported in its place, if one is.
    public let standIn: String?

    /// In words for people, without a full stop.
    var description: String {
        standIn.map { "\($0) stands in for \(module)" } ?? "there is nothing of \(module), whose import is blanked"
    }
}

/// What a Swift file contains, without the parts that are not compiled here.
public struct SourceFacts: Sendable {
    /// What it imports.
    public private(set) var imports: [SourceImport] = []
    /// Its classes.
    public private(set) var classes: [SourceClass] = []
    /// What its extensions add to types, each as a class of the type's name.
    private(set) var extensions: [SourceClass] = []
    /// The lines with a `#selector`, which Linux does not have.
    public private(set) var selectorLines: [Int] = []

    private static let modifiers: Set<String> = ["public", "package", "internal", "fileprivate", "private", ")"]
    /// More words than a class has generic parameters, or parents.
    private static let parentWordsMax = 256
    /// More words than stand before an `import`.
    private static let modifierWordsMax = 32
    private static let kinds: Set<String> = [
        "typealias", "struct", "class", "enum", "protocol", "let", "var", "func", "actor",
    ]

    /// The facts of `source`; `hasModule` says which modules `canImport` finds.
    public init(_ source: SwiftSource, hasModule: (String) -> Bool) {
        let tokens = source.tokens
        let isActive = ConditionalBlocks.active(tokens, hasModule: hasModule)
        for (index, token) in tokens.enumerated() where isActive[index] {
            switch token.text {
            case "import":
                if let found = Self.statement(at: index, in: tokens) {
                    imports.append(SourceImport(module: tokens[found.module].text, line: token.line))
                }
            case "class":
                if let found = Self.declaration(at: index, in: tokens) { classes.append(found) }
            case "extension":
                if let found = Self.declaration(at: index, in: tokens) { extensions.append(found) }
            case "#selector": selectorLines.append(token.line)
            default: break
            }
        }
    }

    /// The `import` at `index`: the places of its first word, of its module and of its last; nil if it is none.
    static func statement(
        at index: Int, in tokens: [SwiftSource.Token]
    ) -> (first: Int, module: Int, last: Int)? {
        let line = tokens[index].line
        var first = index
        while first > max(0, index - modifierWordsMax), tokens[first - 1].line == line, tokens[first - 1].text != ";" {
            first -= 1
        }
        let before = tokens[first..<index].map(\.text)
        guard before.allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") || before.contains("(") }) else {
            return nil
        }
        var module = index + 1
        guard module < tokens.count else { return nil }
        if kinds.contains(tokens[module].text), module + 1 < tokens.count, tokens[module + 1].line == line {
            module += 1
        }
        guard let letter = tokens[module].text.utf8.first, SwiftSource.isOfName(letter) else { return nil }
        var last = module
        while last + 2 < tokens.count, tokens[last + 1].text == ".", tokens[last + 2].line == line { last += 2 }
        return (first, module, last)
    }

    /// The class declared by the word at `index`; nil for `class func` and its kin, and for one that inherits nothing.
    private static func declaration(at index: Int, in tokens: [SwiftSource.Token]) -> SourceClass? {
        guard index + 2 < tokens.count else { return nil }
        var place = index + 2
        if tokens[place].text == "<" {
            while place < min(tokens.count, index + parentWordsMax), tokens[place].text != ">" { place += 1 }
            place += 1
        }
        guard place < tokens.count, tokens[place].text == ":" else { return nil }
        var parents: [String] = []
        var parent = ""
        for token in tokens[(place + 1)...].prefix(parentWordsMax) {
            if token.text == "{" || token.text == "where" { break }
            if token.text == "," {
                parents.append(parent)
            } else if token.text != "." {
                parent = token.text
            }
        }
        return SourceClass(name: tokens[index + 1].text, parents: parents + [parent])
    }
}

extension SwiftSource {
    private static let typeWords: Set<String> = [
        "actor", "class", "enum", "extension", "protocol", "struct", "typealias",
    ]

    /// Those of `names` that it declares as a type, or extends.
    func types(among names: Set<String>) -> Set<String> {
        let tokens = tokens
        return Set(
            zip(tokens, tokens.dropFirst()).filter { Self.typeWords.contains($0.0.text) }.map(\.1.text)
                .filter(names.contains))
    }

    /// Blanks what does not compile on Linux and means nothing there: `@objc`, `@objcMembers`, `@IBAction`,
    /// `@IBOutlet`, `@main` and `@UIApplicationMain`, since `main.swift` runs the program, imports of Apple's modules
    /// that are not here, and the names of submodules. Such an import is replaced by the module that brings the same
    /// declarations, unless they come by themselves. `os(iOS)` is true in a condition, and a method of a delegate is
    /// called without a `?`. Everything else keeps its line and its column.
    ///
    /// - Parameter hasModule: which modules are here although they are not Belfry's.
    /// - Returns: the imports that are gone, except those whose declarations come without an import.
    @discardableResult
    public mutating func blankForLinux(hasModule: (String) -> Bool = { _ in false }) -> [GoneImport] {
        let tokens = tokens
        var gone: [GoneImport] = []
        var conditionLine = 0
        for (index, token) in tokens.enumerated() {
            switch token.text {
            case "@objcMembers", "@IBAction", "@IBOutlet", "@main", "@UIApplicationMain": blank(token.range)
            case "@objc":
                blank(token.range.lowerBound..<Self.endOfAttribute(at: index, in: tokens))
            case "?" where Self.asksForMethod(at: index, in: tokens): blank(token.range)
            case "#if", "#elseif": conditionLine = token.line
            case "os" where token.line == conditionLine && tokens[index...].prefix(4).map(\.text) == Self.platform:
                put("true", in: token.range.lowerBound..<tokens[index + 3].range.upperBound)
            case "import":
                guard let found = SourceFacts.statement(at: index, in: tokens) else { continue }
                let module = tokens[found.module].text
                if Self.namesSubmodule(found, after: index, module) {
                    blank(tokens[found.module].range.upperBound..<tokens[found.last].range.upperBound)
                }
                guard KnownModules.origin(of: module) == .apple, !hasModule(module) else { continue }
                let standIn = KnownModules.standIn(for: module)
                let end = tokens[found.last].range.upperBound
                if let standIn {
                    // Also for one declaration of the module: which of its parts has that is nobody's concern.
                    put("import \(standIn)", in: token.range.lowerBound..<end)
                } else {
                    blank(tokens[found.first].range.lowerBound..<end)
                }
                if !Self.wholeModules.contains(module) { gone.append(GoneImport(module: module, standIn: standIn)) }
            default: break
            }
        }
        return gone
    }

    /// Methods of Apple's delegates that code asks for before it calls them: here each is there, if only as a default.
    private static let askedMethods: Set<String> = [
        "application", "provider", "pushRegistry", "userNotificationCenter",
    ]

    /// Whether the `?` at `index` asks if a delegate has a method, as in `it.provider?(provider, perform: action)`: a
    /// closure, which may have the same name, has no labels.
    private static func asksForMethod(at index: Int, in tokens: [Token]) -> Bool {
        guard index > 1, index + 1 < tokens.count, tokens[index - 2].text == ".", tokens[index + 1].text == "(",
            askedMethods.contains(tokens[index - 1].text)
        else { return false }
        var depth = 0
        for (offset, token) in tokens[(index + 1)...].prefix(attributeWordsMax).enumerated() {
            if token.text == "(" { depth += 1 }
            if token.text == ")" { depth -= 1 }
            if depth == 0 { return false }
            let place = index + 1 + offset
            guard depth == 1, token.text == ",", place + 2 < tokens.count else { continue }
            if tokens[place + 2].text == ":" { return true }
        }
        return false
    }

    /// The platform that an extension is written for, as a condition has it.
    private static let platform = ["os", "(", "iOS", ")"]
    /// Modules whose parts that are here come without an import, so that no note is needed.
    private static let wholeModules: Set<String> = ["CoreFoundation", "Darwin", "ObjectiveC"]

    /// Whether the import at `index` is of a submodule of Belfry's: only `os` has some.
    private static func namesSubmodule(
        _ found: (first: Int, module: Int, last: Int), after index: Int, _ module: String
    ) -> Bool {
        guard case .product(let name) = KnownModules.origin(of: module), name != "os" else { return false }
        return found.module == index + 1 && found.last > found.module
    }

    /// More words than the longest selector has.
    private static let attributeWordsMax = 256

    /// Where the attribute at `index` ends, with the name that follows it in parentheses.
    private static func endOfAttribute(at index: Int, in tokens: [Token]) -> Int {
        let end = tokens[index].range.upperBound
        guard index + 1 < tokens.count, tokens[index + 1].text == "(", tokens[index + 1].range.lowerBound == end else {
            return end
        }
        return tokens[(index + 1)...].prefix(attributeWordsMax).first { $0.text == ")" }?.range.upperBound ?? end
    }
}
