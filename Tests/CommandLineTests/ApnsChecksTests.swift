import BelfryCommandLine
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing
@testable import belfry

@Suite struct ApnsChecksTests {
    @Test("an endpoint that listens on this machine alone is in order, and one that does not is told of")
    func listeners() {
        let local = "127.0.0.1:2197 (Stream)\n[::1]:2197 (Stream)\n/run/user/1/belfry/apns.sock (Stream)\n"
        #expect(ApnsChecks.listeners(local).map(\.level) == [.ok])
        #expect(ApnsChecks.listeners(local).first?.detail.contains("apns.sock") == false)
        for outside in ["[::]:2197 (Stream)", "0.0.0.0:2197 (Stream)", "192.168.1.2:443 (Stream)"] {
            let finding = ApnsChecks.listeners(local + outside).first
            #expect(finding?.level == .warn, "\(outside)")
            #expect(finding?.detail.contains(outside.split(separator: " ")[0]) == true, "\(outside)")
        }
    }

    @Test("refusals of the last hour tell of clocks that are more than five minutes apart, and of nothing else")
    func clocks() {
        let now = WallTime(microseconds: 1_800_000_000_000_000)
        func findings(_ lines: (Int64, String)...) -> [Finding] {
            let log = lines.map { "{\"at\":\($0.0).5,\"step\":\"refused\"\($0.1)}\n" }.joined()
            return ClockChecks.findings(Array(log.utf8), now: now)
        }
        let (recent, old) = (Int64(1_799_996_400), Int64(1_799_996_399))
        #expect(findings().isEmpty && findings((recent, "")).isEmpty)
        #expect(findings((recent, ",\"clock\":300"), (recent, ",\"clock\":-300")).isEmpty)
        #expect(findings((old, ",\"clock\":7200")).isEmpty)
        let ahead = findings((recent, ",\"clock\":301"), (recent, ""), (recent, ",\"clock\":7200"))
        #expect(ahead.map(\.level) == [.warn] && ahead.first?.detail.contains("is 120 min ahead of") == true)
        #expect(ahead.first?.detail.hasSuffix("2 refusals in the last hour") == true)
        let behind = findings((recent, ",\"clock\":-301"))
        #expect(behind.first?.detail.contains("is 5 min behind") == true)
        #expect(behind.first?.detail.hasSuffix("1 refusal in the last hour") == true)
        #expect(findings((recent, ",\"clock\":301"), (recent, ",\"clock\":-301")).count == 2)
    }

    @Test("doctor reads the log of pushes where it is, the file before it too")
    func log() {
        let folder = TemporaryFolder()
        folder.makeFolder("apns")
        let context = Context(
            options: ParsedOptions(), environment: ["BELFRY_STATE_DIRECTORY": folder.path], output: Output())
        #expect(ClockChecks.run(context).isEmpty)
        let at = wallTimeMicroseconds() / 1_000_000
        for (name, clock) in [("log.1.jsonl", -4_000), ("log.jsonl", 4_000)] {
            folder.write(Array("{\"at\":\(at),\"clock\":\(clock)}\n".utf8), to: "apns/\(name)")
        }
        #expect(ClockChecks.run(context).count == 2)
    }

    @Test("who listens at a port is read from the kernel's table")
    func table() {
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        let rows = """
               0: 0100007F:0895 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0
               1: 0100007F:0895 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0 100 0 0 10 0
               2: 0100007F:0896 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4713 1 0 100 0 0 10 0
            """
        #expect(PortOwner.listeners(at: 2_197, in: head + rows) == ["4711"])
        #expect(PortOwner.listeners(at: 80, in: head + rows) == [])
        #expect(PortOwner.listeners(at: 2_197, in: "nonsense\n1\n") == [])
        let cut = rows.split(separator: "\n")[0].split(separator: " ").prefix(9).joined(separator: " ")
        #expect(PortOwner.listeners(at: 2_197, in: head + cut) == [], "without its inode")
    }

    @Test("whoever has a port is named, whichever port the operator has chosen")
    func owner() throws {
        #expect(ApnsChecks.ports("127.0.0.1:443 (Stream)\n[::1]:443 (Stream)\n/run/x:1/apns.sock (Stream)\n") == [443])
        #expect(ApnsChecks.ports("[::]:2197 (Stream) 10.0.0.1:8443 (Stream)") == [2_197, 8_443])
        #expect(ApnsChecks.ports("") == [])
        var port: UInt16 = 0
        let listener = try listenLocally(backlog: 1, port: &port)
        let name = try #require(readKernelFile("/proc/\(getpid())/comm")).dropLast()
        #expect(PortOwner.of(port) == "\(String(decoding: name, as: UTF8.self)), process \(getpid())")
        listener.close()
        // A child that another test starts just now has it until it becomes its program.
        let patience = bootTimeMicroseconds() + 60_000_000
        while PortOwner.of(port) != nil, bootTimeMicroseconds() < patience { sched_yield() }
        #expect(PortOwner.of(port) == nil)
    }

    @Test("belfry runs the program beside it, with the same words and its exit status")
    func passedOn() throws {
        let folder = TemporaryFolder()
        let environment = ["HOME": folder.path, "BELFRY_STATE_DIRECTORY": folder.path + "/state"]
        for (words, status) in [
            (["device", "list"], ProgramStatus.done), (["apns", "list"], .done), (["apns", "invented"], .usage),
            (["device", "remove", "nobody"], .notFound),
        ] {
            let run = try ProgramRun(testedProgram("belfry"), words, environment: environment.mapValues { $0 })
            #expect(try run.child.waitUntilExit() == .exited(code: status.rawValue), "\(words) \(run.complaints())")
        }
    }

    @Test("it becomes that program, so that nothing runs on when it is killed")
    func becomes() throws {
        let folder = TemporaryFolder()
        let copying = try ProgramRun("/bin/cp", [testedProgram("belfry"), folder.path])
        #expect(try copying.child.waitUntilExit().isSuccess)
        let script = folder.write(Array("#!/bin/sh\necho $$ $*\n".utf8), to: "belfry-apns")
        #expect(unsafe chmod(script, 0o755) == 0)
        let run = try ProgramRun("\(folder.path)/belfry", ["apns", "watch", "--json"])
        #expect(run.lines() == ["\(run.child.pid) apns watch --json"])
        #expect(try run.child.waitUntilExit().isSuccess)
    }
}
