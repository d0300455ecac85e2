// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "OwnExtension",
    dependencies: [.package(name: "belfry", path: "../..")],
    targets: [
        .executableTarget(
            name: "OwnExtension",
            dependencies: [
                .product(name: "ExtensionProcess", package: "belfry"),
                .product(name: "UserNotifications", package: "belfry"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5), .enableUpcomingFeature("BareSlashRegexLiterals")],
            plugins: [.plugin(name: "ExtensionGlue", package: "belfry")]
        ),
        .testTarget(
            name: "OwnExtensionTests",
            dependencies: ["OwnExtension", .product(name: "ExtensionTesting", package: "belfry")]
        ),
    ]
)
