@testable import BelfryExtensionPackage
import Support
import Testing

/// The package of a call directory extension: what `belfry new-extension --directory` makes, and what `belfry import`
/// does to it, as values.
@Suite struct DirectoryTemplateTests {
    private let template = PackageTemplate(.directory, folder: "numbers", belfry: "/belfry")

    private func text(of path: String) throws -> String {
        try #require(template.files.first { $0.path == path }, "\(path)").text
    }

    private func plan(_ imported: [(String, String)]) throws -> ImportPlan {
        let folder = "Sources/NumbersDirectory"
        let sources = try ["CallDirectoryHandler.swift", "main.swift"].map { ($0, try text(of: "\(folder)/\($0)")) }
        let test = PackageKind.directory.testPath(of: "NumbersDirectory")
        return ImportPlan(
            of: imported.map(file), into: try #require(PackageManifest(try text(of: "Package.swift"))),
            sources: sources.map(file), test: file((test, try text(of: test))))
    }

    private func file(_ named: (String, String)) -> ImportPlan.File {
        ImportPlan.File(path: named.0, bytes: Array(named.1.utf8))
    }

    private func written(_ path: String, by plan: ImportPlan) -> String? {
        plan.writes.first { $0.path == path }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("it has a handler as Xcode makes it, the extension point, and a test; it is known by what runs it")
    func files() throws {
        #expect(template.target == "NumbersDirectory")
        #expect(
            Set(template.files.map(\.path)) == [
                "Package.swift", ".gitignore", "Resources/Info.plist", "Sources/NumbersDirectory/main.swift",
                "Sources/NumbersDirectory/CallDirectoryHandler.swift",
                "Tests/NumbersDirectoryTests/CallDirectoryHandlerTests.swift",
            ])
        let program = "import DirectoryProcess\n\nDirectoryProcess.run(CallDirectoryHandler())\n"
        #expect(try text(of: "Sources/NumbersDirectory/main.swift") == program)
        let information = try text(of: "Resources/Info.plist")
        #expect(information.contains("<string>com.apple.callkit.call-directory</string>"))
        #expect(information.contains("<string>com.example.NumbersDirectory</string>"))
        let test = try text(of: "Tests/NumbersDirectoryTests/CallDirectoryHandlerTests.swift")
        #expect(test.contains("load(CallDirectoryHandler(), after: first)") && test.contains("second.isIncremental"))
        var manifest = try #require(PackageManifest(try text(of: "Package.swift")))
        for product in ["BelfryNumberStore", "UIKit"] { manifest.add(product: product) }
        #expect(PackageManifest(manifest.text)?.kind == .directory && manifest.target == "NumbersDirectory")
    }

    @Test("an imported handler takes the template's place, in the program and in its test")
    func imported() throws {
        let handler = """
            import CallKit
            class Base: CXCallDirectoryProvider {}
            final class Handler: Base {}
            """
        let plan = try plan([("Handler.swift", handler)])
        let main = "import DirectoryProcess\n\nDirectoryProcess.run(Handler())\n"
        #expect(written("Sources/NumbersDirectory/main.swift", by: plan) == main)
        #expect(plan.removals == ["Sources/NumbersDirectory/CallDirectoryHandler.swift"])
        let test = try #require(written(PackageKind.directory.testPath(of: "NumbersDirectory"), by: plan))
        #expect(test.contains("load(Handler())") && test.contains("second.error == nil"))
        #expect(!test.contains("14085555555"))
        #expect(plan.notes.isEmpty && plan.missing.isEmpty)
        let other = "import UserNotifications\nclass A: UNNotificationServiceExtension {}"
        let none = try self.plan([("Other.swift", other)])
        #expect(none.notes == ["no class here descends from CXCallDirectoryProvider, so that the template's stays"])
        #expect(none.removals.isEmpty)
    }

    @Test("a number store that is imported is named in Package.swift") func store() throws {
        let source = "import BelfryNumberStore\nclass Handler: NumberStoreProvider {}\nlet store: NumberStore\n"
        let plan = try plan([("Handler.swift", source)])
        let manifest = try #require(written("Package.swift", by: plan))
        #expect(manifest.contains(".product(name: \"BelfryNumberStore\", package: \"belfry\")"))
    }

    @Test("a handler that is the main actor's by default is told to be nobody's") func mainActor() throws {
        let lines = [
            "main actor-isolated initializer 'init()' has different actor isolation from nonisolated overridden "
                + "declaration",
            "main actor-isolated conformance of 'Handler' to 'CXCallDirectoryExtensionContextDelegate' cannot be used in "
                + "nonisolated context",
        ]
        for line in lines {
            let output = "/p/S/Handler.swift:2:34: error: \(line)"
            let part = try #require(MissingPart.found(in: output, root: "/p", folder: "S").first)
            #expect(part.owner == .app)
            #expect(part.detail.hasSuffix(": write nonisolated class, and nonisolated before its extensions"))
        }
    }

    @Test("what the generated file of its module imports is a dependency")
    func glue() {
        #expect(PackageKind.directory.products.contains("UserNotifications"))
    }
}
