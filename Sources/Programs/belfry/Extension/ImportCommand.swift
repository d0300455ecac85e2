import BelfryCommandLine
import BelfryExtensionPackage
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Glibc

extension Command {
    /// `belfry import`.
    static let importFiles = Command(
        name: "import", synopsis: ["import [--verbose] FILE..."],
        summary: "copy your app's files into the package in this folder, and say what they miss",
        details: """
            FILEs are Swift files and bridging headers. In the copies @objc, @objcMembers, @IBAction, @IBOutlet, @main,
            @UIApplicationMain and imports of Apple's modules that are not here are blanked in place, and os(iOS) is
            true; a class of yours takes the place of the template's: a notification service, or in an app's package the
            application's delegate; Belfry's modules that are imported, or that these bring along on iOS, are named in
            Package.swift. Then the package is built. Exit status 1 if something is missing, which is told by its line:
            of Belfry, of another package, or of the app itself.
            """,
        options: [Option("verbose", "show what the compiler says, too")],
        arguments: 1...Int.max
    ) { context throws(CommandError) in
        let (folder, manifest) = try PackageFolder.current()
        let files = try context.options.arguments.map { path throws(CommandError) in try importedFile(path) }
        for (index, file) in files.enumerated() where files[..<index].contains(where: { $0.path == file.path }) {
            throw CommandError(.usage, "two files are called \(file.path)", "rename one of them")
        }
        var sources: [ImportPlan.File] = []
        for name in try sourceNames(in: folder, manifest) {
            guard let bytes = try folder.read("\(manifest.sourceFolder)/\(name)") else { continue }
            sources.append(ImportPlan.File(path: name, bytes: bytes))
        }
        let testPath = manifest.kind.testPath(of: manifest.target)
        let test = try folder.read(testPath).map { ImportPlan.File(path: testPath, bytes: $0) }
        let plan = ImportPlan(of: files, into: manifest, sources: sources, test: test)
        for file in plan.writes {
            try folder.write(file.bytes, to: file.path)
            context.output.complaint(Printable.escaped("wrote \(file.path)"))
        }
        for path in plan.removals {
            try folder.remove(path)
            context.output.complaint(Printable.escaped("removed \(path)"))
        }
        for note in plan.notes { context.warn(note) }
        return report(try missing(plan, manifest, context), context)
    }

    /// The names of the package's sources.
    private static func sourceNames(
        in folder: PackageFolder, _ manifest: PackageManifest
    ) throws(CommandError) -> [String] {
        do throws(SystemError) {
            let names = try folder.names(in: manifest.sourceFolder).filter { $0.hasSuffix(".swift") }
            for name in names {
                try PackageFolder.requireInside(folder.path(of: "\(manifest.sourceFolder)/\(name)"), of: folder.path)
            }
            return names
        } catch {
            throw CommandError(.unavailable, "\(manifest.sourceFolder) cannot be read: \(error)")
        }
    }

    /// The file at `path`, checked for the import.
    private static func importedFile(_ path: String) throws(CommandError) -> ImportPlan.File {
        if isFolder(path) {
            throw CommandError(.usage, "\(path) is a folder", "name its files: belfry import \(path)/*.swift")
        }
        guard let name = path.split(separator: "/").last.map(String.init) else {
            throw CommandError(.usage, "a file has no name", "name a Swift file of the extension")
        }
        guard !isObjectiveC(name) else {
            let remedy = "Linux has no Objective-C: write what it does in Swift"
            throw CommandError(.usage, "\(path) is in Objective-C, which Belfry does not build", remedy)
        }
        guard name.hasSuffix(".swift") || name.hasSuffix(".h")
        else {
            let remedy = "resources belong in \(PackageTemplate.resourceFolder)"
            throw CommandError(.usage, "\(path) is neither a Swift file nor a header", remedy)
        }
        guard !ImportPlan.takenNames.contains(name) else {
            throw CommandError(.usage, "\(path) has the name of a file that the package has itself", "rename it")
        }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try readFile(at: path, bytesMax: PackageFolder.sourceBytesMax).bytes
        } catch {
            throw CommandError(.notFound, "\(path) cannot be read: \(error)")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw CommandError(.badNotification, "\(path) is not in UTF-8", "save it in UTF-8")
        }
        return ImportPlan.File(path: name, bytes: bytes)
    }

    private static func isObjectiveC(_ name: String) -> Bool { name.hasSuffix(".m") || name.hasSuffix(".mm") }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The missing parts: modules, or, if none is missing, what the compiler cannot find.
    private static func missing(
        _ plan: ImportPlan, _ manifest: PackageManifest, _ context: Context
    ) throws(CommandError) -> [MissingPart] {
        guard !plan.lacksModules else { return plan.missing }
        let isVerbose = context.options.has("verbose")
        context.output.complaint("building the \(manifest.kind.words): the first time takes some minutes")
        let (isBuilt, output) = try SwiftBuild(context).build(
            ["--product", manifest.target], showing: isVerbose ? .all : .nothing)
        guard !isBuilt else { return plan.missing }
        let found = plan.missing(in: output, root: absolutePath(".") ?? "")
        guard !found.isEmpty else {
            if !isVerbose { SwiftBuild.show(output) }
            throw CommandError(.missing, "swift build failed, and not in \(manifest.sourceFolder)", "see above")
        }
        return found
    }

    private static func report(_ parts: [MissingPart], _ context: Context) -> ProgramStatus {
        for part in parts {
            if context.wantsJSON {
                context.output.json([
                    "file": .string(part.file), "line": .integer(Int64(part.line)),
                    "owner": .string(part.owner.rawValue), "detail": .string(part.detail),
                ])
            } else {
                context.output.line(Printable.escaped(part.description))
            }
        }
        return parts.isEmpty ? .done : .missing
    }
}
