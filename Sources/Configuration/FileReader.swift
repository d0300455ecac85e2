import Glibc
import Syscalls

/// Reads configuration files, which people link and mask as systemd's: symbolic links are followed.
enum FileReader {
    /// A file may not be larger, in bytes.
    static let bytesMax = 64 << 10
    /// A directory may not hold more drop-ins.
    static let dropInsMax = 64

    /// Why a file gave no text.
    enum Failure: Error {
        /// It does not exist.
        case missing
        /// A system call failed.
        case system(SystemError)
        /// It is a directory, a pipe or a device.
        case notRegular
        /// It is larger than ``bytesMax``.
        case tooLarge
        /// It is not UTF-8, or holds a NUL.
        case notText
    }

    /// Whether there is a directory at `path`: one call where nothing is configured.
    static func directoryExists(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return errno != ENOENT && errno != ENOTDIR }
        return true
    }

    /// The text of the file at `path`; a link to /dev/null is empty, as systemd masks a file.
    static func text(at path: String) throws(Failure) -> String {
        // Not blocking, lest a pipe that somebody put there stops a call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("fstat", path) }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFCHR, status.st_rdev == makeDevice(1, 3) { return "" }
        guard kind == S_IFREG else { throw .notRegular }
        guard status.st_size <= bytesMax else { throw .tooLarge }
        let bytes = try contents(of: descriptor, path)
        guard bytes.count <= bytesMax else { throw .tooLarge }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        return text
    }

    /// The names in the directory at `path` that end in `.conf`, sorted by their bytes; hidden ones are left out.
    static func dropIns(in path: String) throws(Failure) -> [String] {
        guard let directory = unsafe opendir(path) else { throw failure("opendir", path) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { field in
                unsafe String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.utf8.first != UInt8(ascii: "."), name.hasSuffix(".conf") else { continue }
            names.append(name)
            guard names.count <= dropInsMax else { throw .tooLarge }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func contents(of descriptor: Int32, _ path: String) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        var filled = 0
        while filled < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            guard count > 0 else { break }
            filled += count
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    private static func failure(_ call: String, _ path: String) -> Failure {
        errno == ENOENT || errno == ENOTDIR ? .missing : .system(SystemError(errno: errno, call: call, subject: path))
    }

    private static func makeDevice(_ major: UInt, _ minor: UInt) -> UInt { major << 8 | minor }
}
