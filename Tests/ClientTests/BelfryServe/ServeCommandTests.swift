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

    @Test("what workers write is in the file that --log names, and nowhere else") func log() throws {
        let path = "\(place.path)/log"
        let script = #"echo '{"aps":{}}' | "$0" push - >/dev/null"#
        let run = try serve("--log", path, "--", "sh", "-c", script, testedProgram("belfry"))
        #expect(run.complaints() == [])
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
        let written = String(decoding: try readFile(at: path, bytesMax: 1 << 20).bytes, as: UTF8.self)
        #expect(written.hasPrefix("belfry-worker: "), "\(written)")
        let refused = try serve("--log", "\(place.path)/none/log", "--", "true")
        #expect(refused.complaints().first?.contains("none/log") == true)
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

    @Test("what COMMAND leaves behind ends with it, whatever that is; descriptors that it closes mean nothing")
    func leavesChildren() throws {
        let run = try shell("(setsid sleep 600 & echo $!); sleep 600 & echo $!; exec <&- >&- 2>&-; exit 5")
        let children = try (0..<2).map { _ in try #require(run.line().flatMap(Int32.init)) }
        #expect(try run.child.waitUntilExit() == .exited(code: 5))
        #expect(children.allSatisfy { ProcessIdentity(livingPID: $0) == nil })
        #expect(left.isEmpty)
    }

    @Test("what ends while COMMAND goes on leaves no zombie") func zombies() throws {
        let run = try shell("(setsid sh -c 'echo $$; exit 0' &); exec sleep 600")
        let orphan = try #require(run.line().flatMap(Int32.init))
        // Its parent is serve, which asks how it ended as soon as it has.
        while kill(orphan, 0) == 0 { sched_yield() }
        try run.child.signal(SIGTERM)
        try run.child.waitUntilExit()
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

    @Test("pushes come by an endpoint of its own or through a fleet, and an app is named with either")
    func devices() throws {
        for (words, remedy) in [
            (["--apns", "--fleet", "file"], "--apns or --fleet"), (["--bundle-id", "a.b"], "with --apns or --fleet"),
            (["--fleet", "-x"], "a file of such a name: ./-x"),
        ] {
            let run = try ProgramRun(testedProgram("belfry"), ["serve"] + words + ["--", "echo", "run"])
            #expect(run.lines().isEmpty)
            #expect(run.complaints().first?.hasSuffix(remedy) == true)
            #expect(try run.child.waitUntilExit() == .exited(code: 64))
        }
        #expect(left.isEmpty)
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
        // Its server ends with it.
        while try listens(at: path) { sched_yield() }
        let third = try serve("--socket", path, "--", "sh", "-c", "echo $BELFRY_SOCKET")
        #expect(third.lines() == [path], "\(third.complaints())")
        #expect(try third.child.waitUntilExit() == .exited(code: 0))
        #expect(left.isEmpty)
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

    @Test(
        "R12: if serve is killed, the guard or the server, nothing of it is left: ring, endpoint, COMMAND, folder",
        arguments: [true, false])
    func killed(isGuard: Bool) throws {
        // On a machine that is very busy the ring may be over before anybody asks for it.
        let run = try serve(
            "--apns", "--", "sh", "-c",
            """
            until calls=$($0 calls --json); [ -n "$calls" ]; do $0 call --duration 30s --no-follow >/dev/null; done
            echo "$calls"; echo $BELFRY_APNS_URL; setsid sleep 600 & echo $!; echo $$; exec sleep 600
            """, testedProgram("belfry"))
        let calls = try JSONValue.parse(Array(try #require(run.line()).utf8))
        let port = try #require(run.line()?.split(separator: ":").last.flatMap { UInt16($0) })
        let pids = try (0..<2).map { _ in try #require(run.line().flatMap(Int32.init)) }
        let ring = Int32(try #require(calls.objectValue?["pid"]?.integerValue))
        let others = try (pids + [ring]).map { try #require(ProcessIdentity(livingPID: $0)) }
        let server = try #require(ProcessIdentity(livingPID: try serverPID(of: run.child.pid)))
        guard let watched = try server.openDescriptor() else {
            Issue.record("the server is gone")
            return
        }
        let name = String(decoding: readKernelFile("/proc/\(server.pid)/cmdline") ?? [], as: UTF8.self)
        #expect(name.prefix { $0 != "\0" } == "belfry-serve")
        kill(isGuard ? run.child.pid : server.pid, SIGKILL)
        #expect(try run.child.waitUntilExit() == .killed(signal: SIGKILL))
        // A second at most, but the machine may be busy.
        let isGone = isGone(watched, within: 5_000)
        #expect(isGone)
        #expect(others.allSatisfy { !$0.isAlive })
        #expect(!isListening(port: port))
        #expect(left.isEmpty)
    }

    private func serverPID(of guardian: Int32) throws -> Int32 {
        let children = readKernelFile("/proc/\(guardian)/task/\(guardian)/children") ?? []
        let first = String(decoding: children, as: UTF8.self).split(separator: " ").first.map(String.init) ?? ""
        return try #require(Int32(first))
    }

    private func isGone(_ process: borrowing OwnedDescriptor, within milliseconds: Int32) -> Bool {
        var end = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&end, 1, milliseconds) == 1
    }

    private func isListening(port: UInt16) -> Bool {
        let socket = OwnedDescriptor(owning: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        } == 0
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
