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
        Usage: belfry apns log [APNS-ID] [--lines N] [--since TIME] [--follow] [--json]
               belfry apns watch [APNS-ID] [--json]
        What became of the pushes that servers sent: log tells of the last ones, watch of each as it happens. Of what
        was refused they say why, and of connections that ended before a request.

        A TIME is as long ago as 90s, 10m, 2h or 3d, or a date and a time of day here, such as
        "2026-11-27 09:58:04". With --json each line is an object: see docs/protocol.md.
        """

    /// The options that they take.
    static let options = [
        Option("lines", "N", "how many lines at most: 100"), Option("since", "TIME", "none that is older"),
        Option("follow", "go on with what happens then"), Option("json", "print JSON"), Option("help", "show the help"),
    ]
    /// How many lines are printed where `--lines` does not say so.
    private static let linesCount = 100
    /// How often watch looks by itself, for files whose changes the kernel does not report.
    private static let lookInterval = TimeSpan.seconds(1)

    /// Runs the command `verb` with `words`, those after `log` or `watch`.
    func run(_ verb: String, _ words: [String], state: StateDirectory) throws(CommandError) {
        let words = try OptionParser.parse(words, Self.options, stopsAtFirstArgument: false)
        guard !words.has("help") else { return output.line(Self.help) }
        guard words.arguments.count <= 1 else { throw CommandError(.usage, "belfry apns \(verb) takes one id at most") }
        if verb == "watch", let option = ["lines", "since", "follow"].first(where: words.has) {
            throw CommandError(.usage, "belfry apns watch has no --\(option)", "belfry apns log --follow")
        }
        guard let count = words["lines"].map({ Int($0) }) ?? Self.linesCount, count >= 0 else {
            throw CommandError(.usage, "--lines is a whole number from 0")
        }
        let since = words["since"].flatMap { LogTime.parse($0, now: wallTimeMicroseconds()) }
        guard words["since"] == nil || since != nil else {
            throw CommandError(.usage, "--since is a time", "such as 10m, 2h, or \"2026-11-27 09:58:04\"")
        }
        let part = PushLogPart(id: words.arguments.first, since: since)
        let printer = LinePrinter(part: part, asJSON: words.has("json"), output: output)
        let follows = verb == "watch" || words.has("follow")
        do throws(SystemError) {
            // Before the lines are read, so that none is between both.
            let reader = follows ? try PushLogReader(state: state) : nil
            var told: [[UInt8]] = []
            if verb == "log" {
                told = try PushLog.lines(of: state)
                if !follows, let id = part.id, PushLogPart(id: id).last(1, of: told).isEmpty {
                    throw SystemError(errno: ENODATA, call: "find", subject: id)
                }
                for line in part.last(count, of: told) where !printer.print(line) { return }
            }
            if let reader { try follow(reader, after: told, printer) }
        } catch  where error.errno == ENODATA {
            throw CommandError(.notFound, "the log has no push of this id", "belfry apns log --lines 10")
        } catch {
            throw CommandError(.unavailable, "the log of pushes cannot be read: \(error)")
        }
    }

    /// Prints what `reader` finds, but the lines of its first look with which `told` ends.
    private func follow(
        _ reader: PushLogReader, after told: [[UInt8]], _ printer: LinePrinter
    ) throws(SystemError) {
        let loop = try Loop()
        let first = try reader.newLines()
        let overlap = (0...min(first.count, told.count)).last { told.suffix($0).elementsEqual(first.prefix($0)) } ?? 0
        for line in first.dropFirst(overlap) where !printer.print(line) { return }
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
    /// Which lines are printed.
    let part: PushLogPart
    /// Whether they are printed as they are.
    let asJSON: Bool
    /// Where they are printed.
    let output: Output

    /// Prints `line` if it belongs to the push; false once the output is closed.
    func print(_ line: [UInt8]) -> Bool {
        guard let object = part.object(in: line) else { return true }
        if asJSON { output.bytes(line + [UInt8(ascii: "\n")]) } else { output.line(text(object)) }
        return output.isOpen
    }

    private func text(_ object: JSONObject) -> String {
        func word(_ key: String) -> String? { object[key]?.stringValue }
        var parts = [time(object["at"]?.numberValue ?? 0)] + [word("id"), word("step")].compactMap { $0 }
        if case .integer(let status)? = object["status"] { parts.append("\(status)") }
        parts += ["event", "code", "type", "topic"].compactMap(word)
        if let device = word("device") { parts.append("device \(device)") }
        let line = parts.joined(separator: " ")
        return Printable.escaped(word("detail").map { "\(line): \($0)" } ?? line)
    }

    /// The date and the time of day here, to the millisecond.
    private func time(_ unixSeconds: Double) -> String {
        guard let wall = WallTime(unixSeconds: unixSeconds), let text = LogTime.text(wall) else { return "?" }
        return text
    }
}
