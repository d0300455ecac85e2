public import BelfrySyscalls
import CBelfryLinux
import Glibc

/// Somebody's interest in a directory that a loop watches.
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
    /// `directory` may be closed at once. Several changes may make one call back, and now and then there is one for
    /// nothing: whoever is called compares what it finds. Fails with EINVAL on a kernel without F_NOTIFY; then, and on
    /// file systems of other machines, look again from time to time.
    public func watchDirectory(
        _ directory: Int32,
        description: String,
        _ action: @escaping () -> Void
    ) throws(SystemError) -> DirectorySource {
        assertOnLoop()
        return try directories.watch(directory, on: self, description: description, action)
    }
}

/// The directories a loop watches, by `F_NOTIFY`: of inotify instances a user has 128 and shares them with the desktop;
/// of these there is no limit.
///
/// One directory is watched until further notice by plain SIGIO. It is a standard signal, pending once at most however
/// much happens, and with one directory there is nothing to tell apart.
///
/// As soon as there are two, each has a real-time signal that names its descriptor, so that a change costs only those
/// who watch that directory. Such signals queue up, so each is given for one change: a stopped process has one queued
/// for each directory at most. The first directory alone stays with SIGIO because of what a hundred processes on the
/// same directory, which is what a hundred calls that ring are, cost whoever writes there: for signals until further
/// notice 13 µs, for one change each 39 µs, and at a thousand 0.1 ms against 12 ms, as the kernel then goes through its
/// list for every entry of it (measured on 6.18). That is also why several sources for the same directory share one
/// notice.
final class WatchedDirectories {
    /// One directory, and who watches it.
    private final class Watched {
        /// An open file of its own: closing any descriptor of one ends its notices.
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
            // What the kernel cannot queue as a real-time signal arrives as SIGIO too, and then names nothing.
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

    /// Goes over from SIGIO to signals that name what has changed.
    private func beginNaming(on loop: Loop) throws(SystemError) {
        try loop.onSignal(Self.namingSignal, description: "directory") { [unowned self] in changed($0.descriptor) }
        var named: [Int32: Watched] = [:]
        for directory in watched { named[directory.descriptor.number] = directory }
        self.named = named
        for number in named.keys {
            // What is asked for once more would be added to the notice until further notice: that one ends first.
            try checked("F_NOTIFY") { clinux_end_notices(number) }
            try checked("F_NOTIFY") { clinux_notify_directory_once(number, Self.events, Self.namingSignal) }
        }
        // What happened between the two has no signal.
        loop.afterThis(description: "directories") { [weak self] in self?.fireAll() }
    }

    private func remove(_ source: DirectorySource, from directory: Watched) {
        directory.sources.removeAll { $0 === source }
        guard directory.sources.isEmpty else { return }
        named?[directory.descriptor.number] = nil
        // Its descriptor is closed with it, which ends the notice as well.
        watched.removeAll { $0 === directory }
    }

    /// The directory behind `descriptor` has changed, or another one, cancelled since, that had this number: then this
    /// call back is for nothing.
    private func changed(_ descriptor: Int32) {
        guard let directory = named?[descriptor] else { return }
        // Before anybody looks, so that what happens from here on is told again.
        renew(directory)
        directory.fire()
    }

    /// Something has changed somewhere. A real-time signal that got lost has used up its notice.
    private func fireAll() {
        let directories = watched
        if named != nil { for directory in directories { renew(directory) } }
        for directory in directories { directory.fire() }
    }

    /// Asks for the next change. One that the kernel refuses, for want of memory, is left to looking again.
    private func renew(_ directory: Watched) {
        _ = clinux_notify_directory_once(directory.descriptor.number, Self.events, Self.namingSignal)
    }
}
