internal import Glibc

/// Where the running program is: `/proc/self/exe`, links resolved; nil without /proc.
public func runningProgramPath() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// The path of `name` beside the running program: where a program of ours finds another, never through PATH.
public func programBeside(_ name: String) -> String? {
    guard let path = runningProgramPath(), let slash = path.lastIndex(of: "/") else { return nil }
    return path[...slash] + name
}
