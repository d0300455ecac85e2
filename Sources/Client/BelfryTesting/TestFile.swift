import BelfrySyscalls
import BelfryTerms
import Glibc

/// A file that belongs to a test.
package enum TestFile {
    /// The absolute path of `path`. A relative one is looked for beside the source file `source`, and then in each
    /// folder above it.
    package static func find(_ path: String, near source: String) throws(BellError) -> String {
        if path.hasPrefix("/") { return path }
        var folder = source[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            let place = "\(folder)/\(path)"
            if unsafe access(place, F_OK) == 0 { return place }
        }
        throw BellError(
            .noSuchFile, "there is no \(Printable.escaped(path)) beside \(source), nor in a folder above it")
    }

    /// What is in the file at `path`, as ``find(_:near:)`` finds it.
    package static func read(_ path: String, near source: String, bytesMax: Int) throws(BellError) -> [UInt8] {
        let found = try find(path, near: source)
        do throws(SystemError) {
            return try readFile(at: found, bytesMax: bytesMax).bytes
        } catch {
            throw BellError(.noSuchFile, "\(Printable.escaped(path)) cannot be read: \(error)")
        }
    }
}
