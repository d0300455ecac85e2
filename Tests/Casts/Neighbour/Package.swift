// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Neighbour",
    products: [.library(name: "Neighbour", targets: ["Neighbour"])],
    targets: [.target(name: "Neighbour")]
)
