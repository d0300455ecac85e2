@testable import BelfryExtensionPackage
import BelfrySyscalls
import Support
import Testing

/// What `belfry import` does to a package, as a value.
@Suite struct ImportPlanTests {
    let template = PackageTemplate(.appExtension, folder: "my app", belfry: "/belfry")

    private func text(of path: String) throws -> String {
        try #require(template.files.first { $0.path == path }, "\(path)").text
    }

    private func file(_ path: String, _ text: String) -> ImportPlan.File {
        ImportPlan.File(path: path, bytes: Array(text.utf8))
    }

    /// The plan for files in the package as the template makes it, but for its sources `others`.
    private func plan(_ imported: [(String, String)], beside others: [(String, String)] = []) throws -> ImportPlan {
        let sources = try ["main.swift", "NotificationService.swift"].map { name in
            file(name, try text(of: "Sources/MyAppExtension/\(name)"))
        }
        let kept = sources.filter { source in !others.contains { $0.0 == source.path } }
        let testPath = PackageKind.appExtension.testPath(of: template.target)
        return ImportPlan(
            of: imported.map(file), into: try #require(PackageManifest(try text(of: "Package.swift"))),
            sources: kept + others.map(file), test: file(testPath, try text(of: testPath)))
    }

    private func written(_ path: String, by plan: ImportPlan) -> String? {
        plan.writes.first { $0.path == path }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private static let service = "import UserNotifications\nclass Own: UNNotificationServiceExtension {}\n"

    @Test("a long line of descent, last first, is followed in linear time", .timeLimit(.minutes(10)))
    func descent() throws {
        let classes = (1..<16_000).reversed().map { "class C\($0): C\($0 - 1) {}" }
        let text = (classes + ["class C0: UNNotificationServiceExtension {}"]).joined(separator: "\n")
        let plan = try plan([("Own.swift", text)])
        #expect(written("Sources/MyAppExtension/main.swift", by: plan)?.contains("run(C15999())") == true)
    }

    @Test("a class takes the place of the template's: in the program, in the test, and as a file")
    func takesPlace() throws {
        let plan = try plan([("Own.swift", Self.service), ("Other.swift", "class Other: NSObject {}")])
        #expect(plan.removals == ["Sources/MyAppExtension/NotificationService.swift"] && plan.missing.isEmpty)
        #expect(written("Sources/MyAppExtension/Own.swift", by: plan) == Self.service)
        #expect(written("Sources/MyAppExtension/main.swift", by: plan)?.contains("run(Own())") == true)
        let test = try #require(written(PackageKind.appExtension.testPath(of: "MyAppExtension"), by: plan))
        #expect(test.contains("Own()") && !test.contains("modified"))
        #expect(plan.notes.isEmpty && written("Package.swift", by: plan) == nil)
    }

    @Test("a file of the template's name replaces it, and the program stays")
    func sameName() throws {
        let service =
            "class NotificationService: Base {}; class Base: UserNotifications.UNNotificationServiceExtension {}"
        let plan = try plan([("NotificationService.swift", service)])
        #expect(plan.removals.isEmpty && plan.writes.count == 2 && plan.notes.isEmpty)
        #expect(written("Sources/MyAppExtension/main.swift", by: plan) == nil)
    }

    @Test("files without a class leave the template's; and of two classes one is named")
    func noneAndTwo() throws {
        let none = try plan([("Helper.swift", "struct Helper {}")])
        #expect(none.removals.isEmpty && none.writes.map(\.path) == ["Sources/MyAppExtension/Helper.swift"])
        #expect(none.notes.count == 1)
        let two = try plan([("A.swift", "class A: UNNotificationServiceExtension {}\n" + Self.service)])
        #expect(two.notes.first?.contains("A, Own the extension is A") == true)
    }

    @Test("a second import leaves what stays, and a program that somebody changed")
    func second() throws {
        let main = PackageKind.appExtension.main(running: "Own")
        let again = try plan(
            [("Helper.swift", "")], beside: [("main.swift", main), ("NotificationService.swift", Self.service)])
        #expect(again.removals.isEmpty && again.writes.count == 1 && again.notes.isEmpty)
        let changed = try plan([("Own.swift", Self.service)], beside: [("main.swift", main + "// mine")])
        #expect(written("Sources/MyAppExtension/main.swift", by: changed) == nil)
        #expect(changed.notes.contains { $0.contains("have it run Own") })
    }

    @Test("modules are named in Package.swift, once, in their order")
    func modules() throws {
        let text = "import UIKit\nimport os.log\nimport Foundation\nimport AudioToolbox\nimport UserNotifications\n"
        let plan = try plan([("A.swift", text), ("B-Bridging-Header.h", "#import <CommonCrypto/CommonCrypto.h>")])
        let manifest = try #require(written("Package.swift", by: plan))
        let products = manifest.split(separator: "\n").compactMap { line -> String? in
            line.drop { $0 == " " }.hasPrefix(".product(")
                ? line.split(separator: "\"").dropFirst().first.map(String.init) : nil
        }
        #expect(
            products == ["AudioToolbox", "CommonCrypto", "ExtensionProcess", "UIKit", "UserNotifications", "os"])
        var second = try #require(PackageManifest(manifest))
        second.add(product: "UIKit")
        #expect(second.text == manifest && second.target == "MyAppExtension" && plan.missing.isEmpty)
    }

