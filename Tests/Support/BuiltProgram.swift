import Glibc

/// The path of a program that was built beside these tests.
public func builtProgram(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    precondition(count > 0, "no /proc")
    let runner = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return String(runner[...(runner.lastIndex(of: "/") ?? runner.startIndex)]) + name
}
