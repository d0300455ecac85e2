import BelfrySyscalls
import Glibc
import Support
import Testing

extension IntegrationTests {
    /// `belfry-calls` as the child of `belfry serve`, to which all sorts of things are said while a call rings.
    @Suite("Bad input to belfry-calls, and bad apps") struct BadCalls {
        private let folder = TemporaryFolder()

        /// An app; its folder.
        private func app(_ name: String, _ program: String, information: String? = nil) -> String {
            let path = folder.makeFolder("\(name).app")
            let text = """
                <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.\(name)</string>
                <key>UIBackgroundModes</key><array><string>voip</string></array></dict></plist>
                """
            folder.write(Array((information ?? text).utf8), to: "\(name).app/Info.plist")
            let file = folder.write(Array(program.utf8), to: "\(name).app/\(name)")
            #expect(unsafe chmod(file, 0o755) == 0)
            return path
        }

        private static func identified(_ id: String) -> String {
            "<plist><dict><key>CFBundleIdentifier</key><string>\(id)</string></dict></plist>"
        }

        /// Runs `script` in `belfry serve`, with these apps: what it prints, a line each.
        private func serve(_ apps: [String], _ script: String) throws -> [String] {
            let file = folder.write(Array((Self.words + script).utf8), to: "script.py")
            let environment = [
                "BELFRY_APPS": apps.joined(separator: " "), "BELFRY_APP_PATIENCE": "1s", "BELFRY_SOUND": "none",
            ]
            let belfry = "\(Surroundings.programs)/belfry"
            let finished = try run(
                belfry, ["serve", "--", "python3", file, belfry, folder.path], environment: environment)
            #expect(finished.status == .exited(code: 0), "\(finished.errors.suffix(4_000))")
            return finished.output.split(separator: "\n").map(String.init)
        }

