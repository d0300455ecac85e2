import BelfryAppGroup
import BelfryEventLoop
import BelfryJournal
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import CallService
import ExtensionKeeping
import Glibc
import GroupLedger
import RingEar

/// The work of belfry-tidy.service after a worker died: settles its ring, reports the missed call, and delivers
/// what a foreign extension had (R12).
enum Tidying {
    /// Settles every group, and returns the exit status.
    static func run(environment: Environment) -> Int32 {
        guard let state = StateDirectory(environment: environment) else { return 0 }
        do throws(SystemError) {
            let loop = try Loop()
            let runtime = RuntimeDirectory(environment: environment, statePath: state.path)
            let groups = try state.groups()
            let isForStandardError = environment["BELFRY_JOURNAL"] == "no"
            let journal = PatientJournal(
                loop: loop, path: isForStandardError ? JournalWriter.noPath : JournalWriter.standardPath)
            let originals = LaidOriginal.left(in: runtime.path)
            var left = groups.count + 1
            let done = {
                left -= 1
                guard left == 0 else { return }
                journal.finish {
                    // Told first: if this process is killed between, that is done twice rather than never.
                    for original in originals { LaidOriginal.remove(original) }
                    loop.stop()
                }
            }
            for original in originals { deliver(original, showing: runtime.desktopSocketPath, telling: journal) }
            for group in groups {
                tidy(LedgerFile(state: state, runtime: runtime, group: group), on: loop, telling: journal, done: done)
            }
            done()
            // If everything is done already, the loop stops at once.
            loop.run()
            return 0
        } catch {
            complain("belfry-worker: \(error)")
            return 70
        }
    }

    /// Delivers the original of a notification whose worker was killed while a foreign extension had it: to the
    /// desktop, if one listens, and the journal.
    private static func deliver(_ original: LeftOriginal, showing path: String, telling journal: PatientJournal) {
        if let desktop = try? connectStream(to: path, waits: false) {
            // What is sent waits there, also after our end is closed.
            _ = NonBlockingOutput(desktop.number).write(original.lines[...])
        }
        var story = JournalStory(group: original.group.text)
        for event in original.events {
            let entry = story.entry(for: event)
            guard case .delivered = event.body else { continue }
            print(String(decoding: event.line, as: UTF8.self), terminator: "")
            if let entry { journal.write(entry) }
        }
    }

    private static func tidy(
        _ file: LedgerFile, on loop: Loop, telling journal: PatientJournal, done: @escaping () -> Void
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
            // If nothing can be recorded, every program that opens the ledger would report the calls again: they wait.
            guard isRecorded(transaction.outcome, in: file) else { return finish() }
            // Reported first, then recorded: if this process is killed in between, a call is reported twice, not never.
            for call in transaction.value { tell(call, in: file.file.group, to: journal) }
            file.transact(on: loop) { ledger in
                ledger.reported(transaction.value)
            } completion: { marking in
                _ = isRecorded(marking.outcome, in: file)
                finish()
            }
        }
    }

    private static func tell(_ call: Call, in group: GroupName, to journal: PatientJournal) {
        var story = JournalStory(group: group.text)
        var content = NotificationContent()
        content.title = call.name.isEmpty ? call.handle : call.name
        content.body = MissedCall.body(hasVideo: call.hasVideo)
        let boot = Instant(microseconds: bootTimeMicroseconds()).seconds
        let event = Event(at: 0, boot: boot, id: randomUUID(), body: .missed(call: call.key.text, content: content))
        print(String(decoding: event.line, as: UTF8.self), terminator: "")
        if let entry = story.entry(for: event) { journal.write(entry) }
    }

    private static func isRecorded(_ outcome: LedgerOutcome, in file: LedgerFile) -> Bool {
        guard case .unwritable(let error, kept: false, _) = outcome else { return true }
        complain("belfry-worker: \(file.file.path): what dead workers left cannot be recorded: \(error)")
        return false
    }
}
