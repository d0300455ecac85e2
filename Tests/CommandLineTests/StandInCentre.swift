import BelfrySyscalls
import CallChannel
import Glibc
import Support
import Testing

@testable import belfry

extension CommandRun {
    /// Runs `belfry` with `words` where belfry-calls answers `answer`, if that is not nil: the run, and what was asked.
    static func run(
        _ words: [String], _ environment: [String: String], inFrontOf answer: ClientAnswer?
    ) throws -> (CommandRun, asked: ClientMessage?) {
        let asked = LockedValue<[UInt8]>([])
        let centre = ScriptedWorker { connection in
            var line = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe read(connection, &line, line.count)
            asked.withLock { [line] in $0 = Array(line.prefix(max(0, count))) }
            if let answer { ScriptedWorker.write(answer.line, to: connection) }
        }
        let path = (environment["BELFRY_RUNTIME_DIRECTORY"] ?? "") + "/calls.sock"
        #expect(unsafe symlink(centre.path, path) == 0)
        defer { unsafe unlink(path) }
        let run = withExtendedLifetime(centre) { CommandRun(words, environment) }
        let line = asked.withLock { $0 }
        return (run, line.isEmpty ? nil : try ClientMessage.read(line))
    }
}
