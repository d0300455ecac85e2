import BelfryAppGroup
import BelfryCommandLine
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
        name: "answer", synopsis: ["answer [ID] [--pid PID]"],
        summary: "answer a call, as the person at the endpoint does",
        details: """
            Without ID the call that rings loud is answered. The app finds the answer in pendingAccept of the group file.

            With --pid the call is active until that process ends or the caller hangs up. Meanwhile other calls ring as
            [Ring] SecondCall= says. Without it the call is over at once as far as later calls are concerned.
            """,
        options: [Option("pid", "PID", "the process in which the call goes on")], arguments: 0...1
    ) { context throws(CommandError) in
        try end(context, as: .answer(heldBy: context.owner(of: "pid")))
    }

    /// `belfry decline`.
    static let decline = Command(
        name: "decline", synopsis: ["decline [ID]"], summary: "decline a call, as the person at the endpoint does",
        details: "Without ID the call that rings loud is declined.", arguments: 0...1
    ) { context throws(CommandError) in
        try end(context, as: .decline)
    }

    /// `belfry silence`.
    static let silence = Command(
        name: "silence", synopsis: ["silence [ID]"], summary: "silence a ring without declining the call",
        details: """
            Without ID the call that rings loud is silenced, or the next one if it is silent already. It rings on
            without sound and vibration, can still be answered or declined, and is missed in the end as ever. The next
            call is heard.
            """,
        arguments: 0...1
    ) { context throws(CommandError) in
        let access = try GroupAccess(context)
        _ = try access.knownLedger()
        let named = context.options.arguments.first.map { CallKey($0) }
        guard let call = try access.silence(named) else { throw try notRinging(named, context, access) }
        if context.wantsJSON {
            context.output.json(["call": .string(call.key.text), "state": .string(CallState.ringing.rawValue)])
        } else {
            context.output.line("silenced \(CallText.description(of: call))")
        }
        return .done
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
        guard let ended = try access.end(named, as: end) else { throw try notRinging(named, context, access) }
        let (call, state) = (ended.call, end.state)
        guard ended.state == state else {
            throw CommandError(
                .notFound, "\(call.key.text) has ended already: \(ended.state.rawValue)", "see belfry calls")
        }
        if context.wantsJSON {
            context.output.json(["call": .string(call.key.text), "state": .string(state.rawValue)])
        } else {
            context.output.line("\(state.rawValue) \(CallText.description(of: call))")
        }
        return .done
    }

    /// The error that `named` does not ring, or that nothing does.
    private static func notRinging(
        _ named: CallKey?, _ context: Context, _ access: GroupAccess
    ) throws(CommandError) -> CommandError {
        guard let named else { return try nothingRings(context, access) }
        return CommandError(.notFound, "no call \(named.text) rings", "see belfry calls")
    }

    /// Records dead rings as missed, and returns the error that nothing rings.
    private static func nothingRings(_ context: Context, _ access: GroupAccess) throws(CommandError) -> CommandError {
        _ = try access.ledger()
        return CommandError(.notFound, "no call rings in \(context.groupName)", "see belfry calls")
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
                widths[column] = max(widths[column], cell.columns)
            }
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.columns)
            }
            return cells.joined(separator: "  ")
        }
    }
}
