import BelfryApps
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import ExtensionKeeping

/// An extension of the call directory that can be loaded.
struct DirectoryExtension: Hashable, Sendable {
    /// Its identifier, `CFBundleIdentifier`.
    let id: GroupName
    /// The name of its app, which stands before its labels; its own if it is in no app.
    let app: String
}

/// The extensions of the call directory that there are: those in the apps of `[Calls] Apps=`, and those of
/// `[Directory] Extensions=`.
struct DirectoryExtensions: Sendable {
    /// Where an app has its extensions, and how their folders' names end.
    private static let (folder, ending) = ("PlugIns", ".appex")
    /// How many things in such a folder are looked at.
    private static let namesMax = 256
    private static let informationBytesMax = 64 << 10
    private static let point = "com.apple.callkit.call-directory"

    /// One for each identifier, in the order in which they are configured.
    private(set) var all: [DirectoryExtension] = []
    /// What is wrong with others, for people.
    private(set) var faults: [String] = []

    /// Reads the apps at `appPaths` and the extensions at `extensionPaths`.
    init(appPaths: [String], extensionPaths: [String]) {
        for app in ConfiguredApps(paths: appPaths).bundles {
            let folder = "\(app.path)/\(Self.folder)"
            let names = (try? Directory.names(at: folder, max: Self.namesMax)) ?? []
            for name in names.sorted() where name.hasSuffix(Self.ending) { add("\(folder)/\(name)", of: app.name) }
        }
        for path in extensionPaths { add(path, of: nil) }
    }

    /// The extension with that identifier; nil if there is none.
    subscript(id: String) -> DirectoryExtension? { all.first { $0.id.text == id } }

    private mutating func add(_ path: String, of app: String?) {
        let information: PropertyListDictionary
        let bundle: ExtensionBundle
        do {
            bundle = try ExtensionBundle(path: path)
            information = try PropertyListDictionary.parse(
                try readFile(at: "\(path)/Info.plist", bytesMax: Self.informationBytesMax).bytes)
        } catch {
            faults.append("\(error)")
            return
        }
        let point = information["NSExtension"]?.dictionaryValue?["NSExtensionPointIdentifier"]?.stringValue
        guard point == Self.point else {
            // An app has others, too.
            if app == nil {
                faults.append("\(path) is no call directory: see NSExtensionPointIdentifier in its Info.plist")
            }
            return
        }
        guard self[bundle.identifier.text] == nil else {
            faults.append("\(path) has the identifier \(bundle.identifier.text), which another has that counts")
            return
        }
        let names = ["CFBundleDisplayName", "CFBundleName"].lazy.compactMap { information[$0]?.stringValue }
        let own = names.first { !$0.isEmpty } ?? bundle.identifier.text
        all.append(DirectoryExtension(id: bundle.identifier, app: app ?? own))
    }
}
