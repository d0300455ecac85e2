import Testing

/// The rooms of the house and the arrows between them: ARCHITECTURE's tables and `Package.swift` against the files.
@Suite struct HouseTests {
    let map = HouseMap.shared

    /// What the tool chain brings.
    static let everywhere: Set<String> = ["Glibc", "Synchronization"]

    /// What the tool chain brings for those who write tests: too much for a program.
    static let forTests = [
        "BelfryTesting": ["FoundationEssentials", "Testing", "XCTest"], "CallTesting": ["Foundation", "Testing"],
        "ExtensionTesting": ["Testing"],
    ]

    /// What the tool chain brings and Apple's modules are made of: nobody else may use it.
    static let apples: Set<String> = ["Dispatch", "Foundation"]

    /// Libraries that are a module map alone, of a module with a name of Apple's: nobody imports them by their own.
    static let moduleMaps: Set<String> = ["CBelfryOS"]

    /// The floors, the lowest first: an arrow points down, or to another room of its own floor.
    static let floors = ["Libraries", "Core", "Tools", "System", "Service", "Apple", "Client", "Programs"]

    /// Readers of bytes that let a library look at them: they know neither clock nor input and output all the same.
    static let readers = ["BelfryJSON": "CBelfryJansson"]

    @Test("the map is read: every kind of room is there")
    func mapIsRead() {
        #expect(map.pure.isSuperset(of: ["BelfryTerms", "CallLedger", "Ringing", "Interception"]))
        #expect(map.systemLibraries.contains("CBelfrySystemd") && map.programs.contains("belfry-worker"))
        #expect(map.imports["Ringing"] == ["BelfryTerms"] && map.tests.contains("TidyTests"))
        #expect(SourceTree.sources.count > 50 && SourceTree.tests.count > 20)
    }

    @Test("a file imports only what its room may")
    func imports() {
        for file in SourceTree.sources {
            let ofToolChain = file.floor == "Apple" ? Self.everywhere.union(Self.apples) : Self.everywhere
            let allowed = (map.imports[file.module] ?? []).union(ofToolChain).union(Self.forTests[file.module] ?? [])
            for name in Self.imports(of: file) where !allowed.contains(name) {
                Issue.record("\(file.path) imports \(name), which \(file.module) may not")
            }
        }
    }

    @Test("a room declares no arrow that none of its files uses")
    func unusedArrows() {
        for (module, allowed) in map.imports {
            let used = SourceTree.sources.filter { $0.module == module }.flatMap(Self.imports)
            let unused = allowed.subtracting(used).subtracting(Self.moduleMaps).sorted()
            #expect(unused.isEmpty, "\(module) never imports \(unused)")
        }
    }

    @Test("pure rooms, those of Core and Tools, import only pure rooms")
    func pureRooms() {
        for module in map.pure {
            let library = Self.readers[module].map { [$0] } ?? []
            let arrows = (map.imports[module] ?? []).subtracting(map.pure).subtracting(library)
            #expect(arrows.isEmpty, "\(module) is pure and may not import \(arrows)")
        }
    }

    @Test("arrows point down the floors, or along one")
    func floors() {
        func height(_ module: String) -> Int? {
            if map.systemLibraries.contains(module) { return 0 }
            return map.folders[module].flatMap { Self.floors.firstIndex(of: String($0.prefix { $0 != "/" })) }
        }
        for (module, arrows) in map.imports {
            guard let own = height(module) else {
                Issue.record("\(module) is on no floor")
                continue
            }
            for arrow in arrows where height(arrow).map({ $0 > own }) ?? true {
                Issue.record("\(module) imports \(arrow), which is not below it")
            }
        }
        #expect(Set(SourceTree.entries(of: "Sources")) == Set(Self.floors))
    }

