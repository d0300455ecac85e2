import Glibc

/// Says on standard error what stopped the worker; nobody listening is no reason to fail.
func complain(_ text: String) {
    let line = Array("belfry-worker: \(text)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
