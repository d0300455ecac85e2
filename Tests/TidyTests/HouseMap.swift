import BelfryJSON
import Glibc

/// The rooms of the house and their arrows, as SwiftPM reads `Package.swift`.
struct HouseMap {
    /// What each room may import.
    private(set) var imports: [String: Set<String>] = [:]
    /// The folder of each room under `Sources`, such as `Core/Ringing`.
    private(set) var folders: [String: String] = [:]
    /// The programs that a room runs, and that are built beside what it is linked into.
    private(set) var beside: [String: Set<String>] = [:]
    /// The modules that are C libraries.
    private(set) var systemLibraries: Set<String> = []
    /// The rooms without clock and without I/O.
    private(set) var pure: Set<String> = []
    /// The modules that are programs.
    private(set) var programs: Set<String> = []
    /// The folders under `Tests` that a target compiles.
    private(set) var tests: Set<String> = []
    /// The targets that a product names.
    private(set) var products: Set<String> = []

    /// Asked once, since that takes a second.
    static let shared = HouseMap()

    private init() {
        let limits = JSONLimits(bytesMax: 1 << 20, depthMax: 16, valuesMax: 100_000)
        guard case .object(let package)? = try? JSONValue.parse(Self.dumped(), limits: limits) else { return }
        for product in package.list("products") where product["type"]?.objectValue?["plugin"] == nil {
            products.formUnion(product.texts("targets"))
        }
        for target in package.list("targets") { add(target) }
        for (room, arrows) in imports {
            beside[room] = arrows.intersection(programs)
            imports[room]?.subtract(programs)
        }
    }

    /// Every target that `target` imports, or one that it imports does.
    func reachable(from target: String) -> Set<String> {
        var reached: Set<String> = []
        var waiting = [target]
        while let next = waiting.popLast() {
            waiting += (imports[next] ?? []).filter { reached.insert($0).inserted }
        }
        return reached
    }

    private mutating func add(_ target: JSONObject) {
        let name = target.text("name")
        // A test target's folder follows from its name.
        let path = target["path"]?.stringValue ?? "Tests/\(name)"
        let parts = path.split(separator: "/").map(String.init)
        switch (parts[0], target.text("type")) {
        case (_, "plugin"): break
        case ("Tests", _): tests.insert(parts[1])
        case (_, "system"): systemLibraries.insert(name)
        case ("Sources", let type):
            folders[name] = parts.dropFirst().joined(separator: "/")
            imports[name] = Set(target.list("dependencies", of: "byName"))
            if ["Core", "Tools"].contains(parts[1]) { pure.insert(name) }
            if type == "executable" { programs.insert(name) }
        default: break
        }
    }

    private static func dumped() -> [UInt8] {
        // With the target that is there only where it is asked for.
        let command = "BELFRY_FUZZ=yes swift package --package-path \(SourceTree.root) dump-package"
        guard let pipe = unsafe popen(command, "re") else { return [] }
        defer { unsafe pclose(pipe) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer[..<count] }
        return output
    }
}

extension JSONObject {
    fileprivate func text(_ key: String) -> String { self[key]?.stringValue ?? "" }

    fileprivate func list(_ key: String) -> [JSONObject] {
        (self[key]?.arrayValue ?? []).compactMap(\.objectValue)
    }

    fileprivate func texts(_ key: String) -> [String] { (self[key]?.arrayValue ?? []).compactMap(\.stringValue) }

    /// The first word of each entry of `key` that is `[word, condition]` under `kind`.
    fileprivate func list(_ key: String, of kind: String) -> [String] {
        list(key).compactMap { $0.texts(kind).first }
    }
}
