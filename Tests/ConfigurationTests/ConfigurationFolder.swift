import Glibc

/// A throw-away `/etc` and home for one test.
final class ConfigurationFolder {
    let path: String

    var environment: [String: String] { ["HOME": "\(path)/home"] }

    init() {
        var template = Array("/tmp/belfry-configuration-XXXXXX".utf8CString)
        path = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe String(cString: mkdtemp(buffer.baseAddress!)!)
        }
    }

    deinit {
        remove(path)
    }

    /// Writes `bytes` to `name` below the folder, whose folders are made.
    @discardableResult
    func write(_ name: String, _ bytes: some Sequence<UInt8>) -> String {
        makeFolders(of: name)
        let file = "\(path)/\(name)"
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        precondition(descriptor >= 0)
        let bytes = Array(bytes)
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        precondition(count == bytes.count)
        close(descriptor)
        return file
    }

    /// Writes `text` to `name` below the folder.
    @discardableResult
    func write(_ name: String, _ text: String) -> String { write(name, text.utf8) }

    /// Makes the folders that `name` stands in.
    func makeFolders(of name: String) {
        var current = path
        for part in name.split(separator: "/").dropLast() {
            current += "/\(part)"
            unsafe mkdir(current, 0o755)
        }
    }

    private func remove(_ path: String) {
        if let directory = unsafe opendir(path) {
            while let entry = unsafe readdir(directory) {
                let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { field in
                    unsafe String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            unsafe closedir(directory)
            unsafe rmdir(path)
        } else {
            unsafe unlink(path)
        }
    }
}
