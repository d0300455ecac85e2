import BelfryEventLoop
import BelfryJSON
import BelfryProtocol
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import Glibc

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

/// What one check of the doctor found.
struct Finding: Sendable, Equatable {
    /// How bad it is.
    enum Level: String, Sendable {
        /// It works.
        case ok
        /// Calls ring, but not as they might.
        case warn
        /// Calls do not ring.
        case fail
    }

    /// How bad it is.
    let level: Level
    /// What was checked, in one word.
    let subject: String
    /// What was found.
    let detail: String
    /// How to mend it; empty where nothing is to be mended.
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

/// Runs another program and takes what it prints, with a bound on both time and size.
final class ProgramAnswer {
    /// A program that takes longer is killed.
    private static let patience = TimeSpan.seconds(5)
    /// What a program prints beyond this is dropped, in bytes.
    private static let bytesMax = 1 << 20

    private let loop: Loop
    private let reading: OwnedDescriptor
    private var bytes: [UInt8] = []
    private var isSuccess = false

    /// What `path` prints; nil where it cannot be started, fails or is killed.
    static func of(_ path: String, _ arguments: [String]) -> String? {
        do throws(SystemError) {
            let pipe = try DescriptorPair.pipe()
            let child = try ChildProcess(
                ChildCommand(
                    path: path, arguments: arguments,
                    streams: [0: .null, 1: .descriptor(pipe.writing.number), 2: .null]))
            let answer = ProgramAnswer(try Loop(), try pipe.reading.duplicate())
            try answer.follow(child)
            return answer.isSuccess ? String(decoding: answer.bytes, as: UTF8.self) : nil
        } catch {
            return nil
        }
    }

    private init(_ loop: Loop, _ reading: consuming OwnedDescriptor) {
        self.loop = loop
        self.reading = reading
    }

    private func follow(_ child: ChildProcess) throws(SystemError) {
        try checked("fcntl", on: "F_SETFL") { fcntl(reading.number, F_SETFL, O_NONBLOCK) }
        let source = try loop.watch(descriptor: reading.number, events: .readable, description: "answer") {
            [unowned self] _ in take()
        }
        defer { source.cancel() }
        let exit = try loop.onExit(of: child, description: "program") { [unowned self] status in
            isSuccess = status.isSuccess
            loop.stop()
        }
        defer { exit.cancel() }
        let timer = loop.schedule(at: loop.now + Self.patience, description: "patience") { [unowned self] in
            loop.stop()
        }
        loop.run()
        timer.cancel()
        take()
    }

    /// Takes what is there now.
    private func take() {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe read(reading.number, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            if bytes.count < Self.bytesMax { bytes.append(contentsOf: chunk.prefix(count)) }
        }
    }
}

/// Asks the user's service manager by its own command.
enum Systemctl {
    private static let path = "/usr/bin/systemctl"

    /// What `systemctl --user` prints for `arguments`; nil where it fails, is missing, or is too slow.
    static func ask(_ arguments: [String]) -> String? { ProgramAnswer.of(path, ["--user"] + arguments) }

    /// A property of a unit; nil where no manager answers.
    static func property(_ name: String, of unit: String) -> String? {
        guard let answer = ask(["show", "--property=\(name)", "--value", unit]) else { return nil }
        return answer.split(separator: "\n").first.map(String.init) ?? ""
    }
}
