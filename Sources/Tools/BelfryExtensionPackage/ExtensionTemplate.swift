import BelfryTerms

/// The package that `belfry new-extension` makes: an extension as Xcode makes one, its test, and a push for it.
public struct ExtensionTemplate: Sendable {
    /// A file of the package.
    public struct File: Hashable, Sendable {
        /// Where it is, in the package's folder.
        public let path: String
        /// What it says.
        public let text: String
    }

    /// The class of the template.
    public static let className = "NotificationService"
    /// Where the extension's resources are, `Info.plist` among them.
    public static let resourceFolder = "Resources"

    /// The package's name.
    public let name: String
    /// The extension's target, which is not named like its class: names in a module that shares its class's name cannot
    /// be qualified.
    public let target: String
    private let belfry: String

    /// The package in a folder called `folder`, whatever its name is, over the package of Belfry at the path `belfry`.
    public init(folder: String, belfry: String) {
        var words = folder.split { !$0.isASCII || !$0.isLetter && !$0.isNumber }.map(String.init)
        words = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        if words.first?.first?.isLetter != true { words.insert("App", at: 0) }
        if words.last?.hasSuffix("Extension") != true { words.append("Extension") }
        target = words.joined()
        name = target
        self.belfry = belfry
    }

    /// The extension's identifier, of ``GroupName/rule``.
    private var identifier: String { "com.example.\(target.prefix(GroupName.bytesMax - 12))" }

    /// All of its files.
    public var files: [File] {
        let sources = "Sources/\(target)"
        return [
            File(path: "Package.swift", text: manifest),
            File(path: "\(sources)/main.swift", text: Self.main(running: Self.className)),
            File(path: Self.servicePath(of: target), text: Self.service),
            File(path: "\(Self.resourceFolder)/Info.plist", text: information),
            File(path: Self.testPath(of: target), text: Self.test(of: Self.className, in: target, isOwn: false)),
            File(path: "payload.apns", text: Self.payload),
            File(path: ".gitignore", text: ".build/\n*.appex/\n"),
        ]
    }

    /// Where the template's class is.
    public static func servicePath(of target: String) -> String { "Sources/\(target)/\(className).swift" }
    /// Where its test is.
    public static func testPath(of target: String) -> String { "Tests/\(target)Tests/\(className)Tests.swift" }

    /// The program of the extension whose class is `name`.
    public static func main(running name: String) -> String {
        """
        import ExtensionProcess

        ExtensionProcess.run(\(name)())

        """
    }

    private var manifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "\(name)",
            dependencies: [.package(name: "belfry", path: \(Self.literal(belfry)))],
            targets: [
                .executableTarget(
                    name: "\(target)",
                    dependencies: [
                        .product(name: "ExtensionProcess", package: "belfry"),
                        .product(name: "UserNotifications", package: "belfry"),
                    ],
                    swiftSettings: [.swiftLanguageMode(.v5), .enableUpcomingFeature("BareSlashRegexLiterals")],
                    plugins: [.plugin(name: "ExtensionGlue", package: "belfry")]
                ),
                .testTarget(
                    name: "\(target)Tests",
                    dependencies: ["\(target)", .product(name: "ExtensionTesting", package: "belfry")]
                ),
            ]
        )

        """
    }

    private var information: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
            <key>CFBundleIdentifier</key>
            <string>\(identifier)</string>
        </dict>
        </plist>

        """
    }

    static let payload = """
        {"aps": {"alert": {"title": "Hello", "body": "from a push"}, "mutable-content": 1}}

        """

    /// What Xcode's template does.
    public static let service = """
        import UserNotifications

        class NotificationService: UNNotificationServiceExtension {
            private var contentHandler: ((UNNotificationContent) -> Void)?
            private var bestAttempt: UNMutableNotificationContent?

            override func didReceive(
                _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
            ) {
                self.contentHandler = contentHandler
                bestAttempt = request.content.mutableCopy() as? UNMutableNotificationContent
                guard let content = bestAttempt else { return contentHandler(request.content) }
                content.title += " [modified]"
                contentHandler(content)
            }

            override func serviceExtensionTimeWillExpire() {
                if let contentHandler, let bestAttempt { contentHandler(bestAttempt) }
            }
        }

        """

    /// The test of the class `name`: that it modifies the title, or, if it is the developer's own, that it replies long
    /// before its time is over.
    public static func test(of name: String, in target: String, isOwn: Bool) -> String {
        let claim = isOwn ? "replies" : "appendsModified"
        let delivery = "try await push.waitFor(.delivered)"
        let expectation = isOwn ? delivery : "#expect(\(delivery).content?.title == \"Hello [modified]\")"
        return """
            import ExtensionTesting
            import Testing
            @testable import \(target)

            @Suite(.belfry(running: \(name)(), resources: "\(resourceFolder)"))
            struct \(className)Tests {
                @Test func \(claim)() async throws {
                    let push = try await Belfry.bell.push(contentsOf: "payload.apns")
                    \(expectation)
                }
            }

            """
    }

    /// A text as Swift's sources and manifests have it.
    private static func literal(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n", "\r": scalar == "\n" ? "\\n" : "\\r"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
