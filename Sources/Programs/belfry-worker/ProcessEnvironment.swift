import BelfrySyscalls
import CBelfryLinux
import Glibc

/// What of the environment is the worker's own to read, of a name that stands twice the first; HOME from the user
/// database where it is not set.
func processEnvironment() -> Environment {
    var environment = Environment()
    var next = unsafe clinux_environment()
    while let entry = unsafe next?.pointee {
        unsafe next = next?.advanced(by: 1)
        guard unsafe isOurs(entry) else { continue }
        let text = unsafe String(cString: entry)
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
        let name = String(text[..<equals])
        if environment[name] == nil { environment[name] = String(text[text.utf8.index(after: equals)...]) }
    }
    if environment["HOME"] == nil, let user = unsafe getpwuid(geteuid()) {
        environment["HOME"] = unsafe String(cString: user.pointee.pw_dir)
    }
    return environment
}

/// Whether anything of the worker asks for it. Strings of all the others would cost each start as much as its push.
private func isOurs(_ entry: UnsafePointer<CChar>) -> Bool {
    unsafe strncmp(entry, "BELFRY_", 7) == 0 || strncmp(entry, "XDG_", 4) == 0 || strncmp(entry, "HOME=", 5) == 0
}

/// Says on standard error what stopped the worker; nobody listening is no reason to fail.
func complain(_ text: String) {
    let line = Array("belfry-worker: \(text)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
