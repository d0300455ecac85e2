import Testing

/// What others build on Belfry: README's sample is a program that is built.
@Suite struct ExampleTests {
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
}
