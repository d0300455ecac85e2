import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// What `belfry-worker` does besides handling a notification.
@Suite struct WorkerCommandTests {
    private let folder = TemporaryFolder()

    private func run(_ program: String, _ words: [String]) throws -> ProgramRun {
        try ProgramRun(
            program, words,
            environment: [
                "BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "BELFRY_RUNTIME_DIRECTORY": "\(folder.path)/run",
                "BELFRY_CONFIG_FILES": "no", "BELFRY_SOUND": "none",
            ])
    }

    private func worker(_ words: String...) throws -> ProgramRun { try run(testedProgram("belfry-worker"), words) }

    /// Lets a call ring, and kills its worker.
    private func leaveDeadRing() throws {
        let request = CallRequest(callID: "a", callerName: "Ann").payload()
        let push = folder.write(Envelope().enclosing(request).serialized(), to: "push")
        let ring = try run("/bin/sh", ["-c", #"exec "$0" <"$1""#, testedProgram("belfry-worker"), push])
        while let line = ring.line(), !line.contains(#""event":"ringing""#) {}
        try ring.child.signal(SIGKILL)
        _ = try ring.child.waitUntilExit()
    }

    private func names(in name: String) -> [String] {
        (try? Directory.open(path: "\(folder.path)/\(name)", makes: false).names(max: 99)) ?? []
    }

    private func tidy() throws -> [String] {
        let tidying = try worker("--tidy")
        let lines = tidying.lines()
        #expect(try tidying.child.waitUntilExit().isSuccess)
        return lines
    }

    @Test("R12 the tidier tells once that the call of a dead worker was missed, and leaves nothing of its ring")
    func missedOnce() throws {
        #expect(try tidy() == [])
        try leaveDeadRing()
        #expect(names(in: "run/rings").count == 1)
        let told = try tidy()
        let event = try Event(line: Array(#require(told.first).utf8))
        #expect(told.count == 1 && event.kind == .missed && event.call == "a" && event.content?.title == "Ann")
        #expect(event.at == 0)
        #expect(names(in: "run/rings") == [])
        #expect(try tidy() == [])
    }

    @Test("R1 with a relative path of an extension a call rings, and what is no call is passed through")
    func relativeExtension() throws {
        let call = CallRequest(callID: "a", callerName: "Ann", duration: .seconds(1)).payload()
        let alert = #"{"aps":{"alert":"Hi","mutable-content":1}}"#
        for (bytes, deliverer) in [
            (Envelope().enclosing(call).serialized(), Deliverer.extension), (Array(alert.utf8), .passthrough),
        ] {
            let push = folder.write(bytes, to: "push")
            let worker = try run(
                "/bin/sh",
                ["-c", #"BELFRY_EXTENSION=own.appex exec "$0" <"$1""#, testedProgram("belfry-worker"), push])
            let events = try worker.lines().map { try Event(line: Array($0.utf8)) }
            #expect(events.contains { $0.warning == .configuration })
            #expect(events.compactMap(\.deliverer) == [CodeWord(deliverer)])
            #expect(events.contains { $0.kind == .ringing } == (deliverer == .extension))
        }
    }

    @Test("R12 where the file is gone too, the tidier removes what a dead worker left beside it") func leftovers()
        throws
    {
        try leaveDeadRing()
        let rings = "run/rings/\(names(in: "run/rings").first ?? "")"
        for name in names(in: rings) where name.hasSuffix(".ring") || name.hasSuffix(".owed") {
            unsafe unlink("\(folder.path)/\(rings)/\(name)")
        }
        let preferences = "state/groups/group.belfry/Library/Preferences"
        #expect(unsafe unlink("\(folder.path)/\(preferences)/group.belfry.plist") == 0)
        #expect(names(in: rings).count == 1, "its ear")
        #expect(try tidy() == [])
        #expect(names(in: "run/rings") == [])
    }

    @Test("R12 what cannot be recorded is not told, since it would be told again, but complained of")
    func unrecorded() throws {
        try leaveDeadRing()
        // Neither the file nor a note beside it can be written any more.
        TemporaryFolder.remove("\(folder.path)/run")
        folder.write([], to: "run")
        let temporaries = "\(folder.path)/state/groups/group.belfry/tmp"
        TemporaryFolder.remove(temporaries)
        folder.write([], to: "state/groups/group.belfry/tmp")
        let tidying = try worker("--tidy")
        #expect(tidying.lines() == [])
        let complaints = tidying.complaints()
        #expect(complaints.count == 1 && complaints[0].contains("what dead workers left cannot be recorded"))
        unsafe unlink(temporaries)
        #expect(try tidy().count == 1)
    }

    @Test(
        "what cannot be lent is complained of",
        arguments: [["--lend", "/"], ["--lend"], ["--invented"]])
    func wrong(words: [String]) throws {
        let run = try run(testedProgram("belfry-worker"), words)
        #expect(run.complaint()?.hasPrefix("belfry-worker: ") == true)
        #expect(try run.child.waitUntilExit() == .exited(code: 64))
    }

    @Test("a channel that nobody takes is complained of; one whose tests leave is given back") func lends() throws {
        let socket = ScriptedWorker { connection in
            var request = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            #expect(unsafe poll(&request, 1, 60_000) == 1)
            let (bytes, files) = receiveSome(from: connection, bytesMax: 4_096)
            #expect(bytes.first == UInt8(ascii: "/") && files.count == 1)
        }
        for (path, status) in [(socket.path, Int32(0)), ("\(folder.path)/absent", 70)] {
            let channel = try SocketPair()
            let lender = try ChildProcess(
                ChildCommand(
                    path: testedProgram("belfry-worker"), arguments: ["--lend", path],
                    streams: [2: .null, 3: .descriptor(channel.writing.number)]))
            #expect(try lender.waitUntilExit() == .exited(code: status))
            _ = consume channel
        }
    }

    @Test("--help says how it is started") func help() throws {
        let run = try worker("--help")
        #expect(run.lines().first?.hasPrefix("Usage: belfry-worker ") == true)
        #expect(try run.child.waitUntilExit().isSuccess)
    }
}
