import BelfryCommandLine
import BelfrySyscalls
import BelfryTerms
import Glibc

/// An instance of `belfry@.service` that runs a trial in place of a worker, and is gone when that has ended.
///
/// Its settings are those that systemd reads for each worker, an operator's drop-ins among them; what it runs, and
/// where it reads and writes, is a drop-in of ours for this one instance.
struct TrialUnit {
    /// What has a worker try the extension.
    static let arguments = ["--trial"]
    /// How long a trial may take: longer than an extension may take to be there.
    static let patience = TimeSpan.seconds(20)
    private static let answerName = "answer"
    private static let answerBytesMax = 64 << 10
    /// Read last of all drop-ins, which are sorted by name wherever they lie.
    private static let dropInName = "zzz-belfry-doctor.conf"

    private let name = "belfry@doctor-\(getpid()).service"
    private let parent: String

    /// A unit of the user manager whose `runtimeDirectory` this is; nil if none answers that has `belfry@.service`.
    init?(_ runtimeDirectory: String?) {
        guard let runtimeDirectory, Systemctl.property("LoadState", of: "belfry@0.service") == "loaded" else {
            return nil
        }
        // Where the manager looks for units that last until its end.
        parent = "\(runtimeDirectory)/systemd/user"
    }

    /// What `program` writes, run with ``arguments`` and `variables` besides those of the unit; nil if the unit does
    /// not start it.
    func answer(of program: String, _ variables: [String: String]) throws(CommandError) -> String? {
        do throws(SystemError) {
            let units = try Directory.open(path: parent, makes: true)
            let folder = try units.openDirectory("\(name).d", makes: true)
            defer {
                folder.removeContents(depthMax: 1)
                try? units.removeDirectory("\(name).d")
            }
            let path = "\(folder.path)/\(Self.answerName)"
            let lines = Self.lines(running: program, variables, answeringTo: path)
            try folder.write(Array(lines.utf8), as: Self.dropInName, aside: "\(Self.dropInName).new")
            guard Systemctl.ask(["start", "--wait", name], patience: Self.patience) != nil else { return nil }
            return String(decoding: try readFile(at: path, bytesMax: Self.answerBytesMax).bytes, as: UTF8.self)
        } catch {
            throw CommandError(.unavailable, "no unit can be made to try it in: \(error)")
        }
    }

    /// The drop-in for this instance.
    static func lines(running program: String, _ variables: [String: String], answeringTo path: String) -> String {
        let words = variables.map { quoted("\($0.key)=\($0.value)") }.sorted().joined(separator: " ")
        return """
            [Service]
            ExecStart=
            ExecStart=:\(quoted(program)) \(arguments.joined(separator: " "))
            StandardInput=null
            StandardOutput=file:\(escaped(path))
            Environment=\(words)

            """
    }

    /// One word of a unit's setting (systemd.syntax(7)).
    private static func quoted(_ word: String) -> String { "\"\(escaped(word, isQuoted: true))\"" }

    /// `text` without anything that stands for something else in a unit's setting.
    private static func escaped(_ text: String, isQuoted: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": escaped += "%%"
            case "\\", "\"": escaped += isQuoted ? "\\\(scalar)" : "\(scalar)"
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
