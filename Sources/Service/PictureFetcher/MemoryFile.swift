import BelfrySyscalls
import CBelfryLinux
import Glibc

/// A nameless file in memory (`memfd_create`), through which the worker and a fetcher hand each other bytes.
struct MemoryFile: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// The descriptor's number, valid as long as this value lives. A process that gets it may read and write.
    var number: Int32 { descriptor.number }

    /// An empty file, called `name` in `/proc` alone.
    init(_ name: String) throws(SystemError) {
        descriptor = OwnedDescriptor(owning: try checked("memfd_create") { unsafe clinux_memory_file(name) })
    }

    /// A file of `bytes` that no process can change any more (`F_ADD_SEALS`): none can write code to it and map that.
    static func sealed(_ name: String, _ bytes: [UInt8]) throws(SystemError) -> MemoryFile {
        let file = try MemoryFile(name)
        let number = file.number
        let count = try checked("pwrite", on: name) {
            unsafe bytes.withUnsafeBytes { unsafe pwrite(number, $0.baseAddress, $0.count, 0) }
        }
        guard count == bytes.count else { throw SystemError(errno: ENOSPC, call: "pwrite", subject: name) }
        try checked("fcntl", on: "F_ADD_SEALS") { clinux_seal_memory_file(number) }
        return file
    }

    /// Another descriptor of the file, for writing alone: what is written by it can be neither read back nor mapped.
    borrowing func writer() throws(SystemError) -> OwnedDescriptor {
        let path = "/proc/self/fd/\(number)"
        return OwnedDescriptor(owning: try checked("open", on: path) { unsafe open(path, O_WRONLY | O_CLOEXEC) })
    }

    /// What is in it, at most `bytesMax` bytes.
    borrowing func bytes(max bytesMax: Int) throws(SystemError) -> [UInt8] {
        let number = number
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = try checked("pread", on: "a file in memory") {
            unsafe bytes.withUnsafeMutableBytes { unsafe pread(number, $0.baseAddress, $0.count, 0) }
        }
        bytes.removeLast(bytesMax - count)
        return bytes
    }
}
