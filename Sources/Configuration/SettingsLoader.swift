public import Syscalls

/// The settings in force, where each came from, and what was wrong on the way.
public struct LoadedSettings: Sendable {
    /// The settings in force.
    public internal(set) var settings = Settings()
    /// What was wrong, in the order it was read, at most ``mistakesMax``; none of it is in force.
    public internal(set) var mistakes: [Mistake] = []
    /// A file full of nonsense may not fill a journal.
    public static let mistakesMax = 100

    /// Few, and read by nobody in a worker: a dictionary of this type alone would cost its start 25 µs.
    private var origins: [(setting: Setting, origin: Origin)] = []

    /// Where the value in force of `setting` was written.
    public func origin(of setting: Setting) -> Origin {
        origins.first { $0.setting == setting }?.origin ?? .standard
    }

    mutating func setOrigin(_ origin: Origin?, of setting: Setting) {
        origins.removeAll { $0.setting == setting }
        if let origin { origins.append((setting, origin)) }
    }
}

/// Reads the settings: the machine's files, the user's files, then the environment; what comes later wins.
///
/// A wrong value changes nothing, so that the last good one stays in force: the one of an earlier line or file, else
/// the default. No mistake is fatal.
public enum SettingsLoader {
    /// Where the machine's files are.
    public static let machineRoot = "/etc"

    /// The settings for `environment`, which gives `XDG_CONFIG_HOME`, `HOME` and the variables of ``Setting``.
    ///
    /// Where nothing is configured this costs two system calls. An empty variable counts as none, as the
    /// XDG Base Directory specification has it for its own.
    public static func load(
        environment: Environment,
        machineRoot: String = SettingsLoader.machineRoot
    ) -> LoadedSettings {
        var reading = Reading()
        reading.readLayer("\(machineRoot)/belfry")
        if let userRoot = userRoot(environment) { reading.readLayer("\(userRoot)/belfry") }
        reading.readVariables(environment)
        return reading.finished()
    }

    /// Every mistake of the file at `path`, as if it were the only one.
    public static func check(file path: String) -> [Mistake] { loadOnly(file: path).mistakes }

    /// What the file at `path` alone sets.
    public static func loadOnly(file path: String) -> LoadedSettings {
        var reading = Reading()
        reading.readFile(path, required: true)
        return reading.finished()
    }

    /// The folder of the user's configuration: `$XDG_CONFIG_HOME`, else `~/.config`; relative ones do not count.
    public static func userRoot(_ environment: Environment) -> String? {
        if let root = environment["XDG_CONFIG_HOME"], root.hasPrefix("/") { return root }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.config" }
        return nil
    }
}
