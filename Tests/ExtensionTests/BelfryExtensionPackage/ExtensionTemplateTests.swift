@testable import BelfryExtensionPackage
import Support
import Testing

/// The package that is made for a new extension.
@Suite struct ExtensionTemplateTests {
    @Test(
        "a folder of any name has a target that is a name, and not the class's",
        arguments: [
            ("MyApp", "MyAppExtension"), ("my app", "MyAppExtension"), ("1st", "App1stExtension"), ("", "AppExtension"),
            ("Ünïcode-x", "NCodeXExtension"), ("ring-extension", "RingExtension"), ("a\"b\\(c)", "ABCExtension"),
            ("NotificationService", "NotificationServiceExtension"), ("class", "ClassExtension"),
        ])
    func names(folder: String, target: String) {
        #expect(PackageTemplate(.appExtension, folder: folder, belfry: "/b").target == target)
    }

    @Test("the path of Belfry may hold anything")
    func path() throws {
        let template = PackageTemplate(.appExtension, folder: "a", belfry: "/a \"b\\(c)\r\n/é")
        let manifest = try #require(template.files.first { $0.path == "Package.swift" }).text
        #expect(manifest.contains(#"path: "/a \"b\\(c)\r\n/é")"#))
        #expect(PackageManifest(manifest)?.target == "AExtension")
    }

    @Test("the example is what a new extension is, so that what make test builds is what people get")
    func example() {
        let template = PackageTemplate(.appExtension, folder: "OwnExtension", belfry: "../..")
        for file in template.files where file.path != ".gitignore" {
            let bytes = sourceBytes("Examples/OwnExtension/\(file.path)")
            #expect(String(decoding: bytes, as: UTF8.self) == file.text, "\(file.path)")
        }
    }

    @Test("a manifest of somebody else's is none of an extension")
    func foreign() throws {
        for text in ["", "let a = 1", ".product(name: \"ExtensionProcess\", package: \"belfry\")"] {
            #expect(PackageManifest(text) == nil)
        }
        let uses = "\n.product(name: \"ExtensionProcess\", package: \"belfry\")"
        #expect(PackageManifest(".executableTarget(name: \"../x\"," + uses) == nil)
        var alone = try #require(PackageManifest(".executableTarget(name: \"X\", dependencies: [" + uses + "\n])"))
        alone.add(product: "os")
        #expect(alone.text.contains("\"belfry\"),\n.product(name: \"os\", package: \"belfry\"),\n])"))
    }

    @Test("a product that is added is one line, and every other line stays, empty ones too")
    func addedProduct() throws {
        let template = PackageTemplate(.appExtension, folder: "a", belfry: "/b")
        let text = try #require(template.files.first { $0.path == "Package.swift" }).text
        var manifest = try #require(PackageManifest(text))
        manifest.add(product: "os")
        let line = "                .product(name: \"os\", package: \"belfry\"),\n"
        #expect(manifest.text != text && manifest.text.replacing(line, with: "") == text)
    }

    @Test("the modules that are ours are the products that Package.swift has for Apple's names")
    func products() {
        let manifest = String(decoding: sourceBytes("Package.swift"), as: UTF8.self)
        let libraries = manifest.split(separator: "\n").compactMap { line -> String? in
            line.contains(".library(name: \"") ? String(line.split(separator: "\"")[1]) : nil
        }
        let others: Set<String> = [
            "BelfryClient", "BelfryTesting", "CallTesting", "DirectoryProcess", "ExtensionProcess", "ExtensionTesting",
        ]
        #expect(Set(libraries).subtracting(others) == KnownModules.products)
        for product in libraries { #expect(KnownModules.origin(of: product) != .apple, "\(product)") }
    }
}
