/// The rooms of the house and their arrows, as `Package.swift` has them.
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

    init(package: String) {
        var section = ""
        for statement in Self.statements(of: package) {
            if statement.contains("let ") {
                let sections = [
                    "libraries", "core", "system", "service", "apple", "client", "programs", "plugins", "checks",
                    "package",
                ]
                section = sections.first { statement.contains("let \($0)") } ?? section
            }
            if let targets = statement.firstRange(of: "targets: ["), statement.contains("name:"),
                section == "package"
            {
                products.formUnion(Self.quoted(in: String(statement[targets.upperBound...].prefix { $0 != "]" })))
            }
            let names = Self.quoted(in: statement)
            guard let path = names.first else { continue }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            switch section {
            case "libraries": systemLibraries.insert(name)
            case "core", "system", "service", "apple", "client", "programs":
                let upwards = statement.firstRange(of: "beside:").map { statement[$0.upperBound...] } ?? ""
                beside[name] = Set(Self.quoted(in: String(upwards)))
                imports[name] = Set(names.dropFirst()).subtracting(beside[name] ?? [])
                folders[name] = path
                if section == "core" { pure.insert(name) }
                if section == "programs" { programs.insert(name) }
            case "checks": tests.insert(names.first { $0.hasPrefix("Tests/") }.map { String($0.dropFirst(6)) } ?? name)
            default: break
            }
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

    /// The text cut before each room, so that a room's own strings stand together.
    private static func statements(of package: String) -> [String] {
        var statements: [String] = [""]
        for line in package.split(separator: "\n") {
            let isComment = line.drop { $0 == " " }.hasPrefix("//")
            guard !isComment else { continue }
            let begins = [
                "room(", "library(", "program(", "tests(", ".systemLibrary(", ".target(", ".executableTarget(", "let ",
                ".library(", ".executable(",
            ]
            if begins.contains(where: { line.drop { $0 == " " }.hasPrefix($0) }) { statements.append("") }
            statements[statements.count - 1] += line
        }
        return statements
    }

    private static func quoted(in text: String) -> [String] {
        text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
