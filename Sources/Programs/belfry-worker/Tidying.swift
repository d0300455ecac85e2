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
            var left = groups.count
            for group in groups {
                tidy(LedgerFile(state: state, runtime: runtime, group: group), on: loop) {
                    left -= 1
                    if left == 0 { loop.stop() }
                }
            }
            if left > 0 { loop.run() }
            return 0
        } catch {
            complain("\(error)")
            return 70
        }
    }

    private static func tidy(_ file: LedgerFile, on loop: Loop, done: @escaping () -> Void) {
        guard file.read() != nil else {
            file.folder.tidy { $0.isAlive }
            return done()
        }
        file.transact(on: loop) { ledger in
            ledger.takeDeadRings()
        } completion: { transaction in
            // If missed calls cannot be kept, every program that opens the ledger would report them again: they wait.
            if case .unwritable(let error, kept: false, _) = transaction.outcome {
                complain("\(file.file.path): what dead workers left cannot be recorded: \(error)")
            } else {
                report(transaction.value, in: file.file.group)
            }
            file.finish(by: loop.now) {
                file.folder.tidy { $0.isAlive }
                done()
            }
        }
    }

    private static func report(_ missed: [Call], in group: GroupName) {
        let writer = JournalWriter()
        let boot = Instant(microseconds: bootTimeMicroseconds()).seconds
        for call in missed {
            var story = JournalStory(group: group.text)
            var content = NotificationContent()
            content.title = call.name.isEmpty ? call.handle : call.name
            content.body = MissedCall.body(hasVideo: call.hasVideo)
            let event = Event(at: 0, boot: boot, id: randomUUID(), body: .missed(call: call.key.text, content: content))
            print(String(decoding: event.line, as: UTF8.self), terminator: "")
            if let entry = story.entry(for: event) { writer.write(entry) }
        }
        writer.finish()
    }
}
