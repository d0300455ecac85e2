import BelfryCommandLine
import BelfryJSON
import BelfrySettings
import BelfryTerms

extension Command {
    /// `belfry doctor`.
    static let doctor = Command(
        name: "doctor", synopsis: ["doctor [--play] [--ring]"], summary: "what works here, and how to mend the rest",
        details: """
            Pushes a notification that shows and rings nothing, to see that a worker starts, and starts your extension, if
            there is one, which receives nothing: with the settings of belfry@.service, where a user manager has that.
            Exit status 0 means that calls would ring, 69 that they would not.
            """,
        options: [
            Option("play", "play the ring once, to see that it is heard"),
            Option("ring", "ring for two seconds, to see what is heard, seen and felt"),
        ]
    ) { context throws(CommandError) in
        var isFailed = false
        let checks: [(Context) -> [Finding]] = [
            MachineChecks.program, ConfigurationChecks.run, UnitChecks.run, SocketChecks.run, MachineChecks.state,
            ExtensionChecks.run, AppChecks.run, DirectoryChecks.run, SoundChecks.run, DesktopChecks.vibration,
            MachineChecks.pictures,
            ConfinementChecks.run, ApnsChecks.run, ClockChecks.run, FleetChecks.run,
            DesktopChecks.notifications, DesktopChecks.manners, SleepCheck.run, MachineChecks.journal, RingCheck.run,
        ]
        for check in checks {
            for finding in check(context) {
                if finding.level == .fail { isFailed = true }
                if context.wantsJSON {
                    context.output.json(finding.json)
                } else {
                    for line in finding.lines(context.style) { context.output.line(line) }
                }
            }
        }
        return isFailed ? .unavailable : .done
    }
}

/// Whether the configuration has mistakes.
enum ConfigurationChecks {
    /// One finding for each mistake, or one that says that there is none.
    static func run(_ context: Context) -> [Finding] {
        let loaded = context.loaded
        let mistakes = (loaded.mistakes + HookChecks.mistakes(in: loaded)).map { mistake in
            Finding(.warn, "configuration", mistake.description, mend: "see belfry config")
        }
        let advice = loaded.settings.advice.map { Finding(.warn, "configuration", $0) }
        let findings = mistakes + advice
        return findings.isEmpty ? [Finding(.ok, "configuration", "no mistakes")] : findings
    }
}

/// What one check of the doctor found.
struct Finding: Sendable, Equatable {
    /// How bad a finding is.
    enum Level: String, Sendable {
        /// What was checked works.
        case ok
        /// Calls ring, but not as they could.
        case warn
        /// Calls do not ring.
        case fail
    }

    /// How bad the finding is.
    let level: Level
    /// What was checked, in one word.
    let subject: String
    /// What was found.
    let detail: String
    /// How to mend it; empty if there is nothing to mend.
    let remedy: String

    /// A finding.
    init(_ level: Level, _ subject: String, _ detail: String, mend remedy: String = "") {
        self.level = level
        self.subject = subject
        self.detail = detail
        self.remedy = remedy
    }

    /// The finding as an object.
    var json: JSONObject {
        [
            "level": .string(level.rawValue), "check": .string(subject), "detail": .string(detail),
            "remedy": .string(remedy),
        ]
    }

    /// The finding as lines for people, escaped.
    func lines(_ style: Style) -> [String] {
        let tone: Style.Tone =
            switch level {
            case .ok: .good
            case .warn: .notable
            case .fail: .bad
            }
        let word = level.rawValue + String(repeating: " ", count: 4 - level.rawValue.count)
        let name = subject + String(repeating: " ", count: max(0, 13 - subject.count))
        let first = style.paint(word, tone) + "  " + name + "  " + Printable.escaped(detail)
        return remedy.isEmpty ? [first] : [first, String(repeating: " ", count: 21) + "→ " + Printable.escaped(remedy)]
    }
}
