import BelfryApps
import BelfryCommandLine
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import Glibc
import Support
import Testing

@testable import belfry

/// `belfry app list`, `start` and `stop`, and what the doctor says of apps.
@Suite struct AppCommandTests {
    private let folder = TemporaryFolder()

    private var environment: [String: String] {
        ["BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "BELFRY_RUNTIME_DIRECTORY": folder.path]
    }

    private func run(_ words: [String], answer: ClientAnswer?) throws -> (CommandRun, asked: ClientMessage?) {
        try CommandRun.run(words, environment, inFrontOf: answer)
    }

    @Test("start and stop say so to belfry-calls, and end as it answers") func orders() throws {
        let (started, asked) = try run(["app", "start", "com.example.phone"], answer: .done)
        #expect(started.status == .done && asked == .startApp("com.example.phone"))
        let (stopped, stop) = try run(["app", "stop", "com.example.phone"], answer: .failed("it does not run"))
        #expect(stopped.status == .notFound && stop == .stopApp("com.example.phone"))
        #expect(stopped.complaints == "belfry: it does not run\n")
        let (silent, _) = try run(["app", "start", "a"], answer: nil)
        #expect(silent.status == .unavailable && silent.complaints.contains("has not answered"))
        #expect(CommandRun(["app", "start"], environment).status == .usage)
    }

    @Test("the list says of each app if it runs, and why not") func list() throws {
        var apps = ["a.registered", "b.running", "c.failed", "d.stopped"].map { ListedApp(id: $0) }
        (apps[0].isRegistered, apps[0].pid, apps[0].name, apps[0].calls) = (true, 7, "Phone", 2)
        apps[1].pid = 8
        apps[2].problem = "its process has ended\u{1B}"
        let (run, asked) = try run(["app", "list"], answer: .apps(apps))
        #expect(asked == .listApps)
        let rows = run.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows[1] == ["a.registered", "Phone", "registered", "7", "2", "-"])
        #expect(rows[2].prefix(4) == ["b.running", "-", "running", "8"])
        #expect(run.output.contains("failed: its process has ended") && !run.output.contains("\u{1B}"))
        #expect(rows[4][2] == "stopped")
        let (json, _) = try self.run(["app", "list", "--json"], answer: .apps(apps))
        #expect(json.output.split(separator: "\n").count == 4 && json.output.hasPrefix("{\"id\":\"a.registered\""))
        let (none, _) = try self.run(["app", "list"], answer: .apps([]))
        #expect(none.output.contains("no app is configured"))
    }

    @Test("what apps do is watched, and with --explain each warning is in words, too") func watch() throws {
        let warning = Event(
            at: 0, boot: 0, id: "", body: .warning(code: CodeWord(.pushReportedLate), detail: "1.5 ms late"))
        let centre = ScriptedWorker { connection in
            var line = [UInt8](repeating: 0, count: 4_096)
            _ = unsafe read(connection, &line, line.count)
            ScriptedWorker.write(warning.line, to: connection)
            _ = ScriptedWorker.readAll(connection)
        }
        #expect(unsafe symlink(centre.path, "\(folder.path)/calls.sock") == 0)
        let run = try ProgramRun(testedProgram("belfry"), ["watch", "--explain"], environment: environment)
        #expect(run.line()?.hasSuffix("warning    push-reported-late: 1.5 ms late") == true)
        let meaning = " The receive method had returned before the report came: in the background iOS kills"
        #expect(run.line()?.contains(meaning) == true)
        #expect(run.line()?.contains(" Report before the method returns: not in a Task") == true)
        try run.child.signal(SIGTERM)
        _ = try run.child.waitUntilExit()
        let both = CommandRun(["watch", "--explain", "--json"], environment)
        #expect(both.status == .usage && both.complaints.contains("without --json"))
        withExtendedLifetime(centre) {}
    }

    @Test("where nobody listens the remedy is said") func nobody() {
        let run = CommandRun(["app", "list"], environment)
        #expect(run.status == .unavailable && run.complaints.contains("enable --now belfry-calls.socket"))
    }

    @Test("the doctor reads each app, and has its last start and registration") func doctor() {
        func make(_ name: String, _ mode: String) -> String {
            let path = folder.makeFolder("\(name).app")
            let text = """
                <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.\(name)</string>
                <key>UIBackgroundModes</key><array><string>\(mode)</string></array></dict></plist>
                """
            folder.write(Array(text.utf8), to: "\(name).app/Info.plist")
            let program = folder.write(Array("#!/bin/sh\n".utf8), to: "\(name).app/\(name)")
            #expect(unsafe chmod(program, 0o755) == 0)
            return path
        }
        let paths = [make("good", "voip"), make("mute", "audio"), make("broken", "voip"), "\(folder.path)/none.app"]
        var records = AppRecords(in: folder.path)
        records.change("com.good") { ($0.started, $0.registered) = (1, 2) }
        records.change("com.broken") { $0.problem = "its process has ended" }
        let findings = AppChecks.findings(
            ConfiguredApps(paths: paths), AppRecords(in: folder.path), isServed: false)
        func finding(_ word: String) -> Finding? { findings.first { $0.detail.contains(word) } }
        #expect(finding("com.good")?.level == .ok && finding("com.good")?.detail.contains("registered 1970") == true)
        #expect(finding("com.mute")?.level == .warn && finding("com.mute")?.remedy.contains("voip") == true)
        #expect(finding("com.broken")?.level == .fail)
        #expect(finding("none.app")?.level == .fail)
        #expect(finding("belfry-calls.socket is off")?.remedy == AppChecks.enable)
        #expect(findings.count == 5)
    }
}
