import BelfryEventLoop
import BelfryServe
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

/// The accept loop, with shell scripts as workers.
@Suite struct PushServerTests {
    private let folder = TemporaryFolder()
    private let loop: Loop

    init() throws { loop = try Loop() }

    private var path: String { "\(folder.path)/push.sock" }

    private func server(_ script: String, lifetime: TimeSpan = .seconds(60)) throws -> PushServer {
        let worker = folder.write(Array("#!/bin/sh\n\(script)\n".utf8), to: "worker")
        unsafe chmod(worker, 0o700)
        return try PushServer(
            at: path, worker: ChildCommand(path: worker), lifetimeMax: lifetime, on: loop)
    }

    /// What the worker behind a connection of its own writes until it ends; then the server is stopped.
    private func answers(
        of server: PushServer, connections count: Int = 1, then: @escaping @Sendable () -> Void = {}
    ) throws -> [String] {
        let path = path
        let told = ReceivedBytes()
        let poster = loop.poster
        let loop = UncheckedLoop(loop)
        let stopping = UncheckedServer(server)
        let client = PosixThread {
            for _ in 0..<count {
                let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                try? connectUnixSocket(number, to: path)
                told.set(told.bytes + ScriptedWorker.readAll(number) + [UInt8(ascii: ";")])
                close(number)
            }
            then()
            poster.post { stopping.server.stop { loop.loop.stop() } }
        }
        self.loop.run()
        client.join()
        return String(decoding: told.bytes, as: UTF8.self).split(separator: ";", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// What crosses to the client's thread and back, and is used on the loop alone.
    private struct UncheckedLoop: @unchecked Sendable {
        let loop: Loop
        init(_ loop: Loop) { self.loop = loop }
    }

    private struct UncheckedServer: @unchecked Sendable {
        let server: PushServer
        init(_ server: PushServer) { self.server = server }
    }

    @Test("each connection has a worker, whose standard input and output it is")
    func workers() throws {
        let answers = try answers(of: server("echo one"), connections: 3)
        #expect(answers == ["one\n", "one\n", "one\n", ""])
        #expect(unsafe access(path, F_OK) == -1, "the socket is gone")
    }

    @Test("workers that died are tidied after, those that ended by themselves are not", arguments: [0, 65, 1])
    func tidies(status: Int) throws {
        let script = #"[ "$1" = --tidy ] && { echo x >>"\#(folder.path)/tidied"; exit; }; exit \#(status)"#
        let tidied = "\(folder.path)/tidied"
        _ = try answers(of: server(script), connections: 3) {
            // The test's time limit ends this if nobody tidies.
            while status == 1, unsafe access(tidied, F_OK) == -1 { sched_yield() }
        }
        #expect((unsafe access(tidied, F_OK) == 0) == (status == 1))
    }

    @Test("a worker that outlives its time is ended, and killed with all its children if it does not go")
    func outlives() throws {
        let script = "[ $# = 1 ] && exit; trap '' TERM; sleep 100 & echo $!; wait; wait; sleep 100"
        let begun = bootTimeMicroseconds()
        let answer = try #require(try answers(of: server(script, lifetime: .milliseconds(200))).first)
        #expect(bootTimeMicroseconds() - begun < 20_000_000)
        let child = try #require(Int32(answer.dropLast()))
        // The whole group is gone, once whoever inherits has waited for it.
        while kill(child, 0) == 0 { sched_yield() }
    }

    @Test("its end ends the workers first") func stops() throws {
        let server = try server("trap 'echo ended; exit' TERM; echo begun; sleep 100 & wait")
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try connectUnixSocket(number, to: path)
        let lines = LineReader(OwnedDescriptor(owning: number))
        let source = try loop.watch(descriptor: number, events: .readable, description: "begun") { [loop] _ in
            loop.stop()
        }
        loop.run()
        source.cancel()
        #expect(lines.next(within: 20_000) == "begun")
        server.stop { [loop] in loop.stop() }
        loop.run()
        #expect(lines.next(within: 0) == "ended")
    }
}
