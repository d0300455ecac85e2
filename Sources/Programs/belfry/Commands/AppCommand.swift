import BelfryCommandLine
import BelfryJSON
import BelfryProtocol
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger

extension Command {
    /// `belfry app`.
    static let app = Command(
        name: "app", synopsis: ["app foreground [--pid PID]", "app background", "app pending [--collect]"],
        summary: "say whether the app is in front, which silences what rings; show answers that wait for it",
        details: """
            With --pid the app is in front as long as that process lives. Without it nobody can be asked: the word holds
            until "belfry app background", a reboot, or for 12 hours.

            "belfry app pending" shows the calls that were answered while the app did not run. With --collect each is
            the caller's, and shown once; with --json it is one object a line.
            """,
        options: [
            Option("pid", "PID", "the app's process (foreground)"),
            Option("collect", "take the answers out (pending)"),
        ],
        arguments: 1...1
    ) { context throws(CommandError) in
        let word = context.options.arguments[0]
        for (option, home) in [("pid", "foreground"), ("collect", "pending")] where context.options.has(option) {
            guard word == home else { throw CommandError(.usage, "--\(option) goes with app \(home)", "leave it out") }
        }
        switch word {
        case "foreground": return try enterForeground(context)
        case "background":
            try GroupAccess(context).changeLedger { ledger in ledger.enterBackground() }
            return .done
        case "pending": return try showAnswers(context)
        case let word:
            throw CommandError(
                .usage, "an app is not \(word)", "belfry app foreground, belfry app background, or belfry app pending")
        }
    }

    private static func showAnswers(_ context: Context) throws(CommandError) -> ProgramStatus {
        let access = try GroupAccess(context)
        guard context.options.has("collect") else {
            AnswerRow.print(try access.knownLedger().answers, context)
            return .done
        }
        access.ledgerFile.patience = LedgerFile.collectingPatience
        var collected: [PendingAnswer] = []
        // Printed even if the file cannot be written: the answers are taken out, if only in the memory beside the file.
        defer { AnswerRow.print(collected, context) }
        try access.changeLedger { ledger in collected = ledger.collectAnswers() }
        return .done
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

/// An answer that waits for the app, as a row of a table or as an object.
private enum AnswerRow {
    static func print(_ answers: [PendingAnswer], _ context: Context) {
        if context.wantsJSON {
            for answer in answers { context.output.json(json(of: answer)) }
        } else if answers.isEmpty {
            context.output.line("no answer waits in \(context.groupName)")
        } else {
            context.printTable(["ANSWERED", "CALL", "CALLER", "HANDLE", "KIND"], answers.map(cells))
        }
    }

    private static func cells(of answer: PendingAnswer) -> [String] {
        [
            TimeText.time(answer.answered), CallText.name(of: answer.key.text), answer.name, answer.handle,
            answer.hasVideo ? "video" : "audio",
        ]
    }

    private static func json(of answer: PendingAnswer) -> JSONObject {
        var object: JSONObject = [
            "call": .string(answer.key.text), "name": .string(answer.name), "handle": .string(answer.handle),
            "video": .bool(answer.hasVideo), "answered": .integer(answer.answered),
        ]
        if let picture = answer.picture { object["picture"] = .string(picture) }
        return object
    }
}
