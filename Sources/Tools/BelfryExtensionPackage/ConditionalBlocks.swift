/// Which words of a file are compiled on Linux: what `#if`, `#elseif`, `#else` and `#endif` leave of it.
enum ConditionalBlocks {
    /// More words than any condition has.
    private static let conditionWordsMax = 256

    private struct Block {
        let isOuterActive: Bool
        var wasTaken: Bool
        var isActive: Bool
    }

    /// For each of `tokens`, whether it is compiled.
    static func active(_ tokens: [SwiftSource.Token], hasModule: (String) -> Bool) -> [Bool] {
        var blocks: [Block] = []
        var active: [Bool] = []
        func holds(at index: Int) -> Bool {
            let line = tokens[index].line
            return Condition(
                tokens[(index + 1)...].prefix(conditionWordsMax).prefix { $0.line == line }.map(\.text), hasModule
            ).isTrue
        }
        for (index, token) in tokens.enumerated() {
            switch token.text {
            case "#if":
                let isOuterActive = blocks.last?.isActive ?? true
                let isActive = isOuterActive && holds(at: index)
                blocks.append(Block(isOuterActive: isOuterActive, wasTaken: isActive, isActive: isActive))
            case "#elseif", "#else":
                guard var block = blocks.popLast() else { break }
                let isTaken = token.text == "#else" || holds(at: index)
                block.isActive = block.isOuterActive && !block.wasTaken && isTaken
                block.wasTaken = block.wasTaken || block.isActive
                blocks.append(block)
            case "#endif": _ = blocks.popLast()
            default: break
            }
            active.append(blocks.last?.isActive ?? true)
        }
        return active
    }
}

/// The condition of an `#if`: its words, read from the left, `&&` before `||`.
private struct Condition {
    /// Whether it holds on Linux, in the plain build of a package.
    private(set) var isTrue = false

    /// How deep parentheses and negations are nested.
    private static let depthMax = 64

    private let words: [String]
    private var place = 0

    init(_ words: [String], _ hasModule: (String) -> Bool) {
        self.words = words
        isTrue = any(hasModule, depth: 0)
    }

    private mutating func takes(_ word: String) -> Bool {
        guard place < words.count, words[place] == word else { return false }
        place += 1
        return true
    }

    private mutating func takesTwice(_ mark: String) -> Bool {
        guard place + 1 < words.count, words[place] == mark, words[place + 1] == mark else { return false }
        place += 2
        return true
    }

    private mutating func any(_ hasModule: (String) -> Bool, depth: Int) -> Bool {
        var holds = all(hasModule, depth: depth)
        while takesTwice("|") {
            // Read even if the condition holds already: its words have to be passed.
            let next = all(hasModule, depth: depth)
            holds = holds || next
        }
        return holds
    }

    private mutating func all(_ hasModule: (String) -> Bool, depth: Int) -> Bool {
        var holds = one(hasModule, depth: depth)
        while takesTwice("&") {
            let next = one(hasModule, depth: depth)
            holds = holds && next
        }
        return holds
    }

    private mutating func one(_ hasModule: (String) -> Bool, depth: Int) -> Bool {
        guard depth < Self.depthMax, place < words.count else { return false }
        if takes("!") { return !one(hasModule, depth: depth + 1) }
        if takes("(") {
            let holds = any(hasModule, depth: depth + 1)
            _ = takes(")")
            return holds
        }
        let word = words[place]
        place += 1
        guard takes("(") else { return word == "DEBUG" || word == "true" }
        let operand = words[place...].prefix { $0 != ")" }
        place = min(operand.endIndex + 1, words.count)
        switch word {
        case "canImport": return operand.first.map(hasModule) ?? false
        case "os", "platform": return operand.first == "Linux"
        case "swift", "compiler": return operand.first == ">"
        case "arch", "_endian", "_pointerBitWidth", "hasFeature", "hasAttribute": return true
        default: return false
        }
    }
}
