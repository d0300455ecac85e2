public import BelfrySyscalls
import CBelfryLinux
import Glibc

/// One watch of a directory, on a loop.
public final class DirectorySource {
    private let thread: LoopThread
    private var action: (() -> Void)?
    private let ended: (DirectorySource) -> Void

    fileprivate init(thread: LoopThread, action: @escaping () -> Void, ended: @escaping (DirectorySource) -> Void) {
        self.thread = thread
        self.action = action
        self.ended = ended
    }

    /// Ends it. Cancelling twice does nothing.
    public func cancel() {
        thread.assertCurrent()
        guard action != nil else { return }
        action = nil
        ended(self)
    }

    fileprivate func fire() { action?() }
}

extension Loop {
    /// Calls `action` after something in `directory` itself was made, written, renamed or removed, until it is
    /// cancelled.
    ///
    /// `directory` may be closed at once. Several changes may make one call back, and now and then a call back comes
    /// without a change: `action` has to compare what it finds. Fails with EINVAL on a kernel without F_NOTIFY; then,
    /// and on file systems of other machines, look again from time to time.
    public func watchDirectory(
        _ directory: Int32,
        description: String,
        _ action: @escaping () -> Void
    ) throws(SystemError) -> DirectorySource {
        assertOnLoop()
        return try directories.watch(directory, on: self, description: description, action)
    }
}

/// The directories a loop watches, by `F_NOTIFY`: a user has 128 inotify instances and shares them with the desktop,
/// while F_NOTIFY has no such limit.
///
/// One directory is watched until further notice by plain SIGIO. It is a standard signal, which is pending at most once
/// however much happens, and with one directory the signal need not say which.
///
/// As soon as there are two, each has a real-time signal that names its descriptor, so that a change costs only the
/// watchers of that directory. Such signals queue up, so each is asked for one change only: a stopped process has at
/// most one queued for each directory. A single directory stays with SIGIO because of the cost to the process that
/// writes there while a hundred processes watch, as with a hundred ringing calls: 13 µs with signals until further
/// notice, 39 µs with signals for one change; with a thousand 0.1 ms against 12 ms, since the kernel then walks its
/// list for every entry of it (measured on 6.18). That is also why several sources for the same directory share one
/// notice.
final class WatchedDirectories {
    /// One directory, and who watches it.
    private final class Watched {
        /// An open file of its own: closing any descriptor of an open file ends its notices.
        let descriptor: OwnedDescriptor
        // Which directory it is: no other can have the same numbers as long as the descriptor is open.
        private let device: UInt64
        private let inode: UInt64
        var sources: [DirectorySource] = []

        init(_ directory: Int32, description: String) throws(SystemError) {
            let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
            descriptor = OwnedDescriptor(
                owning: try checked("openat", on: description) { unsafe openat(directory, ".", flags) })
            let number = descriptor.number
            var status = stat()
            try checked("fstat", on: description) { unsafe fstat(number, &status) }
            (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        }

        func isSame(as other: Watched) -> Bool { device == other.device && inode == other.inode }

        func fire() {
            for source in sources { source.fire() }
        }
    }

    /// The real-time signal that names a directory's descriptor.
    private static let namingSignal = __libc_current_sigrtmin() + 5
    private static let events = UInt32(CLINUX_DN_MODIFY | CLINUX_DN_CREATE | CLINUX_DN_DELETE | CLINUX_DN_RENAME)

    /// One, as a rule: a dictionary would cost each ring a tenth of a millisecond before anything is in it.
    private var watched: [Watched] = []
    /// The same by the numbers of their descriptors, from when a second directory is watched: every notice since then
    /// names its descriptor.
    private var named: [Int32: Watched]?
    private var hasSignal = false

    func watch(
        _ directory: Int32,
        on loop: Loop,
        description: String,
        _ action: @escaping () -> Void
    ) throws(SystemError) -> DirectorySource {
        let opened = try Watched(directory, description: description)
        let known = watched.first { $0.isSame(as: opened) }
        if known == nil { try add(opened, on: loop, description: description) }
        let entry = known ?? opened
        let source = DirectorySource(thread: loop.thread, action: action) { [weak self, weak entry] source in
            if let entry { self?.remove(source, from: entry) }
        }
        entry.sources.append(source)
        return source
    }

    private func add(_ new: Watched, on loop: Loop, description: String) throws(SystemError) {
        if !hasSignal {
            // A signal that the kernel cannot queue as a real-time signal also arrives as SIGIO, and then names no
            // descriptor.
            try loop.onSignal(SIGIO, description: "directories") { [unowned self] _ in fireAll() }
            hasSignal = true
        }
        if named == nil, !watched.isEmpty { try beginNaming(on: loop) }
        let number = new.descriptor.number
        try checked("F_NOTIFY", on: description) {
            named == nil
                ? clinux_notify_directory(number, Self.events)
                : clinux_notify_directory_once(number, Self.events, Self.namingSignal)
        }
        watched.append(new)
        named?[number] = new
    }

    /// Switches from SIGIO to signals that name the directory that has changed.
    private func beginNaming(on loop: Loop) throws(SystemError) {
        try loop.onSignal(Self.namingSignal, description: "directory") { [unowned self] in changed($0.descriptor) }
        var named: [Int32: Watched] = [:]
        for directory in watched { named[directory.descriptor.number] = directory }
        self.named = named
        for number in named.keys {
            // End the lasting notice first: otherwise the new request would be added to it.
            try checked("F_NOTIFY") { clinux_end_notices(number) }
            try checked("F_NOTIFY") { clinux_notify_directory_once(number, Self.events, Self.namingSignal) }
        }
        // A change between these two calls has caused no signal.
        loop.afterThis(description: "directories") { [weak self] in self?.fireAll() }
    }

    private func remove(_ source: DirectorySource, from directory: Watched) {
        directory.sources.removeAll { $0 === source }
        guard directory.sources.isEmpty else { return }
        named?[directory.descriptor.number] = nil
        // Its descriptor is closed with it, which ends the notice as well.
        watched.removeAll { $0 === directory }
    }

    /// The directory behind `descriptor` has changed. If another directory had this number and was cancelled since,
    /// this call back comes without a change.
    private func changed(_ descriptor: Int32) {
        guard let directory = named?[descriptor] else { return }
        // Before the call backs, so that a change from here on raises a new signal.
        renew(directory)
        directory.fire()
    }

    /// Something has changed somewhere. A real-time signal that got lost has used up its notice.
    private func fireAll() {
        let directories = watched
        if named != nil { for directory in directories { renew(directory) } }
        for directory in directories { directory.fire() }
    }

    /// Asks for the next change. If the kernel refuses for want of memory, periodic looks have to find the changes.
    private func renew(_ directory: Watched) {
        _ = clinux_notify_directory_once(directory.descriptor.number, Self.events, Self.namingSignal)
    }
}
