import BelfryEventLoop
import BelfryJournal
import BelfryProtocol

/// Writes events to the journal one loop iteration late, so that silence and the group file come first. Never blocks.
final class JournalSink {
    private let loop: Loop
    private let path: String
    /// Made for the first entry, when the client has its events already.
    private lazy var writer = {
        let writer = JournalWriter(path: path)
        writer.onWaiting = { [unowned self] in watch($0) }
        return writer
    }()
    private var story = JournalStory(group: "")
    private var waiting: [Event] = []
    private var writable: DescriptorSource?

    /// The journal listens at `path`.
    init(loop: Loop, path: String = JournalWriter.standardPath) {
        self.loop = loop
        self.path = path
    }

    /// Begins the story of a notification in `group`.
    func begin(group: String) {
        story = JournalStory(group: group)
    }

    func write(_ event: Event) {
        // An event without an entry does not even cost an iteration: a tick must be as cheap as possible.
        guard JournalStory.hasEntry(for: event) else { return }
        if waiting.isEmpty { loop.afterThis(description: "journal") { [unowned self] in writeWaiting() } }
        waiting.append(event)
    }

    /// Writes the entries that are left, as far as that is possible without waiting; the rest is lost.
    func finish() {
        writeWaiting()
        writer.finish()
    }

    private func writeWaiting() {
        let events = waiting
        waiting = []
        for event in events {
            if let entry = story.entry(for: event) { writer.write(entry) }
        }
    }

    private func watch(_ descriptor: Int32?) {
        writable?.cancel()
        writable = descriptor.flatMap { descriptor in
            try? loop.watch(descriptor: descriptor, events: .writable, description: "journal writable") {
                [unowned self] _ in writer.flush()
            }
        }
    }
}
