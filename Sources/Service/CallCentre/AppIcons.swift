import BelfrySyscalls

/// The icons of apps that have calls, as files of the runtime directory, from which the desktop shows them.
struct AppIcons {
    private let folder: String
    private var known: [String: (bytes: [UInt8], name: String)] = [:]
    /// Of another name than those before: who shows a file keeps it.
    private var last = 0

    /// The icons below the runtime directory at `path`; those of an earlier process are gone.
    init(in path: String) {
        folder = "\(path)/icons"
        try? Directory.open(path: folder, makes: false).removeContents(depthMax: 1)
    }

    /// The app's icon is `bytes`, or none.
    mutating func note(_ bytes: [UInt8], of app: String) {
        guard known[app]?.bytes ?? [] != bytes else { return }
        forget(app)
        guard !bytes.isEmpty else { return }
        last += 1
        let name = "\(last).png"
        // What cannot be written is not shown: no call needs it.
        guard (try? Directory.open(path: folder, makes: true).write(bytes, as: name, aside: ".\(name)")) != nil else {
            return
        }
        known[app] = (bytes, name)
    }

    /// The app is gone.
    mutating func forget(_ app: String) {
        guard let name = known.removeValue(forKey: app)?.name else { return }
        try? Directory.open(path: folder, makes: false).remove(name)
    }

    /// The file of the app's icon; empty if it has none.
    subscript(app: String) -> String { known[app].map { "\(folder)/\($0.name)" } ?? "" }
}
