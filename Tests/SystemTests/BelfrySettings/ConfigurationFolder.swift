import Support

/// A throw-away `/etc` and home for one test.
final class ConfigurationFolder {
    private let folder = TemporaryFolder()

    var path: String { folder.path }

    var environment: [String: String] { ["HOME": "\(path)/home"] }

    /// Writes `text` to `name` below the folder, whose folders are made.
    @discardableResult
    func write(_ name: String, _ text: String) -> String { write(name, Array(text.utf8)) }

    /// Writes `bytes` to `name` below the folder, whose folders are made.
    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) -> String {
        makeFolders(of: name)
        return folder.write(bytes, to: name)
    }

    /// Makes the folders that `name` stands in.
    func makeFolders(of name: String) {
        if let slash = name.lastIndex(of: "/") { folder.makeFolder(String(name[..<slash])) }
    }
}