    @Test(
        "what a module brings along on iOS is imported, too, if the file uses it",
        arguments: [
            ("import AVFoundation\nlet s = SystemSoundID(1)", "AudioToolbox"),
            ("import SwiftUI\nclass M: ObservableObject { @Published var n = 0 }", "Combine"),
            ("import SwiftUI\nclass M { @Published var n = 0 }", "Combine"),
            ("import ContactsUI\nlet c = CNContact()", "Contacts"), ("import AVKit\nlet p: AVAudioPlayer?", "AVFAudio"),
            ("import Foundation\nlet s = kSecClass", "Security"),
        ])
    func broughtAlong(text: String, module: String) throws {
        let plan = try plan([("A.swift", text)])
        let file = try #require(written("Sources/MyAppExtension/A.swift", by: plan))
        #expect(file.hasSuffix("\nimport \(module)\n"), "\(file)")
    }

    @Test("a manifest with tabs, or with lines that end as on Windows, keeps them") func lineEnds() throws {
        let template = try text(of: "Package.swift")
        for text in [
            template.replacing("\n", with: "\r\n"), template.replacing("    ", with: "\t"),
        ] {
            var manifest = try #require(PackageManifest(text))
            #expect(manifest.target == "MyAppExtension" && manifest.text == text)
            manifest.add(product: "os")
            let line = manifest.text.split(whereSeparator: \.isNewline).first { $0.contains("name: \"os\"") }
            #expect(line != nil && manifest.text.contains("\r\n") == text.contains("\r\n"))
        }
    }

    @Test("what is withdrawn is named no longer, and others stand in for it") func withdrawn() throws {
        var manifest = try text(of: "Package.swift")
        for product in ["MobileCoreServices", "OSLog", "QuartzCore"] {
            let line = "                .product(name: \"\(product)\", package: \"belfry\"),\n"
            let place = try #require(manifest.firstRange(of: "                .product(name: \"ExtensionProcess\""))
            manifest.insert(contentsOf: line, at: place.lowerBound)
        }
        let imported = ImportPlan.File(
            path: "A.swift", bytes: Array("import OSLog\nimport QuartzCore\nimport MobileCoreServices".utf8))
        let plan = ImportPlan(of: [imported], into: try #require(PackageManifest(manifest)), sources: [], test: nil)
        let after = try #require(written("Package.swift", by: plan))
        for product in ["MobileCoreServices", "OSLog", "QuartzCore"] {
            #expect(!after.contains("\"\(product)\""))
            #expect(plan.notes.contains("Package.swift named \(product), which is withdrawn"))
        }
        for product in ["CoreServices", "UIKit", "os"] { #expect(after.contains("\"\(product)\"")) }
        #expect(written("Sources/MyAppExtension/A.swift", by: plan)?.contains("import os") == true)
    }

    @Test("what is missing is told by line and owner: modules of Apple's and of others, selectors")
    func missing() throws {
        let text =
            "import CoreData\nimport Realm\nimport Darwin\n#if canImport(Firebase)\nimport Firebase\n#endif\n_ = #selector(a)"
        let plan = try plan([("A.swift", text), ("B.swift", "import SwiftUI")])
        #expect(
            plan.notes.first == "in A.swift there is nothing of CoreData, whose import is blanked"
                && plan.notes.contains("in B.swift UIKit stands in for SwiftUI"))
        #expect(written("Sources/MyAppExtension/B.swift", by: plan) == "import UIKit  ")
        #expect(written("Package.swift", by: plan)?.contains("\"UIKit\"") == true)
        #expect(
            plan.missing.map(\.description) == [
                "Sources/MyAppExtension/A.swift:2: another package's: there is no module Realm: "
                    + "name its package in Package.swift, or write a stub",
                "Sources/MyAppExtension/A.swift:7: Belfry's: #selector does not compile on Linux",
            ])
    }

