import CBelfryLinux
import Glibc

/// Runs `body` on a thread on which the disk takes nothing for good: fsync(2) fails with EIO, of the descriptor
/// `failing` alone if that is given. Returns what `body` does.
///
/// That is how a test sees what is flushed, and when: a filter of system calls (seccomp(2)) fails the call itself.
public func withFailingFlush<Value>(of failing: Int32? = nil, _ body: () -> Value) -> Value {
    onThread(thatFails: SYS_fsync, with: EIO, of: failing, body)
}

/// Runs `body` on a thread on which the disk gives nothing back: read(2) fails with EIO. Returns what `body` does.
public func withFailingReads<Value>(_ body: () -> Value) -> Value {
    onThread(thatFails: SYS_read, with: EIO, of: nil, body)
}

/// Runs `body` on a thread that may open no file: openat(2) fails with EACCES, for root too. Returns what `body` does.
public func withForbiddenFiles<Value>(_ body: () -> Value) -> Value {
    onThread(thatFails: SYS_openat, with: EACCES, of: nil, body)
}

/// Runs `body` on a thread that has no descriptor for whoever connects: accept4(2) fails with EMFILE. Returns what
/// `body` does.
public func withoutAccepting<Value>(_ body: () -> Value) -> Value {
    onThread(thatFails: SYS_accept4, with: EMFILE, of: nil, body)
}

private func onThread<Value>(
    thatFails call: Int32, with error: Int32, of failing: Int32?, _ body: () -> Value
) -> Value {
    // The thread is waited for, so nothing is used on two at once.
    nonisolated(unsafe) var value: Value?
    nonisolated(unsafe) let perform = body
    unsafe withoutActuallyEscaping(perform) { escaping in
        nonisolated(unsafe) let escaping = escaping
        let thread = PosixThread {
            failCall(call, with: error, of: failing)
            unsafe value = escaping()
        }
        thread.join()
    }
    guard let value = unsafe value else { preconditionFailure("a thread ended without its value") }
    return value
}

/// Installs the filter on the calling thread, which it cannot take off again.
private func failCall(_ call: Int32, with error: Int32, of failing: Int32?) {
    let fail = UInt32(SECCOMP_RET_ERRNO) | UInt32(error)
    let allow = UInt32(SECCOMP_RET_ALLOW)
    var program = [load(0), skip(unlessEqual: UInt32(call), by: failing == nil ? 1 : 3)]
    // The lower half of the first argument.
    if let failing { program += [load(16), skip(unlessEqual: UInt32(failing), by: 1)] }
    program += [answer(fail), answer(allow)]
    // Not the sources' own way, which would fail it on every thread.
    typealias Prctl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    guard let symbol = unsafe dlsym(nil, "prctl") else { preconditionFailure("no prctl") }
    let prctl = unsafe unsafeBitCast(symbol, to: Prctl.self)
    let result = unsafe program.withUnsafeMutableBufferPointer { instructions in
        var filter = unsafe sock_fprog(len: UInt16(instructions.count), filter: instructions.baseAddress)
        return unsafe withUnsafePointer(to: &filter) {
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                | prctl(PR_SET_SECCOMP, UInt(SECCOMP_MODE_FILTER), UInt(bitPattern: $0), 0, 0)
        }
    }
    precondition(result == 0, "no filter: errno \(errno)")
}

private func load(_ offset: UInt32) -> sock_filter { sock_filter(code: 0x20, jt: 0, jf: 0, k: offset) }

private func skip(unlessEqual value: UInt32, by count: UInt8) -> sock_filter {
    sock_filter(code: 0x15, jt: 0, jf: count, k: value)
}

private func answer(_ verdict: UInt32) -> sock_filter { sock_filter(code: 0x06, jt: 0, jf: 0, k: verdict) }
