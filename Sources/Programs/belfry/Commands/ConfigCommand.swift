import BelfryCommandLine
import BelfryJSON
import BelfrySettings
import BelfrySyscalls
import BelfryTerms

extension Command {
    /// `belfry config`.
    static let config = Command(
        name: "config", synopsis: ["config", "config check [FILE]"],
        summary: "the settings in force and where each came from; check a file",
        details: """
            Read in this order, what comes later wins: /etc/belfry/belfry.conf, /etc/belfry/belfry.conf.d/*.conf,
            $XDG_CONFIG_HOME/belfry/belfry.conf (~/.config), its belfry.conf.d/*.conf, the environment. The worker's
            environment is its unit's, not the shell's: where they differ, both are shown.
            """,
        arguments: 0...64
    ) { context throws(CommandError) in
        let words = context.options.arguments
        guard let word = words.first else { return show(context) }
        guard word == "check" else {
            throw CommandError(.usage, "there is no belfry config \(word)", "belfry config check FILE")
        }
        guard words.count < 3 else {
            throw CommandError(.usage, "belfry config check takes one file, not \(words.count - 1)", "check each")
        }
        guard words.count == 2 else { return report(context.loaded, context) }
        let loaded = SettingsLoader.loadOnly(file: words[1])
        let status = report(loaded, context)
        return loaded.mistakes.contains { $0.code == .unreadable } ? .notFound : status
    }

    /// Prints one line for each mistake, and returns 78 if there is one.
    private static func report(_ loaded: LoadedSettings, _ context: Context) -> ProgramStatus {
        let mistakes = mistakes(in: loaded, context)
        for mistake in mistakes {
            if context.wantsJSON {
                context.output.json([
                    "code": .string(mistake.code.rawValue), "origin": .string(mistake.origin.description),
                    "detail": .string(mistake.detail),
                ])
            } else {
                context.output.line(Printable.escaped(mistake.description))
            }
        }
        if !context.wantsJSON {
            for advice in loaded.settings.advice { context.output.line(Printable.escaped("note: \(advice)")) }
        }
        return mistakes.isEmpty ? .done : .badConfiguration
    }

    private static func mistakes(in loaded: LoadedSettings, _ context: Context) -> [Mistake] {
        loaded.mistakes + [SoundChecks.mistake(in: loaded, context)].compactMap { $0 } + HookChecks.mistakes(in: loaded)
    }

    private static func show(_ context: Context) -> ProgramStatus {
        let loaded = context.loaded
        let manager = UnitEnvironment.read()
        let unit = manager.map { SettingsLoader.load(environment: Environment($0)) }
        if context.wantsJSON {
            showJSON(loaded, unit, context)
            return .done
        }
        for line in TableText.lines(settingRows(of: loaded, besides: unit)) {
            context.output.line(context.style.paint(line, tone(of: line)))
        }
        if unit == nil { context.output.line("the unit's environment is unknown: no systemd user manager answers") }
        for advice in loaded.settings.advice { context.output.line(Printable.escaped("note: \(advice)")) }
        for mistake in mistakes(in: loaded, context) { context.warn(mistake.description) }
        return .done
    }

    /// A row for each setting and for a different value of `unit`, each section after its name.
    static func settingRows(of loaded: LoadedSettings, besides unit: LoadedSettings?) -> [[String]] {
        var section = ""
        var rows: [[String]] = []
        for setting in Setting.allCases {
            if setting.section != section {
                section = setting.section
                rows.append(["[\(section)]"])
            }
            let value = "\(setting.key)=\(loaded.settings.text(of: setting))"
            rows.append([value, loaded.origin(of: setting).description].map(Printable.escaped))
            if let unit, unit.settings.text(of: setting) != loaded.settings.text(of: setting) {
                let other = "  the unit has \(unit.settings.text(of: setting))"
                rows.append([other, unit.origin(of: setting).description].map(Printable.escaped))
            }
        }
        return rows
    }

    private static func tone(of line: String) -> Style.Tone? {
        if line.hasPrefix("[") { return .strong }
        return line.hasPrefix("  ") ? .notable : nil
    }

    private static func showJSON(_ loaded: LoadedSettings, _ unit: LoadedSettings?, _ context: Context) {
        for setting in Setting.allCases {
            var object: JSONObject = [
                "section": .string(setting.section), "key": .string(setting.key),
                "value": .string(loaded.settings.text(of: setting)),
                "origin": .string(loaded.origin(of: setting).description),
            ]
            if let unit {
                object["unitValue"] = .string(unit.settings.text(of: setting))
                object["unitOrigin"] = .string(unit.origin(of: setting).description)
            }
            context.output.json(object)
        }
    }
}
