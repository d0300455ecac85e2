// swift-tools-version: 6.2
import PackageDescription

/// Names that a user's other packages may well have given: "Support" is also one of Belfry's targets that no product
/// reaches, and so is in nobody's way.
let names = [
    "AppGroup", "Attachments", "CCurl", "CLinux", "CSystemd", "Configuration", "EventLoop", "Events", "JSON", "Journal",
    "Notifications", "Pictures", "PropertyList", "Settings", "Support", "Syscalls",
]

let package = Package(
    name: "Neighbour",
    products: [.library(name: "Neighbour", targets: names)],
    // SwiftPM wants a file for each target.
    targets: names.map { .target(name: $0, path: "Sources", sources: ["\($0).swift"]) }
)
