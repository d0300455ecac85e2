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

    private func server(
        _ script: String, lifetime: TimeSpan = .seconds(60), keeperSocketPath: String? = nil
    ) throws -> PushServer {
        try PushServer(
            at: path, worker: ChildCommand(path: write(worker: script)), keeperSocketPath: keeperSocketPath,
            lifetimeMax: lifetime, on: loop)
    }

    private func write(worker script: String) -> String {
        let worker = folder.write(Array("#!/bin/sh\n\(script)\n".utf8), to: "worker.new")
        unsafe chmod(worker, 0o700)
        unsafe rename(worker, "\(folder.path)/worker")
        return "\(folder.path)/worker"
    }

    private static func connection(to path: String) throws -> OwnedDescriptor {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let connection = OwnedDescriptor(owning: number)
        try connectUnixSocket(number, to: path)
        return connection
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

    @Test("a socket is this user's alone") func mode() throws {
        _ = try listenPrivately(at: path, backlog: 1)
        var status = stat()
        #expect(unsafe stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
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
        let connection = try Self.connection(to: path)
        let number = connection.number
        let lines = LineReader(connection)
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

    @Test("who came while no worker could be started is served once one can") func shortage() throws {
        let server = try server("")
        unsafe unlink("\(folder.path)/worker")
        let connection = try Self.connection(to: path)
        let number = connection.number
        let lines = LineReader(connection)
        let source = try loop.watch(descriptor: number, events: .readable, description: "served") { [loop] _ in
            loop.stop()
        }
        loop.runUntilIdle()
        _ = write(worker: "echo served")
        loop.run()
        source.cancel()
        #expect(lines.next(within: 20_000) == "served")
        server.stop { [loop] in loop.stop() }
        loop.run()
    }

    @Test("workers that die while another is tidied after are tidied after by one run more") func tidiesTogether()
        throws
    {
        for number in 1...2 { unsafe mkfifo("\(folder.path)/gate\(number)", 0o600) }
        let script = """
            cd '\(folder.path)'
            [ "$1" = --tidy ] && { echo >>runs; exec cat gate$(wc -l <runs); }
            echo $$; exit 1
            """
        let (place, path) = (folder.path, path)
        _ = try answers(of: server(script)) {
            // Each is opened as soon as a run of that number opens it too.
            let first = unsafe open("\(place)/gate1", O_WRONLY | O_CLOEXEC)
            for _ in 0..<8 {
                guard let pid = try? Int32(LineReader(Self.connection(to: path)).next(within: 60_000) ?? "") else {
                    Issue.record("no worker")
                    return
                }
                while kill(pid, 0) == 0 { sched_yield() }
            }
            close(first)
            close(unsafe open("\(place)/gate2", O_WRONLY | O_CLOEXEC))
        }
        let runs = try Directory.open(path: place, makes: false).read("runs", bytesMax: 99)?.bytes.count
        #expect(runs == 2)
    }

    @Test("once it has stopped nothing of it is left, nor of its host") func leavesNothing() throws {
        weak var left: PushServer?
        do {
            let keeperSocketPath = "\(folder.path)/host.sock"
            let server = try server("exec sleep 100", keeperSocketPath: keeperSocketPath)
            left = server
            _ = try Self.connection(to: keeperSocketPath)
            loop.runUntilIdle()
            var isStopped = false
            server.stop { [loop] in
                isStopped = true
                loop.stop()
            }
            #expect(!isStopped, "no host was started")
            loop.run()
        }
        #expect(left == nil)
    }
}
