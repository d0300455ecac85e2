import BelfryCommandLine
import BelfrySyscalls
import BelfryTerms
import Glibc

/// A sound server that does not run, and that a question would start: its socket is the service manager's.
enum SleepingSoundServer {
    private static let names = ["pipewire-pulse", "pulseaudio"]

    /// The unit of its socket; nil if the server runs, or a question starts nothing.
    static func socket(_ context: Context) -> String? {
        func value(_ name: String) -> String? { context.environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard value("PULSE_SERVER") == nil, let runtime = value("XDG_RUNTIME_DIR") else { return nil }
        // Both servers write their process id beside their socket; without it the manager has to be asked.
        let folder = value("PULSE_RUNTIME_PATH") ?? "\(runtime)/pulse"
        if let file = try? readFile(at: "\(folder)/pid", bytesMax: 64),
            let process = Int32(String(decoding: file.bytes, as: UTF8.self).filter(\.isNumber)), kill(process, 0) == 0
        {
            return nil
        }
        let units = names.flatMap { ["\($0).socket", "\($0).service"] }
        let shown = Systemctl.ask(["show", "--property=Id", "--property=ActiveState"] + units) ?? ""
        return socket(in: shown)
    }

    /// That of the server whose socket listens, and that does not run, as `shown` says, which systemctl(1) prints.
    static func socket(in shown: String) -> String? {
        var (states, id): ([String: String], String) = ([:], "")
        for line in shown.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            if parts[0] == "Id" { id = parts[1] } else { states[id] = parts[1] }
        }
        return names.first { name in
            states["\(name).socket"] == "active" && ["inactive", "failed"].contains(states["\(name).service"])
        }.map { "\($0).socket" }
    }
}
