import Glibc

/// A thread of its own, for tests of what threads may do.
@safe
public final class PosixThread: Sendable {
    private let identity: pthread_t

    /// Starts a thread that performs `body`.
    public init(_ body: @escaping @Sendable () -> Void) {
        var made = pthread_t()
        let box = unsafe Unmanaged.passRetained(Body(perform: body)).toOpaque()
        let result = unsafe pthread_create(
            &made, nil,
            { userdata in
                guard let userdata = unsafe userdata else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(userdata).takeRetainedValue().perform()
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

    private final class Body {
        let perform: @Sendable () -> Void

        init(perform: @escaping @Sendable () -> Void) { self.perform = perform }
    }
}
