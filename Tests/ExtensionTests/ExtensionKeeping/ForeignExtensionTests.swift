import BelfryConfinement
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

/// A foreign extension as its worker drives it: real processes, real pipes, real time.
@Suite struct ForeignExtensionTests {
    @Test("what it replies is delivered, and its process is gone in the end")
    func replies() throws {
        let played = PlayedExtension(
            """
            content["title"] += " [modified]"
            reply(content)
            say("returned", number=number)
            sys.exit(0)
            """)
        let events = try played.events()
        #expect(
            events.story == [
                "received", "extension started", "delivered extension", "extension returned", "extension ended 0",
            ])
        #expect(events.delivered?.title == "t [modified]" && events.delivered?.body == "b")
        #expect(events.delivered?.userInfo["a"] == 1)
    }

    @Test("how long its process has lived counts from its start") func age() throws {
        let events = try PlayedExtension("reply(content)\nsys.exit(0)").events()
        let begun = try #require(events.first?.boot)
        var ages: [Double] = []
        for event in events {
            guard case .extensionProcess(let process) = event.body else { continue }
            ages.append(process.seconds)
            // Both are rounded.
            #expect(process.seconds <= event.boot - begun + 0.01)
        }
        #expect(ages.count == 2 && ages == ages.sorted())
    }

    @Test("R3 one that blocks is told, then killed with all that it started, and the original is delivered")
    func blocks() throws {
        let played = PlayedExtension(
            """
            subprocess.Popen(["sleep", "600"], close_fds=False)
            for line in lines:
                say("asked", number=number, what="vibration", detail="told")
            """)
        let events = try played.events(budget: "3s")
        #expect(
            events.story == [
                "received", "extension started", "warning time-will-expire", "asked vibration 1", "delivered expiry",
                "warning blocked", "warning killed-at-budget", "extension ended 137",
            ])
        #expect(events.delivered?.title == "t")
    }

    @Test(
        "R2 R3 one that ends without a reply is a crash, and the original is delivered at once",
        arguments: [
            ("os.kill(os.getpid(), signal.SIGSEGV)", ["delivered crash", "extension ended 139"]),
            ("sys.exit(3)", ["delivered crash", "extension ended 3"]),
            ("sys.exit(0)", ["warning never-replied", "delivered crash", "extension ended 0"]),
            (
                "channel.sendall(b'garbage\\n')\ntime.sleep(600)",
                [
                    "warning unsupported", "delivered crash", "extension ended 137",
                ]
            ),
            (
                "channel.sendall(b'x' * (2 << 20))\ntime.sleep(600)",
                [
                    "warning unsupported", "delivered crash", "extension ended 137",
                ]
            ),
            (
                "lines.close()\nchannel.close()\ntime.sleep(600)",
                [
                    "delivered crash", "extension ended 137",
                ]
            ),
        ])
    func crashes(code: String, end: [String]) throws {
        let events = try PlayedExtension(code).events()
        #expect(events.story == ["received", "extension started"] + end)
        #expect(events.delivered?.title == "t")
    }

    @Test("R2 the first reply counts, further ones are warned of once; without text the original is delivered")
    func severalReplies() throws {
        let twice = PlayedExtension("for title in 'ab':\n    content['title'] = title\n    reply(content)\nsys.exit(0)")
        let events = try twice.events()
        #expect(events.delivered?.title == "a")
        #expect(events.story.filter { $0 == "warning handler-called-again" }.count == 1)
        let empty = PlayedExtension("content['title'] = content['body'] = ''\nreply(content)\nsys.exit(0)")
        #expect(try empty.events().delivered?.title == "t")
    }

    @Test("S5 what it writes is passed on up to a limit, and what it asks for is told") func output() throws {
        let played = PlayedExtension(
            """
            for _ in range(3):
                say("asked", number=number, what="vibration", detail="")
            print("hello from didReceive", flush=True)
            sys.stderr.write("x" * (1 << 20))
            sys.stderr.flush()
            reply(content)
            sys.exit(0)
            """)
        let run = try played.run()
        let story = try run.lines().map { try Event(line: Array($0.utf8)) }.story
        #expect(story.filter { $0.hasPrefix("asked") } == (1...3).map { "asked vibration \($0)" })
        #expect(story.filter { $0 == "warning output-cut" }.count == 1)
        let written = run.complaints().joined(separator: "\n")
        #expect(written.contains("hello from didReceive") && written.utf8.count < 70_000)
    }

    @Test("its surroundings are its own: home, temporary folder, four descriptors, nothing of the worker's")
    func surroundings() throws {
        let played = PlayedExtension(
            """
            content["userInfo"]["home"] = os.environ["HOME"]
            content["userInfo"]["own"] = [n for n in os.environ if n.startswith(("BELFRY_", "LISTEN_", "NOTIFY_"))]
            content["userInfo"]["descriptors"] = sorted(int(n) for n in os.listdir("/proc/self/fd"))[:4]
            content["userInfo"]["core"] = __import__("resource").getrlimit(4)[0]
            content["userInfo"]["oom"] = int(open("/proc/self/oom_score_adj").read())
            content["userInfo"]["group"] = os.getpgrp() == os.getpid()
            content["userInfo"]["state"] = greeting["stateDirectory"]
            content["userInfo"]["memory"] = greeting["memoryBytesMax"]
            reply(content)
            sys.exit(0)
            """)
        let variables: [String: String?] = ["NOTIFY_SOCKET": "@x", "CI_SECRET": "k"]
        let found = try played.events(environment: variables).delivered?.userInfo
        let own = "\(played.folder.path)/state/extensions/com.example.played"
        #expect(found?["home"] == .string("\(own)/home") && found?["state"] == .string("\(played.folder.path)/state"))
        #expect(found?["own"] == [] && found?["descriptors"] == [0, 1, 2, 3])
        #expect(found?["core"] == 0 && found?["oom"] == 500 && found?["group"] == true)
        #expect(found?["memory"] == .integer(24 << 20))
    }

    @Test(
        "of variables it has its own and those that the operator names",
        arguments: [
            (nil, ["LANG", "LC_ALL", "PATH"]), ("CI_* BELFRY_* TZ", ["CI_A", "CI_B", "TZ"]), ("CI_A", ["CI_A"]),
        ])
    func variables(passed: String?, named: [String]) throws {
        let played = PlayedExtension(
            """
            content["userInfo"]["names"] = sorted(os.environ)
            reply(content)
            sys.exit(0)
            """)
        let given: [String: String?] = [
            "BELFRY_EXTENSION_PASS_ENVIRONMENT": passed, "CI_A": "a", "CI_B": "b", "LC_ALL": "C.UTF-8", "LANG": "C",
            "LC_CTYPE": nil, "TZ": passed == nil ? nil : "UTC",
        ]
        let own = ["CFFIXED_USER_HOME", "HOME", "SWIFT_BACKTRACE", "TMPDIR"]
        // Python sets one for itself in the C locale.
        let found = try played.events(environment: given).delivered?.userInfo["names"]?.arrayValue?
            .compactMap(\.stringValue).filter { $0 != "LC_CTYPE" }
        #expect(found == (own + named).sorted())
    }

    @Test("it reaches no process but its own group, and not those that it hides from its group")
    func confinement() throws {
        let played = PlayedExtension(
            """
            import ctypes, fcntl
            libc, parent, own = ctypes.CDLL(None, use_errno=True), os.getppid(), os.getpid()

            def c(name, *values):
                if getattr(libc, name)(*values) == -1:
                    raise OSError(ctypes.get_errno(), name)

            def look():
                open(f"/proc/{parent}/mem", "rb").close()

            def owner(command, value):
                fcntl.fcntl(1, command, value)

            part = ctypes.create_string_buffer(64)
            tries = {
                "kill": lambda: os.kill(parent, 0), "tgkill": lambda: c("tgkill", parent, parent, 0),
                "group": lambda: os.killpg(os.getpgid(parent), 0), "everybody": lambda: os.kill(-1, 0),
                "sigqueue": lambda: c("sigqueue", parent, 0, None), "ptrace": lambda: c("ptrace", 16, parent, 0, 0),
                "pidfd": lambda: signal.pidfd_send_signal(os.pidfd_open(parent), 0),
                "read": lambda: c("process_vm_readv", parent, part, 0, part, 0, 0),
                "write": lambda: c("process_vm_writev", parent, part, 0, part, 0, 0),
                "owner": lambda: owner(8, parent), "signal": lambda: owner(10, 9), "owner_ex": lambda: owner(15, b"x" * 8),
                "ioctl": lambda: fcntl.ioctl(3, 0x8901, parent.to_bytes(4, "little")), "memory": look,
                "itself": lambda: os.kill(own, 0), "thread": lambda: c("tgkill", own, own, 0),
                "its group": lambda: os.killpg(own, 0), "0": lambda: os.kill(0, 0),
                "files": lambda: os.rename(os.environ["TMPDIR"] + "/a", os.environ["HOME"] + "/a"),
                "flags": lambda: fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL)),
            }
            open(os.environ["TMPDIR"] + "/a", "w").close()
            done = []
            for name, attempt in tries.items():
                try:
                    attempt()
                    done.append(name)
                except OSError as error:
                    if error.errno != 1 and name != "memory":
                        done.append(f"{name}: {error}")
            content["userInfo"]["done"] = done
            reply(content)
            sys.exit(0)
            """)
        let allowed = ["itself", "thread", "its group", "0", "files", "flags"]
        // Linux 5.13's first Landlock would refuse to move files as well, so it is not used.
        let lookers = Landlock.version >= 2 ? [] : ["memory"]
        let done = try played.events().delivered?.userInfo["done"]?.arrayValue?.compactMap(\.stringValue)
        #expect(done == lookers + allowed)
    }

    @Test("what leaves its group is ended with it all the same") func orphans() throws {
        let played = PlayedExtension(
            """
            child = subprocess.Popen(["sh", "-c", "setsid sleep 600 & echo $!"], stdout=subprocess.PIPE, text=True)
            content["userInfo"]["pid"] = int(child.stdout.readline())
            child.wait()
            reply(content)
            sys.exit(0)
            """)
        let pid = try #require(try played.events().delivered?.userInfo["pid"]?.integerValue)
        #expect(ProcessIdentity(livingPID: Int32(pid)) == nil)
    }

    @Test("R12 the original of a worker that is killed is delivered by who tidies up, once, and its process ends")
    func killedWorker() throws {
        let played = PlayedExtension("print(os.getpid(), flush=True)\ntime.sleep(600)")
        let run = try played.run()
        var pid: Int32 = 0
        while pid == 0, let line = run.complaint() { pid = Int32(line) ?? 0 }
        guard let process = try ProcessIdentity(livingPID: pid)?.openDescriptor() else {
            Issue.record("the extension is gone")
            return
        }
        let originals = "\(played.folder.path)/run/originals"
        #expect(try Directory.names(at: originals, max: 9).count == 1)
        try run.child.signal(SIGKILL)
        #expect(try run.lines().map { try Event(line: Array($0.utf8)) }.story == ["received", "extension started"])
        try run.child.waitUntilExit()
        var end = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&end, 1, 10_000) == 1)
        let desktop = try listenPrivately(at: "\(played.folder.path)/run/desktop.sock", backlog: 9)
        #expect(try tidy(played).story == ["delivered crash"])
        let worker = OwnedDescriptor(owning: try checked("accept") { accept(desktop.number, nil, nil) })
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(worker.number, &bytes, bytes.count)
        let lines = bytes[..<max(0, count)].split(separator: UInt8(ascii: "\n")).map(Array.init)
        #expect(
            try lines.dropFirst().map { try Event(line: $0) }.story == [
                "received", "extension ended", "delivered crash",
            ])
        #expect(try tidy(played).isEmpty && Directory.names(at: originals, max: 9).isEmpty)
    }

    private func tidy(_ played: PlayedExtension) throws -> [Event] {
        let run = try ProgramRun(
            testedProgram("belfry-worker"), ["--tidy"],
            environment: [
                "BELFRY_STATE_DIRECTORY": "\(played.folder.path)/state",
                "BELFRY_RUNTIME_DIRECTORY": "\(played.folder.path)/run", "BELFRY_CONFIG_FILES": "no",
            ])
        return try run.lines().map { try Event(line: Array($0.utf8)) }
    }

    @Test("of a notification that is delivered no original is left") func noOriginal() throws {
        let played = PlayedExtension("reply(content)\nsys.exit(0)")
        #expect(try played.events().story.contains("delivered extension"))
        #expect(try Directory.names(at: "\(played.folder.path)/run/originals", max: 9).isEmpty)
        #expect(try tidy(played).isEmpty)
    }

    @Test("S5 one that floods takes its client's events from nobody") func floods() throws {
        let played = PlayedExtension(
            """
            for _ in range(20000):
                say("returned", number=number)
            content["attachments"] = [{"id": str(n), "path": f"/etc/{n}", "type": "public.png"} for n in range(700)]
            print("\\n" * 40000, flush=True)
            for _ in range(30):
                reply(content)
            sys.exit(0)
            """)
        let run = try played.run()
        let story = try run.lines().map { try Event(line: Array($0.utf8)) }.story
        #expect(story.contains("delivered extension") && story.last == "extension ended 0")
        #expect(story.filter { $0 == "extension returned" }.count == 1)
        #expect(story.filter { $0 == "warning attachment-dropped" }.count == 2 * 17)
        #expect(run.complaints().filter(\.isEmpty).count == 1_000)
    }

    @Test("memory beyond what iOS gives is warned of, and killed if the operator says so", arguments: [false, true])
    func memory(enforces: Bool) throws {
        let played = PlayedExtension(
            """
            kept = bytearray(os.urandom(1 << 20)) * 100
            for _ in range(\(enforces ? 600 : 2)):
                time.sleep(1)
            reply(content)
            sys.exit(0)
            """)
        let events = try played.events(environment: ["BELFRY_EXTENSION_ENFORCE_MEMORY": enforces ? "yes" : "no"])
        #expect(events.story.contains("warning memory"))
        #expect(events.story.contains(enforces ? "delivered crash" : "delivered extension"))
        guard case .extensionProcess(let end)? = events.last?.body else { return #expect(Bool(false), "no end") }
        #expect((end.memory ?? 0) > 24 << 20)
    }

    @Test("a lock in the group's folder that is held as the time is over is warned of") func heldLock() throws {
        let played = PlayedExtension(
            """
            import fcntl
            folder = greeting["stateDirectory"] + "/groups/group.a"
            os.makedirs(folder, exist_ok=True)
            file = open(folder + "/data.sqlite", "w")
            getattr(fcntl, content["userInfo"]["lock"])(file, fcntl.LOCK_EX)
            reply(content)
            time.sleep(600)
            """)
        for lock in ["flock", "lockf"] {
            let events = try played.events(
                of: #"{"aps":{"alert":"b","mutable-content":1},"lock":"\#(lock)"}"#, budget: "3s")
            #expect(events.story.contains("warning lock-held"), "\(lock): \(events.story)")
        }
    }

    @Test("who rings on before its reply is told that a hangup could not have stopped it") func ringsBeforeReply()
        throws
    {
        let played = PlayedExtension(
            """
            for _ in range(content["userInfo"]["rings"]):
                say("asked", number=number, what="vibration", detail="")
                time.sleep(0.6)
            reply(content)
            say("asked", number=number, what="vibration", detail="")
            sys.exit(0)
            """)
        for (rings, warnings) in [(1, 0), (4, 1)] {
            let events = try played.events(of: #"{"aps":{"alert":"b","mutable-content":1},"rings":\#(rings)}"#)
            #expect(events.story.filter { $0 == "warning hangup-could-not-stop" }.count == warnings)
        }
    }

    @Test("R17 a worker that is told to stop tells the extension, and delivers what comes in a second")
    func stops() throws {
        let attempt = PlayedExtension(
            """
            print("waiting", flush=True)
            for line in lines:
                content["title"] = "best attempt"
                reply(content)
            """)
        let nothing = PlayedExtension("print('waiting', flush=True)\ntime.sleep(600)")
        for (played, title) in [(attempt, "best attempt"), (nothing, "t")] {
            let run = try played.run()
            while let line = run.complaint(), line != "waiting" {}
            try run.child.signal(15)
            let events = try run.lines().map { try Event(line: Array($0.utf8)) }
            #expect(events.story.contains("delivered stopped") && events.delivered?.title == title)
            #expect(events.story.last == "extension ended 137")
        }
    }

    @Test("S2 a good attachment moves into the store, one of the bundle is copied, no link leads out")
    func attachments() throws {
        let played = PlayedExtension(
            """
            tmp, bundle = os.environ["TMPDIR"], os.path.dirname(os.path.abspath(sys.argv[0]))
            os.makedirs(tmp + "/e/f")
            for path in (tmp + "/a.png", tmp + "/e/f/g.png", bundle + "/b.png"):
                open(path, "wb").write(b"x" * 10)
            os.symlink("/etc/hostname", tmp + "/c.png")
            os.symlink("/etc", tmp + "/d")
            os.mkfifo(tmp + "/f.png")
            paths = ["a.png", "e/f/g.png", "c.png", "d/hostname", "f.png", "none.png"]
            content["attachments"] = [
                {"id": os.path.basename(path), "path": path, "type": "public.png"}
                for path in [bundle + "/b.png", "/etc/hostname", *(tmp + "/" + name for name in paths)]
            ]
            reply(content)
            sys.exit(0)
            """)
        let events = try played.events()
        let kept = events.delivered?.attachments ?? []
        let own = "\(played.folder.path)/state/extensions/com.example.played"
        #expect(kept.map(\.id) == ["b.png", "a.png", "g.png"])
        #expect(kept.allSatisfy { $0.path.hasPrefix("\(own)/attachments/") && $0.path.hasSuffix(".png") })
        for attachment in kept { #expect(unsafe access(attachment.path, R_OK) == 0) }
        #expect(unsafe access("\(played.path)/b.png", R_OK) == 0)
        #expect(try Directory.open(path: "\(own)/tmp", makes: false).names(max: 9) == [])
        #expect(events.story.filter { $0 == "warning attachment-dropped" }.count == 5)
    }

    @Test("S2 an attachment of somebody else's, which may not be linked, is copied") func foreignAttachment() throws {
        let played = PlayedExtension(
            """
            path = os.environ["HOME"] + "/shared.png"
            content["attachments"] = [{"id": "a", "path": path, "type": "public.png"}]
            reply(content)
            sys.exit(0)
            """)
        let home = "state/extensions/com.example.played/home"
        played.folder.makeFolder(home)
        let path = played.folder.write([1], to: "\(home)/shared.png")
        var through = ""
        // Only root can give a file away, and has to go without what lets it link whatever it likes.
        if geteuid() == 0 {
            try checked("chown") { unsafe chown(path, 65_534, 65_534) }
            through = "setpriv --bounding-set=-fowner,-dac_override"
        }
        let events = try played.events(through: through)
        #expect(events.delivered?.attachments.map(\.id) == ["a"], "\(events.story)")
    }

    @Test("S2 a file of a group's container is copied: it stays where its app has it") func groupsAttachment() throws {
        let played = PlayedExtension(
            """
            path = greeting["stateDirectory"] + "/groups/group.a/shared.png"
            content["attachments"] = [{"id": "a", "path": path, "type": "public.png"}]
            reply(content)
            sys.exit(0)
            """)
        played.folder.makeFolder("state/groups/group.a")
        let path = played.folder.write([1, 2], to: "state/groups/group.a/shared.png")
        let kept = try played.events().delivered?.attachments ?? []
        #expect(kept.count == 1 && kept.allSatisfy { $0.path.contains("/attachments/") })
        #expect(try readFile(at: path, bytesMax: 9).bytes == [1, 2])
    }

    @Test(
        "S2 nothing is written or removed through a link that the extension has put in a folder's place",
        arguments: [
            "os.rmdir(tmp); os.symlink(precious, tmp)",
            "os.rename(own + '/tmp', own + '/t'); os.symlink(precious, own + '/tmp')",
            "os.rename(own, own + '.old'); os.symlink(precious, own)",
            "os.rename(state + '/extensions', state + '/e'); os.symlink(precious, state + '/extensions')",
            "os.symlink(precious, own + '/attachments')",
        ])
    func links(code: String) throws {
        let played = PlayedExtension(
            """
            tmp, state = os.environ["TMPDIR"], greeting["stateDirectory"]
            own, precious = os.path.dirname(os.path.dirname(tmp)), os.path.dirname(state) + "/precious"
            # What would be found there, whichever of the folders the link stands for.
            for way in ("", "com.example.played/tmp", "tmp"):
                os.makedirs(os.path.join(precious, way, os.path.basename(tmp)), exist_ok=True)
                open(os.path.join(precious, way, os.path.basename(tmp), "file"), "w").close()
            os.makedirs(precious + "/com.example.played/attachments")
            before = sorted(os.path.join(folder, name) for folder, _, names in os.walk(precious) for name in names)
            content["userInfo"]["before"] = repr(before)
            open(os.environ["HOME"] + "/a.png", "wb").write(b"x")
            \(code)
            content["attachments"] = [{"id": "a", "path": os.environ["HOME"] + "/a.png", "type": "public.png"}]
            reply(content)
            sys.exit(0)
            """)
        let events = try played.events()
        let walk = "import os, sys; print(sorted(os.path.join(f, n) for f, _, ns in os.walk(sys.argv[1]) for n in ns))"
        let after = try ProgramRun("/usr/bin/python3", ["-c", walk, "\(played.folder.path)/precious"]).lines().joined()
        #expect(events.delivered?.userInfo["before"] == .string(after), "\(events.story)")
    }

    @Test("what is no extension is passed over with a word, and the built-in service rings on")
    func noExtension() throws {
        let payload = #"{"aps":{"alert":"b","mutable-content":1},"info":{"type":1,"callId":"a","duration":1}}"#
        let none = PlayedExtension("", information: [:])
        let story = try none.events(of: payload).story
        #expect(story.contains("warning configuration") && story.contains("ringing") && story.last == "missed")
        #expect(try none.events().story == ["received", "warning configuration", "delivered passthrough"])
        let played = PlayedExtension("reply(content)\nsys.exit(0)")
        unsafe chmod("\(played.path)/Played", 0o644)
        #expect(try played.events(of: payload).story.contains("ringing"))
    }

    @Test("calls and hangups go to it as well; what is not intercepted does not") func calls() throws {
        let played = PlayedExtension("reply(content)\nsys.exit(0)")
        for type in ["1", "2"] {
            let story = try played.events(
                of: #"{"aps":{"alert":"b","mutable-content":1},"info":{"type":\#(type),"callId":"a"}}"#
            ).story
            #expect(story == ["received", "extension started", "delivered extension", "extension ended 0"])
        }
        #expect(try played.events(of: #"{"aps":{"alert":"b"}}"#).story == ["received", "delivered passthrough"])
    }

    @Test("a program that cannot be started is told, and the original delivered") func cannotStart() throws {
        let played = PlayedExtension("")
        played.folder.write(Array("#!/no/such/interpreter\n".utf8), to: "Played.appex/Played")
        let story = try played.events().story
        #expect(story.contains("delivered crash"))
    }
}
