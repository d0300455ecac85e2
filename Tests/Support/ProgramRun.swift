public import BelfrySyscalls
import Glibc

/// A program that runs, and what it prints.
public final class ProgramRun {
    /// Its process.
    public let child: ChildProcess
    private let output: LineReader
    private let errors: LineReader

    /// Starts `path` with `arguments`, this process's environment with `environment` over it, without those that are
    /// nil.
    public init(_ path: String, _ arguments: [String], environment: [String: String?] = [:]) throws {
        let output = try DescriptorPair.pipe()
        let errors = try DescriptorPair.pipe()
        var variables = Environment.allOfThisProcess()
        for (name, value) in environment { variables[name] = value }
        var command = ChildCommand(
            path: path, arguments: arguments, environment: variables,
            streams: [
                0: .null, 1: .descriptor(output.writing.number), 2: .descriptor(errors.writing.number),
            ])
        // Of its own: the kernel hangs up a whole group that nobody outside waits for any more, with the tests in
        // it, if a process of it stands still just then, as some tests have it.
        command.leadsGroup = true
        child = try ChildProcess(command)
        output.writing.close()
        errors.writing.close()
        self.output = LineReader(output.reading)
        self.errors = LineReader(errors.reading)
    }

    /// The next line that it prints; nil at the end, or if none comes in `milliseconds`.
    public func line(within milliseconds: Int32 = 120_000) -> String? { output.next(within: milliseconds) }

    /// The lines that it prints from here to its end.
    public func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    /// The next line that it complains; nil at the end, or if none comes in time.
    public func complaint() -> String? { errors.next(within: 120_000) }

    /// What it complains of, to its end.
    public func complaints() -> [String] {
        var lines: [String] = []
        while let line = complaint() { lines.append(line) }
        return lines
    }
}