        @Test("what is said wrongly is refused with its reason, and a call rings and is answered meanwhile")
        func input() throws {
            let lines = try serve(
                [app("phone", AppCalls.program)],
                #"""
                one = push("one")
                print(wait(one, "ringing"))
                say = lambda **fields: (json.dumps(fields) + "\n").encode()
                voip = dict(say="voip", id="p", topic="nobody.voip", bundle=None, group="g", call="c",
                            kind="call-request", payload="x" * 5121, until=1)
                hello = dict(say="hello", id="com.example.phone", pid=1, version=1, name="", voip=True, environment=None)
                for line in [b"[1]\n", b'{"say":"st', b"x" * (2 << 20), say(**voip), say(**hello)]:
                    print(ask(line))
                print(ask(b"", shut=False))
                resource.setrlimit(resource.RLIMIT_NOFILE, (4000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
                # The worker of the call and its app are two.
                many = [connect(calls, say(say="watch")) for _ in range(1998)]
                last = connect(calls, say(say="apps"))
                last.settimeout(1)
                try:
                    print("too early", last.recv(1))
                except socket.timeout:
                    print("waits")
                many.pop().close()
                last.settimeout(20)
                print(json.loads(last.makefile().readline())["say"])
                del many
                belfry("answer", "one")
                print(wait(one, "ended"))
                until(lambda: "perform answer" in open(folder + "/told").read())
                big = push("big", more=', "x": "' + "x" * 5121 + '"')
                print(next(big)["reason"])
                print(wait(push("nobody", app="nobody"), "ringing"))
                """#)
            #expect(lines.first == "ringing loud")
            let reasons = [
                "expected an object", "in the middle of a line", "longer than 1048576 bytes", "at most 5120 bytes",
                "one process is each app", "no role was named in 5 s",
            ]
            #expect(lines.count == 12)
            for (line, reason) in zip(lines.dropFirst(), reasons) { #expect(line.contains(reason)) }
            // A call goes on by then.
            #expect(lines.suffix(5) == ["waits", "apps", "ended answered", "PayloadTooLarge", "ringing soft"])
        }

        @Test("a program that is none, exits, forks and leaves, or prints 10 MB costs no ring; nor do broken folders")
        func programs() throws {
            let apps = [
                app("none", "\u{7F}\u{0}"), app("exits", "#!/bin/sh\nexit 3\n"),
                app("forks", "#!/bin/sh\nsleep 30 &\nexit 0\n"),
                app("prints", "#!/bin/sh\nhead -c 10000000 /dev/zero\nexec sleep 30\n"),
                folder.makeFolder("missing.app"), app("broken", "", information: "<plist>"),
                app("nameless", "", information: "<plist><dict></dict></plist>"),
                app("long", "", information: Self.identified(String(repeating: "a", count: 300))),
                app("dots", "", information: Self.identified("com..example")), app("phone", AppCalls.program),
                app("again", "#!/bin/sh\nexit 4\n", information: Self.identified("com.example.phone")),
            ]
            let lines = try serve(
                apps,
                #"""
                watch = subprocess.Popen([sys.argv[1], "watch"], stdout=subprocess.PIPE, text=True)
                print("app-twice" in watch.stdout.readline())
                one = push("one")
                print(wait(one, "ringing"))
                for name in ["none", "exits", "forks", "prints"]:
                    bad = push(name, app="com.example." + name)
                    print(wait(bad, "ringing"))
                    belfry("decline", name)
                    warnings = [event["code"] for event in seen + list(bad) if event["event"] == "warning"]
                    print("app-not-started" in warnings)
                belfry("answer", "one")
                until(lambda: "perform answer" in open(folder + "/told").read())
                # Its program is replaced while it runs: the process serves on, and the next one is another.
                open(folder + "/new", "w").write("#!/bin/sh\nexit 5\n")
                os.chmod(folder + "/new", 0o755)
                os.rename(folder + "/new", folder + "/phone.app/phone")
                two = push("two")
                print(wait(two, "caller"))
                belfry("decline", "two")
                print(open(folder + "/told").read().count("started"))
                belfry("app", "stop", "com.example.phone")
                three = push("three")
                print(wait(three, "ringing"))
                belfry("decline", "three")
                for app in json.loads("[" + ",".join(belfry("app", "list", "--json").split("\n")[:-1]) + "]"):
                    print(app["id"], app["problem"].split(",")[0])
                watch.kill()
                """#)
            #expect(
                lines == [
                    "True", "ringing loud", "ringing soft", "True", "ringing soft", "True", "ringing soft", "True",
                    "ringing soft", "False", "caller Jane", "1", "ringing loud",
                    "com.example.none posix_spawn \(folder.path)/none.app/none: Exec format error",
                    "com.example.exits its process has ended with status 3",
                    "com.example.forks its process has ended with status 0", "com.example.prints ",
                    "com.example.phone its process has ended with status 5",
                ])
        }

        @Test("a name and a handle with newlines and direction controls forge no line") func names() throws {
            let hostile = AppCalls.program
                .replacing(#""name": "Jane""#, with: #""name": "Jane\n00:00:00  ended\u202e""#)
                .replacing(#""value": "jane""#, with: #""value": "1\n00:00:00  missed\u2028\u001b[2J""#)
            let lines = try serve(
                [app("phone", hostile)],
                #"""
                watch = subprocess.Popen([sys.argv[1], "watch"], stdout=subprocess.PIPE, text=True)
                one = push("one")
                print(wait(one, "ringing"))
                told = belfry("calls") + belfry("status")
                belfry("answer", "one")
                while "action" not in (line := watch.stdout.readline()) or "fulfilled" not in line: told += line
                watch.kill()
                print(any(line.startswith("00:00:00") for line in told.splitlines()))
                print(any(c in told for c in "\u202e\u2028\u001b"), "\\u{202e}" in told, "\\u{a}00:00:00" in told)
                """#)
            #expect(lines == ["ringing loud", "False", "False True True"])
        }

        /// What the scripts use.
        private static let words = #"""
            import json, os, resource, socket, subprocess, sys, time
            folder, calls = sys.argv[2], os.environ["BELFRY_RUNTIME_DIRECTORY"] + "/calls.sock"
            seen = []
            def belfry(*words):
                return subprocess.run([sys.argv[1], *words], stdout=subprocess.PIPE, text=True).stdout
            def connect(path, data):
                s = socket.socket(socket.AF_UNIX)
                s.connect(path)
                s.settimeout(20)
                try: s.sendall(data)
                except OSError: pass
                return s
            def ask(data, shut=True):
                s = connect(calls, data)
                try:
                    if shut: s.shutdown(socket.SHUT_WR)
                except OSError: pass
                return json.loads(s.makefile().readline())["why"]
            def push(call, app="com.example.phone", more=""):
                text = '{"payload": {"callId": "%s"%s}, "pushType": "voip", "topic": "%s.voip"}\n' % (call, more, app)
                s = connect(os.environ["BELFRY_SOCKET"], text.encode())
                return map(json.loads, s.makefile())
            def wait(events, name):
                seen.clear()
                for event in events:
                    seen.append(event)
                    if event["event"] == name:
                        return name + " " + (event.get("mode") or event.get("reason") or event.get("name"))
                return "no " + name
            def until(true):
                while not true(): time.sleep(0.01)

            """#
    }
}
