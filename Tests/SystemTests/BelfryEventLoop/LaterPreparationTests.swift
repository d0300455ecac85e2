import BelfryEventLoop
import BelfrySyscalls
import CBelfryLinux
import Glibc
import Synchronization
import Testing

/// A loop that is prepared only when it has to wait, each in a process of its own: libsystemd and signals are the whole
/// process's.
@Suite struct LaterPreparationTests {
    @Test func whatWasAskedForBeforeHappensAfterwards() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop(preparesLater: true)
            var happened: Set<String> = []
            _ = loop.schedule(at: loop.now, description: "timer") { happened.insert("timer") }
            loop.afterThis(description: "deferred") { happened.insert("deferred") }
            try loop.onSignal(SIGTERM, description: "signal") { _ in happened.insert("signal") }
            let wasPosted = Mutex(false)
            loop.poster.post { wasPosted.withLock { $0 = true } }
            pthread_kill(pthread_self(), SIGTERM)
            try loop.prepare()
            precondition(happened.isEmpty && !wasPosted.withLock { $0 }, "\(happened) before the loop ran")
            loop.runUntilIdle()
            precondition(happened == ["timer", "deferred", "signal"], "\(happened)")
            precondition(wasPosted.withLock { $0 })
        }
    }

    @Test func whatWasCancelledBeforeNeverHappens() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop(preparesLater: true)
            let timer = loop.schedule(at: loop.now, description: "timer") { preconditionFailure("a timer") }
            let deferred = loop.afterThis(description: "deferred") { preconditionFailure("a deferred action") }
            let signal = try loop.onSignal(SIGUSR1, description: "signal") { _ in preconditionFailure("a signal") }
            precondition(signal.isActive)
            pthread_kill(pthread_self(), SIGUSR1)
            timer.cancel()
            deferred.cancel()
            signal.cancel()
            precondition(!signal.isActive)
            try loop.prepare()
            loop.runUntilIdle()
        }
    }

    @Test func onlyOneSourceASignal() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop(preparesLater: true)
            let first = try loop.onSignal(SIGUSR1, description: "first") { _ in }
            do {
                try loop.onSignal(SIGUSR1, description: "second") { _ in }
                preconditionFailure("a second source")
            } catch {
                precondition((error as? SystemError)?.errno == EBUSY)
            }
            first.cancel()
            var count = 0
            try loop.onSignal(SIGUSR1, description: "third") { _ in count += 1 }
            pthread_kill(pthread_self(), SIGUSR1)
            try loop.prepare()
            loop.runUntilIdle()
            precondition(count == 1)
        }
    }

    @Test func oneThatNeverWaitsNeverOpensTheLibrary() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop(preparesLater: true)
            _ = loop.schedule(at: loop.now, description: "timer") {}
            loop.stop()
            loop.run()
            precondition(!isLibraryOpen())
            // The question itself must be able to fail.
            try loop.prepare()
            precondition(isLibraryOpen())
        }
    }

    @Test func aDescriptorPreparesIt() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop(preparesLater: true)
            let ends = try DescriptorPair.pipe()
            var isRead = false
            _ = try loop.watch(descriptor: ends.writing.number, events: .writable, description: "pipe") { _ in
                isRead = true
                loop.stop()
            }
            loop.run()
            precondition(isRead)
        }
    }

    @Test func withoutDescriptorsItSaysSo() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop(preparesLater: true)
            // Opened before: the loader needs descriptors of its own.
            _ = try Loop()
            var limit = rlimit()
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 0
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            do {
                try loop.prepare()
                preconditionFailure("a loop without descriptors")
            } catch {
                precondition((error as? SystemError)?.errno == EMFILE, "\(error)")
            }
        }
    }

    @Test func runningItUnpreparedTraps() async {
        await #expect(processExitsWith: .failure) {
            let loop = try Loop(preparesLater: true)
            loop.runUntilIdle()
        }
    }
}

/// Whether libsystemd is in this process: RTLD_NOLOAD opens only what is there.
private func isLibraryOpen() -> Bool {
    unsafe dlopen("libsystemd.so.0", RTLD_NOW | RTLD_NOLOAD) != nil
}
