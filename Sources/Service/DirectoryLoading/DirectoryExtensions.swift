import BelfryApps
import BelfrySyscalls
public import BelfryTerms
public import ExtensionKeeping

/// An extension of the call directory that can be loaded.
public struct DirectoryExtension: Hashable, Sendable {
    /// Its folder.
    public let bundle: ExtensionBundle
    /// The name of its app, which stands before its labels; its own if it is in no app.
    public let app: String
    /// Its identifier, `CFBundleIdentifier`.
    public var id: GroupName { bundle.identifier }
}

/// The extensions of the call directory that there are: those in the apps of `[Calls] Apps=`, and those of
/// `[Directory] Extensions=`.
public struct DirectoryExtensions: Sendable {
    /// Where an app has its extensions, and how their folders' names end.
    private static let (folder, ending) = ("PlugIns", ".appex")
    /// How many things in such a folder are looked at.
    private static let namesMax = 256

    /// One for each identifier, in the order in which they are configured.
    public private(set) var all: [DirectoryExtension] = []
    /// What is wrong with others, for people.
    public private(set) var faults: [String] = []

    /// Reads the apps at `appPaths` and the extensions at `extensionPaths`.
    public init(appPaths: [String], extensionPaths: [String]) {
        for app in ConfiguredApps(paths: appPaths).bundles {
            let folder = "\(app.path)/\(Self.folder)"
            let names = (try? Directory.names(at: folder, max: Self.namesMax)) ?? []
            for name in names.sorted() where name.hasSuffix(Self.ending) {
                add("\(folder)/\(name)", of: app.name)
            }
        }
        for path in extensionPaths { add(path, of: nil) }
    }

    /// The extension with that identifier; nil if there is none.
    public subscript(id: String) -> DirectoryExtension? { all.first { $0.id.text == id } }

    private mutating func add(_ path: String, of app: String?) {
        do throws(ExtensionBundleError) {
            let bundle = try ExtensionBundle(path: path)
            guard bundle.isCallDirectory else {
                // An app has others, too.
                if app == nil {
                    faults.append("\(path) is no call directory: see NSExtensionPointIdentifier in its Info.plist")
                }
                return
            }
            if let first = self[bundle.identifier.text] {
                faults.append("\(bundle.path) has the identifier of \(first.bundle.path), which counts")
            } else {
                all.append(DirectoryExtension(bundle: bundle, app: app ?? bundle.name))
            }
        } catch {
            faults.append(error.description)
        }
    }
}
