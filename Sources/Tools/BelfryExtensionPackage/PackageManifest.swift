/// The `Package.swift` of an extension or an app, as ``PackageTemplate`` writes it and people then edit it.
public struct PackageManifest: Sendable {
    /// Its text.
    public var text: String { endsLinesWithReturn ? plain.replacing("\n", with: "\r\n") : plain }
    /// What it is made for.
    public let kind: PackageKind
    /// The target that is the extension or the app.
    public let target: String

    /// Its text with lines that end in a newline alone.
    private var plain: String
    private let endsLinesWithReturn: Bool

    private static let product = ".product(name: \""
    private static let package = "\", package: \"belfry\")"

    /// The manifest with this `text`; nil if none of its targets runs an extension or an app, with each product on its
    /// own line.
    public init?(_ text: String) {
        endsLinesWithReturn = text.contains("\r\n")
        plain = endsLinesWithReturn ? text.replacing("\r\n", with: "\n") : text
        let lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
        let places = PackageKind.allCases.map { kind in
            lines.firstIndex { Self.name(ofProductIn: $0) == kind.product }.map { (kind, $0) }
        }
        // An extension may use what runs an app, too.
        guard let (kind, uses) = places.lazy.compactMap({ $0 }).first,
            let start = lines[..<uses].lastIndex(where: { $0.contains(".executableTarget(") })
        else { return nil }
        let marks = lines[start...uses].compactMap { line -> String? in
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            let begins = parts.first.map { $0.filter { !$0.isWhitespace } } ?? ""
            return parts.count > 2 && begins.hasSuffix("name:") && !begins.hasPrefix(".product")
                ? String(parts[1]) : nil
        }
        guard let target = marks.first, Self.isPlain(target) else { return nil }
        self.kind = kind
        self.target = target
    }

    /// Where its sources are, in the package's folder.
    public var sourceFolder: String { "Sources/\(target)" }

    /// Whether it names `module` anywhere: as a product, or as a target of its own.
    public func names(_ module: String) -> Bool { plain.contains("\"\(module)\"") }

    /// Adds Belfry's product `name` to the target's dependencies, in alphabetical order; does nothing if it is
    /// there.
    public mutating func add(product name: String) {
        var lines = plain.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let uses = lines.firstIndex(where: { Self.name(ofProductIn: $0[...]) == kind.product }) else {
            return
        }
        let isProduct = { (line: String) in Self.name(ofProductIn: line[...]) != nil }
        let first = (lines[..<uses].lastIndex { !isProduct($0) } ?? -1) + 1
        let end = lines[uses...].firstIndex { !isProduct($0) } ?? lines.endIndex
        let names = lines[first..<end].map { Self.name(ofProductIn: $0[...]) ?? "" }
        guard !names.contains(name) else { return }
        let place = first + (names.firstIndex { $0 > name } ?? names.count)
        // The last of a list need not end with a comma.
        if place == end, !lines[end - 1].hasSuffix(",") { lines[end - 1] += "," }
        let indent = lines[uses].prefix(while: \.isWhitespace)
        lines.insert("\(indent)\(Self.product)\(name)\(Self.package),", at: place)
        plain = lines.joined(separator: "\n")
    }

    /// Removes Belfry's withdrawn products, and returns their names: a package that names one cannot be built.
    mutating func withdraw() -> [String] {
        let lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
        let isWithdrawn = { (line: Substring) in
            Self.name(ofProductIn: line).map(KnownModules.withdrawn.contains) ?? false
        }
        plain = lines.filter { !isWithdrawn($0) }.joined(separator: "\n")
        return lines.filter(isWithdrawn).compactMap(Self.name)
    }

    /// The product of Belfry's that `line` names alone.
    private static func name(ofProductIn line: Substring) -> String? {
        let code = line.drop(while: \.isWhitespace)
        guard code.hasPrefix(product), let end = code.firstRange(of: package) else { return nil }
        return String(code[..<end.lowerBound].dropFirst(product.count))
    }

    /// Whether `name` is a plain folder name, which leads nowhere else.
    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { SwiftSource.isOfName($0) || $0 == UInt8(ascii: "-") }
    }
}
