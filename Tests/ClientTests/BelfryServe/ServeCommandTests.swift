import BelfryJSON
import BelfrySyscalls
import CBelfryLinux
import Glibc
import Support
import Testing

/// `belfry serve` as people run it, with real workers.
@Suite struct ServeCommandTests {
    /// Where its folder is made, so that a test sees what is left.
    private let place = TemporaryFolder()

    private func serve(_ words: String..., environment: [String: String?] = [:]) throws -> ProgramRun {
        let own: [String: String?] = [
            "TMPDIR": place.path, "XDG_RUNTIME_DIR": nil, "BELFRY_SOCKET": nil, "BELFRY_SOUND": "none",
        ]
        return try ProgramRun(testedProgram("belfry"), ["serve"] + words, environment: own.merging(environment) { $1 })
    }

    private func shell(_ script: String, environment: [String: String?] = [:]) throws -> ProgramRun {
        try serve("--", "sh", "-c", script, testedProgram("belfry"), environment: environment)
    }

    private var left: [String] { (try? Directory.open(path: place.path, makes: false).names(max: 100)) ?? ["?"] }

    @Test("COMMAND has three variables more and nothing else changed; serve ends as COMMAND does, and leaves nothing")
    func command() throws {
        let run = try shell("env; exit 7", environment: ["SOME_VALUE": "kept", "NOTIFY_SOCKET": "@kept"])
        let lines = run.lines()
        let added = lines.filter { $0.hasPrefix("BELFRY_") && !$0.hasPrefix("BELFRY_TEST") && !$0.contains("SOUND=") }
        #expect(
            Set(added.compactMap { $0.split(separator: "=").first }) == [
                "BELFRY_SOCKET", "BELFRY_STATE_DIRECTORY", "BELFRY_RUNTIME_DIRECTORY",
            ])
        #expect(added.allSatisfy { $0.contains("=\(place.path)/belfry-serve-") })
        #expect(lines.contains("SOME_VALUE=kept") && lines.contains("NOTIFY_SOCKET=@kept"))
        #expect(try run.child.waitUntilExit() == .exited(code: 7))
        #expect(left.isEmpty)
    }

    @Test("a call rings in COMMAND, and is answered there") func rings() throws {
        let run = try shell("$0 call --id a --no-follow --json >/dev/null && $0 answer a && $0 calls; echo rc $?")
        #expect(run.lines() == ["answered a", "no call rings in group.belfry", "rc 0"])
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
        #expect(left.isEmpty)
    }

    @Test("no configuration file is read, but BELFRY_ variables are") func configuration() throws {
        place.makeFolder("belfry")
        place.write(Array("[Ring]\nSecondCall=silent\nInterval=5s\n".utf8), to: "belfry/belfry.conf")
        let run = try shell(
            "$0 call --duration 1s --json", environment: ["XDG_CONFIG_HOME": place.path, "BELFRY_RING_INTERVAL": "2s"])
        let ringing = try run.lines().map { try JSONValue.parse(Array($0.utf8)) }.first {
            $0.objectValue?["event"]?.stringValue == "ringing"
        }
        #expect(ringing?.objectValue?["interval"] == .real(2))
    }

    @Test("without COMMAND it prints where it is, rings, and ends with 0 by a signal", arguments: [SIGTERM, SIGINT])
    func withoutCommand(signal: Int32) throws {
        let run = try serve()
        var variables: [String: String?] = [:]
        for _ in 0..<3 {
            let parts = try #require(run.line()).split(separator: "=", maxSplits: 1).map(String.init)
            variables[parts[0]] = parts[1]
        }
        let call = try ProgramRun(testedProgram("belfry"), ["call", "--id", "a"], environment: variables)
        var story: [String] = []
        while let line = call.line() {
            story.append(line)
            if line.contains("delivered") { break }
        }
        #expect(story.contains { $0.contains("ringing    a loud") })
        try run.child.signal(signal)
        #expect(call.lines().contains { $0.contains("ended      a: stopped") })
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
        #expect(left.isEmpty)
    }

    @Test("a signal is passed on to COMMAND, whose end is serve's") func signals() throws {
        let run = try shell("trap 'echo heard; exit 3' TERM; echo ready; sleep 60 & wait")
        #expect(run.line() == "ready")
        try run.child.signal(SIGTERM)
        #expect(run.line() == "heard")
        #expect(try run.child.waitUntilExit() == .exited(code: 3))
    }

    @Test("a COMMAND that ignores SIGTERM goes on; one that is killed ends serve by the same signal")
    func ignoresSignals() throws {
        let run = try shell("trap '' TERM; echo $$; sleep 60 & wait; wait; sleep 60")
        let pid = try #require(run.line().flatMap(Int32.init))
        try run.child.signal(SIGTERM)
        try run.child.signal(SIGUSR1)
        #expect(try run.child.waitUntilExit() == .killed(signal: SIGUSR1))
        #expect(kill(pid, 0) == -1)
        #expect(left.isEmpty)
    }

    @Test("nobody waits for what COMMAND leaves behind, and nobody minds descriptors that it closes")
    func leavesChildren() throws {
        let run = try shell("exec <&- >&- 2>&-; sleep 3 & exit 5")
        #expect(try run.child.waitUntilExit() == .exited(code: 5))
        #expect(left.isEmpty)
    }

    @Test("what cannot be run ends as in a shell: 127 where there is nothing, 126 where it is no program")
    func noProgram() throws {
        let missing = try serve("--", "no-such-program")
        #expect(missing.complaints() == ["belfry: there is no program no-such-program"])
        #expect(try missing.child.waitUntilExit() == .exited(code: 127))
        let file = place.write(Array("no program".utf8), to: "file")
        #expect(try serve("--", file).child.waitUntilExit() == .exited(code: 126))
        #expect(left == ["file"])
    }

    @Test("a socket path that is too long, or taken, is an error; one that nobody listens on is taken over")
    func socketPath() throws {
        let long = try serve("--socket", "\(place.path)/\(String(repeating: "x", count: 100))", "--", "true")
        #expect(long.complaints().contains { $0.contains("File name too long") })
        #expect(try long.child.waitUntilExit() == .exited(code: 69))
        let path = place.write([], to: "socket")
        let file = try serve("--socket", path, "--", "true")
        #expect(file.complaints().contains { $0.contains("Address already in use") })
        #expect(try file.child.waitUntilExit() == .exited(code: 69))
        unsafe unlink(path)
        let first = try serve("--socket", path)
        #expect(first.line() == "BELFRY_SOCKET=\(path)")
        let second = try serve("--socket", path, "--", "true")
        #expect(try second.child.waitUntilExit() == .exited(code: 69))
        try first.child.signal(SIGKILL)
        try first.child.waitUntilExit()
        // A worker that it was about to start for the second one has its socket until it becomes its program.
        while try listens(at: path) { sched_yield() }
        let third = try serve("--socket", path, "--", "sh", "-c", "echo $BELFRY_SOCKET")
        #expect(third.lines() == [path], "\(third.complaints())")
        #expect(try third.child.waitUntilExit() == .exited(code: 0))
        #expect(left.isEmpty, "what the killed one left is swept by the next")
    }

    @Test(
        "a program that is started with all signals blocked, as Foundation's Process does, unblocks them",
        arguments: ["belfry watch", "belfry-worker", "belfry-avatar 3>/dev/null"])
    func blockedSignals(program: String) throws {
        let blocks = "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()); "
        let folder = testedProgram("belfry").dropLast("belfry".count)
        let run = try shell(
            """
            mkfifo "$BELFRY_STATE_DIRECTORY.in"
            python3 -c "\(blocks)os.execv(sys.argv[1], sys.argv[1:])" \(folder)\(program) <"$BELFRY_STATE_DIRECTORY.in" >/dev/null &
            exec 9>"$BELFRY_STATE_DIRECTORY.in"
            until [ "$(readlink /proc/$!/exe)" = "$(realpath \(folder)\(program.split(separator: " ")[0]))" ]; do :; done
            until [ $((0x$(sed -n 's/SigBlk:.//p' /proc/$!/status) & 0x800)) = 0 ]; do :; done
            echo unblocked; kill -9 $!
            """)
        #expect(run.line() == "unblocked")
    }

    @Test("a runtime folder that is a link is passed over") func linkedRuntimeFolder() throws {
        let link = "\(place.path)/link"
        unsafe symlink(place.makeFolder("real"), link)
        let run = try shell("echo $BELFRY_STATE_DIRECTORY", environment: ["XDG_RUNTIME_DIR": link])
        #expect(run.lines().allSatisfy { $0.hasPrefix("\(place.path)/belfry-serve-") })
    }

    @Test("a runtime folder of another user is passed over") func foreignRuntimeFolder() throws {
        let folder = place.makeFolder("foreign")
        // Only root can give a folder away; for others a stranger's is one that strangers write to.
        unsafe chmod(folder, 0o777)
        unsafe chown(folder, 65_534, 65_534)
        let run = try shell("echo $BELFRY_STATE_DIRECTORY", environment: ["XDG_RUNTIME_DIR": folder])
        #expect(run.lines().allSatisfy { $0.hasPrefix("\(place.path)/belfry-serve-") })
    }

    @Test("two at once know nothing of each other") func twoAtOnce() throws {
        let both = "\(place.path)/both"
        let script = """
            $0 call --id a --no-follow --json >/dev/null; echo ready
            until [ -e \(both) ]; do sleep 0.01; done
            $0 answer a
            """
        let runs = [try shell(script), try shell(script)]
        for run in runs { #expect(run.line() == "ready") }
        place.write([], to: "both")
        for run in runs {
            #expect(run.lines() == ["answered a"])
            #expect(try run.child.waitUntilExit() == .exited(code: 0))
        }
        #expect(left == ["both"])
    }

    @Test("R12: what rings as serve is killed rings no longer than its ring, and its folder goes with the next serve")
    func killedWhileItRings() throws {
        // On a machine that is very busy the ring may be over before anybody asks for it.
        let run = try shell(
            """
            until calls=$($0 calls --json); [ -n "$calls" ]; do $0 call --duration 4s --no-follow >/dev/null; done
            echo "$calls"; exec sleep 60
            """)
        let calls = try #require(run.line())
        let pid = try #require(try JSONValue.parse(Array(calls.utf8)).objectValue?["pid"]?.integerValue)
        let ring = try #require(ProcessIdentity(livingPID: Int32(pid)))
        try run.child.signal(SIGKILL)
        if let worker = try ring.openDescriptor() {
            var end = pollfd(fd: worker.number, events: Int16(POLLIN), revents: 0)
            #expect(unsafe poll(&end, 1, 60_000) == 1)
        }
        #expect(try serve("--", "true").child.waitUntilExit() == .exited(code: 0))
        #expect(left.isEmpty)
    }

    @Test("R12: a worker that was killed is tidied after") func killedWorker() throws {
        let run = try shell(
            """
            $0 call --id a --no-follow --json >/dev/null
            pid=$($0 calls --json | sed 's/.*"pid":\\([0-9]*\\).*/\\1/'); kill -9 $pid
            until grep -q missed "$BELFRY_STATE_DIRECTORY"/groups/*/Library/Preferences/*.plist; do sleep 0.01; done
            $0 calls
            """)
        #expect(run.lines() == ["no call rings in group.belfry"])
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
        #expect(left.isEmpty)
    }

    @Test("five hundred pushes at once are all handled") func crowd() throws {
        let run = try shell(
            """
            for i in $(seq 500); do
                echo '{"aps": {"alert": "x"}}' | $0 push - --json >"$BELFRY_STATE_DIRECTORY.$i" &
            done
            wait
            cat "$BELFRY_STATE_DIRECTORY".* | grep -c '"event":"delivered"'
            """)
        #expect(run.line(within: 300_000) == "500")
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
        #expect(left.isEmpty)
    }
}
