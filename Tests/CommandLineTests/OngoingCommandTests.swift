import BelfryAppGroup
import BelfryCommandLine
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallLedger
import Glibc
import GroupLedger
import Support
import Testing

@testable import belfry

/// What the person does with an app's call that goes on, by the shell, and where it is listed.
@Suite struct OngoingCommandTests {
    private let group = GroupCommandTests()

    private var environment: [String: String] {
        ["BELFRY_STATE_DIRECTORY": "\(group.folder.path)/state", "BELFRY_RUNTIME_DIRECTORY": group.folder.path]
    }

    private func run(_ words: [String], answer: ClientAnswer?) throws -> (CommandRun, asked: ClientMessage?) {
        try CommandRun.run(words, environment, inFrontOf: answer)
    }

    @Test(
        "each command says what it means, of the named call or of the active one; done, it says nothing",
        arguments: [
            ("end", CallCommand.end), ("hold", .hold(true)), ("hold --off", .hold(false)), ("mute", .mute(true)),
            ("mute --off", .mute(false)), ("keypad 12#", .keypad("12#")), ("merge", .merge), ("split", .split),
        ])
    func commands(line: String, command: CallCommand) throws {
        let words = line.split(separator: " ").map(String.init)
        let (active, message) = try run(words, answer: .done)
        #expect(active.status == .done && active.output == "" && active.complaints == "")
        #expect(message == .command(command, call: nil))
        let (named, other) = try run(words + ["abc-123"], answer: .done)
        #expect(named.status == .done && other == .command(command, call: "abc-123"))
        #expect(CommandRun(words + ["a", "b"], environment).status == .usage)
    }

    @Test("no such call is 66, what an app cannot do 69, and each says why") func outcomes() throws {
        let (none, _) = try run(["end"], answer: .noCall("no call goes on"))
        #expect(none.status == .notFound && none.complaints == "belfry: no call goes on\n")
        let (named, _) = try run(["hold", "x"], answer: .noCall("no call that goes on is named x"))
        #expect(named.complaints == "belfry: no call that goes on is named x: see belfry calls\n")
        let (failed, _) = try run(["hold"], answer: .failed("a cannot hold x\u{1B}"))
        #expect(failed.status == .unavailable && failed.complaints.hasPrefix("belfry: a cannot hold x\\u{1b}"))
        let (silent, _) = try run(["mute"], answer: nil)
        #expect(silent.status == .unavailable && silent.complaints.contains("has not answered"))
        let (foreign, _) = try run(["mute"], answer: .apps([]))
        #expect(foreign.status == .defect)
    }

    @Test("for a call that still rings the other command is said") func ringing() throws {
        try group.ring("one")
        let (end, _) = try run(["end", "one"], answer: .noCall("one still rings"))
        #expect(end.complaints == "belfry: one still rings: belfry decline one\n")
        let (mute, _) = try run(["mute", "one"], answer: .noCall("one still rings"))
        #expect(mute.complaints == "belfry: one still rings: belfry answer one\n")
    }

    @Test("digits that no phone has are wrong usage, and asked of nobody", arguments: ["", "12x", "1 2", "+1", "é"])
    func digits(_ digits: String) throws {
        let (run, asked) = try run(["keypad", digits], answer: .done)
        #expect(run.status == .usage && run.complaints.contains("0 to 9, A to D, * and #") && asked == nil)
    }

    @Test("a keypad takes all keys and pauses, and at most 128") func keys() throws {
        let all = "0123456789ABCDabcd*#,;"
        #expect(try run(["keypad", all], answer: .done).asked == .command(.keypad(all), call: nil))
        let long = String(repeating: "1", count: 128)
        #expect(try run(["keypad", long], answer: .done).0.status == .done)
        #expect(CommandRun(["keypad", long + "1"], environment).status == .usage)
    }

    @Test("where nobody listens there is no call, and the remedy is said") func nobody() {
        let run = CommandRun(["end"], environment)
        #expect(run.status == .notFound && run.complaints.contains("enable --now belfry-calls.socket"), "\(run)")
        #expect(CommandRun(["calls"], environment).output == "no call rings in group.belfry\n")
    }

    @Test("to list calls belfry-calls is not started; one that runs is asked") func notStarted() throws {
        let listener = try listenPrivately(at: "\(group.folder.path)/calls.sock", backlog: 4)
        func hasCaller() -> Bool { isReady(listener.number, for: POLLIN, within: 0) }
        let calls = CommandRun(["calls"], environment)
        #expect(calls.status == .done && calls.output == "no call rings in group.belfry\n" && calls.complaints == "")
        #expect(!hasCaller())
        // Another process of that name, with another socket, is not meant.
        let name = "\(group.folder.path)/belfry-calls"
        #expect(unsafe symlink("/bin/sleep", name) == 0)
        let other = try listenPrivately(at: "\(group.folder.path)/other.sock", backlog: 4)
        let stranger = try process(name, holding: other.number)
        #expect(CommandRun(["calls"], environment).status == .done && !hasCaller())
        let centre = try process(name, holding: listener.number)
        let asked = try ProgramRun(testedProgram("belfry"), ["calls"], environment: environment)
        #expect(isReady(listener.number, for: POLLIN, within: 20_000), "it is asked")
        for process in [stranger, centre, asked.child] {
            try process.signal(SIGKILL)
            _ = try process.waitUntilExit()
        }
    }

