import Testing

/// Belfry is of one version, which `BelfryVersion` decides; what people see of it elsewhere is the same.
@Suite struct VersionTests {
    private static let decider = "Sources/System/BelfryCommandLine/BelfryVersion.swift"

    /// What stands between `start`, where it first is in the file at `path`, and `end`.
    private static func words(in path: String, from start: String, to end: Character) throws -> String {
        let text = try #require(SourceTree.text(of: path), "there is no \(path)")
        let parts = text.split(separator: start, maxSplits: 1, omittingEmptySubsequences: false)
        return String(try #require(parts.count > 1 ? parts[1].prefix { $0 != end } : nil, "\(path) has no \(start)"))
    }

    private static let version = try? words(in: decider, from: "static let number = \"", to: "\"")

    @Test("the version is three numbers")
    func numbers() throws {
        let numbers = try #require(Self.version).split(separator: ".", omittingEmptySubsequences: false)
        #expect(numbers.count == 3 && numbers.allSatisfy { Int($0) != nil })
    }

    @Test(
        "change log, package and manual pages are of that version",
        arguments: [
            ("CHANGELOG.md", "\n## ", Character("\n")), ("debian/changelog", "belfry (", ")"),
            ("docs/man/belfry.1", "\"belfry ", "\""), ("docs/man/belfry-apns.8", "\"belfry ", "\""),
            ("docs/man/belfry-calls.8", "\"belfry ", "\""), ("docs/man/belfry-fleet.8", "\"belfry ", "\""),
            ("docs/man/belfry-desktop.8", "\"belfry ", "\""), ("docs/man/belfry-worker.8", "\"belfry ", "\""),
            ("docs/man/belfry.conf.5", "\"belfry ", "\""),
        ])
    func one(path: String, start: String, end: Character) throws {
        #expect(try Self.words(in: path, from: start, to: end) == Self.version)
    }

    @Test("each manual page is held to it")
    func pages() {
        #expect(SourceTree.entries(of: "docs/man").count == 7)
    }

    @Test(
        "pages and samples name the tarball, and the tag, of that version",
        arguments: [
            ("README.md", "ref: "), ("docs/testing.md", "from: \""), ("docs/languages.md", "/download/"),
            ("docs/languages.md", "belfry-0"), ("Examples/Containerfile", "belfry-0"),
        ])
    func named(path: String, start: String) throws {
        let text = try #require(SourceTree.text(of: path))
        let isTarball = start == "belfry-0"
        let found = text.split(separator: start, omittingEmptySubsequences: false).dropFirst().map { rest in
            (isTarball ? "0" : "") + rest.prefix { $0.isNumber || $0 == "." }
        }
        #expect(!found.isEmpty && found.allSatisfy { $0 == Self.version }, "\(path): \(found)")
    }

    @Test("the tarball's version is read from there")
    func tarball() throws {
        let makefile = try #require(SourceTree.text(of: "Makefile"))
        #expect(makefile.contains("number = \"\\(.*\\)\"$$/\\1/p' \(Self.decider))"))
        #expect(makefile.contains("Dist/tarball $(STAGE) $(BUILD)/dist $(VERSION)"))
    }
}
