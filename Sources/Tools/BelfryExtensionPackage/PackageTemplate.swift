import BelfryTerms

/// The package that `belfry new-extension` or `belfry new-app` makes, with its test, and a push for it.
public struct PackageTemplate: Sendable {
    /// A file of the package.
    public struct File: Hashable, Sendable {
        /// Where it is, in the package's folder.
        public let path: String
        /// What it says.
        public let text: String
    }

    /// Where the resources are, `Info.plist` among them.
    public static let resourceFolder = "Resources"

    /// What it is made for.
    public let kind: PackageKind
    /// The package's name.
    public let name: String
    /// Its target, which is not named like its class: names in a module that shares its class's name cannot be
    /// qualified.
    public let target: String
    private let belfry: String

    /// The package in a folder called `folder`, whatever its name is, over the package of Belfry at the path `belfry`.
    public init(_ kind: PackageKind, folder: String, belfry: String) {
        var words = folder.split { !$0.isASCII || !$0.isLetter && !$0.isNumber }.map(String.init)
        words = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        if words.first?.first?.isLetter != true { words.insert("App", at: 0) }
        if words.last?.hasSuffix(kind.suffix) != true { words.append(kind.suffix) }
        self.kind = kind
        target = words.joined()
        name = target
        self.belfry = belfry
    }

    /// Its identifier, of ``GroupName/rule``.
    private var identifier: String { "com.example.\(target.prefix(GroupName.bytesMax - 12))" }

    /// All of its files.
    public var files: [File] {
        let sources = "Sources/\(target)"
        return [
            File(path: "Package.swift", text: manifest),
            File(path: "\(sources)/main.swift", text: kind.main(running: kind.className)),
            File(path: "\(Self.resourceFolder)/Info.plist", text: information),
            File(path: kind.testPath(of: target), text: kind.test(of: kind.className, in: target, isOwn: false)),
            File(path: ".gitignore", text: ".build/\n*.\(kind.ending)/\n"),
        ] + [kind.payload].compactMap { $0 }
            + kind.sources.map { File(path: "\(sources)/\($0.path)", text: $0.text) }
    }

    private func product(_ name: String) -> String { ".product(name: \"\(name)\", package: \"belfry\")" }

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
                        \(kind.products.map(product).joined(separator: ",\n                ")),
                    ],
                    swiftSettings: [.swiftLanguageMode(.v5), .enableUpcomingFeature("BareSlashRegexLiterals")],
                    plugins: [.plugin(name: "ExtensionGlue", package: "belfry")]
                ),
                .testTarget(
                    name: "\(target)Tests",
                    dependencies: [\((["\"\(target)\""] + kind.testProducts.map(product)).joined(separator: ", "))]
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
        \(kind.information(target: target))</dict>
        </plist>

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
