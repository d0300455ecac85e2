public import BelfrySyscalls
import CBelfryLinux
import Glibc

/// A directory a loop watches by `F_NOTIFY`.
///
/// Of inotify instances a user has 128 and shares them with the desktop; of these there is no limit. It does not say
/// what happened: every call back means "look again".
public final class DirectorySource {
    private let loop: LoopThread
    private let end: (DirectorySource) -> Void
    private var descriptor: OwnedDescriptor?
    private var action: (() -> Void)?

    fileprivate init(
        thread: LoopThread,
        descriptor: consuming OwnedDescriptor,
        action: @escaping () -> Void,
        end: @escaping (DirectorySource) -> Void
    ) {
        loop = thread
        self.descriptor = consume descriptor
        self.action = action
        self.end = end
    }

    /// Ends it. Cancelling twice does nothing.
    public func cancel() {
        loop.assertCurrent()
        guard action != nil else { return }
        action = nil
        // Closing ends the notice as well.
        descriptor = nil
        end(self)
    }

    fileprivate func fire() { action?() }
}

extension Loop {
    /// Calls `action` after something in `directory` itself was made, written, renamed or removed, until it is
    /// cancelled.
    ///
    /// `directory` may be closed at once. Several changes may make one call back, and a change in another watched
    /// directory makes one too, for the signal behind it names none: whoever is called compares what it finds. Fails
    /// with EINVAL on a kernel without it; then, and on file systems of other machines, look again from time to time.
    public func watchDirectory(
        _ directory: Int32,
        description: String,
        _ action: @escaping () -> Void
    ) throws(SystemError) -> DirectorySource {
        assertOnLoop()
        // A description of its own: closing any descriptor of one ends its notices.
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let own = OwnedDescriptor(
            owning: try checked("openat", on: description) { unsafe openat(directory, ".", flags) }
        )
        if directorySignal == nil {
            directorySignal = try onSignal(SIGIO, description: "directories") { [unowned self] _ in directoriesChanged()
            }
        }
        let events = UInt32(CLINUX_DN_MODIFY | CLINUX_DN_CREATE | CLINUX_DN_DELETE | CLINUX_DN_RENAME)
        try checked("F_NOTIFY", on: description) { clinux_notify_directory(own.number, events) }
        let source = DirectorySource(thread: thread, descriptor: own, action: action) { [weak self] source in
            self?.directories[ObjectIdentifier(source)] = nil
        }
        directories[ObjectIdentifier(source)] = source
        return source
    }

    private func directoriesChanged() {
        for source in Array(directories.values) { source.fire() }
    }
}
