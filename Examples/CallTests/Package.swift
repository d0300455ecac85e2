// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "CallTests",
    dependencies: [.package(name: "belfry", path: "../..")],
    targets: [
        .testTarget(name: "CallTests", dependencies: [.product(name: "BelfryTesting", package: "belfry")])
    ]
)
