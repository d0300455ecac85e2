import CallTerms
import BootTime
import CallLedger
import Configuration
import Events
import JSON
import Syscalls

extension Command {
    /// `belfry calls`.
    static let calls = Command(
        name: "calls", synopsis: ["calls"], summary: "who rings, for how long still",
        details: "With --json one object a line for each call that rings; nothing where none does."
    ) { context throws(CommandError) in
        let rings = try GroupAccess(context).ledger().rings
        let now = Instant(microseconds: bootTimeMicroseconds())
        if context.wantsJSON {
            for (index, call) in rings.enumerated() {
                context.output.json(CallRow.json(of: call, mode: mode(index, context), now: now))
            }
        } else if rings.isEmpty {
            context.output.line("no call rings in \(context.groupName)")
        } else {
            let rows = rings.enumerated().map { index, call in
                CallRow.cells(of: call, mode: mode(index, context), now: now)
            }
            let lines = TableText.lines([CallRow.headings] + rows)
            for (index, line) in lines.enumerated() {
                context.output.line(context.style.paint(line, index == 0 ? .strong : nil))
            }
        }
        return .done
    }

    private static func mode(_ index: Int, _ context: Context) -> String {
        index == 0 ? "loud" : context.loaded.settings.secondCall.rawValue
    }
}

/// A ringing call as a row of a table, or as an object.
private enum CallRow {
    static let headings = ["STILL", "MODE", "CALL", "CALLER", "HANDLE", "KIND"]

    static func cells(of call: Call, mode: String, now: Instant) -> [String] {
        let still = DecimalText.fixed((call.until - now).seconds, digits: 1) + " s"
        return [
            still, mode, CallText.name(of: call.key.text), call.name.isEmpty ? "-" : call.name,
            call.handle.isEmpty ? "-" : call.handle, call.hasVideo ? "video" : "audio",
        ].map(Printable.escaped)
    }

    static func json(of call: Call, mode: String, now: Instant) -> JSONObject {
        var object: JSONObject = [
            "call": .string(call.key.text), "mode": .string(mode), "name": .string(call.name),
            "handle": .string(call.handle), "video": .bool(call.hasVideo),
            "remaining": .real((call.until - now).seconds),
        ]
        if let started = call.started { object["started"] = .integer(started) }
        if let owner = call.owner { object["pid"] = .integer(owner.pid) }
        return object
    }
}
