import BelfrySyscalls
import Glibc
import Support

/// A thread that runs while its starter waits, and can park in the midst: so a process stands still between two calls.
final class Strand: @unchecked Sendable {
    // Unchecked: starter and thread take turns, handed over by semaphores.

    private let machine: Machine
    private let toThread = Turn()
    private let toStarter = Turn()
    private var action: (() -> Void)?
    private var thread: PosixThread?
    private(set) var isParked = false
    private(set) var isRunning = false

    /// A thread on which `machine` is played.
    init(machine: Machine) { self.machine = machine }

    /// Runs `action` until it ends or parks.
    func run(_ action: @escaping () -> Void) {
        self.action = action
        if thread == nil {
            thread = PosixThread { [self] in
                machine.play { while takeTurn() {} }
                toStarter.give()
            }
        }
        isRunning = true
        goOn()
    }

    /// Runs the next action; false if there is none any more.
    private func takeTurn() -> Bool {
        toThread.wait()
        guard action != nil else { return false }
        action?()
        action = nil
        isRunning = false
        toStarter.give()
        return true
    }

    /// Goes on where it parked, until it ends or parks again.
    func goOn() {
        isParked = false
        toThread.give()
        toStarter.wait()
    }

    /// Parks the thread that calls: ``run(_:)`` or ``goOn()`` returns.
    func park() {
        isParked = true
        toStarter.give()
        toThread.wait()
    }

    /// Ends the thread, which must not be parked.
    func end() {
        guard let thread else { return }
        action = nil
        toThread.give()
        toStarter.wait()
        thread.join()
        self.thread = nil
    }
}

/// A semaphore (`sem_wait`).
@safe
private final class Turn {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { _ = unsafe sem_init(semaphore, 0, 0) }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    func give() { _ = unsafe sem_post(semaphore) }

    func wait() {
        while unsafe sem_wait(semaphore) == -1 {}
    }
}
