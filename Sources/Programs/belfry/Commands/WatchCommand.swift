import BelfryAppGroup
import BelfryCommandLine
import BelfryEventLoop
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger

extension Command {
    /// `belfry watch`.
    static let watch = Command(
        name: "watch", synopsis: ["watch [--explain]", "watch --pushes [--id ID] [--device DEVICE] [--explain]"],
        summary: "who rings, live, and how each call ends",
        details: """
            Ends with Ctrl-C. With --json one object a line: "time" is in Unix seconds, "at" in seconds since it began.
            Where belfry-calls.socket listens, also what apps do with their calls, and their mistakes.
            With --pushes each push that arrives, whoever sent it, with its content, its events, its end, and each request
            to the APNs endpoint with its headers and its answer; ID is a push's id or its apns-id.
            With --explain what each warning means, and what to do about it, stands beneath it.
            """,
        options: [
            Option("pushes", "what is pushed, and what becomes of it"), Option("id", "ID", "of one push alone"),
            Option("device", "DEVICE", "of one virtual device alone"),
            Option("explain", "say what each warning means, and what to do about it"),
        ]
    ) { context throws(CommandError) in
        guard !context.options.has("explain") || !context.wantsJSON else {
            throw CommandError(.usage, "--explain is for people", "without --json")
        }
        guard context.options.has("pushes") else {
            guard context.options["id"] == nil, context.options["device"] == nil else {
                throw CommandError(.usage, "--id and --device choose among pushes", "belfry watch --pushes")
            }
            let access = try GroupAccess(context)
            CallWatch(context, access.ledgerFile, try makeLoop()).run()
            return .done
        }
        try PushWatch(context, try makeLoop()).run()
        return .done
    }

    /// A loop for this command.
    static func makeLoop() throws(CommandError) -> Loop {
        do throws(SystemError) {
            return try Loop()
        } catch {
            throw CommandError(.defect, "there is no event loop: \(error)")
        }
    }
}

/// Follows a group's ledger, and prints who rings and how each call ends, even if a worker dies without recording it.
final class CallWatch {
    private let context: Context
    private let file: LedgerFile
    private let loop: Loop
    private let start: Instant
    private var watch: LedgerWatch?
    private var apps: AppWatch?
    private var ledger: Ledger
    private var ringing: [CallKey: Call] = [:]
    private var wasInFront = false

    /// A watch on the ledger in `file`. Prints nothing yet.
    init(_ context: Context, _ file: LedgerFile, _ loop: Loop) {
        self.context = context
        self.file = file
        self.loop = loop
        start = loop.now
        ledger = file.read() ?? Ledger(reading: file.file.snapshot())
    }

    /// Prints the current rings, then changes, until the output is closed.
    func run() {
        watch = file.watch(on: loop) { [self] error in
            context.warn("changes are seen late, since the folder cannot be watched: \(error)")
        } changed: { [self] in
            look(at: $0)
        }
        apps = AppWatch(context, loop) { [unowned self] in print($0) }
        lookOften()
        loop.run()
    }

    private func print(_ event: Event) {
        if context.wantsJSON {
            var object = event.json
            object["at"] = .real(elapsed)
            object["time"] = .real(wall.unixSeconds)
            context.output.json(object)
        } else {
            let tone: Style.Tone = event.kind == .warning ? .bad : .notable
            let time = TimeText.clock(wall.unixSecond)
            context.output.line(story.line(of: time, event.name, event.body.details, tone: tone))
            context.explain(event, story)
        }
        if !context.output.isOpen { loop.stop() }
    }

    /// Looks again once a second: the kernel reports no changes that are kept beside the file, and on some file systems
    /// none at all.
    private func lookOften() {
        _ = loop.schedule(at: loop.now + .seconds(1), description: "look again") { [self] in
            watch?.look()
            apps?.look()
            lookOften()
        }
    }

    private func look(at now: Ledger) {
        let before = ledger
        ledger = now
        let rings = ledger.rings
        for ring in rings where ringing[ring.key] == nil { printRinging(ring) }
        for change in ledger.changes(from: before) where change.after?.state != .ringing { printEnd(change) }
        for (key, call) in ringing where !rings.contains(where: { $0.key == key }) { endRing(key, call) }
        for ring in rings {
            if let known = ringing[ring.key], !known.hasCaller(of: ring) { print("caller", ring, "", tone: .notable) }
            ringing[ring.key] = ring
        }
        printForeground()
        watch?.expectEnds(of: Array(ringing.values))
        if !context.output.isOpen { loop.stop() }
    }

    /// Ends a ring that is over. If its entry does not say so yet, its owner will write the end, unless it died.
    private func endRing(_ key: CallKey, _ call: Call) {
        if ledger.call(key)?.state == .ringing {
            guard call.owner?.isAlive != true else { return }
            print("lost", call, "its worker left no word", tone: .bad)
        }
        ringing[key] = nil
    }

    private func printRinging(_ call: Call) {
        let still = DecimalText.fixed((call.until - loop.now).seconds, digits: 1)
        print("ringing", call, "for \(still) s", tone: .good)
    }

    private func printEnd(_ change: CallChange) {
        // A record is forgotten after ten minutes: that is no news.
        guard let call = change.after else { return }
        // The worker changes the record once more when it has reported the end.
        if let before = change.before, before.state == call.state, before.hangupReason == call.hangupReason { return }
        let reason = call.hangupReason.map { "\($0.rawValue)" } ?? ""
        print(call.state.rawValue, call, reason, tone: call.state == .missed ? .bad : .notable)
    }

    private func printForeground() {
        let isInFront = ledger.foreground != .background
        defer { wasInFront = isInFront }
        guard isInFront != wasInFront else { return }
        if context.wantsJSON {
            context.output.json(["at": .real(elapsed), "time": .real(wall.unixSeconds), "foreground": .bool(isInFront)])
        } else {
            let text = isInFront ? "the app is in front: calls do not ring" : "the app is no longer in front"
            context.output.line(story.line(of: TimeText.clock(wall.unixSecond), "app", text, tone: .strong))
        }
    }

    private func print(_ state: String, _ call: Call, _ detail: String, tone: Style.Tone) {
        if context.wantsJSON {
            var object: JSONObject = [
                "at": .real(elapsed), "time": .real(wall.unixSeconds), "state": .string(state),
                "call": .string(call.key.text),
                "name": .string(call.name), "handle": .string(call.handle), "video": .bool(call.hasVideo),
            ]
            if let reason = call.hangupReason { object["hangupReason"] = .string(reason.rawValue) }
            context.output.json(object.with(call.label))
        } else {
            let text = CallText.description(of: call) + (detail.isEmpty ? "" : ", \(detail)")
            context.output.line(story.line(of: TimeText.clock(wall.unixSecond), state, text, tone: tone))
        }
    }

    private var elapsed: Double { (loop.now - start).seconds }

    private var wall: WallTime { WallTime(microseconds: wallTimeMicroseconds()) }

    private var story: StoryText { StoryText(style: context.style) }
}

extension Call {
    /// Whether both are from the same caller, as people see it: an app may name another one while it rings.
    fileprivate func hasCaller(of other: Call) -> Bool {
        name == other.name && handle == other.handle && label == other.label && hasVideo == other.hasVideo
    }
}
