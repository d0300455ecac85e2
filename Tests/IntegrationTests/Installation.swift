import BelfryJSON
import BelfrySyscalls
import Glibc
import Support

/// The units that `make install` installs, under their own names, as those of a user whose home is a new folder.
final class Installation {
    /// That home, in which nothing is yet.
    let home: String
    private let folder: TemporaryFolder
    private let unitFolder = "\(Surroundings.home)/.config/systemd/user"
    private static let installed = "\(Surroundings.programs)/../share/systemd/user"

    /// The units that run something: `belfry@.service` and the others.
    static let services = names(in: installed).filter { $0.hasPrefix("belfry") && $0.hasSuffix(".service") }

    /// - Parameters:
    ///   - parent: where the new home is made.
    ///   - settings: environment variables of all units; sound is off unless they say otherwise.
    init(in parent: String = "/var/tmp", _ settings: [String: String] = [:]) throws {
        folder = TemporaryFolder(in: parent)
        home = folder.path
        precondition(!Self.services.isEmpty, "no units in \(Self.installed)")
        var made = Surroundings.home
        for part in [".config", "systemd", "user"] {
            made += "/\(part)"
            unsafe mkdir(made, 0o755)
        }
        for unit in Self.units {
            let result = unsafe symlink("\(Self.installed)/\(unit)", "\(unitFolder)/\(unit)")
            precondition(result == 0, "\(unitFolder)/\(unit): errno \(errno)")
        }
        let variables = ["HOME": home, "BELFRY_SOUND": "none"].merging(settings) { $1 }
            .map { "Environment=\"\($0.key)=\($0.value)\"" }.sorted()
        // As a login that has no variables for them.
        let lines = ["[Service]", "UnsetEnvironment=XDG_CONFIG_HOME XDG_STATE_HOME"] + variables
        for service in Self.services { try addDropIn("home", lines.joined(separator: "\n"), to: service) }
        try systemctl("daemon-reload")
    }

    deinit {
        let units = Self.units.filter { !$0.contains("@") }
        _ = try? run("/usr/bin/systemctl", ["--user", "disable", "--now"] + units.filter { $0.hasSuffix(".socket") })
        _ = try? run("/usr/bin/systemctl", ["--user", "stop", "belfry@*.service"] + units)
        for unit in Self.units {
            unsafe unlink("\(unitFolder)/\(unit)")
            TemporaryFolder.remove("\(unitFolder)/\(unit).d")
        }
        _ = try? run("/usr/bin/systemctl", ["--user", "daemon-reload"])
    }

    private static let units = names(in: installed).filter { $0.hasPrefix("belfry") }

    /// Puts a drop-in called `name` beside `unit`, for the next `daemon-reload`.
    func addDropIn(_ name: String, _ text: String, to unit: String) throws {
        unsafe mkdir("\(unitFolder)/\(unit).d", 0o755)
        let path = "\(unitFolder)/\(unit).d/\(name).conf"
        let finished = try run("/bin/sh", ["-c", "cat >\"$1\"", "sh", path], input: text + "\n")
        precondition(finished.status.isSuccess, "\(path): \(finished.errors)")
    }

    /// Runs `script` in a shell that stops at the first line that fails, in the new home. It is ended after 20 s: a
    /// server that cannot be started leaves its clients waiting.
    func shell(_ script: String, _ environment: [String: String] = [:]) throws -> Finished {
        let path = "\(Surroundings.programs):\(Surroundings.value("PATH") ?? "")"
        return try run(
            "/usr/bin/timeout", ["20", "/bin/sh", "-euc", "cd \"$HOME\"\n\(script)"],
            environment: ["HOME": home, "PATH": path].merging(environment) { $1 })
    }

    /// The calls that ring or are silent, in the order that `belfry calls` has.
    func calls() throws -> [String] {
        try shell("belfry calls --json").output.split(separator: "\n").compactMap { line in
            try JSONValue.parse(Array(line.utf8)).objectValue?["call"]?.stringValue
        }
    }

    @discardableResult
    func systemctl(_ words: String...) throws -> String {
        let finished = try run("/usr/bin/systemctl", ["--user"] + words)
        precondition(finished.status.isSuccess, "systemctl \(words): \(finished.errors)")
        return finished.output
    }
}

/// The lines that a page shows as commands of a shell, block by block.
func shellBlocks(of page: String) -> [String] {
    var blocks: [String] = []
    var block: [Substring]?
    for line in contents(of: sourceFile(page)).split(separator: "\n", omittingEmptySubsequences: false) {
        if line == "```sh" {
            block = []
        } else if line == "```", let lines = block {
            blocks.append(lines.joined(separator: "\n"))
            block = nil
        } else {
            block?.append(line)
        }
    }
    return blocks
}
