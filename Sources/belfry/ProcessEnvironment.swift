import Glibc

/// The environment of this process, without Foundation.
enum ProcessEnvironment {
    /// Every variable; of one that stands twice the first counts, as for getenv(3).
    static func current() -> [String: String] {
        var variables: [String: String] = [:]
        var cursor = unsafe environ
        while let entry = unsafe cursor.pointee {
            let text = unsafe String(cString: entry)
            if let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(text[..<equals])
                if variables[name] == nil { variables[name] = String(text[text.utf8.index(after: equals)...]) }
            }
            unsafe cursor += 1
        }
        return variables
    }
}
