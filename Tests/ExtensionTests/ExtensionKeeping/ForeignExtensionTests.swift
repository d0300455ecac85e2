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
        let found = try played.events(environment: ["NOTIFY_SOCKET": "@x", "KEPT": "k"]).delivered?.userInfo
        let own = "\(played.folder.path)/state/extensions/com.example.played"
        #expect(found?["home"] == .string("\(own)/home") && found?["state"] == .string("\(played.folder.path)/state"))
        #expect(found?["own"] == [] && found?["descriptors"] == [0, 1, 2, 3])
        #expect(found?["core"] == 0 && found?["oom"] == 500 && found?["group"] == true)
        #expect(found?["memory"] == .integer(24 << 20))
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
            path = greeting["stateDirectory"] + "/groups/shared.png"
            content["attachments"] = [{"id": "a", "path": path, "type": "public.png"}]
            reply(content)
            sys.exit(0)
            """)
        played.folder.makeFolder("state/groups")
        let path = played.folder.write([1], to: "state/groups/shared.png")
        var through = ""
        // Only root can give a file away, and has to go without what lets it link whatever it likes.
        if geteuid() == 0 {
            try checked("chown") { unsafe chown(path, 65_534, 65_534) }
            through = "setpriv --bounding-set=-fowner,-dac_override"
        }
        let events = try played.events(through: through)
        #expect(events.delivered?.attachments.map(\.id) == ["a"], "\(events.story)")
    }

    @Test("what is no extension is passed over with a word, and the built-in service rings on")
    func noExtension() throws {
        let payload = #"{"aps":{"alert":"b","mutable-content":1},"info":{"type":1,"callId":"a","duration":1}}"#
        let none = PlayedExtension("", information: [:])
        let story = try none.events(of: payload).story
        #expect(story.contains("warning configuration") && story.contains("ringing") && story.last == "missed")
        let played = PlayedExtension("reply(content)\nsys.exit(0)")
        unsafe chmod("\(played.path)/Played", 0o644)
        // Root may execute what has no such bit at all.
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
