import BelfrySyscalls
import CBelfryNATS
import Glibc

/// libnats in this process, for all lines.
@safe
final class LineLibrary: @unchecked Sendable {
    // Unchecked: what OpenSSL never changes, and what is used under a lock.

    /// Opened with the first line, and never closed.
    static let opened = Result { () throws(SystemError) in try LineLibrary() }

    private let method: OpaquePointer
    private let caught: UnsafeMutablePointer<cnats_catch>
    private let lock = LockedValue(())

    private init() throws(SystemError) {
        // Its threads inherit the mask: a signal that sd-event waits for must never be taken by one of them.
        let status = withSignalsBlocked { nats_Open(-1) }
        guard status == NATS_OK, let method = unsafe cnats_bio_method(), let caught = unsafe cnats_catch_new()
        else { throw SystemError(errno: ENOMEM, call: "nats_Open") }
        unsafe self.method = method
        unsafe self.caught = unsafe caught
    }

    /// A door for a connection to `host` by `credential`, which `poll` listens to; nil without memory.
    func makeDoor(poll: Int32, host: String, credential: LineCredential) -> UnsafeMutablePointer<cnats_door>? {
        unsafe cnats_door_new(poll, method, host, credential.jwt, credential.key)
    }

    /// Has `options` connect by TLS through `door`, and trust `authority` alone; false if that is no certificate.
    func secure(
        _ options: OpaquePointer, through door: UnsafeMutablePointer<cnats_door>, authority: [UInt8]
    ) -> Bool {
        guard let count = Int32(exactly: authority.count) else { return false }
        return lock.withLock { _ in
            guard let context = unsafe cnats_secure(options, caught) else { return false }
            return unsafe authority.withUnsafeBytes { bytes in
                unsafe cnats_prepare(context, door, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count) == 1
            }
        }
    }
}

/// Calls `body` with every signal blocked, also for the threads that it makes.
func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
}
