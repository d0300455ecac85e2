// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "OwnExtension",
    dependencies: [.package(name: "belfry", path: "../..")],
    targets: [
        .executableTarget(
            name: "AppExtension",
            dependencies: [
                .product(name: "ExtensionProcess", package: "belfry"),
                .product(name: "UserNotifications", package: "belfry"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5), .enableUpcomingFeature("BareSlashRegexLiterals")],
            plugins: [.plugin(name: "ExtensionGlue", package: "belfry")]
        ),
        .testTarget(
            name: "AppExtensionTests",
            dependencies: ["AppExtension", .product(name: "ExtensionTesting", package: "belfry")]
        ),
    ]
)
