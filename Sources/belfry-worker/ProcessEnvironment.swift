import CLinux
import Glibc

/// The environment, of a name that stands twice the first; HOME from the user database where it is not set.
func processEnvironment() -> [String: String] {
    var environment: [String: String] = [:]
    var next = unsafe clinux_environment()
    while let entry = unsafe next?.pointee {
        let text = unsafe String(cString: entry)
        unsafe next = next?.advanced(by: 1)
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
        let name = String(text[..<equals])
        if environment[name] == nil { environment[name] = String(text[text.utf8.index(after: equals)...]) }
    }
    if environment["HOME"] == nil, let user = unsafe getpwuid(geteuid()) {
        environment["HOME"] = unsafe String(cString: user.pointee.pw_dir)
    }
    return environment
}
