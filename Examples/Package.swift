// swift-tools-version: 6.2
import PackageDescription

/// What a program that pushes calls looks like, in the company of a package whose targets have the names that everybody
/// gives: SwiftPM refuses two targets of one name anywhere in a user's graph, so building this shows that Belfry's have
/// names of their own. README shows `RingAndHangUp/main.swift`.
let package = Package(
    name: "belfry-examples",
    dependencies: [.package(name: "belfry", path: ".."), .package(path: "Neighbour")],
    targets: [
        .executableTarget(
            name: "RingAndHangUp",
            dependencies: [
                .product(name: "BelfryClient", package: "belfry"), .product(name: "Neighbour", package: "Neighbour"),
            ],
            path: "RingAndHangUp",
            // The strictest rule of imports that a user's target can have.
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error)]
        )
    ],
    swiftLanguageModes: [.v6]
)
