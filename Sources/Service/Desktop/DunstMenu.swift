public import BelfrySyscalls
import Glibc

/// The menu in which dunst has a person choose an action (dunst(5), `dmenu`): without that program nobody can.
public enum DunstMenu {
    private static let standard = "/usr/bin/dmenu"
    private static let bytesMax = 1 << 20
    private static let searchPath = "/usr/local/bin:/usr/bin:/bin"

    /// The menu program of the dunst with the process id `process` if that is not there, as its settings name it; nil
    /// if it is there.
    public static func missing(ofProcess process: Int64, environment: Environment) -> String? {
        let line = readKernelFile("/proc/\(process)/cmdline", bytesMax: bytesMax) ?? []
        let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        return missing(arguments: words, environment: environment)
    }

    /// The menu program of a dunst that was started with `arguments`.
    static func missing(arguments: [String], environment: Environment) -> String? {
        let home = environment["HOME"] ?? ""
        var program = standard
        for file in files(arguments, environment, home) {
            guard let content = try? readFile(at: file, bytesMax: bytesMax) else { continue }
            program = menu(in: String(decoding: content.bytes, as: UTF8.self)) ?? program
        }
        if program.hasPrefix("~/") { program = home + program.dropFirst() }
        let places =
            program.contains("/")
            ? [program]
            : (environment["PATH"] ?? searchPath).split(separator: ":").map { "\($0)/\(program)" }
        return places.contains { unsafe access($0, X_OK) == 0 } ? nil : program
    }

    /// The files that say so, of which a later one counts: the first dunstrc, and what is in the folders beside all.
    private static func files(_ arguments: [String], _ environment: Environment, _ home: String) -> [String] {
        if let index = arguments.firstIndex(where: { ["-conf", "-config", "--config"].contains($0) }),
            arguments.indices.contains(index + 1)
        {
            return [arguments[index + 1]]
        }
        func value(_ name: String, _ standard: String) -> String {
            environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? standard
        }
        let system = value("XDG_CONFIG_DIRS", "/etc/xdg").split(separator: ":").map(String.init)
        let folders = ([value("XDG_CONFIG_HOME", "\(home)/.config")] + system).map { "\($0)/dunst" }
        let main = folders.map { $0 + "/dunstrc" }.first { (file: String) in unsafe access(file, R_OK) == 0 }
        let beside = folders.reversed().flatMap { folder in
            ((try? Directory.names(at: "\(folder)/dunstrc.d", max: 1_000)) ?? []).sorted()
                .filter { $0.hasSuffix(".conf") }.map { "\(folder)/dunstrc.d/\($0)" }
        }
        return (main.map { [$0] } ?? []) + beside
    }

    /// The program that `text` names, without its arguments; nil if it names none.
    static func menu(in text: String) -> String? {
        var (section, program): (String, String?) = ("", nil)
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop(while: \.isWhitespace)
            guard let first = line.first, first != "#", first != ";" else { continue }
            if first == "[" {
                section = String(line.dropFirst().prefix { $0 != "]" })
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1)
            guard section == "global", parts.count == 2, parts[0].filter({ !$0.isWhitespace }) == "dmenu" else {
                continue
            }
            let words = parts[1].filter { $0 != "\"" }.split(whereSeparator: \.isWhitespace)
            program = words.first.map(String.init)
        }
        return program
    }
}
