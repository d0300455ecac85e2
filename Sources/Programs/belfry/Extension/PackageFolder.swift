import BelfryCommandLine
import BelfryExtensionPackage
import BelfrySyscalls
import Glibc

/// The folder of an extension's or an app's package, which people edit and share as they like: unlike a worker's files,
/// it may belong to anybody.
struct PackageFolder {
    /// The most bytes of a source: more than people write.
    static let sourceBytesMax = 4 << 20
    /// The most files of a folder: more than any extension has.
    static let filesMax = 4_096

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

    /// The names in its folder `name`, sorted; none if there is no such folder. Fails if there are more than
    /// ``filesMax``, or one that is no UTF-8, which no Swift package can name.
    func names(in name: String) throws(SystemError) -> [String] {
        let folder = path(of: name)
        let names: [String]
        do throws(SystemError) {
            names = try Directory.names(at: folder, max: Self.filesMax + 1).sorted()
        } catch  where error.errno == ENOENT || error.errno == ENOTDIR {
            return []
        }
        guard names.count <= Self.filesMax else { throw Self.tooMany(in: folder) }
        for name in names where name.unicodeScalars.contains("\u{FFFD}") {
            var status = stat()
            // As it was read, it is the name of nothing.
            guard unsafe lstat("\(folder)/\(name)", &status) == 0 else {
                throw SystemError(
                    errno: EILSEQ, call: "open", subject: "\(folder)/\(name): a name that is not in UTF-8")
            }
        }
        return names
    }

    /// What is said of the folder `path` with more than ``filesMax`` files.
    static func tooMany(in path: String) -> SystemError {
        SystemError(errno: EFBIG, call: "open", subject: "\(path): more than \(filesMax) files")
    }

    /// Refuses `path` if it is a link, or lies behind one, that leads out of the folder `root`: what is behind it is
    /// nobody's to hand on, or to write over.
    static func requireInside(_ path: String, of root: String) throws(SystemError) {
        guard let root = absolutePath(root), let target = absolutePath(path) else {
            throw SystemError(errno: errno, call: "realpath", subject: path)
        }
        guard target.utf8.starts(with: "\(root)/".utf8) else {
            throw SystemError(errno: EXDEV, call: "open", subject: "\(path): a link that leads out of the folder")
        }
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
    /// The package in which this program was started, if it is an extension's or an app's.
    static func current() throws(CommandError) -> (folder: PackageFolder, manifest: PackageManifest) {
        let folder = PackageFolder(path: ".")
        let remedy = "go to a folder that belfry new-extension or belfry new-app has made"
        guard let bytes = try folder.read("Package.swift") else {
            throw CommandError(.notFound, "there is no Package.swift here", remedy)
        }
        guard let text = String(validating: bytes, as: UTF8.self), let manifest = PackageManifest(text) else {
            let problem =
                "no target of Package.swift has a line .product(name: \"ExtensionProcess\", package: \"belfry\"), as "
                + "an extension has, or one with UIKit, as an app has"
            throw CommandError(.notFound, problem, remedy)
        }
        return (folder, manifest)
    }
}
