public import BelfrySyscalls
import Glibc

/// The settings in force, where each came from, and what was wrong on the way.
public struct LoadedSettings: Sendable {
    /// The settings in force.
    public internal(set) var settings = Settings()
    /// What was wrong, in the order it was read, at most ``mistakesMax``; none of it is in force.
    public internal(set) var mistakes: [Mistake] = []
    /// At most this many mistakes are kept, so that a file full of nonsense cannot fill the journal.
    public static let mistakesMax = 100

    /// A list, since there are few and no worker reads them: a dictionary of this type alone would cost each start 25
    /// µs.
    private var origins: [(setting: Setting, origin: Origin)] = []

    /// Where the value in force of `setting` was written.
    public func origin(of setting: Setting) -> Origin {
        origins.first { $0.setting == setting }?.origin ?? .standard
    }

    mutating func setOrigin(_ origin: Origin?, of setting: Setting) {
        if let index = origins.firstIndex(where: { $0.setting == setting }) { origins.remove(at: index) }
        if let origin { origins.append((setting, origin)) }
    }
}

/// Reads the settings: the machine's files, the user's files, then the environment; later ones win.
///
/// A wrong value changes nothing, so that the last good one stays in force: the one of an earlier line or file, else
/// the default. No mistake is fatal.
public enum SettingsLoader {
    /// Where the machine's files are.
    public static let machineRoot = "/etc"

    /// The settings for `environment`, which gives `XDG_CONFIG_HOME`, `HOME` and the variables of ``Setting``.
    ///
    /// With `BELFRY_CONFIG_FILES=no` no file is read. If nothing is configured this costs two system calls. An empty
    /// variable counts as none, as the XDG Base Directory specification has it for its own.
    public static func load(
        environment: Environment,
        machineRoot: String = SettingsLoader.machineRoot
    ) -> LoadedSettings {
        var reading = Reading()
        if environment["BELFRY_CONFIG_FILES"] != "no" {
            reading.readLayer("\(machineRoot)/belfry")
            if let userRoot = userRoot(environment) { reading.readLayer("\(userRoot)/belfry") }
        }
        reading.readVariables(environment)
        return reading.finished()
    }

    /// Every mistake of the file at `path`, as if it were the only one.
    public static func check(file path: String) -> [Mistake] { loadOnly(file: path).mistakes }

    /// What the file at `path` alone sets.
    public static func loadOnly(file path: String) -> LoadedSettings {
        var reading = Reading()
        reading.readFile(path, required: true)
        return reading.finished()
    }

    /// The folder of the user's configuration: `$XDG_CONFIG_HOME`, else `~/.config`; relative ones do not count.
    public static func userRoot(_ environment: Environment) -> String? {
        if let root = environment["XDG_CONFIG_HOME"], root.hasPrefix("/") { return root }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.config" }
        return nil
    }
}

/// Reads configuration files, which people link and mask as systemd's: symbolic links are followed (S2).
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

    /// Whether there is a directory at `path`: one call if nothing is configured.
    static func directoryExists(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return errno != ENOENT && errno != ENOTDIR }
        return true
    }

    /// The text of the file at `path`; a link to /dev/null is empty, as systemd masks a file.
    static func text(at path: String) throws(Failure) -> String {
        // O_NONBLOCK, since opening a FIFO would block and stop a call.
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
        let names: [String]
        do throws(SystemError) {
            names = try Directory.names(at: path, max: .max).filter { name in
                name.utf8.first != UInt8(ascii: ".") && name.hasSuffix(".conf")
            }
        } catch {
            throw failure(error)
        }
        guard names.count <= dropInsMax else { throw .tooLarge }
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
        failure(SystemError(errno: errno, call: call, subject: path))
    }

    private static func failure(_ error: SystemError) -> Failure {
        error.errno == ENOENT || error.errno == ENOTDIR ? .missing : .system(error)
    }

    private static func makeDevice(_ major: UInt, _ minor: UInt) -> UInt { major << 8 | minor }
}

/// The lines of a file in systemd's syntax (systemd.syntax(7)): sections, `Key=value`, comments, continued lines.
struct ConfigurationText {
    /// What one line says.
    enum Item: Equatable {
        /// `[Name]`.
        case section(String)
        /// `Key=value`, both trimmed.
        case assignment(key: String, value: String)
        /// Anything else.
        case unreadable(String)
    }

    /// The items with the number of the line each begins at, from 1.
    let items: [(line: Int, item: Item)]

    /// Reads `text`; total, and linear in its length.
    init(_ text: String) {
        var items: [(line: Int, item: Item)] = []
        var continued: (line: Int, text: String)?
        var number = 0
        let bytes = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
        for slice in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let line = Self.trimmed(slice)
            // A comment inside a continued line is skipped and does not end it.
            if let first = line.first, first == UInt8(ascii: "#") || first == UInt8(ascii: ";") { continue }
            if line.last == UInt8(ascii: "\\") {
                let part = String(decoding: line.dropLast(), as: UTF8.self)
                continued = (continued?.line ?? number, (continued?.text ?? "") + part + " ")
                continue
            }
            let start = continued?.line ?? number
            let joined = (continued?.text ?? "") + String(decoding: line, as: UTF8.self)
            continued = nil
            if let item = Self.item(Self.trimmed(joined.utf8[...])) { items.append((start, item)) }
        }
        if let continued, let item = Self.item(Self.trimmed(continued.text.utf8[...])) {
            items.append((continued.line, item))
        }
        self.items = items
    }

    private static func item(_ line: Substring.UTF8View) -> Item? {
        guard let first = line.first else { return nil }
        if first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") {
            return .section(String(decoding: trimmed(line.dropFirst().dropLast()), as: UTF8.self))
        }
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
            return .unreadable(String(decoding: line, as: UTF8.self))
        }
        let key = trimmed(line[..<equals])
        let value = trimmed(line[line.index(after: equals)...])
        guard !key.isEmpty else { return .unreadable(String(decoding: line, as: UTF8.self)) }
        return .assignment(key: String(decoding: key, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text = text.dropLast() }
        return text
    }
}
