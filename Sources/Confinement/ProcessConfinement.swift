internal import CLinux
internal import Glibc
public import Syscalls

/// What a process gives up before it touches anything foreign.
public enum ProcessConfinement {
    /// Gives up new privileges, core dumps and being traced, and dies with the process that started it.
    public static func beHumble() throws(SystemError) {
        try checked("prctl", on: "PR_SET_NO_NEW_PRIVS") { clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) }
        try checked("prctl", on: "PR_SET_DUMPABLE") { clinux_prctl(PR_SET_DUMPABLE, 0) }
        try checked("prctl", on: "PR_SET_PDEATHSIG") { clinux_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL)) }
        try ResourceLimit.coreBytes.lower(to: 0)
    }

    /// Has the kernel take this process first where memory runs out: it is the one that can be done without. Before
    /// ``beHumble()``, after which its own `/proc` files belong to root. Failing is no harm.
    public static func volunteerForMemoryShortage() {
        let number = unsafe open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard number >= 0 else { return }
        let file = OwnedDescriptor(owning: number)
        _ = unsafe write(file.number, "1000", 4)
    }

    /// Closes every descriptor from `first` on (`close_range(2)`).
    public static func closeDescriptors(from first: UInt32) throws(SystemError) {
        try checked("close_range") { clinux_close_from(first) }
    }

    /// Has SIGALRM end the process after `milliseconds`, whatever it does then (`setitimer(2)`).
    public static func endAfter(milliseconds: Int) throws(SystemError) {
        _ = signal(SIGALRM, SIG_DFL)
        try unblockSignal(SIGALRM)
        var timer = itimerval()
        timer.it_value = timeval(tv_sec: milliseconds / 1_000, tv_usec: milliseconds % 1_000 * 1_000)
        try checked("setitimer") { unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil) }
    }

    /// Has writing past the limit of ``ResourceLimit/fileBytes`` fail with EFBIG instead of killing.
    public static func ignoreFileSizeSignal() {
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Keeps malloc to one arena. Each further one reserves 64 MiB of address space, and a thread would open one.
    public static func useOneArena() {
        _ = mallopt(M_ARENA_MAX, 1)
    }
}
