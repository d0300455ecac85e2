// swift-tools-version: 6.2
import PackageDescription

/// An app as its author has it, and a program that answers the same lines from its main queue and does nothing else.
let package = Package(
    name: "Apps",
    dependencies: [.package(name: "belfry", path: "../..")],
    targets: [
        .executableTarget(
            name: "Phone",
            dependencies: [
                .product(name: "CallKit", package: "belfry"),
                .product(name: "PushKit", package: "belfry"),
                .product(name: "UIKit", package: "belfry"),
                .product(name: "UserNotifications", package: "belfry"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)],
            plugins: [.plugin(name: "ExtensionGlue", package: "belfry")]
        ),
        .executableTarget(name: "BarePhone"),
    ]
)
