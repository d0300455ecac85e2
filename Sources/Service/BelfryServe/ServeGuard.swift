import BelfryEventLoop
public import BelfrySyscalls
import Glibc

/// `belfry serve` as two processes, so that nothing of it is left, whichever of them is killed: the guard, which has
/// the number that its caller knows, and the server, which does the work. Whoever of them is left ends all that the
/// other one has started.
///
/// The server leads a process group of its own: what ends the caller's whole group leaves it to clean up.
public enum ServeGuard {
    /// Which of the two this process is.
    public enum Role {
        /// The guard: the server has ended so, and nothing that it started runs any more.
        case guarding(ended: ChildExit)
        /// The server, which ends with the guard.
        case serving(of: ProcessIdentity)
    }

    /// What the server is called where processes are listed, so that what is sent to all of a name does not mean both.
    private static let serverName = "belfry-serve"

    /// Goes on as two processes. In the guard it returns once the server has ended; until then it hands on `signals`
    /// that it gets, those of the kernel only if `handsOnKernels`.
    public static func divide(signals: [Int32], handsOnKernels: Bool) throws(SystemError) -> Role {
        guard let guardian = ProcessIdentity(livingPID: getpid()) else {
            throw SystemError(errno: ENOENT, call: "open", subject: "/proc/self/stat")
        }
        OrphanedProcesses.adopt()
        // Before the server is there, which may serve before this one is ready: what comes meanwhile waits.
        for number in signals { try blockSignal(number) }
        guard let server = try ChildProcess.divide() else {
            // A child does not inherit it.
            OrphanedProcesses.adopt()
            renameThisProcess(serverName)
            return .serving(of: guardian)
        }
        let loop = try Loop()
        for number in signals {
            try loop.onSignal(number, description: "signal") { signal in
                if handsOnKernels || !signal.isOfKernel { try? server.signal(number) }
            }
        }
        var exit = ChildExit.exited(code: 0)
        try loop.onExit(of: server, description: "server") {
            exit = $0
            loop.stop()
        }
        loop.run()
        OrphanedProcesses.endAll()
        return .guarding(ended: exit)
    }
}
