import BelfryCommandLine
import BelfryProtocol
import BelfrySettings
import BelfryTerms
import CallChannel
import CallLedger

// What the person does with an app's call that goes on: the centre is asked, which has the app's delegate perform it.
extension Command {
    /// `belfry end`.
    static let end = Command(
        name: "end", synopsis: ["end [CALL]"], summary: "end a call that goes on, as the person at the endpoint does",
        details: whichCall, arguments: 0...1
    ) { context throws(CommandError) in
        try command(.end, context.options.arguments.first, context)
    }

    /// `belfry hold`.
    static let hold = Command(
        name: "hold", synopsis: ["hold [--off] [CALL]"], summary: "hold a call that goes on, or go on with it",
        details: """
            \(whichCall) With --off the call that was held last is meant. What goes on
            puts all other calls on hold.
            """,
        options: [Option("off", "go on with it")], arguments: 0...1
    ) { context throws(CommandError) in
        try command(.hold(!context.options.has("off")), context.options.arguments.first, context)
    }

    /// `belfry mute`.
    static let mute = Command(
        name: "mute", synopsis: ["mute [--off] [CALL]"],
        summary: "have the person not be heard in a call, or be heard again", details: whichCall,
        options: [Option("off", "be heard again")], arguments: 0...1
    ) { context throws(CommandError) in
        try command(.mute(!context.options.has("off")), context.options.arguments.first, context)
    }

    /// `belfry keypad`.
    static let keypad = Command(
        name: "keypad", synopsis: ["keypad DIGITS [CALL]"], summary: "play digits to the other side of a call",
        details: """
            DIGITS are 0 to 9, A to D, * and #, with , and ; for pauses: at most \(CallLimits.digitsMax).

            \(whichCall)
            """,
        arguments: 1...2
    ) { context throws(CommandError) in
        let digits = context.options.arguments[0]
        guard CallDigits(digits, type: 1).areKeys else {
            throw CommandError(
                .usage, "\(digits) are no digits of a phone",
                "1 to \(CallLimits.digitsMax) of 0 to 9, A to D, * and #, with , and ; for pauses")
        }
        return try command(.keypad(digits), context.options.arguments.dropFirst().first, context)
    }

    /// `belfry merge`.
    static let merge = Command(
        name: "merge", synopsis: ["merge [CALL]"], summary: "have a call join the other call of its app that goes on",
        details: whichCall, arguments: 0...1
    ) { context throws(CommandError) in
        try command(.merge, context.options.arguments.first, context)
    }

    /// `belfry split`.
    static let split = Command(
        name: "split", synopsis: ["split [CALL]"], summary: "take a call out of the group that it was merged into",
        details: whichCall, arguments: 0...1
    ) { context throws(CommandError) in
        try command(.split, context.options.arguments.first, context)
    }

    private static let whichCall = """
        CALL is the id or the UUID of a call of an app, as belfry calls has it; without it the active one is meant. The
        command waits until the app has done it. It ends with 66 if there is no such call, with 69 if the app has not
        done it, or cannot.
        """

    private static func command(
        _ command: CallCommand, _ call: String?, _ context: Context
    ) throws(CommandError) -> ProgramStatus {
        // An answer may take as long as the app has for an action.
        let patience = CentreQuestion.patience + context.loaded.settings.actionTimeout
        let message = ClientMessage.command(command, call: call)
        switch try CentreQuestion.ask(message, context, within: patience, absent: .notFound) {
        case .done: return .done
        case .noCall(let why): throw CommandError(.notFound, why, remedy(command, call, context))
        case .failed(let why): throw CommandError(.unavailable, why)
        case .apps, .calls: throw CentreQuestion.other
        }
    }

    /// What to do instead with a call that does not go on.
    private static func remedy(_ command: CallCommand, _ name: String?, _ context: Context) -> String {
        guard let name else { return "" }
        let rings = (try? GroupAccess(context).knownLedger())?.rings ?? []
        guard rings.contains(where: { $0.key == CallKey(name) }) else { return "see belfry calls" }
        return "belfry \(command == .end ? "decline" : "answer") \(name)"
    }
}
