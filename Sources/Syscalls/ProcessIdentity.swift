internal import CLinux
internal import Glibc

/// A process that cannot be mistaken for a later one of the same number: its number and when it started.
public struct ProcessIdentity: Hashable, Sendable {
    /// Its number.
    public let pid: Int32
    /// When it started, in the kernel's clock ticks since boot: field 22 of `/proc/PID/stat`.
    public let startTicks: UInt64

    /// The process `pid` that started at `startTicks`.
    public init(pid: Int32, startTicks: UInt64) {
        self.pid = pid
        self.startTicks = startTicks
    }

    /// The process that is `pid` now; nil where there is none, or only a zombie.
    public init?(livingPID pid: Int32) {
        guard pid > 0, let line = readKernelFile("/proc/\(pid)/stat"),
            let status = ProcessStatus(line: line), status.isAlive
        else { return nil }
        self.init(pid: pid, startTicks: status.startTicks)
    }

    /// This process.
    public static let current: ProcessIdentity = {
        guard let line = readKernelFile("/proc/self/stat"), let status = ProcessStatus(line: line) else {
            // Without /proc nobody can tell whether we live; a start that matches nothing says no.
            return ProcessIdentity(pid: getpid(), startTicks: 0)
        }
        return ProcessIdentity(pid: getpid(), startTicks: status.startTicks)
    }()

    /// Its pidfd, readable once it has ended (`pidfd_open`); nil where it has ended already.
    public func openDescriptor() throws(SystemError) -> OwnedDescriptor? {
        let descriptor: OwnedDescriptor
        do throws(SystemError) {
            descriptor = OwnedDescriptor(owning: try checked("pidfd_open", on: "process \(pid)") { pidfd_open(pid, 0) })
        } catch  where error.errno == ESRCH || error.errno == EINVAL {
            return nil
        }
        // Asked after the descriptor was opened, so that it cannot belong to a later process of that number.
        guard isAlive else { return nil }
        return descriptor
    }

    /// Whether it still runs. A zombie does not: it has ended, and only its parent has not asked how.
    public var isAlive: Bool { ProcessIdentity(livingPID: pid) == self }
}

/// What `/proc/PID/stat` says of a process.
struct ProcessStatus {
    let isAlive: Bool
    let startTicks: UInt64

    /// Reads `line`; nil where it is not what proc(5) describes.
    init?(line: [UInt8]) {
        // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
        guard let nameEnd = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(nameEnd + 1)...].split(whereSeparator: {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n")
        })
        // After the name come the third field, the state, and so on: the start is the 22nd of all.
        guard fields.count > 19, let state = fields[0].first,
            let start = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        isAlive = state != UInt8(ascii: "Z") && state != UInt8(ascii: "X") && state != UInt8(ascii: "x")
        startTicks = start
    }
}

/// Which boot of the machine this is, as `/proc/sys/kernel/random/boot_id` spells it; empty where that cannot be read.
public func bootID() -> String {
    guard let bytes = readKernelFile("/proc/sys/kernel/random/boot_id") else { return "" }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
}

/// How much of a file of the kernel's is read at most.
private let kernelFileBytesMax = 1 << 20

/// A file the kernel makes up as it is read, whose size says nothing; nil where it cannot be read, or ends while it is.
func readKernelFile(_ path: String) -> [UInt8]? {
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    let file = OwnedDescriptor(owning: opened)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while bytes.count < kernelFileBytesMax {
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(file.number, $0.baseAddress, $0.count) }
        if count == -1 && errno == EINTR { continue }
        guard count >= 0 else { return nil }
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
    return bytes
}
