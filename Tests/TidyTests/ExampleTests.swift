import Testing

/// What others build on Belfry: each sample that a page shows is a file that make test builds or runs.
@Suite struct ExampleTests {
    private static let package = "CallTests/Package.swift"

    @Test(
        "a sample is a file of Examples",
        arguments: [
            ("README.md", [package, "RingAndHangUp/main.swift"]),
            (
                "docs/testing.md",
                [
                    package, "CallTests/Tests/CallTests/CallTests.swift", "CallTests/Tests/CallTests/HangupTests.swift",
                    "PhoneTests/Package.swift", "test_calls.py", "calls.test.mjs",
                ]
            ),
            (
                "docs/languages.md",
                [
                    "Pytest/conftest.py", "Pytest/test_bells.py", "Node/bell.mjs", "Node/parallel.test.mjs",
                    "Go/bell_test.go", "Go/calls_test.go", "Containerfile",
                ]
            ),
            ("docs/mac.md", ["PhoneTests/Package.swift"]),
            (
                "docs/extensions.md",
                [
                    "OwnExtension/Package.swift", "OwnExtension/Sources/OwnExtension/main.swift",
                    "OwnExtension/Sources/OwnExtension/NotificationService.swift",
                    "OwnExtension/Tests/OwnExtensionTests/NotificationServiceTests.swift",
                    "OwnExtension/Tests/OwnExtensionTests/NotificationServiceXCTests.swift",
                    "OwnExtension/Resources/Info.plist", "OwnExtension/payload.apns",
                ]
            ),
        ])
    func samples(page: String, files: [String]) throws {
        let shown = try #require(SourceTree.text(of: page)).split(separator: "```", omittingEmptySubsequences: false)
            .enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        for file in files {
            let text = try #require(SourceTree.text(of: "Examples/\(file)"))
            // Examples find Belfry around them, others beside.
            let sample = text.split(separator: "path: \"../..\"", omittingEmptySubsequences: false)
                .joined(separator: "path: \"../belfry\"")
            #expect(shown.contains { $0.drop { $0 != "\n" }.dropFirst() == sample }, "\(page) does not show \(file)")
        }
        #expect(shown.count { $0.hasPrefix("swift\n") } == files.count { $0.hasSuffix(".swift") })
    }

    @Test("make test builds and runs them")
    func make() throws {
        let makefile = try #require(SourceTree.text(of: "Makefile"))
        for command in [
            "--package-path Examples ", "--package-path Examples/CallTests",
            "--package-path Examples/PhoneTests", "--package-path Examples/OwnExtension --build-tests",
            "Examples/run $(STAGE)", "cd Examples/Go && ",
        ] {
            #expect(makefile.contains(command), "\(command)")
        }
        let run = try #require(SourceTree.text(of: "Examples/run"))
        for sample in ["test_calls.py", "calls.test.mjs", "-n 4 -p no:cacheprovider Pytest", "Node/parallel.test.mjs"] {
            #expect(run.contains(sample), "\(sample)")
        }
    }
}
