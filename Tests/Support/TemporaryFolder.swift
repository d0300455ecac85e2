import Glibc

/// A folder of one test's own, removed with all that is in it when the test lets go of it.
public final class TemporaryFolder {
    /// Its path, short enough for sockets in it.
    public let path: String

    /// Makes an empty folder in `parent` that nobody else can enter.
    public init(in parent: String = "/tmp") {
        var template = Array("\(parent)/belfry-test-XXXXXX".utf8CString)
        let made = unsafe mkdtemp(&template)
        precondition(unsafe made != nil, "no temporary folder: errno \(errno)")
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// Writes `bytes` to the file `name` in it and tells its path.
    @discardableResult
    public func write(_ bytes: [UInt8], to name: String) -> String {
        let file = "\(path)/\(name)"
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        precondition(descriptor >= 0, "cannot write \(file): errno \(errno)")
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            precondition(count > 0, "cannot write \(file): errno \(errno)")
            rest = rest.dropFirst(count)
        }
        return file
    }

    /// Overwrites the file `name` in it from the byte `start` on.
    public func damage(_ name: String, from start: Int) {
        let file = "\(path)/\(name)"
        let descriptor = unsafe open(file, O_WRONLY | O_CLOEXEC)
        precondition(descriptor >= 0, "cannot damage \(file): errno \(errno)")
        defer { close(descriptor) }
        let noise = [UInt8](repeating: 0xFF, count: Int(lseek(descriptor, 0, SEEK_END)) - start)
        let count = unsafe pwrite(descriptor, noise, noise.count, start)
        precondition(count == noise.count && count > 0, "cannot damage \(file): errno \(errno)")
    }

    /// Makes the folder `name` in it and tells its path.
    @discardableResult
    public func makeFolder(_ name: String) -> String {
        var made = path
        for component in name.split(separator: "/") {
            made += "/\(component)"
            let result = unsafe mkdir(made, 0o700)
            precondition(result == 0 || errno == EEXIST, "cannot make \(made): errno \(errno)")
        }
        return made
    }

    /// Removes the file or the folder at `path`, with all that is in it.
    public static func remove(_ path: String) {
        guard unsafe unlink(path) != 0, let directory = unsafe opendir(path) else { return }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { remove("\(path)/\(name)") }
        }
        unsafe closedir(directory)
        unsafe rmdir(path)
    }
}
