import BelfryCommandLine
import BelfryJSON
import BelfryProtocol
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallLedger
import GroupLedger

extension Command {
    /// `belfry app`.
    static let app = Command(
        name: "app",
        synopsis: [
            "app foreground [--pid PID]", "app background", "app busy --pid PID [ID]", "app pending [--collect]",
            "app list", "app start APP", "app stop APP",
        ],
        summary: "say if the app is in front, or in a call; show answers that wait for it; list, start and stop apps",
        details: """
            With --pid the app is in front as long as that process lives. Without it nobody can be asked: the word holds
            until "belfry app background", a reboot, or for 12 hours. What rings falls silent, and later calls do not ring.

            "belfry app busy" says that the answered call ID, or the one that was answered last, goes on in the process
            PID: until that ends, or the caller hangs up, other calls ring as [Ring] SecondCall= says.

            "belfry app pending" shows the calls that were answered while the app did not run. With --collect each is
            the caller's, and shown once; with --json it is one object a line.

            "belfry app list" shows the apps of [Calls] Apps=, and others that are connected; with --json an object each.
            "belfry app start" starts APP, a bundle identifier, and waits until its registry wants voip pushes; "belfry app
            stop" has it end, and ends it after 3 s. An app that was not stopped stays.
            """,
        options: [
            Option("pid", "PID", "the app's process (foreground, busy)"),
            Option("collect", "take the answers out (pending)"),
        ],
        arguments: 1...2
    ) { context throws(CommandError) in
        let word = context.options.arguments[0]
        let homes = [("pid", ["foreground", "busy"]), ("collect", ["pending"])]
        for (option, homes) in homes where context.options.has(option) && !homes.contains(word) {
            throw CommandError(
                .usage, "--\(option) goes with app \(homes.joined(separator: " and app "))", "leave it out")
        }
        let takesName = word == "start" || word == "stop"
        guard context.options.arguments.count == 1 || word == "busy" || takesName else {
            throw CommandError(.usage, "app \(word) takes no ID", "leave it out")
        }
        switch word {
        case "list": return try AppList.print(context)
        case "start", "stop":
            guard let name = context.options.arguments.dropFirst().first else {
                throw CommandError(.usage, "app \(word) needs an app", "its identifier, as belfry app list has it")
            }
            return try CentreQuestion.order(word == "start" ? .startApp(name) : .stopApp(name), context)
        case "foreground": return try enterForeground(context)
        case "background":
            try GroupAccess(context).changeLedger { ledger in ledger.enterBackground() }
            return .done
        case "busy": return try hold(context)
        case "pending": return try showAnswers(context)
        case let word:
            throw CommandError(
                .usage, "an app is not \(word)",
                "belfry app foreground, background, busy, pending, list, start, or stop")
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

    private static func hold(_ context: Context) throws(CommandError) -> ProgramStatus {
        guard let owner = try context.owner(of: "pid") else {
            throw CommandError(.usage, "app busy needs --pid", "the process in which the call goes on")
        }
        let named = context.options.arguments.dropFirst().first.map { CallKey($0) }
        let access = try GroupAccess(context)
        _ = try access.knownLedger()
        guard try access.changeLedger({ $0.hold(named, by: owner) }) != nil else {
            let what = named.map { "call \($0.text) was not answered" } ?? "no call was answered"
            throw CommandError(.notFound, "\(what), or its caller has hung up", "belfry answer --pid does both at once")
        }
        return .done
    }

    private static func enterForeground(_ context: Context) throws(CommandError) -> ProgramStatus {
        let owner = try context.owner(of: "pid")
        let isOwned = owner != nil
        try GroupAccess(context).changeLedger(telling: .foreground) { ledger in ledger.enterForeground(owner: owner) }
        if !isOwned, !context.wantsJSON {
            context.output.line(
                "in front until belfry app background, a reboot, or for 12 hours; --pid gives it an owner")
        }
        return .done
    }
}

extension Context {
    /// The living process that `option` names; nil if it is not given.
    func owner(of option: String) throws(CommandError) -> Owner? {
        guard let text = options[option] else { return nil }
        guard let pid = ValueText.integer(text, in: 1...Int(Int32.max)),
            let process = ProcessIdentity(livingPID: Int32(pid))
        else { throw CommandError(.usage, "no process \(text) runs", "--\(option) takes a process id") }
        return Owner(process)
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
