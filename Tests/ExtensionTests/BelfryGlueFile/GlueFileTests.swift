import BelfryGlueFile
import Testing

/// The file that an extension's module is given.
@Suite struct GlueFileTests {
    @Test(
        "FoundationNetworking comes where a source names it or loads by it, and nowhere else",
        arguments: [
            ("URLSession.shared.dataTask(with: url)", true), ("var task: URLSessionDownloadTask?", true),
            ("func f(_ r: HTTPURLResponse) {}", true), ("let d = try? Data(contentsOf: url)", true),
            ("let d = try String( contentsOf: url)", true), ("list.append(contentsOf: more)", false),
            ("let d = try Data.init(contentsOf: url)", true), ("let d: Data = try .init(contentsOf: url)", true),
            ("NSMutableArray(contentsOf: url)", true), ("let load = String.init(contentsOf:encoding:)", true),
            ("typealias D = Data; try D(contentsOf: url)", true), ("list.insert(contentsOf: more, at: 0)", false),
            ("try AVAudioPlayer(contentsOf: url)", false),
            ("class MyURLSession {}", false), ("let url = URL(string: text)", false), ("", false),
        ])
    func networking(source: String, isNeeded: Bool) {
        let text = GlueFile(sources: ["import Foundation", source]).text
        #expect(text.contains("@_exported public import FoundationNetworking") == isNeeded)
        #expect(text.contains("var suggestedFilename") == isNeeded)
        #expect(text.contains("public static var loader: URLSession.Type") == isNeeded)
        #expect(text.contains("@_exported public import UserNotifications"))
        #expect(text.contains("public typealias UserDefaults = UserNotifications.UserDefaults"))
    }

    @Test(
        "a service on the main actor gets a base class that lets it be there",
        arguments: [
            ("@MainActor class N: UNNotificationServiceExtension {}", true),
            ("@MainActor\npublic final class N : UNNotificationServiceExtension, P {}", true),
            ("@objc(N) @MainActor open class N: UNNotificationServiceExtension {}", true),
            ("class N: UNNotificationServiceExtension { @MainActor override func didReceive(", true),
            ("class N: U { @MainActor public override func serviceExtensionTimeWillExpire() {} }", true),
            ("class N: UNNotificationServiceExtension { @MainActor func show() {} }", false),
            ("@MainActor class A {}\nclass N: UNNotificationServiceExtension {}", false),
            ("Task { @MainActor in }; class N: UNNotificationServiceExtension {}", false), ("@MainActor", false),
        ])
    func mainActor(source: String, isThere: Bool) {
        let alias = "public typealias UNNotificationServiceExtension = UserNotifications.MainActorServiceExtension"
        #expect(GlueFile(sources: ["", source]).text.contains(alias) == isThere)
    }

    @Test(
        "what Linux's URLSession lacks comes where a source uses it",
        arguments: [
            ("try await URLSession.shared.bytes(from: url)", "struct AsyncBytes"),
            ("URLSessionConfiguration.default.waitsForConnectivity = true", "var waitsForConnectivity"),
            ("let p: URLProtectionSpace; p.serverTrust", "var serverTrust"), ("URLSession.shared", "suggestedFilename"),
        ])
    func lacking(source: String, part: String) {
        let text = GlueFile(sources: [source]).text
        for other in ["struct AsyncBytes", "var waitsForConnectivity", "var serverTrust"] {
            #expect(text.contains(other) == (other == part))
        }
        #expect(text.contains(part) && text.contains("var suggestedFilename"))
    }

    @Test("the main bundle is the host's to say, and its texts' language the person's") func bundle() {
        let text = GlueFile(sources: ["NSLocalizedString(\"A\", comment: \"\")"]).text
        #expect(text.contains("func NSLocalizedString(") && text.contains("func localizedString(forKey"))
        #expect(GlueFile(sources: ["", "let b = Bundle.main"]).text.contains("static var main: Bundle"))
        #expect(!GlueFile(sources: ["let b = 1"]).text.contains("extension Bundle"))
    }

    @Test(
        "UIKit comes with CallKit and PushKit, as on iOS, where a source imports it",
        arguments: [
            (["import UIKit", "import CallKit"], true),
            (["import UIKit.UIApplication", "@_exported import PushKit"], true),
            (["import class UIKit.UIImage\nimport CallKit"], true),
            (["import CallKit"], false), (["import UIKit"], false),
            (["import UIKitten", "import CallKit"], false), (["let import = UIKit", "import CallKits"], false),
        ])
    func userInterface(sources: [String], isThere: Bool) {
        #expect(GlueFile(sources: sources).text.contains("@_exported public import UIKit") == isThere)
    }

    @Test("CommonCrypto comes where a bridging header asks for it") func commonCrypto() {
        let header = "#import <CommonCrypto/CommonCrypto.h>"
        #expect(GlueFile(sources: [], bridgingHeaders: [header]).text.contains("@_exported public import CommonCrypto"))
        #expect(!GlueFile(sources: [header], bridgingHeaders: [""]).text.contains("CommonCrypto"))
    }
}
