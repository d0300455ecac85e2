@testable import BelfryExtensionPackage
import Support
import Testing

/// What `belfry import` does to the package of an app, as a value.
@Suite struct AppImportTests {
    private let template = PackageTemplate(.app, folder: "phone", belfry: "/belfry")

    private func text(of path: String) throws -> String {
        try #require(template.files.first { $0.path == path }, "\(path)").text
    }

    private func plan(_ imported: [(String, String)], beside others: [(String, String)] = []) throws -> ImportPlan {
        let names = ["AppDelegate.swift", "CallManager.swift", "IncomingCall.swift", "PushManager.swift", "main.swift"]
        let sources = try names.map { ($0, try text(of: "Sources/PhoneApp/\($0)")) }
        let kept = sources.filter { source in !others.contains { $0.0 == source.0 } }
        let test = PackageKind.app.testPath(of: "PhoneApp")
        return ImportPlan(
            of: imported.map(file), into: try #require(PackageManifest(try text(of: "Package.swift"))),
            sources: (kept + others).map(file), test: file((test, try text(of: test))))
    }

    private func file(_ named: (String, String)) -> ImportPlan.File {
        ImportPlan.File(path: named.0, bytes: Array(named.1.utf8))
    }

    private func written(_ path: String, by plan: ImportPlan) -> String? {
        plan.writes.first { $0.path == path }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("a package is known by what runs it: an app's by UIKit, an extension's also if it has UIKit, too")
    func kinds() throws {
        #expect(PackageManifest(try text(of: "Package.swift"))?.kind == .app && template.target == "PhoneApp")
        var other = try #require(
            PackageTemplate(.appExtension, folder: "phone", belfry: "/b").files.first { $0.path == "Package.swift" })
        var manifest = try #require(PackageManifest(other.text))
        manifest.add(product: "UIKit")
        other = PackageTemplate.File(path: other.path, text: manifest.text)
        #expect(PackageManifest(other.text)?.kind == .appExtension)
        #expect(PackageTemplate(.app, folder: "MyApp", belfry: "/b").target == "MyApp")
    }

