import BelfryCommandLine
import BelfryJSON
import BelfryProtocol
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger

extension Command {
    /// `belfry calls`.
    static let calls = Command(
        name: "calls", synopsis: ["calls", "calls --missed", "calls --clear-missed [ID]..."],
        summary: "who rings, for how long still; who is spoken to, for how long; which calls were missed",
        details: """
            With --json one object a line for each call; nothing where there is none. A call that goes on after it was
            answered has the mode "active" and a duration in seconds: see belfry answer --pid. One of an app has its state,
            connecting, active or held, and is named to belfry end, hold, mute, keypad, merge and split. A missed call is
            listed until it is cleared, since the person has seen it: those with an ID that is given, else all.
            """,
        options: [
            Option("missed", "show the calls that were missed instead"),
            Option("clear-missed", "take missed calls off that list"),
        ], arguments: 0...Ledger.missedMax
    ) { context throws(CommandError) in
        if context.options.has("clear-missed") { return try clearMissed(context) }
        guard context.options.arguments.isEmpty else {
            throw CommandError(.usage, "an ID goes with --clear-missed", "belfry calls")
        }
        if context.options.has("missed") {
            MissedRow.print(try GroupAccess(context).ledger().missedCalls, context)
            return .done
        }
        // First, since a ring that is answered meanwhile is then known to go on.
        let ledger = try GroupAccess(context).ledger()
        list(ledger, OngoingRow.calls(context), context)
        return .done
    }

    private static func list(_ ledger: Ledger, _ going: [OngoingCall], _ context: Context) {
        // A call of an app is one call, whatever the ledger has of it.
        func isGoing(_ call: Call) -> Bool { going.contains { $0.call == call.key.text } }
        let rings = ledger.rings(secondCall: context.loaded.settings.secondCall).filter { !isGoing($0.call) }
        let active = ledger.activeCalls
        let others = active.filter { !isGoing($0) }
        let now = Instant(microseconds: bootTimeMicroseconds())
        if context.wantsJSON {
            for (call, mode) in rings {
                context.output.json(CallRow.json(of: call, mode: mode.rawValue, now: now))
            }
            for call in others { context.output.json(ActiveRow.json(of: call, now: now)) }
            for call in going {
                context.output.json(
                    OngoingRow.json(of: call, active.first { $0.key.text == call.call }, now: now))
            }
            return
        }
        if rings.isEmpty {
            context.output.line("no call rings in \(context.groupName)")
        } else {
            let rows = rings.map { call, mode in CallRow.cells(of: call, mode: mode.rawValue, now: now) }
            context.printTable(CallRow.headings, rows)
        }
        if !others.isEmpty { context.printTable(ActiveRow.headings, others.map { ActiveRow.cells(of: $0, now: now) }) }
        if !going.isEmpty { context.printTable(OngoingRow.headings, going.map { OngoingRow.cells(of: $0, now: now) }) }
    }

    private static func clearMissed(_ context: Context) throws(CommandError) -> ProgramStatus {
        let named = context.options.arguments.map { CallKey($0) }
        // A call that is named by its UUID is known by its key once it is off the list.
        let (keys, cleared) = try GroupAccess(context).changeLedger { ledger in
            let keys = named.map(ledger.key)
            return (keys, ledger.clearMissed(keys.isEmpty ? nil : keys))
        }
        if let gone = zip(named, keys).first(where: { _, key in !cleared.contains { $0.key == key } }) {
            throw CommandError(.notFound, "no missed call \(gone.0.text) is listed", "see belfry calls --missed")
        }
        return .done
    }
}

/// A ringing call, as a row of a table or as an object.
enum CallRow {
    static let headings = ["STILL", "MODE", "CALL", "CALLER", "HANDLE", "LABEL", "KIND"]

    static func cells(of call: Call, mode: String, now: Instant) -> [String] {
        let still = DecimalText.fixed((call.until - now).seconds, digits: 1) + " s"
        return [
            still, mode, CallText.name(of: call.key.text), call.name, call.handle, call.label?.title ?? "",
            call.hasVideo ? "video" : "audio",
        ]
    }

    static func json(of call: Call, mode: String, now: Instant) -> JSONObject {
        var object: JSONObject = [
            "call": .string(call.key.text), "mode": .string(mode), "name": .string(call.name),
            "handle": .string(call.handle), "video": .bool(call.hasVideo),
            "remaining": .real((call.until - now).seconds), "state": "ringing",
        ]
        if let picture = call.picture { object["picture"] = .string(picture) }
        if let started = call.started { object["started"] = .integer(started) }
        if let owner = call.owner { object["pid"] = .integer(owner.pid) }
        return object.with(call.label)
    }
}

/// A call that was answered and goes on, as a row of a table or as an object.
enum ActiveRow {
    static let headings = ["SINCE", "CALL", "CALLER", "HANDLE", "LABEL", "KIND", "PID"]

    static func cells(of call: Call, now: Instant) -> [String] {
        [
            duration(of: call, now), CallText.name(of: call.key.text),
            call.name, call.handle, call.label?.title ?? "", call.hasVideo ? "video" : "audio",
            "\(call.holders.last?.pid ?? 0)",
        ]
    }

    static func json(of call: Call, now: Instant) -> JSONObject {
        var object: JSONObject = [
            "call": .string(call.key.text), "mode": "active", "name": .string(call.name),
            "handle": .string(call.handle), "video": .bool(call.hasVideo),
            "duration": .real((now - (call.answeredAt ?? call.since)).seconds),
            "pids": .array(call.holders.map { .integer($0.pid) }), "state": "active",
        ]
        if let picture = call.picture { object["picture"] = .string(picture) }
        return object.with(call.label)
    }

    /// How long it has gone on, for people.
    static func duration(of call: Call, _ now: Instant) -> String {
        DecimalText.fixed((now - (call.answeredAt ?? call.since)).seconds, digits: 0) + " s"
    }
}

/// A missed call, as a row of a table or as an object.
enum MissedRow {
    static func print(_ missed: [MissedRecord], _ context: Context) {
        if context.wantsJSON {
            for call in missed { context.output.json(json(of: call)) }
        } else if missed.isEmpty {
            context.output.line("no missed call is listed in \(context.groupName)")
        } else {
            context.printTable(["MISSED", "CALL", "CALLER", "HANDLE", "LABEL", "KIND", "WHY"], missed.map(cells))
        }
    }

    private static func cells(of call: MissedRecord) -> [String] {
        [
            TimeText.time(call.missed), CallText.name(of: call.key.text), call.name, call.handle,
            call.label?.title ?? "", call.hasVideo ? "video" : "audio", call.reason.rawValue,
        ]
    }

    static func json(of call: MissedRecord) -> JSONObject {
        var object: JSONObject = [
            "call": .string(call.key.text), "name": .string(call.name), "handle": .string(call.handle),
            "video": .bool(call.hasVideo), "missed": .integer(call.missed), "reason": .string(call.reason.rawValue),
        ]
        if let picture = call.picture { object["picture"] = .string(picture) }
        return object.with(call.label)
    }
}

extension Context {
    /// Prints a table, with a hyphen in empty cells.
    func printTable(_ headings: [String], _ rows: [[String]]) {
        let cells = rows.map { $0.map { $0.isEmpty ? "-" : Printable.escaped($0) } }
        for (index, line) in TableText.lines([headings] + cells).enumerated() {
            output.line(style.paint(line, index == 0 ? .strong : nil))
        }
    }
}
