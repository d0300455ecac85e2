// swift-tools-version: 6.2
import PackageDescription

let onLinux = TargetDependencyCondition.when(platforms: [.linux])

let package = Package(
    name: "PhoneTests",
    dependencies: [.package(name: "belfry", path: "../..")],
    targets: [
        .testTarget(
            name: "PhoneTests",
            dependencies: [
                .product(name: "BelfryTesting", package: "belfry", condition: onLinux),
                .product(name: "belfry-avatar", package: "belfry", condition: onLinux),
                .product(name: "belfry-apns", package: "belfry", condition: onLinux),
            ])
    ]
)
