public import BelfryEventLoop
public import BelfrySyscalls

/// Waits for news of a group file.
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
        // Read once it is watched: what is written from then on is noticed.
        reportedRevision = file.snapshot().revision
        return failure
    }

    /// Reads the file now and reports what is new: for each tick, since a notice may get lost, and for file systems
    /// that give none. Watches anew if the directory was removed and made again.
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
    /// Calls `changed` after each change of the file, by whomever: within a millisecond, on `loop`, with the file as it
    /// is then.
    ///
    /// Changes that follow each other closely are reported once; this object's own transactions are reported too. What
    /// was so before is not. If the kernel gives no notices (or the directory cannot be made), `look` on the watch,
    /// from a tick or a timer, still finds them: `failure` says why.
    public func watch(
        on loop: any EventLoop,
        _ changed: @escaping (GroupSnapshot) -> Void
    ) -> (watch: GroupWatch, failure: SystemError?) {
        let watch = GroupWatch(file: self, loop: loop, changed: changed)
        return (watch, watch.begin())
    }
}
