/// The file that is generated into an extension's module. Only a declaration in the module itself takes precedence over
/// one of Foundation's, and what this file exports counts for all files of the module. Types are public, since public
/// declarations may name them; other members are not, so that they do not meet those of another such module.
public struct GlueFile: Hashable, Sendable {
    /// What the file is called.
    public static let name = "BelfryGlue.swift"

    private let needsNetworking: Bool
    private let needsWaiting: Bool
    private let needsTrust: Bool
    private let needsBytes: Bool
    private let needsCommonCrypto: Bool
    private let needsBundle: Bool
    private let needsUIKit: Bool
    private let isOnMainActor: Bool

    /// The file for a module of these `sources`, each the text of a Swift file, and with these bridging headers.
    public init(sources: [String], bridgingHeaders: [String] = []) {
        needsNetworking = sources.contains(where: Self.namesNetworking)
        isOnMainActor = sources.contains(where: Self.hasServiceOnMainActor)
        needsWaiting = sources.contains { $0.contains("waitsForConnectivity") }
        needsTrust = sources.contains { source in
            ["serverTrust", "MethodServerTrust", "URLCredential(trust"].contains(where: source.contains)
        }
        needsBytes = sources.contains { $0.contains(".bytes(for:") || $0.contains(".bytes(from:") }
        needsBundle = sources.contains { $0.contains("Bundle") || $0.contains("NSLocalizedString") }
        // Only where a source imports UIKit, and so the package has it: an app's main.swift does.
        needsUIKit =
            sources.contains { Self.imports("UIKit", in: $0) }
            && sources.contains { Self.imports("CallKit", in: $0) || Self.imports("PushKit", in: $0) }
        needsCommonCrypto = bridgingHeaders.contains { $0.contains("CommonCrypto/") }
    }

    /// The file's text.
    public var text: String {
        var imports = ["@_exported public import UserNotifications"]
        // Only if the sources need it: it costs 5 ms at each start.
        if needsNetworking { imports.append("@_exported public import FoundationNetworking") }
        if needsCommonCrypto { imports.append("@_exported public import CommonCrypto") }
        // On iOS both bring it along.
        if needsUIKit { imports.append("@_exported public import UIKit") }
        var text = """
            // Made by Belfry: what this module's files have on iOS without an import, or by Foundation's.
            \(imports.sorted().joined(separator: "\n"))

            /// Over the group's file, so that every process sees a change at once.
            public typealias UserDefaults = UserNotifications.UserDefaults

            """
        if isOnMainActor {
            text += """

                /// The class in its form for a service that is on the main actor.
                public typealias UNNotificationServiceExtension = UserNotifications.MainActorServiceExtension

                """
        }
        if needsBundle {
            text += """

                extension Bundle {
                    /// The extension's folder, also where it runs in the process of its tests.
                    static var main: Bundle { BelfryGlue.mainBundle }

                    /// The text in the person's language, which Foundation does not know on Linux.
                    func localizedString(forKey key: String, value: String?, table: String?) -> String {
                        BelfryGlue.text(forKey: key, value: value, table: table, in: self)
                    }
                }

                /// The text in the person's language.
                func NSLocalizedString(
                    _ key: String, tableName: String? = nil, bundle: Bundle = .main, value: String = "", comment: String
                ) -> String {
                    bundle.localizedString(forKey: key, value: value, table: tableName)
                }

                """
        }
        if needsNetworking {
            text += GlueNetworking.always
            if needsWaiting { text += GlueNetworking.waiting }
            if needsTrust { text += GlueNetworking.trust }
            if needsBytes { text += GlueBytes.text }
        }
        return text
    }

    /// What ends the attributes and modifiers of a declaration, or is none of them.
    private static let declarations: Set<String> = [
        "func", "var", "let", "init", "struct", "enum", "extension", "actor", "protocol", "typealias", "import", "in",
    ]

    /// Whether `source` has the main actor at the class that descends from the service, or at what it overrides.
    private static func hasServiceOnMainActor(_ source: String) -> Bool {
        let words = source.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).map(String.init)
        for start in words.indices where words[start] == "MainActor" {
            let rest = words[(start + 1)...]
            guard let end = rest.firstIndex(where: { $0 == "class" || declarations.contains($0) }) else { continue }
            let after = words[(end + 1)...].prefix(2)
            if words[end] == "class", after.last == "UNNotificationServiceExtension" { return true }
            let overridden = ["didReceive", "serviceExtensionTimeWillExpire"]
            if words[end] == "func", rest[..<end].contains("override"), overridden.contains(after.first ?? "") {
                return true
            }
        }
        return false
    }

    /// Whether a line of `source` imports `module`, whole or in part.
    private static func imports(_ module: String, in source: String) -> Bool {
        source.split(whereSeparator: \.isNewline).contains { line in
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            guard let place = words.firstIndex(of: "import") else { return false }
            return words[(place + 1)...].prefix(2).contains { $0 == module }
        }
    }

    /// The beginnings of the names of FoundationNetworking, and the calls of Foundation's that load an address by it.
    private static let names = [
        "URLSession", "URLRequest", "URLResponse", "HTTPURLResponse", "CachedURLResponse", "URLCache", "URLProtocol",
        "URLCredential", "URLProtectionSpace", "URLAuthenticationChallenge", "HTTPCookie", "NSURLRequest",
        "NSMutableURLRequest", "NSURLSession", "NSURLConnection",
    ]
    /// What loads no web address by `contentsOf:`, on iOS neither.
    private static let fileReaders: Set<String> = ["AVAudioPlayer"]

    /// Whether `source` names a type of FoundationNetworking, or has Foundation load an address: a false match costs
    /// time at each start, a missed one breaks the build.
    private static func namesNetworking(_ source: String) -> Bool {
        var previous: Substring = ""
        for word in source.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }) {
            if names.contains(where: { word.hasPrefix($0) })
                || word == "contentsOf" && isLoader(previous)
            {
                return true
            }
            previous = word
        }
        return false
    }

    /// Whether what stands before `contentsOf` makes something of an address: a type, whatever it is called, or `init`.
    /// A collection's `append` and `insert` do not.
    private static func isLoader(_ word: Substring) -> Bool {
        word == "init" || word.first?.isUppercase == true && !fileReaders.contains(String(word))
    }
}
