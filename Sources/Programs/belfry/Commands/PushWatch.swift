import BelfryAppGroup
import BelfryCommandLine
import BelfryEventLoop
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import RingEar

/// `belfry watch --pushes`: prints what arrives and what becomes of it, until a signal ends it or its output is closed.
final class PushWatch {
    private let context: Context
    private let loop: Loop

    init(_ context: Context, _ loop: Loop) {
        self.context = context
        self.loop = loop
    }

    /// Prints until it is ended. The first line says that whatever is pushed from then on is followed.
    func run() throws(CommandError) {
        let environment = Environment(context.environment)
        guard let state = StateDirectory(environment: environment) else {
            throw CommandError(.unavailable, "there is no telling where state is kept", "set HOME")
        }
        let runtime = RuntimeDirectory(environment: environment, statePath: state.path)
        let selection = RecordSelection(id: context.options["id"], device: context.options["device"])
        do throws(SystemError) {
            for number in [SIGTERM, SIGINT, SIGHUP] where !isIgnored(signal: number) {
                try loop.onSignal(number, description: "signal") { [loop] _ in loop.stop() }
            }
            let recorder = try PushRecorder(runtime, selection, on: loop) { [unowned self] in show($0) }
            if context.wantsJSON { context.output.json(["record": "following"]) }
            loop.run()
            recorder.finish()
        } catch {
            throw CommandError(.unavailable, "pushes cannot be followed: \(error)")
        }
    }

    private func show(_ record: JSONObject) {
        if context.wantsJSON { context.output.json(record) } else { tell(record) }
        if !context.output.isOpen { loop.stop() }
    }

    private func tell(_ record: JSONObject) {
        let story = StoryText(style: context.style)
        let name = record["apnsId"]?.stringValue ?? record["id"]?.stringValue ?? ""
        func line(_ what: String, _ text: String, _ tone: Style.Tone) {
            let now = WallTime(microseconds: wallTimeMicroseconds())
            context.output.line(story.line(of: TimeText.clock(now.unixSecond), what, text, tone: tone))
        }
        switch record["record"]?.stringValue {
        case "push":
            let content = record["content"]?.objectValue.flatMap { try? NotificationContent(json: $0) }
            let type = record["pushType"]?.stringValue ?? "unreadable"
            line("push", "\(name) \(type) \(content?.description ?? "")", .strong)
        case "event":
            guard let event = try? Event(json: record) else { return }
            line(event.name, "\(name) \(event)", .notable)
            context.explain(event, story)
        case "end": line("end", record["whole"]?.boolValue == true ? name : "\(name) its worker left no word", .notable)
        default:
            let status = record["status"]?.integerValue ?? 0
            let path = record["path"]?.stringValue ?? ""
            line(
                "request", "\(name) \(path) \(status) \(record["reason"]?.stringValue ?? "")",
                status == 200 ? .good : .bad)
        }
    }
}
