import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

/// A real host that stays, real workers and a real extension process.
@Suite struct ExtensionQueueTests {
    private let played: PlayedExtension
    private let host: ChildProcess
    private let settings: [String: String?]

    init() throws { try self.init("", reuse: true) }

    /// A host of the sample extension, or of one that runs `code`.
    private init(_ code: String, reuse: Bool, budget: String = "30s") throws {
        let played = code.isEmpty ? PlayedExtension(program: builtProgram("ExtensionSample")) : PlayedExtension(code)
        let folder = played.folder
        settings = ["BELFRY_EXTENSION_REUSE": reuse ? "yes" : "no", "BELFRY_EXTENSION_STRICT": "yes"]
        folder.makeFolder("run")
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = OwnedDescriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
        try bindUnixSocket(listener.number, to: "\(folder.path)/run/extension.sock")
        try BelfrySyscalls.listen(at: listener.number, backlog: 16)
        var environment = Environment.allOfThisProcess()
        for (name, value) in settings { environment[name] = value }
        environment["BELFRY_STATE_DIRECTORY"] = "\(folder.path)/state"
        environment["BELFRY_CONFIG_FILES"] = "no"
        environment["BELFRY_EXTENSION"] = played.path
        environment["BELFRY_EXPIRY_BUDGET"] = budget
        var command = ChildCommand(
            path: testedProgram("belfry-worker"), arguments: ["--host"], environment: environment,
            streams: [0: .descriptor(listener.number), 1: .null])
        command.leadsGroup = true
        host = try ChildProcess(command)
        self.played = played
    }

    private func push(_ what: String = "", budget: String = "30s") throws -> ProgramRun {
        try played.run(
            #"{"aps":{"alert":{"title":"t","body":"b"},"mutable-content":1},"do":"\#(what)"}"#, budget: budget,
            environment: settings)
    }

    /// All but what the memory of a sanitizer brings about, which counts as the extension's.
    private func events(of run: ProgramRun, until isLast: (Event) -> Bool = { _ in false }) throws -> [Event] {
        var events: [Event] = []
        while let line = run.line() {
            let event = try Event(line: Array(line.utf8))
            if case .warning(let code, _) = event.body, code.known == .memory { continue }
            events.append(event)
            if isLast(event) { break }
        }
        return events
    }

    @Test("R3 a process that stays has an object for each, also beside one that blocks; its end is the end of all")
    func reuse() throws {
        let staying = try ExtensionQueueTests("", reuse: true, budget: "6s")
        let first = try staying.push("block", budget: "6s")
        let before = try staying.events(of: first) { $0.name == "delivered" }
        #expect(before.story == ["received", "extension started", "delivered extension"])
        #expect(before.delivered?.title == "t 1")
        let second = try staying.push("", budget: "6s")
        let after = try staying.events(of: second) { $0.name == "delivered" }
        #expect(after.story == ["received", "delivered extension"] && after.delivered?.title == "t 2")
        let rest = try staying.events(of: first).story
        #expect(rest == ["warning killed-at-budget", "extension ended 137"])
        let secondRest = try staying.events(of: second).story
        #expect(secondRest.first == "extension returned")
        let third = try staying.events(of: try staying.push("")) { $0.name == "delivered" }
        #expect(third.story.contains("extension started") && third.delivered?.title == "t 1")
        try staying.host.signal(SIGTERM)
        #expect(try staying.host.waitUntilExit() == .exited(code: 0))
    }

    @Test("what code says of a notification that is over belongs to the last one that ran, not to one that waits")
    func lateWords() throws {
        let staying = try ExtensionQueueTests(
            """
            if number == 2:
                while not os.path.exists(os.path.dirname(sys.argv[0]) + "/../go"):
                    time.sleep(0.05)
                for _ in range(10):
                    say("asked", number=1, what="vibration", detail="")
                    time.sleep(0.05)
            reply(content)
            say("returned", number=number)
            """, reuse: true)
        let first = try staying.events(of: try staying.push()).story
        #expect(first.contains("delivered extension"))
        let second = try staying.push()
        #expect(try staying.events(of: second) { $0.name == "received" }.story == ["received"])
        let third = try staying.push()
        #expect(try staying.events(of: third) { $0.name == "received" }.story == ["received"])
        staying.played.folder.write([], to: "go")
        let words = (1...10).map { "asked vibration \($0)" }
        let heard = try staying.events(of: second) { $0.name == "delivered" }.story
        #expect(heard == words + ["delivered extension"])
        #expect(try staying.events(of: third) { $0.name == "delivered" }.story == ["delivered extension"])
    }

