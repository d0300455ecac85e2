import CBelfryLinux
import Glibc

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

    /// The process that is `pid` now; nil if there is none, or only a zombie.
    public init?(livingPID pid: Int32) {
        guard pid > 0, let line = readKernelLine("/proc/\(pid)/stat"),
            let status = ProcessStatus(line: line), status.isAlive
        else { return nil }
        self.init(pid: pid, startTicks: status.startTicks)
    }

    /// This process.
    public static var current: ProcessIdentity { played?.process ?? ofThisProcess }

    private static let ofThisProcess: ProcessIdentity = {
        guard let line = readKernelLine("/proc/self/stat"), let status = ProcessStatus(line: line) else {
            // Without /proc no process can find out whether this one lives: a start that matches nothing makes it count
            // as dead.
            return ProcessIdentity(pid: getpid(), startTicks: 0)
        }
        return ProcessIdentity(pid: getpid(), startTicks: status.startTicks)
    }()

    /// Its pidfd, readable once it has ended (`pidfd_open`); nil if it has ended already.
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

    /// Whether the process that is `pid` now runs, or waits for a processor or a disk: it goes on by itself with what
    /// it has begun. A process that sleeps or was stopped does nothing until it is woken.
    public static func isBusy(pid: Int32) -> Bool {
        guard pid > 0, let line = readKernelLine("/proc/\(pid)/stat"), let status = ProcessStatus(line: line) else {
            return false
        }
        return status.isBusy
    }

    /// Whether the process that is `pid` now was stopped, by a signal or by its tracer.
    public static func isStopped(pid: Int32) -> Bool {
        guard pid > 0, let line = readKernelLine("/proc/\(pid)/stat"), let status = ProcessStatus(line: line) else {
            return false
        }
        return status.isStopped
    }

    /// Whether it still runs. A zombie does not: it has ended, and only its parent has not asked how.
    public var isAlive: Bool {
        // The process that asks is alive.
        self == .current || ProcessIdentity(livingPID: pid) == self
    }
}

/// The children of this process, also those that have ended and were not waited for, as /proc says.
func childrenOfThisProcess() -> [Int32] {
    let own = getpid()
    let names = (try? Directory.names(at: "/proc", max: .max)) ?? []
    return names.compactMap { Int32($0) }.filter { pid in
        readKernelLine("/proc/\(pid)/stat").flatMap(ProcessStatus.init)?.parent == own
    }
}

/// What `/proc/PID/stat` says of a process.
struct ProcessStatus {
    private static let parentField = 4
    private static let startField = 22

    private let state: UInt8
    let parent: Int32
    let startTicks: UInt64

    var isAlive: Bool { state != UInt8(ascii: "Z") && state != UInt8(ascii: "X") && state != UInt8(ascii: "x") }
    var isStopped: Bool { state == UInt8(ascii: "T") || state == UInt8(ascii: "t") }
    var isBusy: Bool { state == UInt8(ascii: "R") || state == UInt8(ascii: "D") }

    /// Reads `line`; nil if it is not what proc(5) describes.
    init?(line: [UInt8]) {
        // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
        guard let nameEnd = line.lastIndex(of: UInt8(ascii: ")")), nameEnd + 2 < line.count else { return nil }
        state = line[nameEnd + 2]
        // A group of hundreds of calls is asked for hundreds of processes: the line is not split for one field.
        var field = 2
        var start: UInt64?
        var parent: Int32 = 0
        for byte in line[(nameEnd + 1)...] where field <= ProcessStatus.startField {
            if byte == UInt8(ascii: " ") {
                field += 1
            } else if field == ProcessStatus.parentField {
                parent = parent &* 10 &+ Int32(byte &- UInt8(ascii: "0"))
            } else if field == ProcessStatus.startField {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                start = (start ?? 0) &* 10 &+ UInt64(byte - UInt8(ascii: "0"))
            }
        }
        guard let start, field > ProcessStatus.startField else { return nil }
        startTicks = start
        self.parent = parent
    }
}

/// Which boot of the machine this is, as `/proc/sys/kernel/random/boot_id` spells it; empty if that cannot be read.
public func bootID() -> String { played?.bootID ?? bootOfThisProcess }

/// Read once: no process outlives its boot.
private let bootOfThisProcess: String = {
    guard let bytes = readKernelFile("/proc/sys/kernel/random/boot_id") else { return "" }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
}()

/// How many bytes of memory of its own the process `pid` has now, and the most that it had at once: the resident memory
/// (proc_pid_status(5)) that is not backed by a file. Nil if the process has ended.
public func anonymousMemory(ofPID pid: Int32) -> (now: Int64, peak: Int64)? {
    readKernelFile("/proc/\(pid)/status").flatMap(anonymousMemory(inStatus:))
}

/// The same of `status`, a file of that kind.
func anonymousMemory(inStatus status: [UInt8]) -> (now: Int64, peak: Int64)? {
    var kibibytes: [String: Int64] = [:]
    for line in status.split(separator: UInt8(ascii: "\n")) {
        let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ":") }
        guard words.count == 3, let value = Int64(String(decoding: words[1], as: UTF8.self)) else { continue }
        kibibytes[String(decoding: words[0], as: UTF8.self)] = value
    }
    guard let now = kibibytes["RssAnon"], let peak = kibibytes["VmHWM"] else { return nil }
    let ofFiles = (kibibytes["RssFile"] ?? 0) + (kibibytes["RssShmem"] ?? 0)
    return (now << 10, max(now, peak - ofFiles) << 10)
}

/// Where the running program is: `/proc/self/exe`, links resolved; nil without /proc.
public func runningProgramPath() -> String? { linkTarget("/proc/self/exe") }

/// The path of `name` beside the running program: where a program of ours finds another, never through PATH.
public func programBeside(_ name: String) -> String? {
    guard let path = runningProgramPath(), let slash = path.lastIndex(of: "/") else { return nil }
    return path[...slash] + name
}
