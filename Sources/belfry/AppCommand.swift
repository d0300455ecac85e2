import CallLedger
import Configuration
import Syscalls

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
            owner = Owner(bootID: bootID(), pid: Int64(process.pid), start: Int64(clamping: process.startTicks))
        }
        let isOwned = owner != nil
        try GroupAccess(context).changeLedger { ledger in ledger.enterForeground(owner: owner) }
        if !isOwned, !context.wantsJSON {
            context.output.line(
                "in front until belfry app background, a reboot, or for 12 hours; --pid gives it an owner")
        }
        return .done
    }
}