    private func process(_ path: String, holding descriptor: Int32) throws -> ChildProcess {
        try ChildProcess(
            ChildCommand(
                path: path, arguments: ["600"], environment: [:],
                streams: [0: .descriptor(descriptor), 1: .null, 2: .null]))
    }

    // MARK: belfry calls

    private var talks: [OngoingCall] {
        let now = Instant(microseconds: bootTimeMicroseconds())
        var active = OngoingCall(call: "one", uuid: "9F2C4A52-8D1D-4C52-9A6E-0E9F5A3B7C21", app: "com.example.phone")
        (active.appName, active.name, active.handle) = ("Phone", "Anna\u{202E}", "+49")
        (active.state, active.isMuted, active.since) = (.active, true, now - .seconds(42))
        (active.group, active.hasVideo, active.canHold) = (1, true, true)
        active.label = NumberLabel("Bank", from: "Tellows")
        var connecting = OngoingCall(call: "two", uuid: "0E9F5A3B-8D1D-4C52-9A6E-9F2C4A527C21", app: "com.other")
        connecting.isOutgoing = true
        return [active, connecting]
    }

    @Test("calls has the calls of apps, with state, duration, group and app") func list() throws {
        let (calls, asked) = try run(["calls"], answer: .calls(talks))
        #expect(asked == .listCalls && calls.status == .done && calls.complaints == "")
        #expect(calls.lines.first == "no call rings in group.belfry")
        let rows = calls.lines.dropFirst().map {
            $0.split(separator: "  ").map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init)
        }
        #expect(rows.first == ["STATE", "FOR", "CALL", "CALLER", "HANDLE", "LABEL", "KIND", "GROUP", "APP"])
        let (first, second) = (try #require(rows.dropFirst().first), try #require(rows.last))
        #expect(
            first == [
                "active, muted", "42 s", "one", "Anna\\u{202e}", "+49", "Tellows: Bank", "video", "1",
                "com.example.phone",
            ])
        #expect(second == ["connecting", "–", "two", "-", "-", "-", "audio", "-", "com.other"])
    }

    @Test("as JSON a call of an app has the keys of a call that goes on, and its own") func json() throws {
        let (calls, _) = try run(["calls", "--json"], answer: .calls(talks))
        let objects = try calls.lines.map { try #require(JSONValue.parse(Array($0.utf8)).objectValue) }
        let first = try #require(objects.first)
        #expect(calls.lines.first?.hasPrefix(#"{"call":"one","mode":"active","name":"Anna"#) == true)
        let seconds = try #require(first["duration"]?.numberValue)
        #expect((42..<100).contains(seconds) && first["video"] == true && first["pids"] == .array([]))
        #expect(first["state"] == "active" && first["app"] == "com.example.phone" && first["appName"] == "Phone")
        #expect(first["uuid"] == "9F2C4A52-8D1D-4C52-9A6E-0E9F5A3B7C21" && first["outgoing"] == false)
        #expect(first["muted"] == true && first["group"] == .integer(1) && first["holdable"] == true)
        #expect(objects.last?["duration"] == .null && objects.last?["state"] == "connecting")
    }

    @Test("a call that the ledger has too is one line: that of its app; others stay as they are") func once() throws {
        for id in ["one", "ring", "held"] { try group.ring(id) }
        #expect(CommandRun(["answer", "held", "--pid", "\(getpid())"], environment).status == .done)
        #expect(CommandRun(["answer", "one", "--pid", "\(getpid())"], environment).status == .done)
        try group.ring("two")
        let (json, _) = try run(["calls", "--json"], answer: .calls(talks))
        let objects = try json.lines.map { try #require(JSONValue.parse(Array($0.utf8)).objectValue) }
        #expect(objects.map { $0["call"]?.stringValue } == ["ring", "held", "one", "two"])
        #expect(objects.map { $0["state"]?.stringValue } == ["ringing", "active", "active", "connecting"])
        #expect(objects[2]["pids"] == .array([.integer(Int64(getpid()))]))
        let (text, _) = try run(["calls"], answer: .calls(talks))
        #expect(text.lines.count { $0.contains("one") } == 1 && text.lines.count { $0.contains("two") } == 1)
    }

    @Test("belfry-calls that says nothing is complained of, and all else is listed") func silent() throws {
        try group.ring("ring")
        let (calls, _) = try run(["calls", "--json"], answer: nil)
        #expect(calls.status == .done && calls.lines.count == 1)
        #expect(calls.complaints == "belfry: warning: calls of apps are not listed: belfry-calls has not answered\n")
    }
}
