import BelfryApps
import BelfryCommandLine
import BelfryJSON
import BelfryExtensionPackage
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import ExtensionKeeping
import Glibc

extension Command {
    /// `belfry pack`.
    static let pack = Command(
        name: "pack", synopsis: ["pack [--into APP]"],
        summary: "build the package in this folder for release, and lay out NAME.appex or NAME.app",
        details: """
            The program is linked statically, so that it runs where no Swift is. What is in Resources, Info.plist first of
            all, lies beside it; String Catalogs become tables of strings. The path of NAME.appex is printed last:
            BELFRY_EXTENSION takes it. That of an app is NAME.app, laid out as on iOS: BELFRY_APPS takes it. An extension
            is packed into an app's PlugIns folder with --into.
            """,
        options: [Option("into", "APP", "put the extension into PlugIns of the app in that folder, NAME.app")]
    ) { context throws(CommandError) in
        let (folder, manifest) = try PackageFolder.current()
        let app = try context.options["into"].map { path throws(CommandError) in try host(of: manifest, path) }
        let executable = try Packing.executable(in: folder, manifest)
        let swift = try SwiftBuild(context)
        let flags = try Packing.flags(manifest, swift)
        let doesNotBuild = CommandError(.missing, "\(manifest.target) does not build", "see above, and belfry import")
        let (isPlanned, binaries) = try swift.build(flags + ["--show-bin-path"], showing: .errors)
        guard isPlanned else { throw doesNotBuild }
        let built = "\(binaries.prefix { $0 != "\n" })/\(manifest.target)"
        if unsafe access(built, F_OK) != 0 {
            context.output.complaint("building for release: the first time takes some minutes, later ones seconds")
        }
        guard try swift.build(flags).0 else { throw doesNotBuild }
        guard unsafe access(built, X_OK) == 0 else {
            throw CommandError(.unavailable, "swift build made no \(built)")
        }
        let path = "\(app.map { "\($0.path)/PlugIns/" } ?? "")\(manifest.target).\(manifest.kind.ending)"
        do throws(SystemError) {
            try PackageFolder.makeFolders(above: path)
            for file in try Packing.layOut(path, program: built, as: executable) {
                let why = "left out, since Foundation on Linux cannot read it: make a String Catalog of it"
                context.output.complaint(Printable.escaped("belfry: \(file): \(why)"))
            }
        } catch {
            throw CommandError(.unavailable, "\(path) cannot be made: \(error)")
        }
        try check(path, of: manifest.kind, in: app, context)
        let place = absolutePath(path) ?? path
        if context.wantsJSON { context.output.json(["path": .string(place)]) } else { context.output.line(place) }
        return .done
    }

    /// The app in the folder `path`, into which the extension goes.
    private static func host(of manifest: PackageManifest, _ path: String) throws(CommandError) -> AppBundle {
        guard manifest.kind != .app else {
            throw CommandError(.usage, "an app goes into no app", "belfry pack")
        }
        do throws(AppBundleError) {
            return try AppBundle(path: absolutePath(path) ?? path)
        } catch {
            throw CommandError(.notFound, error.description, "belfry pack, in the app's package, makes NAME.app")
        }
    }

    /// Whether what was packed can be run, and what it lacks for that.
    private static func check(
        _ path: String, of kind: PackageKind, in app: AppBundle?, _ context: Context
    ) throws(CommandError) {
        do {
            guard kind != .app else {
                for lack in try AppBundle(path: path).lacks { context.warn("\(lack.what): \(lack.remedy)") }
                return
            }
            let bundle = try ExtensionBundle(path: path)
            if kind == .directory, !bundle.isCallDirectory {
                context.warn(
                    "without the extension point of a call directory nothing loads it: in NSExtension of "
                        + "Resources/Info.plist, NSExtensionPointIdentifier com.apple.callkit.call-directory")
            }
            if let app, !bundle.identifier.text.hasPrefix("\(app.identifier).") {
                context.warn(
                    "\(bundle.identifier.text) does not begin with \(app.identifier), the app's identifier, and a "
                        + "dot: on iOS the app cannot be installed, and here it may not reload the extension")
            }
        } catch {
            throw CommandError(.unavailable, "\(error)")
        }
    }
}

/// How an extension or an app is packed.
enum Packing {
    /// C libraries that are linked statically where their archives are.
    private static let archives = ["libjansson.a", "libstdc++.a"]
    private static let archiveFolder = ".build/archives"
    /// The deepest nesting of resources.
    private static let depthMax = 16
    private static let bytesAtOnce = 1 << 20
    private static let information = "\(PackageTemplate.resourceFolder)/Info.plist"

    /// The name for the program, from an `Info.plist` that the worker will accept.
    static func executable(in folder: PackageFolder, _ manifest: PackageManifest) throws(CommandError) -> String {
        guard let bytes = try folder.read(information) else {
            throw CommandError(.notFound, "there is no \(information)", "give it a CFBundleIdentifier")
        }
        guard let properties = try? PropertyListDictionary.parse(bytes) else {
            throw CommandError(.badNotification, "\(information) is no property list", "see docs/extensions.md")
        }
        guard case .string(let identifier)? = properties["CFBundleIdentifier"], GroupName(identifier) != nil else {
            let remedy = "\(GroupName.rule); variables of Xcode's are not known"
            throw CommandError(.badNotification, "\(information) has no good CFBundleIdentifier", remedy)
        }
        if manifest.kind == .app, let fault = AppBundle.fault(inIdentifier: identifier) {
            throw CommandError(.badNotification, "\(information): CFBundleIdentifier \(fault)")
        }
        guard case .string(let stated)? = properties["CFBundleExecutable"] else { return manifest.target }
        guard !stated.isEmpty, !stated.contains("/"), !stated.contains("$"), stated != "Info.plist" else {
            let remedy = "leave it out, or write a name; variables of Xcode's are not known"
            throw CommandError(.badNotification, "\(information) has a CFBundleExecutable that is no name", remedy)
        }
        return stated
    }

