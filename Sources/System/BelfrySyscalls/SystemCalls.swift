package import CBelfryLinux
import Glibc
import Synchronization

/// The system calls with which processes share files, locks and sockets, identify each other and read the time: the
/// machine, as far as ringing depends on it.
///
/// Each is answered as in C: -1 and errno if it fails. Descriptors, paths and flags are those of the call it is named
/// after. A simulation plays a machine that answers the calls of one thread; the calls of all other threads go to the
/// kernel.
package protocol PlayedMachine: AnyObject {
    func open(_ path: String, _ flags: Int32) -> Int32
    func openat(_ directory: Int32, _ name: String, _ flags: Int32) -> Int32
    func close(_ descriptor: Int32)
    func mkdir(_ path: String) -> Int32
    func mkdirat(_ directory: Int32, _ name: String) -> Int32
    func unlinkat(_ directory: Int32, _ name: String, _ flags: Int32) -> Int32
    func renameat(_ directory: Int32, _ name: String, _ newDirectory: Int32, _ newName: String) -> Int32
    func fstat(_ descriptor: Int32, _ status: inout stat) -> Int32
    func fstatat(_ directory: Int32, _ name: String, _ status: inout stat) -> Int32
    func getdents(_ directory: Int32) -> [String]
    func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int
    func write(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int
    func fsync(_ descriptor: Int32) -> Int32
    func flock(_ descriptor: Int32, _ operation: Int32) -> Int32
    func socket() -> Int32
    func bind(_ socket: Int32, _ path: String) -> Int32
    func listen(_ socket: Int32, _ backlog: Int32) -> Int32
    func connect(_ socket: Int32, _ path: String) -> Int32
    func accept(_ socket: Int32) -> Int32
    func recv(_ socket: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int
    func send(_ socket: Int32, _ packet: UnsafeRawBufferPointer) -> Int
    func shutdown(_ socket: Int32)
    /// The bytes of `/proc/…`; nil if there is no such file.
    func kernelFile(_ path: String) -> [UInt8]?
    func clock(_ clock: clockid_t) -> Int64
    /// The process that calls.
    var process: ProcessIdentity { get }
    /// Which boot this is.
    var bootID: String { get }
}

extension PlayedMachine {
    /// Has the system calls that `body` makes on this thread answered by this machine.
    package func play<Value>(_ body: () -> Value) -> Value {
        isAnyPlayed.store(true, ordering: .relaxed)
        let box = PlayedBox(self)
        let outer = unsafe pthread_getspecific(playedKey)
        _ = unsafe pthread_setspecific(playedKey, Unmanaged.passUnretained(box).toOpaque())
        defer { _ = unsafe pthread_setspecific(playedKey, outer) }
        return withExtendedLifetime(box, body)
    }
}

/// The machine that is played on this thread; nil for the kernel.
var played: (any PlayedMachine)? {
    // As long as no simulation plays, one atomic load is all that this costs.
    guard isAnyPlayed.load(ordering: .relaxed), let box = unsafe pthread_getspecific(playedKey) else { return nil }
    return unsafe Unmanaged<PlayedBox>.fromOpaque(box).takeUnretainedValue().machine
}

private final class PlayedBox {
    unowned let machine: any PlayedMachine

    init(_ machine: any PlayedMachine) { self.machine = machine }
}

private let isAnyPlayed = Atomic<Bool>(false)

private let playedKey: pthread_key_t = {
    var key = pthread_key_t()
    let result = unsafe pthread_key_create(&key, nil)
    precondition(result == 0, "no key for a thread's machine: errno \(result)")
    return key
}()

/// The calls of ``PlayedMachine``, of the machine that is played or of the kernel.
enum SystemCall {
    static func open(_ path: String, _ flags: Int32) -> Int32 {
        if let played { return played.open(path, flags) }
        return unsafe Glibc.open(path, flags)
    }

    static func openat(_ directory: Int32, _ name: String, _ flags: Int32) -> Int32 {
        if let played { return played.openat(directory, name, flags) }
        return unsafe Glibc.openat(directory, name, flags, Directory.newFileMode)
    }

    static func close(_ descriptor: Int32) -> Int32 {
        if let played {
            played.close(descriptor)
            return 0
        }
        return Glibc.close(descriptor)
    }

    static func mkdir(_ path: String) -> Int32 {
        if let played { return played.mkdir(path) }
        return unsafe Glibc.mkdir(path, Directory.newDirectoryMode)
    }

    static func mkdirat(_ directory: Int32, _ name: String) -> Int32 {
        if let played { return played.mkdirat(directory, name) }
        return unsafe Glibc.mkdirat(directory, name, Directory.newDirectoryMode)
    }

    static func unlinkat(_ directory: Int32, _ name: String, _ flags: Int32) -> Int32 {
        if let played { return played.unlinkat(directory, name, flags) }
        return unsafe Glibc.unlinkat(directory, name, flags)
    }

    static func renameat(_ directory: Int32, _ name: String, _ newDirectory: Int32, _ newName: String) -> Int32 {
        if let played { return played.renameat(directory, name, newDirectory, newName) }
        return unsafe Glibc.renameat(directory, name, newDirectory, newName)
    }

    static func fstat(_ descriptor: Int32, _ status: inout stat) -> Int32 {
        if let played { return played.fstat(descriptor, &status) }
        return unsafe Glibc.fstat(descriptor, &status)
    }

    static func fstatat(_ directory: Int32, _ name: String, _ status: inout stat) -> Int32 {
        if let played { return played.fstatat(directory, name, &status) }
        // Not `fstatat(directory, name, …)`, which copies the name to the heap: each tick asks.
        return unsafe name.withCString { unsafe Glibc.fstatat(directory, $0, &status, AT_SYMLINK_NOFOLLOW) }
    }

    static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let played { return unsafe played.read(descriptor, buffer) }
        return unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    }

    static func write(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
        if let played { return unsafe played.write(descriptor, buffer) }
        return unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
    }

    static func fsync(_ descriptor: Int32) -> Int32 {
        if let played { return played.fsync(descriptor) }
        return Glibc.fsync(descriptor)
    }

    static func flock(_ descriptor: Int32, _ operation: Int32) -> Int32 {
        if let played { return played.flock(descriptor, operation) }
        return callFlock(descriptor, operation)
    }
}

/// The call itself, which is hidden by the C structure of the same name.
private func callFlock(_ descriptor: Int32, _ operation: Int32) -> Int32 { flock(descriptor, operation) }
