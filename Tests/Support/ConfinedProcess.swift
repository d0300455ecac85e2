import BelfrySyscalls
import Glibc

/// Runs `body` in a fork of this process, and ends as the fork ends.
///
/// A fork has the calling thread alone, as a program has that confines itself. The test runner's other threads would be
/// filtered as well, and libdispatch traps at the first call that fails.
public func endLikeAlone(_ body: () throws -> Void) throws {
    let child = try checked("fork") { fork() }
    if child == 0 {
        try body()
        _exit(1)
    }
    var status: Int32 = 0
    try checked("waitpid") { unsafe waitpid(child, &status, 0) }
    let number = status & 0x7F
    guard number != 0 else { _exit(status >> 8 & 0xFF) }
    _ = signal(number, SIG_DFL)
    try unblockSignal(number)
    raise(number)
}

/// The errno of opening a file; 0 if it opens.
public func failureToOpen(_ path: String, _ flags: Int32) -> Int32 {
    unsafe open(path, flags, 0o600) >= 0 ? 0 : errno
}