    @Test("one has its turn once the one before has its delivery; the wait is no part of its budget")
    func strict() throws {
        let staying = try ExtensionQueueTests(
            """
            if content["userInfo"]["do"] != "wait":
                reply(content)
                sys.exit(0)
            """, reuse: false, budget: "6s")
        let first = try staying.push("wait", budget: "6s")
        let begun = try staying.events(of: first) { $0.name == "extension" }
        #expect(begun.story == ["received", "extension started"])
        let second = try staying.push("", budget: "6s")
        let third = try staying.push("", budget: "6s")
        let rest = try staying.events(of: first)
        #expect(
            rest.story == [
                "warning time-will-expire", "delivered expiry", "warning blocked", "warning killed-at-budget",
                "extension ended 137",
            ] || rest.story.contains("delivered expiry"))
        let firstDelivered = try #require(rest.first { $0.name == "delivered" }?.boot)
        for run in [second, third] {
            let events = try staying.events(of: run)
            #expect(events.story == ["received", "extension started", "delivered extension", "extension ended 0"])
            let started = try #require(events.first { $0.name == "extension" }?.boot)
            #expect(started > firstDelivered - 0.5, "started \(started), delivered \(firstDelivered)")
        }
        try staying.host.signal(SIGTERM)
        #expect(try staying.host.waitUntilExit() == .exited(code: 0))
    }

    @Test("a reply that is longer than what a socket holds comes whole") func longReply() throws {
        let events = try events(of: try push("long")) { $0.name == "delivered" }
        #expect(events.story == ["received", "extension started", "delivered extension"])
        #expect(events.delivered?.body.utf8.count == 900_000)
    }

    @Test("R2 a host that is killed takes its process along, and the original is delivered, with a word")
    func killed() throws {
        let first = try push("wait")
        _ = try events(of: first) { $0.name == "extension" }
        try host.signal(SIGKILL)
        let rest = try events(of: first)
        #expect(Array(rest.story.suffix(2)) == ["warning host-gone", "delivered crash"])
        #expect(rest.delivered?.title == "t")
    }

    @Test("R17 a worker that is told to stop while it waits delivers the original; the others have their turns")
    func stopsWaiting() throws {
        let first = try push("wait")
        _ = try events(of: first) { $0.name == "extension" }
        let second = try push("")
        _ = try events(of: second) { $0.name == "received" }
        try second.child.signal(SIGTERM)
        #expect(try events(of: second).story == ["delivered stopped"])
        try first.child.signal(SIGTERM)
        let rest = try events(of: first)
        #expect(rest.story.contains("delivered stopped"))
        let third = try events(of: try push("")) { $0.name == "delivered" }
        #expect(third.story.contains("delivered extension"))
        try host.signal(SIGTERM)
        #expect(try host.waitUntilExit() == .exited(code: 0))
    }

    @Test("what leaves its process's group is ended with that, while the host stays") func orphans() throws {
        let staying = try ExtensionQueueTests(
            """
            child = subprocess.Popen(["sh", "-c", "setsid sleep 600 & echo $!"], stdout=subprocess.PIPE, text=True)
            content["userInfo"]["pid"] = int(child.stdout.readline())
            child.wait()
            reply(content)
            sys.exit(0)
            """, reuse: false)
        let events = try staying.events(of: try staying.push())
        let pid = try #require(events.delivered?.userInfo["pid"]?.integerValue)
        #expect(events.story.last == "extension ended 0" && ProcessIdentity(livingPID: Int32(pid)) == nil)
        try staying.host.signal(SIGTERM)
        #expect(try staying.host.waitUntilExit() == .exited(code: 0))
    }

    @Test("belfry serve starts a host for its workers, and ends it") func serve() throws {
        let sample = PlayedExtension(program: builtProgram("ExtensionSample"))
        let payload = #"{"aps":{"alert":{"title":"t","body":"b"},"mutable-content":1}}"#
        let file = sample.folder.write(Array(payload.utf8), to: "alert.json")
        let push = "\"$0\" push --json \"$1\""
        let run = try ProgramRun(
            testedProgram("belfry"),
            ["serve", "--", "/bin/sh", "-c", "\(push); \(push)", testedProgram("belfry"), file],
            environment: [
                "BELFRY_EXTENSION": sample.path, "BELFRY_EXTENSION_REUSE": "yes", "BELFRY_EXPIRY_BUDGET": "10s",
                "BELFRY_SOUND": "none", "XDG_RUNTIME_DIR": sample.folder.path,
            ])
        let events = try run.lines().map { try Event(line: Array($0.utf8)) }
        #expect(events.filter { $0.name == "delivered" }.map { [$0].delivered?.title } == ["t 1", "t 2"])
        #expect(events.story.filter { $0 == "extension started" }.count == 1)
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
    }

    @Test("without a host a notification has its own process, with a word") func noHost() throws {
        let alone = PlayedExtension("reply(content)\nsys.exit(0)")
        let events = try alone.events(environment: ["BELFRY_EXTENSION_STRICT": "yes"])
        #expect(events.story.contains("warning host-gone") && events.story.contains("delivered extension"))
    }
}
