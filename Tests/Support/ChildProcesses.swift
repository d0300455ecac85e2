import BelfrySyscalls

/// The processes whose parent is `pid` now, as /proc says.
public func childProcesses(of pid: Int32) -> [Int32] {
    let names = (try? Directory.names(at: "/proc", max: .max)) ?? []
    return names.compactMap { Int32($0) }.filter { child in
        let line = String(decoding: readKernelFile("/proc/\(child)/stat") ?? [], as: UTF8.self)
        // Its name, in parentheses, may be of any characters; then come its state and its parent.
        return line.split(separator: ")").last?.split(separator: " ").dropFirst().first.flatMap { Int32($0) } == pid
    }
}

/// Those, theirs, and so on.
public func descendantProcesses(of pid: Int32) -> [Int32] {
    childProcesses(of: pid).flatMap { [$0] + descendantProcesses(of: $0) }
}