    @Test("what is the program no longer is blanked in its place, and main.swift runs it") func attributes() throws {
        let delegate = """
            import UIKit.UIApplication
            @UIApplicationMain
            class MyDelegate: UIResponder, UIApplicationDelegate {
                @IBOutlet weak var window: UIWindow?
                @IBAction func call() {}
                override init() { super.init() }
            }
            class Other: NSObject { override init() { super.init() } }
            """
        let plan = try plan([("MyDelegate.swift", delegate)])
        let copy = try #require(written("Sources/PhoneApp/MyDelegate.swift", by: plan))
        #expect(copy.utf8.count == delegate.utf8.count)
        for word in ["@UIApplicationMain", "@IBOutlet", "@IBAction", "UIKit."] { #expect(!copy.contains(word)) }
        #expect(copy.contains("    required init() { super.init() }\n") && copy.contains("{ override init()"))
        #expect(
            written("Sources/PhoneApp/main.swift", by: plan) == "import UIKit\n\nUIApplication.run(MyDelegate())\n")
        #expect(
            plan.removals.map { $0.split(separator: "/").last } == [
                "AppDelegate.swift", "CallManager.swift", "IncomingCall.swift", "PushManager.swift",
            ])
        let test = try #require(written(PackageKind.app.testPath(of: "PhoneApp"), by: plan))
        #expect(test.contains("MyDelegate()") && plan.notes.isEmpty && plan.missing.isEmpty)
    }

    @Test("of two delegates the program's is run; one that conforms in an extension counts; without one all stays")
    func delegates() throws {
        let two = try plan([
            ("A.swift", "class AppDelegate: NSObject, UIApplicationDelegate {}"),
            ("B.swift", "@main final class Own: NSObject {}\nextension Own: UIApplicationDelegate {}"),
        ])
        #expect(written("Sources/PhoneApp/main.swift", by: two)?.contains("run(Own())") == true)
        #expect(two.notes == ["of AppDelegate, Own the app is Own: see main.swift"])
        let none = try plan([("Calls.swift", "import CallKit\nclass Calls: NSObject {}\n// class CallManager")])
        #expect(none.removals.isEmpty && none.writes.count == 1)
        #expect(none.notes == ["no class here is a UIApplicationDelegate, so that the template's stays"])
        let same = try plan([("AppDelegate.swift", "class AppDelegate: UIResponder, UIApplicationDelegate {}")])
        #expect(written("Sources/PhoneApp/main.swift", by: same) == nil && same.removals.count == 3)
    }

    @Test(
        "a class of yours that the template has, too, leaves of the template a delegate that makes nothing",
        arguments: [
            ("CallManager.swift", "class CallCenter {}"), ("Calls.swift", "final class CallManager { }"),
            ("Calls+More.swift", "extension CallManager: CXProviderDelegate {}"),
            ("Call.swift", "public enum IncomingCall { case none }"),
        ])
    func taken(name: String, text: String) throws {
        let plan = try plan([(name, text)])
        let path = "Sources/PhoneApp/AppDelegate.swift"
        let delegate = try #require(written(path, by: plan))
        #expect(delegate.contains("UIApplicationDelegate") && !delegate.contains("CallManager"))
        let gone = Set(["CallManager.swift", "IncomingCall.swift", "PushManager.swift"]).subtracting([name])
        #expect(Set(plan.removals) == Set(gone.map { "Sources/PhoneApp/\($0)" }))
        #expect(written("Sources/PhoneApp/main.swift", by: plan) == nil)
        #expect(written(PackageKind.app.testPath(of: "PhoneApp"), by: plan)?.contains("AppDelegate()") == true)
        #expect(plan.notes.last?.hasSuffix("AppDelegate makes nothing until you say so in AppDelegate.swift") == true)
        // What is left is the template's still: the next import takes its place.
        let own = ("Own.swift", "class Own: UIResponder, UIApplicationDelegate {}")
        let next = try self.plan([own], beside: [("AppDelegate.swift", delegate), (name, text)])
        #expect(next.removals.contains(path))
        let edited = try self.plan([(name, text)], beside: [("AppDelegate.swift", delegate + "// mine")])
        #expect(edited.removals.isEmpty && written(path, by: edited) == nil)
    }

    @Test(
        "who asks if a delegate has a method calls it, since here each is there; a closure is still asked for",
        arguments: [
            ("d.provider?(p, perform: action)", "d.provider (p, perform: action)"),
            ("a?.pushRegistry?(r, didUpdate: c, for: t)", "a?.pushRegistry (r, didUpdate: c, for: t)"),
            ("d.provider?(f(a, b: c), d)", "d.provider?(f(a, b: c), d)"), ("d.provider?(p)", "d.provider?(p)"),
            ("d.other?(p, perform: a)", "d.other?(p, perform: a)"), ("provider?(p, a: b", "provider?(p, a: b"),
        ])
    func asked(text: String, copy: String) throws {
        let plan = try plan([("A.swift", "import CallKit\n\(text)\n")])
        #expect(written("Sources/PhoneApp/A.swift", by: plan) == "import CallKit\n\(copy)\n")
    }

    private func notes(_ source: String, beside others: [String] = []) -> [String] {
        let files = ([source] + others).enumerated().map { file(("\($0.offset).swift", $0.element)) }
        return CallHabits(of: files).notes(on: SwiftSource(Array(source.utf8)), named: "A.swift")
    }

    private static func receiver(_ body: String) -> String {
        """
        class P: NSObject, PKPushRegistryDelegate {
            func pushRegistry(_ r: PKPushRegistry, didUpdate c: PKPushCredentials, for t: PKPushType) { Task { } }
            func pushRegistry(
                _ r: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
                completion: @escaping () -> Void
            ) {
                \(body)
            }
            func other() { Task { }; let a = b! }
        }
        """
    }

    @Test(
        "a Task in a method that receives a push is told, and so is what is unwrapped by force before the report",
        arguments: [
            ("Task { await report() }", ["A.swift:7: a Task"]), ("Task.detached { }", ["A.swift:7: a Task"]),
            ("let t: Task<Void, Never>? = nil", []), ("let id = payload[\"id\"]!", ["A.swift:7: what is unwrapped"]),
            ("let id = payload[\"id\"] as! String", ["A.swift:7: what is unwrapped"]),
            ("provider.reportNewIncomingCall(with: u, update: c) { _ in x! }", []),
            ("if a != b, !c { return }", []), ("// Task { x! }", []), ("log(\"Task { x! }\")", []),
            ("let d = x!\n        Task { }", ["A.swift:8: a Task", "A.swift:7: what is unwrapped"]),
        ])
    func receivers(body: String, expected: [String]) {
        let notes = notes(Self.receiver(body))
        #expect(notes.count == expected.count, "\(notes)")
        for (note, beginning) in zip(notes, expected) { #expect(note.hasPrefix(beginning)) }
    }

    @Test("a delegate's method in a subclass of the class that conforms is told, unless it overrides")
    func subclasses() {
        let base = "class Base: NSObject {}\nextension Base: CXProviderDelegate { func providerDidReset() {} }"
        let sub = """
            class Middle: Base {}
            final class Sub: Middle {
                func provider(_ p: CXProvider, perform a: CXEndCallAction) {}
                override func providerDidReset(_ p: CXProvider) {}
                func other() {}
            }
            """
        #expect(
            notes(sub, beside: [base]) == [
                "A.swift:3: provider in Sub is not called here, since it is Base that conforms to CXProviderDelegate: "
                    + "write the method there, and override it"
            ])
        #expect(notes(base, beside: [sub]).isEmpty)
        #expect(notes(sub.replacing("Sub: Middle", with: "Sub: Middle, CXProviderDelegate"), beside: [base]).isEmpty)
        #expect(notes(sub, beside: ["class Base: Middle {}"]).isEmpty)
    }

    @Test(
        "a last clause that catches an NSError is told, since others pass it by on Linux",
        arguments: [
            ("do { try f() }\ncatch let error as NSError { g() }", [2]),
            ("do { try f() }\ncatch let error as NSError { if a { g() } }\ncatch { h() }", []),
            ("do { try f() } catch A.b {\n} catch var e as NSError {\ndo { } catch let x as NSError { } }", [2, 3]),
            ("do { try f() } catch let error as URLError { } catch { let error = error as NSError }", []),
            ("do { try f() } catch let error as NSError where error.code == 1 { } catch { }", []),
            ("as NSError { }", []), ("catch let e as NSError {", []), ("} } catch let e as NSError { }", [1]),
        ])
    func caughtCasts(_ code: String, lines: [Int]) {
        #expect(notes(code).map { $0.prefix { $0 != " " } } == lines.map { "A.swift:\($0):" })
    }

    @Test("an outline of anything ends, and in linear time", .timeLimit(.minutes(10))) func hostile() {
        let pieces = [
            "class A {", "func f(", "init(", "}", "extension A: A {", "override ", "func f(<[", "@main ",
            "catch let e as NSError {",
        ]
        for piece in pieces {
            let source = "class A {" + String(repeating: piece, count: 4_000)
            _ = notes(source)
            _ = SwiftSource(Array(source.utf8)).mainTypes
        }
    }
}