    @Test("pure rooms know no system: not even its C library")
    func pureFiles() {
        for file in SourceTree.sources where map.pure.contains(file.module) && Self.readers[file.module] == nil {
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
        for module in map.imports.keys {
            #expect(!map.reachable(from: module).contains(module), "\(module) imports itself by a detour")
        }
    }

    /// Names of targets that no other package will have, though they do not begin with the project's.
    static let namesOfOurs: Set<String> = [
        "CallCentre", "CallChannel", "CallControl", "CallDirectory", "CallDirectoryFiles", "CallLedger", "CallService",
        "CallTesting", "Desktop", "DesktopChannel", "DeviceRegistry", "DirectoryLoading", "DirectoryProcess",
        "ExtensionKeeping",
        "ExtensionProcess", "ExtensionTesting", "Fleet", "FleetAgent", "FleetKeys", "FleetLine", "FleetRelay",
        "Forwarding", "GroupLedger", "HTTP2Server", "KeeperChannel", "Interception", "PictureFetch", "PictureFetcher",
        "PushAPI", "PushCarrier", "PushEndpoint", "PushFollowing", "PushQueue", "RingEar", "Ringing",
        "NotificationDelivery", "Showing", "SystemSound",
    ]

    /// Targets that have the names of Apple's modules, since foreign code imports them: nobody else's are called so
    /// where that code builds.
    static let namesOfApples: Set<String> = [
        "AVFAudio", "AudioToolbox", "CallKit", "Combine", "CommonCrypto", "Compression", "Contacts", "CoreLocation",
        "CoreServices",
        "CryptoKit", "ImageIO", "Intents", "PushKit", "SQLite3", "Security", "UIKit",
        "UniformTypeIdentifiers", "UserNotifications", "WidgetKit", "_Testing_UIKit", "os",
    ]

    @Test("a target that a product reaches has the project's name, or one that is ours alone")
    func targetNames() {
        #expect(map.products.isSuperset(of: ["BelfryClient", "BelfryTerms", "belfry-worker"]))
        let reached = map.products.reduce(into: map.products) { $0.formUnion(map.reachable(from: $1)) }
        for name in reached.sorted() where !["Belfry", "CBelfry", "belfry"].contains(where: name.hasPrefix) {
            let isKnown = Self.namesOfOurs.contains(name) || Self.namesOfApples.contains(name)
            #expect(isKnown, "another package may have a target \(name)")
        }
        let unused = Self.namesOfOurs.union(Self.namesOfApples).subtracting(reached)
        #expect(unused.isEmpty, "no target has these names")
        for program in map.programs { #expect(program == "belfry" || program.hasPrefix("belfry-"), "\(program)") }
    }

    @Test("nobody imports a program")
    func outermost() {
        for (module, arrows) in map.imports {
            #expect(arrows.isDisjoint(with: map.programs), "\(module) imports a program")
        }
    }

    @Test("two rooms have a program beside them, for the tests of others: an arrow upwards, without an import")
    func besidePrograms() {
        #expect(
            map.beside.filter { !$0.value.isEmpty }
                == ["BelfryTesting": ["belfry-worker"], "CallTesting": ["belfry-calls"]])
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
        let folders = Self.floors.flatMap { floor in SourceTree.entries(of: "Sources/\(floor)").map { "\(floor)/\($0)" }
        }
        #expect(Set(folders) == Set(map.folders.values).union(map.systemLibraries.map { "Libraries/\($0)" }))
    }

    @Test("the programs' main files are wiring, under 150 lines")
    func mains() {
        for module in map.programs {
            let mains = SourceTree.sources.filter { $0.path == "Sources/Programs/\(module)/main.swift" }
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
            // Of one declaration alone: `import typealias Module.Name`.
            let isOfOne = ["class", "enum", "struct", "typealias"].contains(words[place + 1])
            let module = isOfOne ? words[words.count - 1] : words[place + 1]
            return isStatement ? String(module.prefix { $0 != "." }) : nil
        }
    }
}
