import BelfryAppGroup
import BelfryEventLoop
import BelfryJournal
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import CallService
import GroupLedger
import RingEar
import Glibc

/// What belfry-tidy.service does after a worker died: settles its ring, and reports the missed call (R12).
enum Tidying {
    /// Settles every group, and returns the exit status.
    static func run(environment: Environment) -> Int32 {
        guard let state = StateDirectory(environment: environment) else { return 0 }
        do throws(SystemError) {
            let loop = try Loop()
            let runtime = RuntimeDirectory(environment: environment, statePath: state.path)
            let groups = try state.groups()
            let teller = MissedCallTeller(loop: loop)
            var left = groups.count
            for group in groups {
                tidy(LedgerFile(state: state, runtime: runtime, group: group), on: loop, telling: teller) {
                    left -= 1
                    if left == 0 { teller.finish { loop.stop() } }
                }
            }
            // If everything is done already, the loop stops at once.
            if !groups.isEmpty { loop.run() }
            return 0
        } catch {
            complain("belfry-worker: \(error)")
            return 70
        }
    }

    private static func tidy(
        _ file: LedgerFile, on loop: Loop, telling teller: MissedCallTeller, done: @escaping () -> Void
    ) {
        guard file.read() != nil else {
            file.folder.tidy { $0.isAlive }
            return done()
        }
        let finish = {
            file.finish(by: loop.now) {
                file.folder.tidy { $0.isAlive }
                done()
            }
        }
        file.transact(on: loop) { ledger in
            ledger.unreported
        } completion: { transaction in
            // If nothing can be recorded, every program that opens the ledger would report them again: they wait.
            guard isRecorded(transaction.outcome, in: file) else { return finish() }
            // Reported first: if this process is killed between, that is done twice rather than never.
            for call in transaction.value { teller.tell(call, in: file.file.group) }
            file.transact(on: loop) { ledger in
                ledger.reported(transaction.value)
            } completion: { marking in
                _ = isRecorded(marking.outcome, in: file)
                finish()
            }
        }
    }

    private static func isRecorded(_ outcome: LedgerOutcome, in file: LedgerFile) -> Bool {
        guard case .unwritable(let error, kept: false, _) = outcome else { return true }
        complain("belfry-worker: \(file.file.path): what dead workers left cannot be recorded: \(error)")
        return false
    }
}

/// Tells missed calls to the journal, and waits for it: nobody waits for the tidier, and nobody else tells them.
private final class MissedCallTeller {
    /// How long a journal that stands still is waited for. The unit allows a little more.
    private static let patience = TimeSpan.seconds(20)

    private let loop: Loop
    private let writer = JournalWriter()
    private var entries: [JournalEntry] = []
    private var writable: DescriptorSource?
    private var isWaiting = false
    private var done: (() -> Void)?

    init(loop: Loop) {
        self.loop = loop
        writer.onWaiting = { [unowned self] in watch($0) }
    }

    func tell(_ call: Call, in group: GroupName) {
        var story = JournalStory(group: group.text)
        var content = NotificationContent()
        content.title = call.name.isEmpty ? call.handle : call.name
        content.body = MissedCall.body(hasVideo: call.hasVideo)
        let boot = Instant(microseconds: bootTimeMicroseconds()).seconds
        let event = Event(at: 0, boot: boot, id: randomUUID(), body: .missed(call: call.key.text, content: content))
        print(String(decoding: event.line, as: UTF8.self), terminator: "")
        if let entry = story.entry(for: event) { entries.append(entry) }
        proceed()
    }

    /// Calls `done` once the journal has all, or stood still for too long.
    func finish(_ done: @escaping () -> Void) {
        guard isWaiting else { return done() }
        self.done = done
        _ = loop.schedule(at: loop.now + Self.patience, description: "journal") { done() }
    }

    /// One entry after the other, since the writer keeps few that wait.
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
