import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Testing

/// Signals, each test in a process of its own since a signal is the whole process's.
@Suite struct SignalTests {
    @Test func realTimeSignalsAreToldEachAndStandardOnesOnce() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop()
            var (realTimeCount, terminationCount) = (0, 0)
            // SIGRTMIN is a macro of a function.
            let realTime = __libc_current_sigrtmin() + 3
            try loop.onSignal(realTime, description: "real-time") { signal in
                precondition(signal.number == realTime && signal.descriptor == 0)
                realTimeCount += 1
            }
            try loop.onSignal(SIGTERM, description: "stop") { _ in terminationCount += 1 }
            for _ in 1...3 {
                // To this thread, since others of a test process have the signals unblocked.
                pthread_kill(pthread_self(), realTime)
                pthread_kill(pthread_self(), SIGTERM)
            }
            loop.runUntilIdle()
            precondition(realTimeCount == 3, "\(realTimeCount)")
            precondition(terminationCount == 1, "\(terminationCount)")
        }
    }

    @Test func onlyOneSourceASignal() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop()
            let first = try loop.onSignal(SIGUSR1, description: "first") { _ in }
            do {
                try loop.onSignal(SIGUSR1, description: "second") { _ in }
                preconditionFailure("a second source")
            } catch {
                precondition((error as? SystemError)?.errno == EBUSY)
            }
            first.cancel()
            try loop.onSignal(SIGUSR1, description: "third") { _ in }
        }
    }

    @Test func aSignalThatCannotBeBlockedIsRefused() throws {
        let loop = try Loop()
        #expect(throws: SystemError.self) { try loop.onSignal(SIGKILL, description: "kill") { _ in } }
        #expect(throws: SystemError.self) { try loop.onSignal(500, description: "none") { _ in } }
    }
}
