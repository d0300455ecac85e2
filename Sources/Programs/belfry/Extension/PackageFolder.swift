import BelfryCommandLine
import BelfryExtensionPackage
import BelfrySyscalls
import Glibc

/// The folder of an extension's package, which people edit and share as they like: unlike a worker's files, it may
/// belong to anybody.
struct PackageFolder {
    /// The most bytes of a source: more than people write.
    static let sourceBytesMax = 4 << 20
    /// The most files of a folder: more than any extension has.
    private static let filesMax = 4_096

    /// The path of the folder; `.` for the one in which this program was started.
    let path: String

    /// The path of `name` in it.
    func path(of name: String) -> String { path == "." ? name : "\(path)/\(name)" }

    /// The bytes of its file `name`; nil if there is none.
    func read(_ name: String) throws(CommandError) -> [UInt8]? {
        do throws(SystemError) {
            return try readFile(at: path(of: name), bytesMax: Self.sourceBytesMax).bytes
        } catch {
            if error.errno == ENOENT || error.errno == ENOTDIR { return nil }
            throw CommandError(.notFound, "\(path(of: name)) cannot be read: \(error.reason)")
        }
    }

    /// Writes its file `name`, whole or not at all, in a folder that is made if there is none.
    func write(_ bytes: [UInt8], to name: String) throws(CommandError) {
        let target = path(of: name)
        do throws(SystemError) {
            try Self.makeFolders(above: target)
            let aside = "\(target).\(getpid()).new"
            do throws(SystemError) {
                let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
                let file = OwnedDescriptor(
                    owning: try checked("open", on: aside) { unsafe open(aside, flags, 0o666) })
                try writeAll(bytes, to: file.number, path: aside)
                try checked("rename", on: target) { unsafe rename(aside, target) }
            } catch {
                unsafe unlink(aside)
                throw error
            }
        } catch {
            throw CommandError(.unavailable, "\(target) cannot be written: \(error.reason)")
        }
    }

    /// Removes its file `name`, if there is one.
    func remove(_ name: String) throws(CommandError) {
        guard unsafe unlink(path(of: name)) != 0, errno != ENOENT else { return }
        let reason = SystemError(errno: errno, call: "unlink").reason
        throw CommandError(.unavailable, "\(path(of: name)) cannot be removed: \(reason)")
    }

    /// The names in its folder `name`, sorted; none if there is no such folder.
    func names(in name: String) -> [String] {
        ((try? Directory.names(at: path(of: name), max: Self.filesMax)) ?? []).sorted()
    }

    /// Makes the folders that `path` goes through and that are missing.
    static func makeFolders(above path: String) throws(SystemError) {
        var made = path.utf8.first == UInt8(ascii: "/") ? "/" : ""
        for part in path.split(separator: "/").dropLast() {
            made += "\(part)/"
            let folder = made
            do throws(SystemError) {
                try checked("mkdir", on: folder) { unsafe mkdir(folder, 0o777) }
            } catch  where error.errno == EEXIST || error.errno == EROFS || error.errno == EACCES {
                // A part that exists may be a folder or a link to one; if it is neither, the next step fails.
            }
        }
    }
}

extension PackageFolder {
    /// The package in which this program was started, if it is an extension's.
    static func current() throws(CommandError) -> (folder: PackageFolder, manifest: PackageManifest) {
        let folder = PackageFolder(path: ".")
        let remedy = "go to a folder that belfry new-extension has made"
        guard let bytes = try folder.read("Package.swift") else {
            throw CommandError(.notFound, "there is no Package.swift here", remedy)
        }
        guard let text = String(validating: bytes, as: UTF8.self), let manifest = PackageManifest(text) else {
            let problem =
                "no target of Package.swift has a line .product(name: \"ExtensionProcess\", package: \"belfry\")"
            throw CommandError(.notFound, problem, remedy)
        }
        return (folder, manifest)
    }
}
