import CBelfryLinux
import Glibc

/// What a child process runs, and with what environment and descriptors.
public struct ChildCommand: Sendable {
    /// What a child's descriptor is connected to.
    public enum Stream: Sendable {
        /// The descriptor of this process with that number, which stays open here.
        case descriptor(Int32)
        /// `/dev/null`, for reading and writing.
        case null
    }

    /// The program's path; nothing is looked up in PATH.
    public var path: String
    /// Its arguments after the program's own name.
    public var arguments: [String]
    /// Its environment, complete; nil for this process's own.
    public var environment: [String: String]?
    /// Its descriptors. Those that are not named, and of this process every one but 0, 1 and 2, are closed, unless
    /// ``keepsDescriptors`` says otherwise.
    public var streams: [Int32: Stream]
    /// Whether it leads a process group of its own, so that it can be killed with all its children.
    public var leadsGroup = false
    /// The process group that it joins, of this session; nil for this process's own. Not for one that leads its own.
    public var joinsGroup: Int32?
    /// Whether it also has those of this process's descriptors that are not closed on execution.
    public var keepsDescriptors = false
    /// The directory it starts in; nil for this process's own.
    public var workingDirectory: String?

    /// `path` with `arguments`; standard input, output and error are this process's own unless `streams` says
    /// otherwise.
    public init(
        path: String,
        arguments: [String] = [],
        environment: [String: String]? = nil,
        streams: [Int32: Stream] = [:]
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.streams = streams
    }
}

/// How a child process ended.
public enum ChildExit: Hashable, Sendable {
    /// It exited with this code.
    case exited(code: Int32)
    /// This signal killed it.
    case killed(signal: Int32)

    /// Whether it exited with 0.
    public var isSuccess: Bool { self == .exited(code: 0) }
}

/// A child process and its pidfd, which cannot come to mean another process.
///
/// A child that is forgotten is killed, with its group if it leads one, and waited for: none outlives its owner unseen.
/// When one that leads a group has ended, the rest of the group is killed.
public final class ChildProcess {
    /// Its number, its own until it has been waited for.
    public let pid: Int32
    /// How it ended, once that is known.
    public private(set) var exitStatus: ChildExit?
    private let leadsGroup: Bool
    private let descriptor: OwnedDescriptor

    /// Its pidfd: readable once it has ended. Valid as long as this object lives.
    public var pidDescriptor: Int32 { descriptor.number }

    /// Those that are not forgotten and have not been waited for.
    static let living = LockedValue<[Int32]>([])

    /// Starts `command` with no signal blocked and none ignored.
    ///
    /// Fails with what execve(2) says, such as ENOENT, and with EINVAL if a text holds a NUL.
    public convenience init(_ command: ChildCommand) throws(SystemError) {
        try self.init(of: try ChildProcess.spawn(command), leadsGroup: command.leadsGroup)
    }

    /// Goes on as two processes (`fork`): in this one with the new one, which leads a process group, as its child; in
    /// the new one with nil. For a program that has one thread.
    public static func divide() throws(SystemError) -> ChildProcess? {
        let pid = try checked("fork") { clinux_fork() }
        guard pid > 0 else {
            setpgid(0, 0)
            return nil
        }
        // Whichever of the two is first: from here on it leads its group.
        setpgid(pid, pid)
        return try ChildProcess(of: pid, leadsGroup: true)
    }

    private init(of pid: Int32, leadsGroup: Bool) throws(SystemError) {
        self.pid = pid
        self.leadsGroup = leadsGroup
        do throws(SystemError) {
            descriptor = OwnedDescriptor(
                owning: try checked("pidfd_open", on: "process \(pid)") { pidfd_open(pid, 0) })
        } catch {
            // Without a pidfd the child could not be watched, and its end would go unnoticed.
            kill(pid, SIGKILL)
            var status: Int32 = 0
            _ = unsafe waitpid(pid, &status, 0)
            throw error
        }
        Self.living.withLock { $0.append(pid) }
    }

    deinit {
        guard exitStatus == nil else { return }
        forget()
        try? signal(SIGKILL)
        var end = clinux_child_end()
        while unsafe clinux_wait(descriptor.number, WEXITED, &end) == -1 && errno == EINTR {}
    }

    /// Sends `number` to it, or to its whole group if it leads one; nothing happens once it has been waited for.
    public func signal(_ number: Int32) throws(SystemError) {
        guard exitStatus == nil else { return }
        let target = leadsGroup ? -pid : pid
        do throws(SystemError) {
            try checked("kill", on: "process \(pid)") { kill(target, number) }
        } catch  where error.errno == ESRCH {
            // It has ended and its group with it.
        }
    }

    /// How it ended, if it has; never waits.
    @discardableResult
    public func reap() throws(SystemError) -> ChildExit? { try wait(options: WEXITED | WNOHANG) }

    /// Waits until it has ended. Never on a loop's thread, except at a program's end.
    @discardableResult
    public func waitUntilExit() throws(SystemError) -> ChildExit {
        guard let status = try wait(options: WEXITED) else { preconditionFailure("waitid came back without an end") }
        return status
    }

