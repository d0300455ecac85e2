import CallLedger
import Events
import JSON

extension Command {
    /// `belfry answer`.
    static let answer = Command(
        name: "answer", synopsis: ["answer [ID]"], summary: "answer a call, as the person at the endpoint does",
        details: """
            Without ID the call that rings loud is answered. The app finds the answer in pendingAccept of the group file.
            """,
        arguments: 0...1
    ) { context throws(CommandError) in
        try end(context, as: .answered) { ledger, key in ledger.answer(key) }
    }

    /// `belfry decline`.
    static let decline = Command(
        name: "decline", synopsis: ["decline [ID]"], summary: "decline a call, as the person at the endpoint does",
        details: "Without ID the call that rings loud is declined.", arguments: 0...1
    ) { context throws(CommandError) in
        try end(context, as: .declined) { ledger, key in ledger.decline(key) }
    }

    /// The call that rings loud.
    static func loudestCall(_ context: Context) throws(CommandError) -> CallKey {
        guard let call = try GroupAccess(context).ledger().loudest else { throw nothingRings(context) }
        return call.key
    }

    private static func end(
        _ context: Context, as state: CallState, _ change: @escaping (inout Ledger, CallKey) -> Call?
    ) throws(CommandError) -> ProgramStatus {
        let named = context.options.arguments.first.map { CallKey($0) }
        let call = try GroupAccess(context).changeLedger { ledger -> Call? in
            guard let key = named ?? ledger.loudest?.key else { return nil }
            return change(&ledger, key)
        }
        guard let call else {
            guard let named else { throw nothingRings(context) }
            throw CommandError(.noSuchCall, "no call \(named.text) rings", "see belfry calls")
        }
        if context.wantsJSON {
            context.output.json(["call": .string(call.key.text), "state": .string(state.rawValue)])
        } else {
            context.output.line("\(state.rawValue) \(CallText.description(of: call))")
        }
        return .done
    }

    private static func nothingRings(_ context: Context) -> CommandError {
        CommandError(.noSuchCall, "no call rings in \(context.groupName)", "see belfry calls")
    }
}
