import Testing

/// Code that compares a word of an event names it as a member of `CodeWord`: each word of a closed list has one.
@Suite struct CodeWordListTests {
    /// The names after `mark` in each part of the file at `path` that begins with `start`, by what follows that.
    private static func names(in path: String, parts start: String, _ mark: String) throws -> [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        var list: String?
        for line in try #require(SourceTree.text(of: path)).split(separator: "\n") {
            if line.hasPrefix(start) {
                list = String(line.dropFirst(start.count).prefix { $0.isLetter })
            } else if line.hasPrefix("}") {
                list = nil
            } else if let list, line.hasPrefix(mark) {
                let words = line.dropFirst(mark.count).prefix { $0 != "=" && $0 != ":" && $0 != "{" }
                names[list, default: []].formUnion(
                    words.split(separator: ",").map { $0.filter { $0.isLetter || $0.isNumber } })
            }
        }
        return names
    }

    @Test func all() throws {
        let files = ["ClosedLists", "WarningCode", "AppWords"]
        let lists = try files.reduce(into: [String: Set<String>]()) { lists, file in
            let found = try Self.names(in: "Sources/Core/BelfryTerms/\(file).swift", parts: "public enum ", "    case ")
            lists.merge(found) { $0.union($1) }
        }
        let members = try Self.names(
            in: "Sources/Core/BelfryTerms/CodeWords.swift", parts: "extension CodeWord where Known == ",
            "    @inlinable public static var ")
        #expect(members.count > 10 && lists.count > 10)
        for (list, words) in members { #expect(words == lists[list], "\(list)") }
    }
}
