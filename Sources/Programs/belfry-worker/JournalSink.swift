import BelfryEventLoop
import BelfryJournal
import BelfryProtocol

/// Takes events into the journal a loop's iteration later, after silence and the group file, and never waits for it.
final class JournalSink {
    private let loop: Loop
    private let writer = JournalWriter()
    private var story = JournalStory(group: "")
    private var waiting: [Event] = []
    private var writable: DescriptorSource?

    init(loop: Loop) {
        self.loop = loop
        writer.onWaiting = { [unowned self] in watch($0) }
    }

    /// Begins the story of a notification in `group`.
    func begin(group: String) {
        story = JournalStory(group: group)
    }

    func write(_ event: Event) {
        // Not even an iteration for what has no entry: a tick shall cost as little as it can.
        guard JournalStory.hasEntry(for: event) else { return }
        if waiting.isEmpty { loop.afterThis(description: "journal") { [unowned self] in writeWaiting() } }
        waiting.append(event)
    }

    /// Writes what it can of what is left; the rest is lost with the worker.
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
