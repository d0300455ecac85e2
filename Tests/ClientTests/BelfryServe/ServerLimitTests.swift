import BelfryEventLoop
import BelfryServe
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// The limits of the accept loop, each in a process of its own, whose descriptors are nobody else's.
@Suite struct ServerLimitTests {
    @Test("who comes while as many workers run as descriptors are for is served once one has ended")
    func workersMax() async {
        await #expect(processExitsWith: .success) {
            try allow(descriptors: 65)
            let bench = try ServerBench("echo served; read line")
            let (first, second) = (try Visitor(bench), try Visitor(bench))
            bench.loop.runUntilIdle()
            bench.run(until: first)
            #expect(first.lines.next(within: 60_000) == "served")
            bench.loop.runUntilIdle()
            #expect(second.lines.next(within: 0) == nil)
            shutdown(first.number, Int32(SHUT_WR))
            bench.run(until: second)
            #expect(second.lines.next(within: 60_000) == "served")
            bench.stop()
        }
    }

    @Test("who comes while no descriptor is left is served once there is one") func noDescriptor() async {
        await #expect(processExitsWith: .success) {
            let bench = try ServerBench("echo served")
            // The loop has its clock before there is no room for one.
            _ = bench.loop.schedule(at: bench.loop.now + .seconds(3_600), description: "clock") {}
            bench.loop.runUntilIdle()
            let visitor = try Visitor(bench)
            try allow(descriptors: 3)
            bench.loop.runUntilIdle()
            try allow(descriptors: 512)
            bench.run(until: visitor)
            #expect(visitor.lines.next(within: 60_000) == "served")
            bench.stop()
        }
    }
}

private func allow(descriptors: UInt) throws {
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    try checked("getrlimit") { unsafe getrlimit(kind, &limit) }
    limit.rlim_cur = rlim_t(descriptors)
    try checked("setrlimit") { unsafe setrlimit(kind, &limit) }
}

/// A server whose workers run a shell script.
private final class ServerBench {
    let loop: Loop
    let path: String
    private let folder = TemporaryFolder()
    private let server: PushServer

    init(_ script: String) throws {
        loop = try Loop()
        path = "\(folder.path)/push.sock"
        let worker = folder.write(Array("#!/bin/sh\n\(script)\n".utf8), to: "worker")
        unsafe chmod(worker, 0o700)
        server = try PushServer(at: path, worker: ChildCommand(path: worker), lifetimeMax: .seconds(60), on: loop)
    }

    /// Serves until `visitor` has something to read.
    func run(until visitor: Visitor) {
        let source = try? loop.watch(descriptor: visitor.number, events: .readable, description: "answer") {
            [loop] _ in
            loop.stop()
        }
        loop.run()
        source?.cancel()
    }

    func stop() {
        server.stop { [loop] in loop.stop() }
        loop.run()
    }
}

/// A connection to the server.
private final class Visitor {
    let number: Int32
    let lines: LineReader

    init(_ bench: ServerBench) throws {
        number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        lines = LineReader(OwnedDescriptor(owning: number))
        try connectUnixSocket(number, to: bench.path)
    }
}
