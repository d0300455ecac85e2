import BelfrySyscalls
import BelfryTesting
import Glibc
import Support
import Testing

/// Processes that a bell starts, such as the server under test.
@Suite struct BellProcessTests {
    private static let patience = Duration.seconds(60)

    private func shell(
        _ bell: Bell, _ script: String, environment: [String: String] = [:]
    ) async throws -> BellProcess {
        try await bell.run("sh", ["-c", script], environment: environment)
    }

    @Test("it has the bell's environment and its own, no input and no descriptors of the test's; its output is kept")
    func environment() async throws {
        try await Belfry.running { bell in
            let script = #"cat; echo "$BELFRY_SOCKET $OWN"; echo err >&2; ls /proc/self/fd | wc -l; exit 3"#
            let process = try await shell(bell, script, environment: ["OWN": "x y"])
            #expect(try await process.waitUntilExit(within: Self.patience) == .exited(3))
            #expect(await process.output == "\(bell.socketPath) x y\nerr\n4\n")
            #expect(await process.exit == .exited(3))
            let there = try await bell.run("/bin/pwd", in: "/usr")
            try await there.waitUntilExit(within: Self.patience)
            #expect(await there.output == "/usr\n")
        }
    }

    @Test("its output is waited for; one that ends before, or takes too long, says what it wrote")
    func output() async throws {
        try await Belfry.running { bell in
            let server = try await shell(bell, "echo starting; echo listens; exec sleep 1000")
            try await server.waitForOutput("listens", within: Self.patience)
            let late = await #expect(throws: BellError.self) {
                try await server.waitForOutput("more", within: .milliseconds(1))
            }
            #expect(late?.code == .didNotCome && late?.description.hasSuffix("wrote:\nstarting\nlistens\n") == true)
            #expect(late?.description.contains("no output more within 0.001 s of") == true)
            let crashed = try await shell(bell, "echo oops; kill -9 $$")
            let error = await #expect(throws: BellError.self) {
                try await crashed.waitForOutput("listens", within: Self.patience)
            }
            #expect(error?.description.contains("no output listens before it was killed by signal 9 of") == true)
            let waiting = Task { try await server.waitUntilExit(within: .seconds(3_600)) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test("of a long output the end is kept") func longOutput() async throws {
        try await Belfry.running { bell in
            let script = "head -c \(BellProcess.outputBytesMax) /dev/zero | tr '\\0' a; printf end"
            let process = try await shell(bell, script)
            try await process.waitUntilExit(within: Self.patience)
            let output = await process.output
            #expect(output.utf8.count == BellProcess.outputBytesMax && output.hasSuffix("aaend"))
        }
    }

    @Test("it ends with the bell, with what it has started, also if it does not want to") func ends() async throws {
        let (pid, other) = try await Belfry.running { bell in
            let process = try await shell(bell, "trap '' TERM; sleep 1000 & echo $!; while :; do wait; done")
            try await process.waitForOutput("\n", within: Self.patience)
            let other = try #require(Int32(await process.output.prefix { $0.isNumber }))
            return (process.pid, other)
        }
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
        // What it started is nobody's child for a moment.
        #expect(ProcessIdentity(livingPID: other) == nil)
    }

    @Test("it is stopped, and signalled") func stopped() async throws {
        try await Belfry.running { bell in
            let process = try await shell(bell, "exec sleep 1000")
            await process.stop()
            #expect(await process.exit == .killed(SIGTERM))
            await process.stop()
            let other = try await shell(bell, "exec sleep 1000")
            await other.signal(SIGINT)
            #expect(try await other.waitUntilExit(within: Self.patience) == .killed(SIGINT))
        }
    }

    @Test("what cannot be run is an error, and so is a bell that has been stopped") func errors() async throws {
        let bell = try await Belfry.start()
        for path in ["/nosuch", "no-such-program"] {
            let error = await #expect(throws: BellError.self) { try await bell.run(path) }
            #expect(error?.code == .noSuchFile && error?.description.hasPrefix("\(path) cannot be run: ") == true)
        }
        await bell.stop()
        #expect(await #expect(throws: BellError.self) { try await bell.run("true") }?.code == .stopped)
    }
}
