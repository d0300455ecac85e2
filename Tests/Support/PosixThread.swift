import BelfrySyscalls
import CBelfryLinux
import Glibc
import Synchronization

/// A thread of its own, for tests of what threads may do.
@safe
public final class PosixThread: Sendable {
    private let identity: pthread_t
    private let number = Number()

    /// Starts a thread that performs `body`.
    public init(_ body: @escaping @Sendable () -> Void) {
        var made = pthread_t()
        let box = unsafe Unmanaged.passRetained(Body(number: number, perform: body)).toOpaque()
        let result = unsafe pthread_create(
            &made, nil,
            { userdata in
                guard let userdata = unsafe userdata else { return nil }
                let body = unsafe Unmanaged<Body>.fromOpaque(userdata).takeRetainedValue()
                body.number.value.store(gettid(), ordering: .relaxed)
                body.perform()
                return nil
            }, box)
        precondition(result == 0, "pthread_create: error \(result)")
        identity = made
    }

    /// Waits for its end; once only.
    public func join() {
        let result = pthread_join(identity, nil)
        precondition(result == 0, "pthread_join: error \(result)")
    }

    /// Waits until it sleeps, since it waits for something, or has ended.
    public func waitUntilItSleeps() {
        while true {
            let number = number.value.load(ordering: .relaxed)
            if number != 0, !ProcessIdentity.isBusy(pid: number) { return }
        }
    }

    /// What the kernel calls it; 0 until it runs.
    private final class Number: Sendable {
        let value = Atomic<Int32>(0)
    }

    private final class Body {
        let number: Number
        let perform: @Sendable () -> Void

        init(number: Number, perform: @escaping @Sendable () -> Void) {
            (self.number, self.perform) = (number, perform)
        }
    }
}
