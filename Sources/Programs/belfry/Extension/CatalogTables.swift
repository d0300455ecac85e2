import BelfryExtensionPackage
import BelfryPropertyList
import BelfrySyscalls
import Glibc

/// The tables that a String Catalog becomes as an extension is packed.
enum CatalogTables {
    /// How a catalogue's name ends.
    static let ending = ".xcstrings"

    /// Writes the tables of the catalogue at `path` into the bundle at `bundle`: `LANGUAGE.lproj/NAME.strings` for each
    /// language. Fails if there is such a table already, since one of them would be lost.
    static func write(_ path: String, to bundle: String) throws(SystemError) {
        let name = path.split(separator: "/").last.map { String($0.dropLast(ending.count)) } ?? ""
        let bytes = try readFile(at: path, bytesMax: StringCatalog.bytesMax).bytes
        let catalog: StringCatalog
        do throws(StringCatalogError) {
            catalog = try StringCatalog(bytes)
        } catch {
            throw SystemError(errno: EINVAL, call: "open", subject: "\(path): it \(error.detail)")
        }
        for (language, table) in catalog.tables.sorted(by: { $0.key < $1.key }) {
            let folder = "\(bundle)/\(language).lproj"
            do throws(SystemError) {
                try checked("mkdir", on: folder) { unsafe mkdir(folder, 0o755) }
            } catch  where error.errno == EEXIST {
                // Other tables of that language.
            }
            let target = "\(folder)/\(name).strings"
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
            do throws(SystemError) {
                let file = OwnedDescriptor(
                    owning: try checked("open", on: target) { unsafe open(target, flags, 0o644) })
                try writeAll(table.serializedXML(), to: file.number, path: target)
            } catch  where error.errno == EEXIST {
                let subject = "\(path): there is a table \(language).lproj/\(name).strings beside it"
                throw SystemError(errno: EEXIST, call: "open", subject: subject)
            }
        }
    }
}