    /// The flags for `swift build`: static, at a fixed address, which halves the start, without names for debuggers.
    static func flags(_ manifest: PackageManifest, _ swift: SwiftBuild) throws(CommandError) -> [String] {
        do throws(SystemError) {
            try PackageFolder.makeFolders(above: "\(archiveFolder)/all")
        } catch {
            throw CommandError(.unavailable, "\(archiveFolder) cannot be made: \(error.reason)")
        }
        // A folder with nothing but archives: beside a shared library, the linker would choose that.
        for name in archives {
            guard let path = swift.archive(name) else { continue }
            unsafe unlink("\(archiveFolder)/\(name)")
            unsafe symlink(path, "\(archiveFolder)/\(name)")
        }
        let toLinker = ["-static-libgcc", "-no-pie"].flatMap { ["-Xswiftc", "-Xclang-linker", "-Xswiftc", $0] }
        return [
            "--configuration", "release", "--product", manifest.target, "--static-swift-stdlib", "-debug-info-format",
            "none", "-Xlinker", "-s", "-Xlinker", "-L\(absolutePath(archiveFolder) ?? archiveFolder)",
        ] + toLinker
    }

    /// What was met among the resources.
    private struct Found {
        /// How many files and folders, in all.
        var count = 0
        /// The String Catalogs, which are compiled.
        var catalogs: [String] = []
        /// The tables of plurals: Foundation on Linux crashes when a text is looked up in one.
        var pluralTables: [String] = []
    }

    /// Makes the folder `path` from `program` and all resources, whole or not at all, in place of an older one. Returns
    /// the resources that are left out.
    @discardableResult
    static func layOut(_ path: String, program: String, as executable: String) throws(SystemError) -> [String] {
        let name = path.split(separator: "/").last ?? ""
        let aside = "\(path.dropLast(name.count)).\(name).\(getpid())"
        do throws(SystemError) {
            var found = Found()
            try copyFolder(PackageTemplate.resourceFolder, to: aside, depth: 0, found: &found)
            for catalog in found.catalogs { try CatalogTables.write(catalog, to: aside) }
            try copy(program, to: "\(aside)/\(executable)", mode: 0o755)
            let old = "\(aside).old"
            // rename(2) does not replace a folder with files in it.
            if unsafe rename(path, old) != 0, errno != ENOENT {
                throw SystemError(errno: errno, call: "rename", subject: path)
            }
            try checked("rename", on: path) { unsafe rename(aside, path) }
            removeFolder(old)
            return found.pluralTables
        } catch {
            removeFolder(aside)
            throw error
        }
    }

    private static func copyFolder(
        _ source: String, to target: String, depth: Int, found: inout Found
    ) throws(SystemError) {
        guard depth < depthMax else { throw SystemError(errno: ELOOP, call: "open", subject: source) }
        try checked("mkdir", on: target) { unsafe mkdir(target, 0o755) }
        for name in try PackageFolder(path: ".").names(in: source) {
            let from = "\(source)/\(name)"
            found.count += 1
            guard found.count <= PackageFolder.filesMax else {
                throw PackageFolder.tooMany(in: PackageTemplate.resourceFolder)
            }
            try PackageFolder.requireInside(from, of: PackageTemplate.resourceFolder)
            var status = stat()
            try checked("stat", on: from) { unsafe stat(from, &status) }
            switch status.st_mode & S_IFMT {
            case S_IFREG where name.hasSuffix(CatalogTables.ending): found.catalogs.append(from)
            case S_IFREG where name.hasSuffix(".stringsdict"): found.pluralTables.append(from)
            case S_IFDIR: try copyFolder(from, to: "\(target)/\(name)", depth: depth + 1, found: &found)
            case S_IFREG: try copy(from, to: "\(target)/\(name)", mode: status.st_mode & 0o777)
            default: throw SystemError(errno: EINVAL, call: "open", subject: "\(from): neither a file nor a folder")
            }
        }
    }

    private static func copy(_ source: String, to target: String, mode: mode_t) throws(SystemError) {
        let input = OwnedDescriptor(
            owning: try checked("open", on: source) { unsafe open(source, O_RDONLY | O_CLOEXEC) })
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let output = OwnedDescriptor(owning: try checked("open", on: target) { unsafe open(target, flags, mode) })
        while try checked("sendfile", on: target, { sendfile(output.number, input.number, nil, bytesAtOnce) })
            > 0
        {}
    }

    private static func removeFolder(_ path: String) {
        guard let folder = try? Directory.openUnlinked(path: path) else { return }
        folder.removeContents(depthMax: depthMax + 1)
        unsafe rmdir(path)
    }
}
