import BelfryAppGroup
import BelfryJSON
import BelfryProtocol
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger

extension Command {
    /// `belfry answer`.
    static let answer = Command(
        name: "answer", synopsis: ["answer [ID]"], summary: "answer a call, as the person at the endpoint does",
        details: """
            Without ID the call that rings loud is answered. The app finds the answer in pendingAccept of the group file.
            """,
        arguments: 0...1
    ) { context throws(CommandError) in
        try end(context, as: .answer)
    }

    /// `belfry decline`.
    static let decline = Command(
        name: "decline", synopsis: ["decline [ID]"], summary: "decline a call, as the person at the endpoint does",
        details: "Without ID the call that rings loud is declined.", arguments: 0...1
    ) { context throws(CommandError) in
        try end(context, as: .decline)
    }

    /// The call that rings loud.
    static func loudestCall(_ context: Context) throws(CommandError) -> CallKey {
        let access = try GroupAccess(context)
        if let call = try access.knownLedger().loudest { return call.key }
        throw try nothingRings(context, access)
    }

    private static func end(_ context: Context, as end: PersonalEnd) throws(CommandError) -> ProgramStatus {
        let access = try GroupAccess(context)
        _ = try access.knownLedger()
        let named = context.options.arguments.first.map { CallKey($0) }
        let ended: EndedCall?
        switch try access.end(named, as: end) {
        case .over(let call): ended = call
        case .due(_, let change): ended = try access.changeLedger(change)
        }
        guard let ended else {
            guard let named else { throw try nothingRings(context, access) }
            throw CommandError(.noSuchCall, "no call \(named.text) rings", "see belfry calls")
        }
        let (call, state) = (ended.call, end.state)
        guard ended.state == state else {
            throw CommandError(
                .noSuchCall, "\(call.key.text) has ended already: \(ended.state.rawValue)", "see belfry calls")
        }
        if context.wantsJSON {
            context.output.json(["call": .string(call.key.text), "state": .string(state.rawValue)])
        } else {
            context.output.line("\(state.rawValue) \(CallText.description(of: call))")
        }
        return .done
    }

    /// Records dead rings as missed, and says that nothing rings.
    private static func nothingRings(_ context: Context, _ access: GroupAccess) throws(CommandError) -> CommandError {
        _ = try access.ledger()
        return CommandError(.noSuchCall, "no call rings in \(context.groupName)", "see belfry calls")
    }
}

extension Command {
    /// `belfry app`.
    static let app = Command(
        name: "app", synopsis: ["app foreground [--pid PID]", "app background"],
        summary: "say that the app is in front, which silences what rings, or no longer",
        details: """
            With --pid the app is in front as long as that process lives. Without it nobody can be asked: the word holds
            until "belfry app background", a reboot, or for 12 hours.
            """,
        options: [Option("pid", "PID", "the app's process")], arguments: 1...1
    ) { context throws(CommandError) in
        switch context.options.arguments[0] {
        case "foreground": return try enterForeground(context)
        case "background":
            guard !context.options.has("pid") else {
                throw CommandError(.usage, "--pid goes with app foreground", "leave it out")
            }
            try GroupAccess(context).changeLedger { ledger in ledger.enterBackground() }
            return .done
        case let word:
            throw CommandError(.usage, "an app is not \(word)", "belfry app foreground, or belfry app background")
        }
    }

    private static func enterForeground(_ context: Context) throws(CommandError) -> ProgramStatus {
        var owner: Owner?
        if let text = context.options["pid"] {
            guard let pid = ValueText.integer(text, in: 1...Int(Int32.max)),
                let process = ProcessIdentity(livingPID: Int32(pid))
            else { throw CommandError(.usage, "no process \(text) runs", "--pid takes the app's process id") }
            owner = Owner(process)
        }
        let isOwned = owner != nil
        try GroupAccess(context).changeLedger(telling: .foreground) { ledger in ledger.enterForeground(owner: owner) }
        if !isOwned, !context.wantsJSON {
            context.output.line(
                "in front until belfry app background, a reboot, or for 12 hours; --pid gives it an owner")
        }
        return .done
    }
}

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

/// A table whose columns are aligned.
enum TableText {
    /// The lines of `rows`, with each column but the last padded to its widest cell. Cells must be escaped already.
    static func lines(_ rows: [[String]]) -> [String] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            return cells.joined(separator: "  ")
        }
    }
}
