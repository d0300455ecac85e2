internal import CLinux
internal import Glibc

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

    /// Starts `command` with no signal blocked and none ignored.
    ///
    /// Fails with what execve(2) says, such as ENOENT, and with EINVAL where a text holds a NUL.
    public init(_ command: ChildCommand) throws(SystemError) {
        pid = try ChildProcess.spawn(command)
        leadsGroup = command.leadsGroup
        do throws(SystemError) {
            let pid = pid
            descriptor = OwnedDescriptor(owning: try checked("pidfd_open", on: command.path) { pidfd_open(pid, 0) })
        } catch {
            // Without a pidfd it could never be watched, and nobody would know of it.
            kill(pid, SIGKILL)
            var status: Int32 = 0
            _ = unsafe waitpid(pid, &status, 0)
            throw error
        }
    }

    deinit {
        guard exitStatus == nil else { return }
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
            // While it is not waited for, its number is its group's and nobody else's.
            try checked("waitid", on: "process \(pid)") {
                unsafe clinux_wait(descriptor.number, options | WNOWAIT, &end)
            }
            guard end.process != 0 else { return nil }
            try? signal(SIGKILL)
        }
        try checked("waitid", on: "process \(pid)") { unsafe clinux_wait(descriptor.number, options, &end) }
        guard end.process != 0 else { return nil }
        exitStatus = end.is_exit != 0 ? .exited(code: end.status) : .killed(signal: end.status)
        return exitStatus
    }
}
