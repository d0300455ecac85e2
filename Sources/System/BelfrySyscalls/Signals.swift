import CBelfryLinux
import Glibc

/// Blocks `number` in the calling thread, and in those it makes from now on (`pthread_sigmask`).
public func blockSignal(_ number: Int32) throws(SystemError) {
    try change(SIG_BLOCK, number)
}

/// Takes `number` from the calling thread's blocked signals.
public func unblockSignal(_ number: Int32) throws(SystemError) {
    try change(SIG_UNBLOCK, number)
}

/// Takes every signal from the calling thread's blocked ones: a program inherits them from the thread that starts it,
/// and those of a thread pool, from which Foundation's `Process` starts programs, block all.
public func unblockAllSignals() {
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
}

/// Has the process ignore SIGPIPE: writing to a peer that left then fails with EPIPE (S5).
public func ignoreBrokenPipes() {
    _ = signal(SIGPIPE, SIG_IGN)
}

/// Whether this process ignores `number`, as its parent may have arranged (`sigaction`).
public func isIgnored(signal number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
}

/// Ends this process as `number` does by default, so that its parent sees which signal it was.
public func endThisProcess(by number: Int32) {
    _ = signal(number, SIG_DFL)
    try? unblockSignal(number)
    raise(number)
}

/// Has this process listed as `name`, of which the kernel keeps 15 bytes, and its arguments no longer (`PR_SET_NAME`,
/// and what /proc/self/cmdline shows). Its arguments must have been read.
public func renameThisProcess(_ name: String) {
    unsafe clinux_name_thread(name)
    // They lie one after the other in memory.
    let count = Int(CommandLine.argc)
    guard count > 0, let first = unsafe CommandLine.unsafeArgv[0], let last = unsafe CommandLine.unsafeArgv[count - 1]
    else { return }
    let bytes = unsafe UnsafeMutableRawBufferPointer(start: first, count: last - first + strlen(last) + 1)
    for index in bytes.indices { unsafe bytes[index] = 0 }
    // With a NUL at the end.
    for (index, byte) in name.utf8.prefix(bytes.count - 1).enumerated() { unsafe bytes[index] = byte }
}

private func change(_ how: Int32, _ number: Int32) throws(SystemError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    try checked("sigaddset", on: "signal \(number)") { unsafe sigaddset(&set, number) }
    let result = unsafe pthread_sigmask(how, &set, nil)
    guard result == 0 else { throw SystemError(errno: result, call: "pthread_sigmask", subject: "signal \(number)") }
}
