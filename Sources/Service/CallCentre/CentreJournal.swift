import BelfryEventLoop
import BelfryJournal
import BelfryProtocol
import BelfryTerms

/// Writes what apps do to the journal. Never blocks.
final class CentreJournal {
    private let loop: Loop
    private let group: String
    private let writer: JournalWriter
    private var writable: DescriptorSource?

    /// The journal listens at `path`.
    init(path: String, group: GroupName, on loop: Loop) {
        self.loop = loop
        self.group = group.text
        writer = JournalWriter(path: path, identifier: "belfry-calls")
        writer.onWaiting = { [unowned self] in watch($0) }
    }

    /// Writes the entry for `event`.
    func write(_ event: Event) {
        var story = JournalStory(group: group)
        if let entry = story.entry(for: event) { writer.write(entry) }
    }

    /// Writes what is left, as far as that is possible without waiting.
    func finish() { writer.finish() }

    private func watch(_ descriptor: Int32?) {
        writable?.cancel()
        writable = descriptor.flatMap { descriptor in
            try? loop.watch(descriptor: descriptor, events: .writable, description: "journal writable") {
                [unowned self] _ in writer.flush()
            }
        }
    }
}
