import Testing

/// What others build on Belfry: README's sample is a program that is built, and no name of ours is in their way.
@Suite struct ExampleTests {
    let map = HouseMap(package: SourceTree.text(of: "Package.swift") ?? "")

    /// Names without the project's that nobody else would give a target.
    static let oursAlone: Set<String> = [
        "CallLedger", "Ringing", "Interception", "SystemSound", "PictureFetch", "PictureFetcher", "ServiceHost",
        "CallService", "GroupLedger",
    ]

    @Test("README's Swift sample is the source of the example that make test builds")
    func sample() throws {
        let readme = try #require(SourceTree.text(of: "README.md"))
        let example = try #require(SourceTree.text(of: "Examples/RingAndHangUp/main.swift"))
        let blocks = readme.split(separator: "```", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
        let samples = blocks.filter { $0.hasPrefix("swift\n") }.map { String($0.dropFirst("swift\n".count)) }
        #expect(samples == [example])
        #expect(try #require(SourceTree.text(of: "Makefile")).contains("--package-path Examples"))
    }

    @Test("a module carries the project's name, or one that is ours alone: names are unique over a user's whole graph")
    func names() {
        let modules = Set(map.imports.keys).union(map.systemLibraries).subtracting(map.programs)
        #expect(modules.count > 20)
        for module in modules where !module.hasPrefix("Belfry") && !module.hasPrefix("CBelfry") {
            #expect(Self.oursAlone.contains(module), "another package may have a target \(module)")
        }
        for program in map.programs { #expect(program == "belfry" || program.hasPrefix("belfry-"), "\(program)") }
    }
}