    private func wait(options: Int32) throws(SystemError) -> ChildExit? {
        if let exitStatus { return exitStatus }
        var end = clinux_child_end()
        if leadsGroup {
            // Not reaped yet: until then no other process or group can get its number.
            try checked("waitid", on: "process \(pid)") {
                unsafe clinux_wait(descriptor.number, options | WNOWAIT, &end)
            }
            guard end.process != 0 else { return nil }
            try? signal(SIGKILL)
        }
        try checked("waitid", on: "process \(pid)") { unsafe clinux_wait(descriptor.number, options, &end) }
        guard end.process != 0 else { return nil }
        exitStatus = end.is_exit != 0 ? .exited(code: end.status) : .killed(signal: end.status)
        forget()
        return exitStatus
    }

    private func forget() {
        let pid = pid
        Self.living.withLock { $0.removeAll { $0 == pid } }
    }
}

/// Has this process go on as the program at `path` with `arguments` and `environment` (`execve`), which returns only if
/// it fails. Its number, the descriptors that are not closed on execution, and the signals that are ignored stay as
/// they are.
public func becomeProgram(
    _ path: String, _ arguments: [String], environment: [String: String]
) throws(SystemError) -> Never {
    let words = try CStringArray([path] + arguments)
    let variables = try CStringArray(environment.map { "\($0.key)=\($0.value)" }.sorted())
    unsafe execve(path, words.pointers, variables.pointers)
    throw SystemError(errno: errno, call: "execve", subject: path)
}

extension ChildProcess {
    /// Starts `command` (`posix_spawn`) ; its number.
    static func spawn(_ command: ChildCommand) throws(SystemError) -> Int32 {
        let arguments = try CStringArray([command.path] + command.arguments)
        let environment: CStringArray? =
            if let replaced = command.environment {
                try CStringArray(replaced.map { "\($0.key)=\($0.value)" }.sorted())
            } else { nil }
        let actions = try SpawnActions(command)
        let attributes = SpawnAttributes(group: command.leadsGroup ? 0 : command.joinsGroup)
        var pid: Int32 = 0
        let result = unsafe posix_spawn(
            &pid,
            command.path,
            &actions.raw,
            &attributes.raw,
            arguments.pointers,
            environment?.pointers ?? environ
        )
        guard result == 0 else { throw SystemError(errno: result, call: "posix_spawn", subject: command.path) }
        return pid
    }
}

/// A null-ended array of C strings.
@safe
private final class CStringArray {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) throws(SystemError) {
        if let text = texts.first(where: { $0.utf8.contains(0) }) {
            throw SystemError(errno: EINVAL, call: "posix_spawn", subject: "a NUL in \(text.prefix { $0 != "\0" })")
        }
        count = texts.count
        unsafe pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { unsafe (pointers + index).initialize(to: strdup(text)) }
        unsafe (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { unsafe free(pointers[index]) }
        unsafe pointers.deallocate()
    }
}

/// The descriptors of a child, as posix_spawn(3) takes them.
@safe
private final class SpawnActions {
    var raw = unsafe posix_spawn_file_actions_t()
    /// Copies above every number the child has, so that no redirection overwrites what the next one needs.
    private var sources: [Int32] = []

    init(_ command: ChildCommand) throws(SystemError) {
        unsafe posix_spawn_file_actions_init(&raw)
        let numberMax = max(2, command.streams.keys.max() ?? 2)
        for (number, stream) in command.streams.sorted(by: { $0.key < $1.key }) {
            switch stream {
            case .descriptor(let source):
                let copy = try checked("fcntl", on: "F_DUPFD_CLOEXEC") { fcntl(source, F_DUPFD_CLOEXEC, numberMax + 1) }
                sources.append(copy)
                unsafe posix_spawn_file_actions_adddup2(&raw, copy, number)
            case .null:
                unsafe posix_spawn_file_actions_addopen(&raw, number, "/dev/null", O_RDWR, 0)
            }
        }
        if let directory = command.workingDirectory {
            unsafe posix_spawn_file_actions_addchdir_np(&raw, directory)
        }
        // What others in this process opened without close-on-exec stays ours too.
        guard !command.keepsDescriptors else { return }
        unsafe posix_spawn_file_actions_addclosefrom_np(&raw, numberMax + 1)
    }

    deinit {
        for source in sources { closeDescriptor(source) }
        unsafe posix_spawn_file_actions_destroy(&raw)
    }
}

/// A child's signals and group, as posix_spawn(3) takes them.
@safe
private final class SpawnAttributes {
    var raw = posix_spawnattr_t()

    /// `group` as in posix_spawnattr_setpgroup(3); nil for this process's own.
    init(group: Int32?) {
        unsafe posix_spawnattr_init(&raw)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&raw, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&raw, &signals)
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        if let group {
            flags |= POSIX_SPAWN_SETPGROUP
            unsafe posix_spawnattr_setpgroup(&raw, group)
        }
        unsafe posix_spawnattr_setflags(&raw, Int16(flags))
    }

    deinit {
        unsafe posix_spawnattr_destroy(&raw)
    }
}
