import Testing

/// The rooms of the house and the arrows between them: DESIGN's table, as `Package.swift` has it, against the files.
@Suite struct HouseTests {
    let map = HouseMap(package: SourceTree.text(of: "Package.swift") ?? "")

    /// What the tool chain brings.
    static let everywhere: Set<String> = ["Glibc", "Synchronization"]

    @Test("the map is read: every kind of room is there")
    func mapIsRead() {
        #expect(map.pure.isSuperset(of: ["BootTime", "CallTerms", "CallLedger", "Ringing", "Interception", "Events"]))
        #expect(map.systemLibraries.contains("CSystemd") && map.programs.contains("belfry-worker"))
        #expect(map.imports["Ringing"] == ["BootTime", "CallTerms"] && map.tests.contains("TidyTests"))
        #expect(SourceTree.sources.count > 50 && SourceTree.tests.count > 20)
    }

    @Test("a file imports only what its room may")
    func imports() {
        for file in SourceTree.sources {
            let allowed = (map.imports[file.module] ?? []).union(Self.everywhere)
            for name in Self.imports(of: file) where !allowed.contains(name) {
                Issue.record("\(file.path) imports \(name), which \(file.module) may not")
            }
        }
    }

    @Test("a room declares no arrow that none of its files uses")
    func unusedArrows() {
        for (module, allowed) in map.imports {
            let used = SourceTree.sources.filter { $0.module == module }.flatMap(Self.imports)
            let unused = allowed.subtracting(used).sorted()
            #expect(unused.isEmpty, "\(module) never imports \(unused)")
        }
    }

    @Test("pure rooms import only pure rooms, and the value types of JSON and PropertyList")
    func pureRooms() {
        for module in map.pure {
            let arrows = (map.imports[module] ?? []).subtracting(map.pure).subtracting(["JSON", "PropertyList"])
            #expect(arrows.isEmpty, "\(module) is pure and may not import \(arrows)")
        }
    }

    @Test("pure rooms know no system: not even its C library")
    func pureFiles() {
        for file in SourceTree.sources where map.pure.contains(file.module) {
            let system = Set(Self.imports(of: file)).intersection(Self.everywhere)
            #expect(system.isEmpty, "\(file.path) is pure and imports \(system)")
            for word in ["ContinuousClock", "SuspendingClock", "Date()", "unsafe "] {
                for (number, line) in file.code.enumerated() where line.contains(word) {
                    Issue.record("\(file.path):\(number + 1) is pure and says \(word)")
                }
            }
        }
    }

    @Test("arrows point one way")
    func oneWay() {
        func reachable(from module: String, _ seen: Set<String>) -> Set<String> {
            (map.imports[module] ?? []).reduce(into: seen) { seen, next in
                if seen.insert(next).inserted { seen = reachable(from: next, seen) }
            }
        }
        for module in map.imports.keys {
            #expect(!reachable(from: module, []).contains(module), "\(module) imports itself by a detour")
        }
    }

    @Test("nobody imports a program, and only drivers and programs import a C library")
    func outermost() {
        for (module, arrows) in map.imports {
            #expect(arrows.isDisjoint(with: map.programs), "\(module) imports a program")
            #expect(!map.pure.contains(module) || arrows.isDisjoint(with: map.systemLibraries), "\(module) is pure")
        }
    }

    @Test("no module holds a type of its own name, which would hide the module")
    func ownNames() {
        for file in SourceTree.sources where !map.programs.contains(file.module) {
            for (number, line) in file.code.enumerated() {
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                for (kind, name) in zip(words, words.dropFirst())
                where ["class", "struct", "enum", "actor", "protocol", "typealias"].contains(kind)
                    && name == file.module
                {
                    // The built-in extension's module is the one that DESIGN names after its service.
                    guard file.path != "Sources/CallService/CallService.swift" else { continue }
                    Issue.record("\(file.path):\(number + 1) names a type \(name)")
                }
            }
        }
    }

    @Test("every Swift file belongs to a target, and every room has a file")
    func everyFileCompiled() {
        for file in SourceTree.sources {
            #expect(map.imports[file.module] != nil, "\(file.path) is compiled by no target")
        }
        for file in SourceTree.tests {
            #expect(map.tests.contains(file.module), "\(file.path) is compiled by no target")
        }
        let folders = Set(SourceTree.entries(of: "Sources"))
        #expect(folders == Set(map.imports.keys).union(map.systemLibraries))
    }

    @Test("the programs' main files are wiring, under 150 lines")
    func mains() {
        for module in map.programs {
            let mains = SourceTree.sources.filter { $0.path == "Sources/\(module)/main.swift" }
            #expect(mains.count == 1 && mains.allSatisfy { $0.lines.count < 150 }, "\(module)")
        }
    }

    private static func imports(of file: SourceTree.File) -> [String] {
        file.code.compactMap { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place <= 2, words.count > place + 1 else { return nil }
            let isStatement = words[..<place].allSatisfy {
                ["public", "package", "internal", "private", "@testable", "@_exported", "@preconcurrency"].contains($0)
            }
            return isStatement ? String(words[place + 1]) : nil
        }
    }
}
