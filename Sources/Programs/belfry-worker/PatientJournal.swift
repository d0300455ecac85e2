import BelfryEventLoop
import BelfryJournal
import BelfryTerms

/// Writes entries to the journal, and waits until it has them: for news that no other program reports, in a process for
/// which nothing waits.
final class PatientJournal {
    /// How long to wait for a journal that does not proceed. The unit allows a little more.
    private static let patience = TimeSpan.seconds(20)

    private let loop: any EventLoop
    private let writer: JournalWriter
    private var entries: [JournalEntry] = []
    private var writable: (any LoopWatch)?
    private var isWaiting = false
    private var done: (() -> Void)?

    /// The journal listens at `path`.
    init(loop: any EventLoop, path: String = JournalWriter.standardPath) {
        self.loop = loop
        writer = JournalWriter(path: path)
        writer.onWaiting = { [unowned self] in watch($0) }
    }

    /// Writes `entry` after the waiting ones; any number may wait.
    func write(_ entry: JournalEntry) {
        entries.append(entry)
        proceed()
    }

    /// Calls `done` once the journal has all entries, or has not proceeded for too long.
    func finish(_ done: @escaping () -> Void) {
        guard isWaiting else { return done() }
        self.done = done
        _ = loop.schedule(at: loop.now + Self.patience, description: "journal") { done() }
    }

    /// Writes one entry after the other, since the writer itself keeps only a few.
    private func proceed() {
        while !isWaiting, !entries.isEmpty { writer.write(entries.removeFirst()) }
        if !isWaiting { done?() }
    }

    private func watch(_ descriptor: Int32?) {
        writable?.cancel()
        isWaiting = descriptor != nil
        writable = descriptor.flatMap { descriptor in
            try? loop.watch(descriptor: descriptor, events: .writable, description: "journal writable") {
                [unowned self] _ in
                writer.flush()
                proceed()
            }
        }
    }
}
