import Testing

/// Fuzz targets against what they feed: `Tests/Fuzz` against `Sources`.
@Suite struct FuzzTests {
    static let fuzz = SourceTree.tests.filter { $0.module == "Fuzz" }

    @Test("each fuzz target has seeds, and each folder of seeds a target")
    func seeds() throws {
        let main = try #require(Self.fuzz.first { $0.path == "Tests/Fuzz/main.swift" })
        let cases = main.lines.filter { $0.hasPrefix("    case ") && !$0.contains(":") }
        let targets = cases.flatMap { line in
            line.dropFirst("    case ".count).split(separator: ",").map { part in
                let words = part.split(separator: "\"", omittingEmptySubsequences: false)
                return words.count > 1 ? String(words[1]) : part.filter { $0 != " " }
            }
        }
        #expect(targets.count > 8 && targets.contains("kept-picture"))
        #expect(Set(targets) == Set(SourceTree.entries(of: "Tests/Fuzz/seeds")))
        for target in targets { #expect(!SourceTree.entries(of: "Tests/Fuzz/seeds/\(target)").isEmpty, "\(target)") }
    }

    @Test("what reads bytes, and others can call, is fed by a fuzz target")
    func readers() {
        let names = Set(Self.fuzz.flatMap { $0.code.flatMap(Self.words) })
        var found: Set<String> = []
        for file in SourceTree.sources where !file.path.hasPrefix("Sources/Programs") {
            var type = ""
            for line in file.code {
                let words = Self.words(line)
                if let kind = words.firstIndex(where: ["class", "struct", "enum", "extension"].contains),
                    !line.hasPrefix(" "), words.count > kind + 1
                {
                    type = words[kind + 1]
                }
                let isReader = ["public init", "public static func parse"].contains(where: line.contains)
                guard isReader, line.contains(": [UInt8]") || line.contains("Collection<UInt8>") else { continue }
                found.insert(type)
                let isFed = names.contains(type)
                #expect(isFed, "\(file.path): no fuzz target feeds \(type)")
            }
        }
        #expect(found.isSuperset(of: ["RingMessage", "FetchAnswer", "PictureHeader"]), "\(found)")
    }

    private static func words(_ line: String) -> [String] {
        line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
    }
}
