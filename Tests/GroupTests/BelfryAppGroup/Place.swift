import BelfryAppGroup
import BelfryEventLoop
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support

/// A state directory of a test's own, and what is done to it behind Belfry's back.
final class Place {
    static let preferences = "groups/group.test/Library/Preferences"
    /// A file with a key that is not ours.
    static let example = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>theirs</key><real>3</real></dict></plist>
        """
    private let directory: TemporaryFolder

    init() throws { directory = TemporaryFolder() }

    var path: String { directory.path }
    var preferencesPath: String { "\(path)/\(Place.preferences)" }
    var filePath: String { "\(preferencesPath)/group.test.plist" }
    var lockPath: String { "\(filePath).lock" }

    /// The group's file, as another process would open it.
    func file(_ name: String = "group.test") -> GroupFile {
        guard let group = GroupName(name) else { preconditionFailure("\(name) is no group's name") }
        return GroupFile(state: StateDirectory(path: path), group: group)
    }

    /// Makes the directories, so that a test can put something into them.
    func makeDirectories() throws {
        let file = file()
        let transaction = change(file, on: HandLoop()) { $0.root["made"] = .bool(true) }
        precondition(transaction.outcome == .written, "\(transaction.outcome)")
        try checked("unlink") { unsafe unlink(filePath) }
    }

    /// Writes `text` into the file in place, as a program does that knows nothing of locks.
    func write(_ text: String) throws {
        if try names(Place.preferences) == [] { try makeDirectories() }
        let bytes = Array(text.utf8)
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let file = try checked("open") { unsafe open(filePath, flags, 0o600) }
        defer { close(file) }
        try checked("write") { unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) } }
    }

    /// Writes into the file in place that `n` is `number`, and nothing else.
    func write(number: Int) throws {
        try write("<plist><dict><key>n</key><integer>\(number)</integer></dict></plist>")
    }

    /// What is in `name` below the state directory; nothing where it is missing.
    func names(_ name: String) throws -> [String] {
        guard unsafe access("\(path)/\(name)", F_OK) == 0 else { return [] }
        let directory = try Directory.open(path: "\(path)/\(name)", makes: false)
        return try directory.names(max: 1_000)
    }

    /// What the file `name` beside the group's says.
    func text(of name: String) throws -> String? {
        let directory = try Directory.open(path: preferencesPath, makes: false)
        let content = try directory.read(name, bytesMax: 1 << 21)
        return content.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Removes all that is in the state directory.
    func removeEverything() throws {
        let remove = ChildCommand(path: "/bin/rm", arguments: ["-rf", "\(path)/groups"])
        try ChildProcess(remove).waitUntilExit()
    }

    /// Dates the file `seconds` back, as one that nobody is writing any more.
    func age(bySeconds seconds: Int) throws {
        try date(timespec(tv_sec: time(nil) - seconds, tv_nsec: 0))
    }

    /// Makes the file one that was written at `time`.
    func date(_ time: timespec) throws {
        let (path, times) = (filePath, [time, time])
        try checked("utimensat") { unsafe utimensat(AT_FDCWD, path, times, 0) }
    }

    /// When the file was written.
    func modified() throws -> timespec {
        var status = stat()
        try checked("stat") { unsafe stat(filePath, &status) }
        return status.st_mtim
    }
}

/// Changes `file` and expects that it could be done at once.
func change(
    _ file: GroupFile,
    on timers: any TimerSource,
    _ body: @escaping (inout GroupEdit) -> Void
) -> GroupTransaction<Void> {
    guard let ended = WaitingChange(of: file, on: timers, body).ended else {
        preconditionFailure("the transaction has to wait")
    }
    return ended
}

/// A change that may have to wait for the lock.
final class WaitingChange {
    /// How it ended; nil until it has.
    private(set) var ended: GroupTransaction<Void>?

    init(of file: GroupFile, on timers: any TimerSource, _ body: @escaping (inout GroupEdit) -> Void) {
        file.transact(on: timers, body) { self.ended = $0 }
    }
}
