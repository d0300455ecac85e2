import Glibc

/// A file that the kernel makes up as it is read, whose size says nothing: its first `bytesMax` bytes or a little more,
/// nil if it cannot be read or ends while it is read.
public func readKernelFile(_ path: String, bytesMax: Int = 1 << 20) -> [UInt8]? {
    if let played { return played.kernelFile(path) }
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    let file = OwnedDescriptor(owning: opened)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while bytes.count < bytesMax {
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(file.number, $0.baseAddress, $0.count) }
        if count == -1 && errno == EINTR { continue }
        guard count >= 0 else { return nil }
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
    return bytes
}

/// The one line of such a file that the kernel gives out at once; nil if it cannot be read.
func readKernelLine(_ path: String) -> [UInt8]? {
    if let played { return played.kernelFile(path) }
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    let file = OwnedDescriptor(owning: opened)
    // Of numbers and a name of 64 bytes at most.
    let bytesMax = 2_048
    let line = unsafe [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
        repeat { count = unsafe read(file.number, buffer.baseAddress, bytesMax) } while count == -1 && errno == EINTR
        count = max(0, count)
    }
    return line.isEmpty ? nil : line
}

/// Where the link at `path` leads, like those of `/proc/PID/fd` (proc_pid_fd(5)); nil if it cannot be read, or leads
/// farther than any path does.
public func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}
