import BelfryCommandLine
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing
@testable import belfry

@Suite struct PushCommandTests {
    static func event(_ name: String, _ rest: String) -> String {
        #"{"event":"\#(name)","at":0.5,"boot":2.0,"id":"i",\#(rest)}"# + "\n"
    }

    static let received = event("received", #""type":"alert","intercepted":true"#)
    static let rejected = event("rejected", #""reason":"NoAps","detail":"there is no aps""#)
    static let ringing = event(
        "ringing", #""call":"it's c","mode":"loud","duration":30,"interval":1,"sound":"ring","vibrate":true"#)
    static let delivered = event(
        "delivered",
        #""by":"extension","content":{"title":"A","subtitle":"","body":"","badge":null,"sound":null,"category":"","#
            + #""thread":"","interruptionLevel":"active","attachments":[],"userInfo":{},"relevanceScore":0.0,"#
            + #""targetContentId":null}"#)

    /// Runs `words` against a worker that answers `answer` to what it is told, and tells what that was.
    func run(_ words: [String], answer: String, _ more: [String: String] = [:]) -> (run: CommandRun, sent: [UInt8]) {
        let sent = ReceivedBytes()
        let worker = ScriptedWorker { connection in
            sent.set(ScriptedWorker.readAll(connection))
            ScriptedWorker.write(answer, to: connection)
        }
        let run = CommandRun(words, ["BELFRY_SOCKET": worker.path].merging(more) { $1 })
        withExtendedLifetime(worker) {}
        return (run, sent.bytes)
    }

    @Test("a file is pushed as it is, but for what stands behind its object") func file() {
        let folder = TemporaryFolder()
        let payload = Array("{\n \"aps\": {} }\n".utf8)
        let file = folder.write(payload, to: "a.json")
        let (run, sent) = run(["push", file], answer: Self.received + Self.delivered)
        #expect(sent == payload.dropLast())
        #expect(run.status == .done && run.complaints == "")
        #expect(run.lines == ["    0.500  received   alert, intercepted", "    0.500  delivered  by extension: A"])
    }

    @Test("a file that is not there is 66, and a path that is no socket is said to be none") func missing() {
        let run = CommandRun(["push", "/nosuch.json"])
        #expect(run.status == .notFound && run.complaints.contains("/nosuch.json: No such file"))
        let socket = CommandRun(["call", "--socket", "/etc/passwd"])
        #expect(socket.status == .unavailable && socket.complaints.hasPrefix("belfry: /etc/passwd is no socket"))
    }

    @Test("a ring that is shorter than was asked for is said") func shortened() {
        let ended = Self.event("ended", #""call":"it's c","reason":"timeout","rang":30,"ticks":29"#)
        let answer = Self.received + Self.ringing + Self.delivered + ended
        let (cut, _) = run(["call", "--duration", "60s"], answer: answer)
        #expect(cut.complaints.contains("it rings for 30 s and not for 60 s: [Ring] Duration= and [Extension]"))
        let (whole, _) = run(["call", "--duration", "30s"], answer: answer)
        #expect(!whole.complaints.contains("it rings for"))
    }

    @Test("every warning has its meaning and its remedy", arguments: WarningCode.allCases)
    func explanation(code: WarningCode) {
        let (meaning, remedy) = code.explanation
        #expect(meaning.hasSuffix(".") && remedy.hasSuffix(".") && meaning != remedy)
    }

    @Test func jsonPassesThroughAsItCame() {
        let odd = #"{"event":"from-the-future","x":1}"# + "\n"
        let (run, _) = run(["call", "--json"], answer: Self.received + odd + Self.delivered)
        #expect(run.output == Self.received + odd + Self.delivered)
    }

    @Test func aNewerWorkersEventIsShownEscaped() {
        let (run, _) = run(["call"], answer: Self.delivered + "{\"event\":\"new\",\"x\":\"\u{202E}\"}\n")
        #expect(run.lines.last == #"    0.000  new        {"x":"\u{202e}"}"#)
    }

    @Test func whatIsNoEventIsShownEscaped() {
        let (run, _) = run(["call"], answer: Self.delivered + "{\"x\":\"\u{202E}\"}\n")
        #expect(run.lines.last == #"{"x":"\u{202e}"}"# && run.status == .done)
    }

    @Test func aNewerWorkersWordsAndEventsPassThrough() {
        let folder = TemporaryFolder()
        let file = folder.write(Array("{\"aps\":{}}".utf8), to: "a.json")
        let answer =
            Self.event("received", #""type":"alarm","intercepted":true,"by" : "x""#)
            + Self.event("transferred", #""to":  "é","n":1.50"#)
            + Self.event("ended", #""call":"c","reason":"transferred","rang":1,"ticks":1"#)
            + Self.event("delivered", #""by":"robot","content":{}"#)
        let json = run(["push", "--json", file], answer: answer).run
        #expect(json.output == answer && json.status == .done && json.complaints == "")
        let people = run(["push", file], answer: answer).run
        #expect(people.status == .done && people.complaints == "")
        #expect(
            people.lines == [
                "    0.500  received   alarm, intercepted", #"    0.500  transferred {"to":"é","n":1.5}"#,
                "    0.500  ended      c: transferred after 1.0 s, 1 tick",
                "    0.500  delivered  by robot: nothing to show",
            ])
    }

    @Test func whatANewerWorkerSaysStillDecidesTheStatus() {
        let tired = Self.event("rejected", #""reason":"Tired","detail":"later""#)
        #expect(run(["call"], answer: tired).run.status == .badNotification)
        let refused = run(["call", "--no-follow"], answer: tired).run
        #expect(refused.status == .badNotification)
        #expect(refused.complaints == "belfry: the notification was rejected: Tired: later\n")
        let another = run(["call", "--no-follow"], answer: Self.event("rejected", #""reasons":["Tired"]"#)).run
        #expect(another.status == .badNotification)
        #expect(another.complaints == "belfry: the notification was rejected: {\"reasons\":[\"Tired\"]}\n")
        let accepted = run(["call", "--no-follow"], answer: Self.event("received", #""type":["call"]"#)).run
        #expect(accepted.status == .done && accepted.complaints == "")
        #expect(run(["call"], answer: Self.event("delivered", #""content":"none""#)).run.status == .done)
    }

    @Test func aCallPrintsItsIDFirst() throws {
        let (run, sent) = run(
            ["call", "--name", "Anna", "--duration", "1500ms"], answer: Self.received + Self.delivered)
        let push = try Push.parse(sent)
        guard case .request(let request)? = push.call else {
            Issue.record("no call request")
            return
        }
        #expect(run.lines.first == request.callID && request.callID.utf8.count == 36)
        #expect(request.callerName == "Anna" && request.duration?.seconds == 1.5)
        #expect(push.isMutableContent && push.request.content.title == "Anna")
        #expect(push.request.content.body == "Incoming call" && push.envelope.appGroup == nil)
    }

    @Test func aGroupThatTheShellNamesGoesAlong() throws {
        for (words, environment) in [
            (["call", "--group", "group.a"], [:]), (["--group", "group.a", "call"], [:]),
            (["call"], ["BELFRY_APP_GROUP": "group.a"]),
        ] {
            let (_, sent) = run(words, answer: "", environment)
            #expect(try Push.parse(sent).envelope.appGroup == "group.a")
        }
        let file = TemporaryFolder().path
        #expect(file.isEmpty == false)
        let payload = Command.addressed(Array(#"{"aps":{"alert":"x"}}"#.utf8), to: "group.a")
        #expect(try Push.parse(payload).envelope.appGroup == "group.a")
        #expect(Command.addressed(Array("nonsense".utf8), to: "group.a") == Array("nonsense".utf8))
    }

    @Test func aHangupOfAnIDIsPushed() throws {
        let (run, sent) = run(["hangup", "c", "--reason", "busy"], answer: Self.received + Self.delivered)
        guard case .hangup(let hangup)? = try Push.parse(sent).call else {
            Issue.record("no hangup")
            return
        }
        #expect(run.status == .done && hangup.callID == "c" && hangup.reason == .busy)
    }

    @Test func theEndDecidesTheStatus() {
        #expect(run(["call"], answer: Self.rejected).run.status == .badNotification)
        #expect(run(["call"], answer: Self.received).run.status == .endedEarly)
        #expect(run(["call"], answer: "").run.status == .endedEarly)
        let early = run(["call"], answer: Self.received).run
        #expect(early.complaints.hasPrefix("belfry: the connection ended before the notification was delivered: "))
        let killed = run(["call"], answer: Self.received + Self.ringing + Self.delivered).run
        #expect(killed.status == .endedEarly && killed.lines.count == 4)
        #expect(killed.complaints.hasPrefix("belfry: the connection ended before the end of the call was told: "))
    }

    @Test func whoDoesNotFollowLeavesOnceItIsAccepted() {
        let accepted = run(["call", "--no-follow"], answer: Self.received).run
        #expect(accepted.status == .done && accepted.lines.count == 1 && accepted.complaints == "")
        let rejected = run(["call", "--no-follow"], answer: Self.rejected).run
        #expect(rejected.status == .badNotification)
        #expect(rejected.complaints == "belfry: the notification was rejected: NoAps: there is no aps\n")
    }

    @Test("Ctrl-C says that the call rings on and how to hang up, and ends the program by that signal")
    func interrupted() throws {
        let worker = ScriptedWorker { connection in
            ScriptedWorker.write(Self.received + Self.ringing, to: connection)
            _ = ScriptedWorker.readAll(connection)
            var client = pollfd(fd: connection, events: 0, revents: 0)
            _ = unsafe poll(&client, 1, -1)
        }
        let folder = TemporaryFolder()
        let errors = OwnedDescriptor(
            owning: unsafe open(folder.write([], to: "errors"), O_RDWR | O_CLOEXEC))
        let pipe = try DescriptorPair.pipe()
        let child = try ChildProcess(
            ChildCommand(
                path: testedProgram("belfry"), arguments: ["call", "--group", "g", "--socket", worker.path],
                streams: [1: .descriptor(pipe.writing.number), 2: .descriptor(errors.number)]))
        let output = LineReader(pipe.reading)
        #expect(output.next(startingWith: "    0.500  ringing", within: 20_000) != nil)
        try child.signal(SIGINT)
        #expect(try child.waitUntilExit() == .killed(signal: SIGINT))
        lseek(errors.number, 0, SEEK_SET)
        #expect(
            String(decoding: ScriptedWorker.readAll(errors.number), as: UTF8.self)
                == "belfry: it's c rings on: hang up with: "
                + #"belfry hangup --socket=\#(worker.path) --group=g 'it'\''s c'"# + "\n")
        withExtendedLifetime(worker) {}
    }

    @Test func withoutASocketThereIsNoPush() {
        for (environment, words) in [([:], ["call"]), (["BELFRY_SOCKET": "/nonexistent/s"], ["hangup", "c"])] {
            let run = CommandRun(words, environment)
            #expect(run.status == .unavailable && run.output == "" && run.complaints.hasPrefix("belfry: "))
        }
    }

    @Test(arguments: [
        ["push"], ["push", "a", "b"], ["call", "x"], ["hangup", "c", "--reason", "tired"],
        ["call", "--duration", "0.5s"], ["call", "--avatar", "x"], ["call", "--avatar", "file:///x"], ["call", ""],
        ["call", "--id", ""], ["call", "--id", "a\u{1}b"], ["call", "--id", "a\u{FFFF}"],
        ["call", "--id", String(repeating: "a", count: 129)],
        ["nothing"], [], ["call", "--socket", "/" + String(repeating: "a", count: 200)], ["call", "--group"],
    ])
    func wrongUsageIs64(words: [String]) {
        let run = CommandRun(words, ["XDG_RUNTIME_DIR": "/nonexistent"])
        #expect(run.status == .usage && run.output == "" && run.complaints.hasPrefix("belfry: "))
    }

    @Test(arguments: [
        (["call", "x"], "belfry call does not take \"x\": belfry call ["),
        (["push", "a", "b", "\u{1B}"], "belfry push does not take \"b\", \"\\u{1b}\": belfry push FILE"),
        (["push"], "belfry push needs more arguments: "),
    ])
    func aWrongNumberOfArgumentsIsExplained(words: [String], complaint: String) {
        #expect(CommandRun(words).complaints.hasPrefix("belfry: \(complaint)"))
    }

    @Test("a notification is read whole, in however many pieces") func wholeFile() throws {
        let folder = TemporaryFolder()
        // One byte more than is read at once.
        let bytes = [UInt8](repeating: 32, count: (64 << 10) + 1)
        #expect(try NotificationFile.read(folder.write(bytes, to: "push.json")) == bytes)
    }

    @Test func everyCommandHasHelp() {
        #expect(CommandRun(["--help"]).output.contains("Exit status:"))
        #expect(CommandRun(["--version"]).lines == [Program.version])
        for command in Program.commands {
            for words in [[command.name, "--help"], [command.name, "-h"], ["--help", command.name]] {
                let run = CommandRun(words)
                #expect(run.status == .done && run.output.hasPrefix("Usage: belfry \(command.name)"))
                #expect(run.output.utf8.split(separator: 10).allSatisfy { $0.count <= 130 })
            }
        }
    }
}
