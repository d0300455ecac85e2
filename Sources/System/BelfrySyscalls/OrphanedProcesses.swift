import CBelfryLinux
import Glibc

/// The processes that this one's children leave behind. A program that adopts them can end them; they would live on as
/// children of process 1 otherwise, whatever they are.
///
/// For programs that start children by ``ChildProcess`` alone, and on one thread.
public enum OrphanedProcesses {
    /// How long ``endAll(withOwn:)`` waits for killed ones to be gone.
    public static let patience = Int32(500)

    private static let isAdopting = LockedValue(false)

    /// Has this process become the parent of whatever its descendants leave behind
    /// (prctl(2), PR_SET_CHILD_SUBREAPER).
    public static func adopt() {
        guard clinux_prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 else { return }
        isAdopting.withLock { $0 = true }
    }

    /// Asks how those have ended that have: until then their numbers are taken.
    public static func reapEnded() {
        var end = clinux_child_end()
        while unsafe clinux_wait_any(WEXITED | WNOHANG | WNOWAIT, &end) == 0, end.process != 0 {
            // The first of them is one of our own: its owner asks, and the others come after that.
            guard !ChildProcess.living.withLock({ [pid = end.process] in $0.contains(pid) }) else { return }
            var status: Int32 = 0
            _ = unsafe waitpid(end.process, &status, WNOHANG)
        }
    }

    /// Kills all of them, whom these leave behind in turn, and this process's own children as well if it ends
    /// `withOwn`. Does nothing in a process that has not adopted any. Waits for ``patience`` milliseconds at most.
    public static func endAll(withOwn: Bool = false) {
        guard isAdopting.withLock({ $0 }) else { return }
        let deadline = bootTimeMicroseconds() + Int64(patience) * 1_000
        while hasChildren {
            let kept = withOwn ? [] : ChildProcess.living.withLock { $0 }
            let left = childrenOfThisProcess().filter { !kept.contains($0) }
            guard !left.isEmpty else { return }
            for pid in left { kill(pid, SIGKILL) }
            for pid in left {
                guard wait(for: pid, until: deadline) else { return }
            }
        }
    }

    private static var hasChildren: Bool {
        var end = clinux_child_end()
        return unsafe clinux_wait_any(WEXITED | WNOHANG | WNOWAIT, &end) == 0
    }

    /// Waits until `pid`, a child, is gone. False if it is not by `deadline`.
    private static func wait(for pid: Int32, until deadline: Int64) -> Bool {
        let number = pidfd_open(pid, 0)
        guard number >= 0 else { return true }
        let descriptor = OwnedDescriptor(owning: number)
        let left = (deadline - bootTimeMicroseconds()) / 1_000
        var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        guard left > 0, unsafe poll(&entry, 1, Int32(left)) > 0 else { return false }
        var status: Int32 = 0
        _ = unsafe waitpid(pid, &status, WNOHANG)
        return true
    }
}
