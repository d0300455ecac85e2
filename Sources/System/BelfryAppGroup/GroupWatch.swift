public import BelfryEventLoop
public import BelfrySyscalls

/// Watches a group file for changes.
public final class GroupWatch {
    private let file: GroupFile
    private let loop: any EventLoop
    private let changed: (GroupSnapshot) -> Void
    private var source: (any LoopWatch)?
    private var watchedCount = 0
    /// The revision that `changed` was called with last.
    private var reportedRevision: UInt64?
    private var isEnded = false

    fileprivate init(file: GroupFile, loop: any EventLoop, changed: @escaping (GroupSnapshot) -> Void) {
        self.file = file
        self.loop = loop
        self.changed = changed
    }

    fileprivate func begin() -> SystemError? {
        var failure: SystemError?
        do throws(SystemError) {
            try watchAgain()
        } catch {
            failure = error
        }
        // Read after the watch has begun: every later write is noticed.
        reportedRevision = file.snapshot().revision
        return failure
    }

    /// Reads the file now and reports what is new: called at each tick, since a notice may get lost, and some file
    /// systems give none. Watches anew if the directory was removed and made again.
    public func look() {
        guard !isEnded else { return }
        if watchedCount == file.directoriesCount, file.isStill(at: reportedRevision) { return }
        let snapshot = file.snapshot()
        if watchedCount != file.directoriesCount { try? watchAgain() }
        guard snapshot.revision != reportedRevision else { return }
        reportedRevision = snapshot.revision
        changed(snapshot)
    }

    /// Ends it. Cancelling twice does nothing.
    public func cancel() {
        isEnded = true
        source?.cancel()
    }

    private func watchAgain() throws(SystemError) {
        source?.cancel()
        guard try file.openDirectories(makes: true), let directory = file.directories?.preferences.descriptor.number
        else { return }
        watchedCount = file.directoriesCount
        source = try loop.watchDirectory(directory, description: "group-file") { [weak self] in self?.look() }
    }
}

extension GroupFile {
    /// Calls `changed` after each change of the file by any process: within a millisecond, on `loop`, with the file as
    /// it is then.
    ///
    /// Changes that follow each other closely are reported once; this object's own transactions are reported too. The
    /// contents at the start are not. If the kernel gives no notices (or the directory cannot be made), `look` on the
    /// watch, from a tick or a timer, still finds them: `failure` says why.
    public func watch(
        on loop: any EventLoop,
        _ changed: @escaping (GroupSnapshot) -> Void
    ) -> (watch: GroupWatch, failure: SystemError?) {
        let watch = GroupWatch(file: self, loop: loop, changed: changed)
        return (watch, watch.begin())
    }
}
