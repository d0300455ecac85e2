// swift-tools-version: 6.2
import PackageDescription

/// Xcode's template, and a program that does nothing but its round trip; both once more with URLSession named; and a
/// handler of the call directory.
func template(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            .product(name: "ExtensionProcess", package: "belfry"),
            .product(name: "UserNotifications", package: "belfry"),
        ],
        swiftSettings: [.swiftLanguageMode(.v5)],
        plugins: [.plugin(name: "ExtensionGlue", package: "belfry")]
    )
}

let package = Package(
    name: "Extensions",
    dependencies: [.package(name: "belfry", path: "../..")],
    targets: [
        template("Template"), template("NetworkedTemplate"), .executableTarget(name: "Bare"),
        .executableTarget(name: "NetworkedBare"),
        .executableTarget(
            name: "Numbers",
            dependencies: [
                .product(name: "CallKit", package: "belfry"), .product(name: "DirectoryProcess", package: "belfry"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)],
            plugins: [.plugin(name: "ExtensionGlue", package: "belfry")]
        ),
    ]
)
