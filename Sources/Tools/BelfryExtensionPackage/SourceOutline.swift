/// The methods of a file's types, as far as words and braces show them.
struct SourceOutline {
    /// A function or initialiser that stands in a type.
    struct Method {
        /// The type, or the one that is extended.
        let type: String
        /// Its name; `init` for an initialiser.
        let name: String
        /// The labels of its parameters.
        let labels: [String]
        /// The place of `override` among the words; nil without one.
        let override: Int?
        /// The place of its name among the words.
        let place: Int
        /// The places of its body, without the braces; empty for one without.
        let body: Range<Int>
    }

    /// Its methods, in their order.
    private(set) var methods: [Method] = []

    /// More words than stand before a function, or among its parameters.
    private static let wordsMax = 512
    private static let kinds: Set<String> = ["class", "struct", "actor", "enum", "extension", "protocol"]
    private static let ends: Set<String> = ["{", "}", ";"]

    /// The outline of a file with these words.
    init(_ tokens: [SwiftSource.Token]) {
        let closing = Self.closingBraces(tokens)
        var types: [(name: String, depth: Int)] = []
        var depth = 0
        var next: String?
        for (index, token) in tokens.enumerated() {
            switch token.text {
            case "{":
                depth += 1
                if let name = next { types.append((name, depth)) }
                next = nil
            case "}":
                if types.last?.depth == depth { types.removeLast() }
                depth -= 1
            case "func", "init":
                guard let type = types.last, type.depth == depth,
                    let method = Self.method(at: index, in: tokens, of: type.name, closing)
                else { continue }
                methods.append(method)
            case let kind where Self.kinds.contains(kind):
                guard index + 1 < tokens.count, !["func", "var", "let", "subscript"].contains(tokens[index + 1].text)
                else { continue }
                next = tokens[index + 1].text
            default: break
            }
        }
    }

    /// Where the brace ends that begins at each place.
    private static func closingBraces(_ tokens: [SwiftSource.Token]) -> [Int: Int] {
        var open: [Int] = []
        var closing: [Int: Int] = [:]
        for (index, token) in tokens.enumerated() {
            if token.text == "{" { open.append(index) }
            if token.text == "}", let start = open.popLast() { closing[start] = index }
        }
        return closing
    }

    private static func method(
        at index: Int, in tokens: [SwiftSource.Token], of type: String, _ closing: [Int: Int]
    ) -> Method? {
        let isInit = tokens[index].text == "init"
        let place = isInit ? index : index + 1
        let limit = min(tokens.count, place + wordsMax)
        guard place < limit, let start = tokens[place..<limit].firstIndex(where: { $0.text == "(" }) else { return nil }
        var labels: [String] = []
        var depth = 0
        var end = start
        while end < limit {
            switch tokens[end].text {
            case "(", "[", "<": depth += 1
            case ")", "]": depth -= 1
            case ">" where tokens[end - 1].text != "-": depth -= 1
            default: break
            }
            if depth == 0 { break }
            if depth == 1, ["(", ","].contains(tokens[end].text), end + 1 < limit, tokens[end + 1].text != ")" {
                labels.append(tokens[end + 1].text)
            }
            end += 1
        }
        let after = tokens[min(end, limit)..<limit].firstIndex { ends.contains($0.text) || $0.text == "func" }
        var body = 0..<0
        if let after, tokens[after].text == "{", let close = closing[after] { body = (after + 1)..<close }
        let before = tokens[max(0, index - 16)..<index]
        let first = (before.lastIndex { ends.contains($0.text) } ?? before.startIndex - 1) + 1
        let modifier = before[first...].lastIndex { $0.text == "override" }
        // A modifier of the declaration before would stand on another line.
        let isOwn = modifier.map { tokens[$0].line + 2 >= tokens[index].line } ?? false
        return Method(
            type: type, name: tokens[place].text, labels: labels, override: isOwn ? modifier : nil, place: place,
            body: body)
    }
}

extension SwiftSource {
    /// The classes that are the program: those with `@main` or `@UIApplicationMain`.
    var mainTypes: Set<String> {
        let tokens = tokens
        var found: Set<String> = []
        for (index, token) in tokens.enumerated() where ["@main", "@UIApplicationMain"].contains(token.text) {
            let rest = tokens[(index + 1)...].prefix(Self.attributesMax)
            if let kind = rest.firstIndex(where: { $0.text == "class" }), kind + 1 < tokens.count {
                found.insert(tokens[kind + 1].text)
            }
        }
        return found
    }

    /// More words than stand between an attribute and its class.
    private static let attributesMax = 16
}
