internal import CLinux
internal import Glibc

extension ChildProcess {
    /// Starts `command` (`posix_spawn`) and tells its number.
    static func spawn(_ command: ChildCommand) throws(SystemError) -> Int32 {
        let arguments = try CStringArray([command.path] + command.arguments)
        let environment: CStringArray? =
            if let replaced = command.environment {
                try CStringArray(replaced.map { "\($0.key)=\($0.value)" }.sorted())
            } else { nil }
        let actions = try SpawnActions(command)
        let attributes = SpawnAttributes(leadsGroup: command.leadsGroup)
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

    init(leadsGroup: Bool) {
        unsafe posix_spawnattr_init(&raw)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&raw, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&raw, &signals)
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        if leadsGroup {
            flags |= POSIX_SPAWN_SETPGROUP
            unsafe posix_spawnattr_setpgroup(&raw, 0)
        }
        unsafe posix_spawnattr_setflags(&raw, Int16(flags))
    }

    deinit {
        unsafe posix_spawnattr_destroy(&raw)
    }
}
