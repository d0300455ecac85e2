import BelfrySyscalls
import Glibc

/// The decoders that lie beside the program, as in the tarball of `make dist`: its gdk-pixbuf is not the machine's, and
/// must not load the machine's modules.
enum BundledDecoders {
    /// The file by which gdk-pixbuf finds modules, as `gdk-pixbuf-query-loaders` writes it.
    private static let list = "loaders.cache"

    /// `../lib/belfry` beside the folder of the program at `path`, if it has a list of decoders; nil where the
    /// machine's are used.
    static func folder(ofProgram path: String?) -> String? {
        guard let parts = path?.split(separator: "/", omittingEmptySubsequences: false), parts.count > 2 else {
            return nil
        }
        let folder = parts.dropLast(2).joined(separator: "/") + "/lib/belfry"
        return unsafe access("\(folder)/\(list)", R_OK) == 0 ? folder : nil
    }

    /// Has gdk-pixbuf read that list, and returns its folder, which must stay readable until a decoder is made.
    ///
    /// `GDK_PIXBUF_MODULE_FILE` is gdk-pixbuf's own; called before it is first used, while there is one thread.
    static func announce() -> String? {
        guard let folder = folder(ofProgram: runningProgramPath()) else { return nil }
        unsafe setenv("GDK_PIXBUF_MODULE_FILE", "\(folder)/\(list)", 1)
        return folder
    }
}
