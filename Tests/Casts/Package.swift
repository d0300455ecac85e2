// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Casts",
    dependencies: [
        .package(name: "belfry", path: Context.environment["BELFRY_PACKAGE"] ?? "../.."), .package(path: "Neighbour"),
    ],
    targets: [
        .executableTarget(
            name: "CastExtension",
            dependencies: [
                .product(name: "ExtensionProcess", package: "belfry"),
                .product(name: "Neighbour", package: "Neighbour"),
                .product(name: "UserNotifications", package: "belfry"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)],
            plugins: [.plugin(name: "ExtensionGlue", package: "belfry")]
        )
    ]
)
