// Settings, from files and from the environment, and how values are written in them and on command lines. A trap is a
// finding, and so is a value that does not read back as it is written.
import BelfrySettings
import BelfrySyscalls
import BelfryTerms

func feedSettings(_ bytes: [UInt8]) {
    let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
    switch bytes.first ?? 0 {
    case 0: readValues(text)
    case 1:
        var environment = Environment()
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { environment["BELFRY_\(parts[0])"] = parts[1] }
        }
        check(SettingsLoader.load(environment: environment, machineRoot: "/nonexistent"))
    default: check(SettingsLoader.loadOnly(file: FileInMemory.path(of: Array(bytes.dropFirst()))))
    }
}

private func readValues(_ text: String) {
    if let span = ValueText.duration(text) {
        precondition(ValueText.duration(ValueText.text(of: span)) == span, "a duration does not read back")
    }
    if let size = ValueText.size(text, in: 0...Int.max) {
        precondition(ValueText.size(ValueText.text(ofSize: size), in: 0...Int.max) == size, "a size does not read back")
    }
    if let number = ValueText.integer(text, in: 0...Int.max) {
        precondition(ValueText.integer("\(number)", in: number...number) == number, "a number does not read back")
    }
    _ = ValueText.boolean(text)
    for setting in Setting.allCases {
        var settings = Settings()
        if settings.set(setting, to: text) { checkReadsBack(setting, of: settings) }
    }
}

private func check(_ loaded: LoadedSettings) {
    for setting in Setting.allCases { checkReadsBack(setting, of: loaded.settings) }
    for mistake in loaded.mistakes { _ = mistake.description }
}

private func checkReadsBack(_ setting: Setting, of settings: Settings) {
    let text = settings.text(of: setting)
    var again = Settings()
    precondition(text.isEmpty || again.set(setting, to: text), "\(setting) cannot be written as \(text)")
    precondition(text.isEmpty || again.text(of: setting) == text, "\(setting) changes")
}
