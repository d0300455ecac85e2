/// What `belfry import` does to a package: which files it writes and removes, and what is missing, as far as that can
/// be seen without a compiler.
public struct ImportPlan: Sendable {
    /// A file as it is or shall be.
    public struct File: Hashable, Sendable {
        /// Its name, or its path in the package's folder.
        public let path: String
        /// All of its bytes.
        public let bytes: [UInt8]

        /// A file.
        public init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }

        fileprivate init(path: String, text: String) { self.init(path: path, bytes: Array(text.utf8)) }
        fileprivate func says(_ text: String) -> Bool { bytes.elementsEqual(text.utf8) }
    }

    /// The names that no imported file may have: the program's, and the one that is generated.
    public static let takenNames: Set<String> = ["main.swift", "BelfryGlue.swift"]

    /// What is written, by its path in the package's folder; `Package.swift` last.
    public private(set) var writes: [File] = []
    /// What is removed: the template's class, where another takes its place.
    public private(set) var removals: [String] = []
    /// What is missing although no compiler was asked.
    public private(set) var missing: [MissingPart] = []
    /// Whether modules are missing: then a compiler sees nothing else.
    public private(set) var lacksModules = false
    /// The imports that are gone from the copies, by their paths in the package's folder.
    public private(set) var gone: [String: [GoneImport]] = [:]
    /// What people should know besides, without a full stop.
    public private(set) var notes: [String] = []

    private var manifest: PackageManifest
    private let sources: [File]
    private let test: File?
    /// The classes that were the imported program.
    private var mains: Set<String> = []
    /// The template's types that imported files declare, extend or replace.
    private var taken: Set<String> = []

    /// The plan for `imported`, each by its name alone, in a package with the Swift files `sources` in its target's
    /// folder, by their names, and perhaps with the template's `test`.
    public init(of imported: [File], into manifest: PackageManifest, sources: [File], test: File?) {
        self.manifest = manifest
        self.sources = sources
        self.test = test
        notes += self.manifest.withdraw().map { "Package.swift named \($0), which is withdrawn" }
        var classes: [SourceClass] = []
        let calls = CallHabits(of: imported + sources.filter { file in !imported.contains { $0.path == file.path } })
        for file in imported {
            let path = "\(manifest.sourceFolder)/\(file.path)"
            guard file.path.hasSuffix(".swift") else {
                writes.append(File(path: path, bytes: file.bytes))
                if file.bytes.contains("CommonCrypto/") { self.manifest.add(product: "CommonCrypto") }
                continue
            }
            var source = SwiftSource(file.bytes)
            mains.formUnion(source.mainTypes)
            taken.formUnion(source.types(among: manifest.kind.helpers))
            calls.requireInits(in: &source)
            notes += calls.notes(on: source, named: file.path)
            let gone = source.blankForLinux(hasModule: hasModule)
            for found in gone {
                let note = "in \(file.path) \(found.description)"
                if !notes.contains(note) { notes.append(note) }
            }
            self.gone[path] = gone
            bringAlong(to: &source, named: file.path, gone: gone)
            writes.append(File(path: path, bytes: source.bytes))
            let facts = SourceFacts(source, hasModule: hasModule)
            classes += facts.classes + facts.extensions
            resolve(facts, path: path)
        }
        taken.formUnion(manifest.kind.helpers.filter { helper in imported.contains { $0.path == "\(helper).swift" } })
        replaceTemplate(by: classes, imported: Set(imported.map(\.path)))
        if self.manifest.text != manifest.text { writes.append(File(path: "Package.swift", text: self.manifest.text)) }
    }

    private func hasModule(_ name: String) -> Bool {
        switch KnownModules.origin(of: name) {
        case .product, .present: true
        case .apple, .foreign: manifest.names(name)
        }
    }

    /// Imports what a module of the file's brings along on iOS, if the file uses it.
    private mutating func bringAlong(to source: inout SwiftSource, named name: String, gone: [GoneImport]) {
        let imports = SourceFacts(source, hasModule: hasModule).imports.map(\.module) + gone.map(\.module)
        let words = Set(source.tokens.map { String($0.text.drop { $0 == "@" }) })
        for module in KnownModules.broughtAlong(by: Set(imports))
        where !words.isDisjoint(with: KnownNames.names(bringing: module)) {
            source.append(importOf: module)
            notes.append("in \(name) \(module) is imported, too, since other modules bring it along on iOS")
        }
    }

    /// What is missing of a package that was built with `output`, in the order of files and lines.
    ///
    /// - Parameter root: the package's folder, from the root of all.
    public func missing(in output: String, root: String) -> [MissingPart] {
        let found = MissingPart.found(in: output, root: root, folder: manifest.sourceFolder, gone: gone)
        return MissingPart.ordered(Set(missing + found))
    }

    private mutating func resolve(_ facts: SourceFacts, path: String) {
        for found in facts.imports {
            if case .product(let product) = KnownModules.origin(of: found.module) { manifest.add(product: product) }
            if !hasModule(found.module) {
                missing.append(.module(found.module, file: path, line: found.line))
                lacksModules = true
            }
        }
        for line in facts.selectorLines {
            missing.append(
                MissingPart(file: path, line: line, owner: .belfry, detail: MissingPart.selectorDetail))
        }
    }

    /// Makes the program run the imported class, if there is one, in place of the template's.
    private mutating func replaceTemplate(by classes: [SourceClass], imported: Set<String>) {
        let kind = manifest.kind
        let stays = sources.filter { file in
            let templates = kind.sources + (kind.bareSource.map { [$0] } ?? [])
            let isTemplate = templates.contains { $0.path == file.path && file.says($0.text) }
            return !imported.contains(file.path) && !isTemplate
        }
        let others = stays.flatMap { file in
            let facts = SourceFacts(SwiftSource(file.bytes), hasModule: hasModule)
            return facts.classes + facts.extensions
        }
        let services = Self.descendants(of: kind.root, in: classes + others)
        var ours: [String] = []
        for name in classes.map(\.name) where services.contains(name) && !ours.contains(name) { ours.append(name) }
        let first = ours.first(where: mains.contains) ?? ours.first { $0 == kind.className } ?? ours.first
        guard let name = first else {
            if services.isEmpty {
                let what = kind == .app ? "is a" : "descends from"
                notes.append("no class here \(what) \(kind.root), so that the template's stays")
            }
            if !taken.isEmpty { strip(stays: stays, imported: imported) }
            return
        }
        if ours.count > 1 {
            notes.append("of \(ours.joined(separator: ", ")) the \(kind.words) is \(name): see main.swift")
        }
        for file in sources where !imported.contains(file.path) && !stays.contains(file) {
            removals.append("\(manifest.sourceFolder)/\(file.path)")
        }
        runs(name)
    }

    /// Leaves of the template its class alone, without the types that it uses, since some of them are the developer's.
    private mutating func strip(stays: [File], imported: Set<String>) {
        let kind = manifest.kind
        let rest = sources.filter { file in !imported.contains(file.path) && !stays.contains(file) }
        guard let bare = kind.bareSource, rest.contains(where: { $0.path == bare.path }) else { return }
        for file in rest where file.path != bare.path { removals.append("\(manifest.sourceFolder)/\(file.path)") }
        let file = File(path: "\(manifest.sourceFolder)/\(bare.path)", text: bare.text)
        if !rest.contains(where: { $0.path == bare.path && $0.bytes == file.bytes }) {
            writes.append(file)
            notes.append(
                "\(taken.sorted().joined(separator: ", ")): yours, so that the template's classes are gone: "
                    + "\(kind.className) makes nothing until you say so in \(bare.path)")
        }
        runs(kind.className)
    }

    /// Rewrites what names the class: the program, and the test as long as it is the template's.
    private mutating func runs(_ name: String) {
        guard let main = sources.first(where: { $0.path == "main.swift" }),
            let old = running(in: String(decoding: main.bytes, as: UTF8.self))
        else {
            notes.append("main.swift is not the template's: have it run \(name)")
            return
        }
        let path = "\(manifest.sourceFolder)/main.swift"
        if old != name { writes.append(File(path: path, text: manifest.kind.main(running: name))) }
        guard let test else { return }
        let target = manifest.target
        let own = manifest.kind.test(of: name, in: target, isOwn: true)
        let isTemplates = [true, false].contains {
            test.says(manifest.kind.test(of: old, in: target, isOwn: $0))
        }
        if isTemplates, !test.says(own) { writes.append(File(path: test.path, text: own)) }
    }

    /// The class that the program `main` runs, if it is the template's program.
    private func running(in main: String) -> String? {
        guard let start = main.firstRange(of: ".run("), let end = main.firstRange(of: "())\n"),
            start.upperBound < end.lowerBound
        else { return nil }
        let name = String(main[start.upperBound..<end.lowerBound])
        return main == manifest.kind.main(running: name) ? name : nil
    }

    /// The names of those of `classes` that descend from `root`, and are no other's parent.
    private static func descendants(of root: String, in classes: [SourceClass]) -> Set<String> {
        var children: [String: [String]] = [:]
        for declared in classes {
            for parent in declared.parents { children[parent, default: []].append(declared.name) }
        }
        var found: Set<String> = [root]
        var waiting = [root]
        while let parent = waiting.popLast() {
            for child in children[parent] ?? [] where found.insert(child).inserted { waiting.append(child) }
        }
        return found.filter { $0 != root && children[$0] == nil }
    }
}

extension [UInt8] {
    /// Whether the bytes of `text` stand in them somewhere.
    fileprivate func contains(_ text: StaticString) -> Bool { firstRange(of: Array("\(text)".utf8)) != nil }
}