    @Test("a #selector, told without a compiler, does not hide what that misses, and is told once") func selector()
        throws
    {
        let plan = try plan([("A.swift", "import Foundation\n_ = #selector(a)\nlet b: Keychain")])
        #expect(!plan.lacksModules)
        let output = """
            /p/Sources/MyAppExtension/A.swift:2:1: error: '#selector' can only be used with the Objective-C runtime
            /p/Sources/MyAppExtension/A.swift:3:8: error: cannot find type 'Keychain' in scope
            """
        #expect(
            plan.missing(in: output, root: "/p").map { "\($0.line) \($0.owner)" } == ["2 belfry", "3 app"])
        #expect(try self.plan([("A.swift", "import Realm")]).lacksModules)
    }

    @Test(
        "what comes along on iOS is imported where it is used: at the end, so that lines stay",
        arguments: [
            ("import AVFoundation\nlet a: SystemSoundID = kSystemSoundID_Vibrate", ["AudioToolbox"]),
            ("import CryptoKit\nlet a = SecRandomCopyBytes", ["Security"]),
            ("import Foundation\nlet a = errSecSuccess\n", ["Security"]),
            ("import AVFoundation\nlet a = (SystemSoundID(0), kSecClass)", ["AudioToolbox", "Security"]),
            ("import AVFoundation\nimport AudioToolbox\nlet a: SystemSoundID", []),
            ("import AVFoundation\n// SystemSoundID, kSecClass", []), ("import UIKit\nlet a: SystemSoundID", []),
            ("let a = kSecClass", []), ("import CallKit\nclass M: ObservableObject {}", ["Combine"]),
            ("import Foundation\nvar bag = Set<AnyCancellable>()", ["Combine"]),
            ("import Foundation\nenum Publisher { case Empty, Fail, Subject }", []),
        ])
    func broughtAlong(text: String, modules: [String]) throws {
        let plan = try plan([("A.swift", text)])
        let copy = try #require(written("Sources/MyAppExtension/A.swift", by: plan))
        let before = text.replacing("AVFoundation", with: "AVFAudio    ")
        let added = modules.map { "import \($0)\n" }.joined()
        #expect(copy == (added.isEmpty || before.hasSuffix("\n") ? before : before + "\n") + added)
        for module in modules {
            #expect(written("Package.swift", by: plan)?.contains("\"\(module)\"") == true)
            #expect(
                plan.notes.contains("in A.swift \(module) is imported, too, since other modules bring it along on iOS"))
        }
    }

    @Test("of a file with a blanked import, names of that module are Apple's, and a module of the app's is thought of")
    func blankedModules() throws {
        let text = "import SwiftUI\nimport SwiftData\nimport Network"
        let plan = try plan([("A.swift", text), ("B.swift", "import Network")])
        func told(_ file: String, _ name: String) -> MissingPart? {
            let line = "/p/Sources/MyAppExtension/\(file).swift:1:1: error: cannot find '\(name)' in scope"
            return plan.missing(in: line, root: "/p").first
        }
        for name in ["VStack", "ModelContext", "NWPathMonitor"] {
            #expect(told("A", name)?.owner == .belfry, "\(name)")
        }
        #expect(told("A", "Own")?.owner == .either)
        let own = try #require(told("B", "Client"))
        #expect(own.owner == .app && told("B", "VStack")?.owner == .app)
        #expect(
            own.detail
                == "cannot find 'Client' in scope: if Network, whose import is blanked, is a module of the app's, "
                + "name its package in Package.swift, and import again")
        #expect(told("B", "NWPathMonitor")?.detail == "cannot find 'NWPathMonitor' in scope")
    }

    @Test("an import that a file repeats is told once") func repeated() throws {
        let plan = try plan([("A.swift", "import CoreML\nimport CoreML\nlet a: Client")])
        #expect(plan.notes.filter { $0.contains("CoreML") }.count == 1)
        let line = "/p/Sources/MyAppExtension/A.swift:3:8: error: cannot find type 'Client' in scope"
        let detail = try #require(plan.missing(in: line, root: "/p").first).detail
        #expect(detail.contains("if CoreML, whose import is blanked, is a module"), "\(detail)")
    }

    @Test("a name that Belfry has is never told as the app's own: the module to import is named")
    func names() throws {
        for (name, module) in [
            ("SystemSoundID", "AudioToolbox"), ("kSecRandomDefault", "Security"), ("CCHmac", "CommonCrypto"),
            ("Logger", "os"), ("Future", "Combine"), ("UIImage", "UIKit"), ("CC_LONG", "CommonCrypto"),
        ] {
            let line = "/p/S/A.swift:1:1: error: cannot find '\(name)' in scope"
            let part = try #require(MissingPart.found(in: line, root: "/p", folder: "S").first)
            let isPlain = ["Logger", "Future"].contains(name)
            #expect(part.owner == (isPlain ? .either : .belfry), "\(part)")
            let words = "it is in \(module): import that" + (isPlain ? ", unless it is the app's own" : "")
            #expect(part.detail.hasSuffix(words) || part.detail.contains("bridging header"), "\(part)")
        }
    }

    @Test("the names that Belfry has are those that its modules declare")
    func knownNames() throws {
        for module in KnownModules.products.subtracting(["SQLite3", "UserNotifications"]) {
            var names: Set<String> = []
            for file in try Directory.names(at: sourceFile("Sources/Apple/\(module)"), max: 1_000) {
                let text = String(decoding: sourceBytes("Sources/Apple/\(module)/\(file)"), as: UTF8.self)
                for line in text.split(separator: "\n") {
                    let words = line.split { $0 == " " || $0 == ":" || $0 == "(" || $0 == "<" }
                    guard line.hasPrefix("public ") || line.hasPrefix("open ") else { continue }
                    let kinds = ["class", "struct", "enum", "protocol", "func", "let", "var", "typealias"]
                    guard let kind = words.prefix(4).firstIndex(where: { kinds.contains(String($0)) }) else { continue }
                    names.insert(String(words[kind + 1]))
                }
            }
            #expect(KnownNames.names(of: module) == names, "\(module)")
        }
    }

    @Test("a module of Apple's that the package has itself stays") func stub() throws {
        let text = try text(of: "Package.swift") + "// .target(name: \"CoreData\")"
        let plan = ImportPlan(
            of: [file("A.swift", "import CoreData\nimport CoreML")], into: try #require(PackageManifest(text)),
            sources: [], test: nil)
        #expect(written("Sources/MyAppExtension/A.swift", by: plan) == "import CoreData\n             ")
    }

    @Test(
        "whose something is that is missing",
        arguments: [
            ("cannot find 'CC_MD5' in scope", MissingPart.Owner.belfry),
            ("cannot find 'SecKeyCopyPublicKey'", .belfry), ("cannot find 'COMPRESSION_LZBITMAP' in scope", .belfry),
            ("cannot find 'kCLLocationAccuracyKilometer' in scope", .belfry),
            ("cannot find 'kClient' in scope", .app), ("cannot find 'RelativeDateTimeFormatter' in scope", .belfry),
            ("cannot find type 'ListFormatter' in scope", .belfry),
            ("value of type 'URLSession' has no member 'bytes'", .belfry),
            ("value of type 'ProcessInfo' has no member 'thermalState'", .belfry),
            ("value of type 'URLSessionConfiguration' has no member 'allowsExpensiveNetworkAccess'", .belfry),
            ("value of type 'NotificationCenter' has no member 'publisher'", .belfry),
            ("value of type 'NotificationCenter' has no member 'notifications'", .belfry),
            ("value of type 'UserDefaults' has no member 'addObserver'", .belfry),
            ("value of type 'URLSession' has no member 'own'", .either),
            ("type 'P256' has no member 'Signing'", .either), ("type 'Date' has no member 'own'", .either),
            ("value of type 'UNNotificationContent' has no member 'setValue'", .belfry),
            ("'value' is inaccessible due to 'package' protection level", .belfry),
            ("cannot find type 'AVPlayer' in scope", .belfry), ("cannot find type 'View' in scope", .app),
            ("unknown attribute 'AppStorage'", .belfry), ("unknown attribute 'Published'", .belfry),
            ("unknown attribute 'ThreadSafe'", .app),
            ("no macro named 'localize'", .app), ("type 'UserDefaults' has no member 'shared'", .app),
            ("value of type 'UNMutableNotificationContent' has no member 'modify'", .app),
            ("type 'OSLogType' has no member 'warning'", .app), ("type 'UIColor' has no member 'brand'", .either),
            ("value of type '[String]' has no member 'a'", .app), ("type 'any CXCall' has no member 'a'", .either),
            ("value of type 'Publishers.Transformed<A, B, C>' has no member 'zip'", .belfry),
            ("value of type 'UIImage?' has no member 'round'", .either),
            ("argument passed to call that takes no arguments", .either), ("extra argument 'a' in call", .either),
            ("cannot find type 'CXProvider' in scope", .belfry), ("cannot find type 'CXAudioFile' in scope", .app),
            ("cannot find 'MXLog' in scope", .app),
            ("cannot find 'SNLog' in scope", .app), ("cannot find 'kINVALID' in scope", .app),
            ("cannot assign value of type 'Calls' to type '(any PKPushRegistryDelegate)?'", .either),
            ("cannot convert value of type 'Calls' to type 'any CXCallObserverDelegate' in coercion", .either),
            ("no type named 'Call' in module 'TheirCalls'", .otherPackage),
            ("no type named 'CXNews' in module 'CallKit'", .belfry),
            ("method does not override any method from its superclass", .either),
            (
                "main actor-isolated initializer 'init()' has different actor isolation from nonisolated overridden "
                    + "declaration", .app
            ),
            ("argument type 'Calls' does not conform to expected type 'CXProviderDelegate'", .either),
            ("'#keyPath' can only be used with the Objective-C runtime", .belfry),
        ])
    func owners(message: String, owner: MissingPart.Owner) {
        let found = MissingPart.found(in: "/p/S/A.swift:1:1: error: \(message)", root: "/p", folder: "S")
        #expect(found.map(\.owner) == [owner])
        #expect(found.first?.detail.contains("bridging header") == message.contains("CC_"))
        #expect(found.first?.detail.contains("protection level") == false)
    }

    @Test(
        "what is only said because something else is missing waits until that is there",
        arguments: [
            "cannot infer contextual base in reference to member 'a'", "'@escaping' only applies to function types",
            "reference to member 'generic' cannot be resolved without a contextual type",
            "type annotation missing in pattern", "cannot call value of non-function type '[Any]'",
            "'super' cannot be used in class 'A' because it has no superclass",
            "type 'A' does not conform to protocol 'NSObjectProtocol'",
        ])
    func consequences(message: String) {
        let consequence = "/p/S/A.swift:1:1: error: \(message)\n"
        let cause = "/p/S/B.swift:2:1: error: cannot find 'Kind' in scope\n"
        let both = MissingPart.found(in: consequence + cause, root: "/p", folder: "S")
        #expect(both.map(\.file) == ["S/B.swift"])
        let alone = MissingPart.found(in: consequence, root: "/p", folder: "S")
        #expect(alone.map(\.owner) == [.either])
    }

    @Test("what the compiler misses is told once, to whom it belongs")
    func compiler() {
        let output = """
            [3/9] Compiling A.swift
            /p/Sources/X/A.swift:12:9: error: cannot find type 'AppKeychain' in scope
             12 |  let a: AppKeychain
                |         `- error: cannot find type 'AppKeychain' in scope
            /p/Sources/X/A.swift:12:9: error: cannot find type 'AppKeychain' in scope
            /p/Sources/X/A.swift:3:9: error: cannot find 'AVAudioPlayer' in scope
            /p/Sources/X/a:b.swift:4:1: error: value of type 'String' has no member 'emoji'
            /p/Sources/X/A.swift:5:1: error: type 'UIColor' has no member 'brand'
            /p/Sources/X/A.swift:6:8: error: no such module 'Realm'
            /p/Sources/X/A.swift:7:8: warning: cannot find 'B' in scope
            /p/Sources/X/A.swift:8:8: error: something else
            /elsewhere/B.swift:1:1: error: cannot find 'C' in scope
            error: emit-module command failed
            """
        let found = MissingPart.found(in: output, root: "/p", folder: "Sources/X")
        #expect(
            found.map { "\($0.file):\($0.line) \($0.owner)" } == [
                "Sources/X/A.swift:3 belfry", "Sources/X/A.swift:5 either", "Sources/X/A.swift:6 otherPackage",
                "Sources/X/A.swift:8 belfry", "Sources/X/A.swift:12 app", "Sources/X/a:b.swift:4 app",
            ])
        for name in ["NSURLConnection", "UNUser", "kCFNull"] { #expect(ApplesNames.contains(name), "\(name)") }
        for name in ["NSELogger", "UI", "Infix"] { #expect(!ApplesNames.contains(name), "\(name)") }
    }
}
