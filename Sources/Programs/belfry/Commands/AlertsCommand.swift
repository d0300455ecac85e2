import BelfryAlerts
import BelfryAppGroup
import BelfryCommandLine
import BelfrySyscalls
import BelfryTerms
import Glibc

extension Command {
    /// `belfry alerts`.
    static let alerts = Command(
        name: "alerts", synopsis: ["alerts", "alerts --clear"],
        summary: "the last alerts, with their whole text",
        details: """
            Shows the last 200 that were delivered, of all groups, the newest last; with --group those of one. With --json
            one object a line for each; nothing where there is none. With --clear they are forgotten.
            """,
        options: [Option("clear", "forget them")]
    ) { context throws(CommandError) in
        guard let state = StateDirectory(environment: Environment(context.environment)) else {
            throw CommandError(
                .unavailable, "there is no telling where the state is kept", "set HOME or BELFRY_STATE_DIRECTORY")
        }
        let list = AlertList(in: state)
        var group: String?
        if let named = context.options["group"] { group = try GroupAccess.group(named).text }
        do throws(SystemError) {
            if context.options.has("clear") {
                guard try clear(list, of: group) else {
                    throw SystemError(errno: EBUSY, call: "flock", subject: "\(state.path)/alerts.lock")
                }
                return .done
            }
            print(try list.alerts().filter { group == nil || $0.group == group }, context)
            return .done
        } catch {
            throw CommandError(.unavailable, "the list of alerts cannot be used: \(error)", "")
        }
    }

    /// Clears `list` of `group`; false if other processes change it for a second.
    private static func clear(_ list: AlertList, of group: String?) throws(SystemError) -> Bool {
        let end = bootTimeMicroseconds() + 1_000_000
        while try !list.clear(of: group) {
            guard bootTimeMicroseconds() < end else { return false }
            var pause = timespec(tv_sec: 0, tv_nsec: 20_000_000)
            _ = unsafe nanosleep(&pause, nil)
        }
        return true
    }

    private static func print(_ alerts: [ListedAlert], _ context: Context) {
        if context.wantsJSON {
            for alert in alerts { context.output.json(alert.object) }
            return
        }
        if alerts.isEmpty { context.output.line("no alert is listed") }
        for alert in alerts {
            let heading = [TimeText.time(alert.time), alert.group, alert.level].joined(separator: "  ")
            context.output.line(context.style.paint(Printable.escaped(heading), .strong))
            for text in [alert.title, alert.subtitle, alert.body] where !text.isEmpty {
                for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                    context.output.line("  " + Printable.escaped(String(line)))
                }
            }
        }
    }
}
