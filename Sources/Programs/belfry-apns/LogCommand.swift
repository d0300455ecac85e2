import BelfryAppGroup
import BelfryCommandLine
import BelfryEventLoop
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Glibc
import PushQueue

/// `belfry apns log` and `belfry apns watch`: what happened to pushes. They work whether or not the endpoint runs.
struct LogCommand {
    /// Where it prints.
    let output: Output

    /// What `--help` prints.
    static let help = """
        Usage: belfry apns log [APNS-ID] [--json]
               belfry apns watch [APNS-ID] [--json]
        What became of the pushes that servers sent: log tells of the last ones, watch of each as it happens.

        With --json each line is an object: see docs/protocol.md.
        """

    /// The options that they take.
    static let options = [Option("json", "print JSON"), Option("help", "show the help")]
    /// How often watch looks by itself, for files whose changes the kernel does not report.
    private static let lookInterval = TimeSpan.seconds(1)

    /// Runs the command `verb` with `words`, those after `log` or `watch`.
    func run(_ verb: String, _ words: [String], state: StateDirectory) throws(CommandError) {
        let words = try OptionParser.parse(words, Self.options, stopsAtFirstArgument: false)
        guard !words.has("help") else { return output.line(Self.help) }
        guard words.arguments.count <= 1 else { throw CommandError(.usage, "belfry apns \(verb) takes one id at most") }
        let printer = LinePrinter(id: words.arguments.first, asJSON: words.has("json"), output: output)
        do throws(SystemError) {
            guard verb == "watch" else {
                for line in try PushLog.lines(of: state) where !printer.print(line) { return }
                return
            }
            try follow(state, printer)
        } catch {
            throw CommandError(.unavailable, "the log of pushes cannot be read: \(error)")
        }
    }

    private func follow(_ state: StateDirectory, _ printer: LinePrinter) throws(SystemError) {
        let loop = try Loop()
        let reader = try PushLogReader(state: state)
        func look() {
            let lines = (try? reader.newLines()) ?? []
            if !lines.allSatisfy(printer.print) { loop.stop() }
        }
        func lookOften() {
            _ = loop.schedule(at: loop.now + Self.lookInterval, description: "look again") {
                look()
                lookOften()
            }
        }
        // Before the first look: no line is missed between the two.
        let watch = try? reader.watch(on: loop, look)
        look()
        lookOften()
        loop.run()
        watch?.cancel()
    }
}

/// Prints lines of the log as people or programs read them.
private struct LinePrinter {
    /// The push whose lines are printed; nil for all.
    let id: String?
    /// Whether they are printed as they are.
    let asJSON: Bool
    /// Where they are printed.
    let output: Output

    /// Prints `line` if it belongs to the push; false once the output is closed.
    func print(_ line: [UInt8]) -> Bool {
        guard case .object(let object)? = try? JSONValue.parse(line), let apnsID = object["id"]?.stringValue,
            id == nil || id?.lowercased() == apnsID.lowercased()
        else { return true }
        if asJSON { output.bytes(line + [UInt8(ascii: "\n")]) } else { output.line(text(object, apnsID)) }
        return output.isOpen
    }

    private func text(_ object: JSONObject, _ apnsID: String) -> String {
        func word(_ key: String) -> String? { object[key]?.stringValue }
        var parts = [time(object["at"]?.numberValue ?? 0), apnsID, word("step") ?? "?"]
        if case .integer(let status)? = object["status"] { parts.append("\(status)") }
        parts += ["event", "code", "type", "topic"].compactMap(word)
        if let device = word("device") { parts.append("device \(device)") }
        let line = parts.joined(separator: " ")
        return Printable.escaped(word("detail").map { "\(line): \($0)" } ?? line)
    }

    /// The time of day here, to the millisecond.
    private func time(_ unixSeconds: Double) -> String {
        guard let wall = WallTime(unixSeconds: unixSeconds) else { return "?" }
        var seconds = time_t(wall.unixSecond)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return "?" }
        func digits(_ number: Int64, _ count: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let milliseconds = wall.microseconds / 1_000 % 1_000
        let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int64($0), 2) }.joined(
            separator: ":")
        return "\(clock).\(digits(max(0, milliseconds), 3))"
    }
}
