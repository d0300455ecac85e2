import BelfryAppGroup
import BelfrySyscalls
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("belfry call, which follows what it pushed") struct Following {
        @Test("says that the end was not told if the worker is killed, and ends with 75") func killed() throws {
            let phone = try Phone()
            let call = try FollowedCall("A", on: phone)
            call.wait(for: "delivered")
            kill(try #require(phone.worker(of: "A")), SIGKILL)
            #expect(try call.process.waitUntilExit() == .exited(code: 75))
            #expect(call.errors.hasPrefix("belfry: the connection ended before the end of the call was told: "))
        }

        @Test("says on Ctrl-C how to hang up, and that does") func interrupted() throws {
            let phone = try Phone()
            let call = try FollowedCall("it's A", on: phone)
            call.wait(for: "delivered")
            try call.process.signal(SIGINT)
            #expect(try call.process.waitUntilExit() == .killed(signal: SIGINT))
            #expect(phone.ledger().rings.map(\.key.text) == ["it's A"])
            let words = try #require(call.errors.split(separator: "\n").first?.split(separator: ": ").last)
            let shell = try run(
                "/bin/sh", ["-c", "\(Surroundings.programs)/\(words)"], environment: ["BELFRY_SOCKET": phone.socket])
            #expect(shell.status.isSuccess, "\(words): \(shell.errors)")
            #expect(waitUntil { phone.ledger().rings.isEmpty })
        }

        @Test("goes on under Ctrl-C if a script has it ignored") func ignored() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "1s"])
            let call = try FollowedCall("A", on: phone, by: "trap '' INT; exec")
            call.wait(for: "delivered")
            try call.process.signal(SIGINT)
            #expect(try call.process.waitUntilExit() == .exited(code: 0))
        }

        @Test("pushes again when systemd drops its connection, and rings once there is room") func dropped() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "4s"])
            let folder = "\(Surroundings.runtimeDirectory)/systemd/user/\(phone.name).socket.d"
            let few = "[Socket]\nMaxConnections=1\n"
            _ = try run("/usr/bin/install", ["-D", "/dev/stdin", "\(folder)/few.conf"], input: few)
            try phone.systemctl("daemon-reload")
            try phone.systemctl("restart", "\(phone.name).socket")
            let first = try phone.call("A")
            try first.wait(for: "delivered")
            #expect(try phone.call("C").next() == nil, "there was room for a third")
            let second = try FollowedCall("B", on: phone)
            #expect(try second.process.waitUntilExit() == .exited(code: 0))
            #expect(first.story().last == "missed")
        }
    }
}

/// A `belfry call` that runs beside the test.
private final class FollowedCall {
    let process: ChildProcess
    private let folder = TemporaryFolder()
    private let output: LineReader

    /// Starts it with the call's id `id`; `prefix` stands before it in the shell that starts it.
    init(_ id: String, on phone: Phone, by prefix: String = "exec") throws {
        let pipe = try DescriptorPair.pipe()
        let path = folder.write([], to: "errors")
        let errors = OwnedDescriptor(owning: try checked("open", on: path) { unsafe open(path, O_WRONLY | O_CLOEXEC) })
        let environment = ["BELFRY_SOCKET": phone.socket, "BELFRY_STATE_DIRECTORY": phone.state.path]
        process = try ChildProcess(
            ChildCommand(
                path: "/bin/sh",
                arguments: ["-c", "\(prefix) \"$0\" \"$@\"", "\(Surroundings.programs)/belfry", "call", "--id", id],
                environment: inherited().merging(environment) { $1 },
                streams: [1: .descriptor(pipe.writing.number), 2: .descriptor(errors.number)]))
        output = LineReader(pipe.reading)
    }

    /// Waits until it has printed the event `name`.
    func wait(for name: String) {
        while let line = output.next(within: Client.patienceMilliseconds) {
            if line.split(separator: " ").dropFirst().first == name[...] { return }
        }
        Issue.record("belfry call ended without \(name): \(errors)")
    }

    /// What it has said on standard error.
    var errors: String { contents(of: "\(folder.path)/errors") }
}
