import BelfryCommandLine
import BelfryJSON
import BelfryExtensionPackage
import BelfrySyscalls
import Glibc

extension Command {
    /// `belfry new-extension`.
    static let newExtension = Command(
        name: "new-extension", synopsis: ["new-extension [--directory] [--belfry PATH] DIR"],
        summary: "make the package of a notification service or call directory extension",
        details: """
            DIR must be new, or empty. In it, swift build and swift test work at once; belfry import brings your own
            NotificationService.swift along, and belfry pack makes NAME.appex of it all. With --directory it is one that
            gives numbers to block and to name, by CallKit: see docs/call-directory.md.
            """,
        options: [Option("directory", "make a call directory extension"), ownBelfry], arguments: 1...1
    ) { context throws(CommandError) in
        try makePackage(context.options.has("directory") ? .directory : .appExtension, context)
    }

    /// `belfry new-app`.
    static let newApp = Command(
        name: "new-app", synopsis: ["new-app [--belfry PATH] DIR"],
        summary: "make the package of an app that takes calls by CallKit and PushKit",
        details: """
            DIR must be new, or empty. In it, swift build and swift test work at once; belfry import brings the calling
            code of your own app along, and belfry pack makes NAME.app of it all.
            """,
        options: [ownBelfry], arguments: 1...1
    ) { context throws(CommandError) in try makePackage(.app, context) }

    private static let ownBelfry = Option(
        "belfry", "PATH", "build on the package of Belfry there, rather than on the installed one")

    private static func makePackage(_ kind: PackageKind, _ context: Context) throws(CommandError) -> ProgramStatus {
        let path = context.options.arguments[0]
        guard let name = path.split(separator: "/").last, name != ".", name != ".." else {
            let command = kind == .app ? "new-app" : "new-extension"
            throw CommandError(.usage, "\"\(path)\" names no new folder", "belfry \(command) DIR")
        }
        let folder = PackageFolder(path: path)
        var status = stat()
        if unsafe lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw CommandError(.unavailable, "\(path) is there already", "name a new folder")
            }
            guard (try? folder.names(in: "."))?.isEmpty == true else {
                throw CommandError(.unavailable, "\(path) is there already, and not empty", "name a new folder")
            }
        }
        let template = PackageTemplate(kind, folder: String(name), belfry: try belfryPackage(context))
        for file in template.files { try folder.write(Array(file.text.utf8), to: file.path) }
        if context.wantsJSON { context.output.json(["path": .string(path)]) } else { context.output.line(path) }
        return .done
    }

    /// The path of Belfry's package: that of `--belfry`, else the one that `make install` has put beside this program.
    private static func belfryPackage(_ context: Context) throws(CommandError) -> String {
        let isPackage = { (path: String) in unsafe access("\(path)/Package.swift", R_OK) == 0 }
        if let stated = context.options["belfry"] {
            guard let path = absolutePath(stated), isPackage(path) else {
                throw CommandError(
                    .notFound, "there is no package of Belfry in \(stated)", "name a checkout's folder")
            }
            return path
        }
        let prefix = runningProgramPath()?.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() ?? ""
        let path = "\(prefix)/share/belfry/swift/belfry"
        guard isPackage(path) else {
            throw CommandError(
                .notFound, "there is no package of Belfry in \(path)", "make install, or name one: --belfry PATH")
        }
        return path
    }
}

/// `path` from the root, without links and `..`; nil if nothing is there (`realpath`).
func absolutePath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
}
