import Configuration

extension Command {
    /// `belfry doctor`.
    static let doctor = Command(
        name: "doctor", synopsis: ["doctor [--play]"], summary: "what works here, and how to mend the rest",
        details: """
            Pushes a notification that shows and rings nothing, to see that a worker starts. Exit status 0 means that
            calls would ring, 69 that they would not.
            """,
        options: [Option("play", "play the ring once, to see that it is heard")]
    ) { context throws(CommandError) in
        var isFailed = false
        let checks: [(Context) -> [Finding]] = [
            MachineChecks.program, ConfigurationChecks.run, UnitChecks.run, SocketChecks.run, MachineChecks.state,
            SoundChecks.run, MachineChecks.vibration, MachineChecks.pictures, MachineChecks.notifications,
            MachineChecks.journal,
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

/// Whether the configuration is as somebody meant it.
enum ConfigurationChecks {
    /// One finding for each mistake, or one that there is none.
    static func run(_ context: Context) -> [Finding] {
        let loaded = context.loaded
        let mistakes = loaded.mistakes.map { mistake in
            Finding(.warn, "configuration", mistake.description, mend: "see belfry config")
        }
        let advice = loaded.settings.advice.map { Finding(.warn, "configuration", $0) }
        let findings = mistakes + advice
        return findings.isEmpty ? [Finding(.ok, "configuration", "no mistakes")] : findings
    }
}
