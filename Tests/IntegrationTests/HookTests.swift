import BelfryPropertyList
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("What is run when a call was answered, declined or missed") struct Hooks {
        private let folder = TemporaryFolder()
        /// What it is called in the variables, which tests read one after another.
        private static let variableNames = [
            "BELFRY_CALL", "BELFRY_NAME", "BELFRY_HANDLE", "BELFRY_GROUP", "BELFRY_REASON",
        ]

        /// A program that leaves its arguments and its variables, each ended by a zero byte, in a file of its own.
        private func program() -> String {
            let lines = [
                "#!/usr/bin/env python3", "import os, sys, tempfile",
                "names = [\(Self.variableNames.map { "'\($0)'" }.joined(separator: ", "))]",
                "values = sys.argv[1:] + ['%s=%s' % (n, os.environ.get(n, '?')) for n in names]",
                "file = tempfile.mkstemp(dir='\(folder.path)/out', prefix='.')",
                "os.write(file[0], b''.join(os.fsencode(v) + b'\\0' for v in values))",
                "os.rename(file[1], file[1].replace('/.', '/run-'))",
            ]
            folder.makeFolder("out")
            let path = folder.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "hook")
            unsafe chmod(path, 0o755)
            return path
        }

        /// What the program left each time, once it has run so often; the runs in no order.
        private func runs(_ count: Int) -> [[String]] {
            _ = waitUntil { names(in: "\(folder.path)/out").count >= count }
            return names(in: "\(folder.path)/out").map { name in
                bytes(of: "\(folder.path)/out/\(name)").split(separator: 0, omittingEmptySubsequences: false).dropLast()
                    .map { String(decoding: $0, as: UTF8.self) }
            }
        }

        private static func variables(
            _ call: String, _ reason: String, name: String = "Ada", handle: String = ""
        ) -> [String] {
            [
                "BELFRY_CALL=\(call)", "BELFRY_NAME=\(name)", "BELFRY_HANDLE=\(handle)", "BELFRY_GROUP=group.belfry",
                "BELFRY_REASON=\(reason)",
            ]
        }

        /// Rings `id`, and waits until the desktop knows of it.
        private func ring(_ phone: Phone, _ id: String, _ more: String = "") throws -> Client {
            let call = try phone.call(id, more)
            try call.wait(for: "notification")
            return call
        }

        /// Waits until the desktop has nothing to do any more, and has left: whatever it runs, it has run.
        private func finish(_ phone: Phone) {
            #expect(waitUntil(seconds: 30) { phone.desktop == nil })
        }

        @Test("a program, once for each call, with its arguments and the call's variables, whoever answered")
        func programs() throws {
            let program = program()
            let phone = try Phone(
                [
                    "BELFRY_ON_ANSWER": "\(program) answered $HOME ${HOME} %%n",
                    "BELFRY_ON_DECLINE": "\(program) declined", "BELFRY_ON_MISSED": "\(program) missed",
                ], hasDesktop: true)
            // systemd makes one per cent sign of two in a unit's Environment=.
            let arguments = ["answered", "$HOME", "${HOME}", "%n"]

            let byCommand = try ring(phone, "A", #""handle": "+49 1""#)
            try phone.belfry("answer", "A")
            _ = byCommand.story()
            #expect(runs(1) == [arguments + Self.variables("A", "answered", handle: "+49 1")])

            let byForeigner = try ring(phone, "B")
            phone.foreign { root in
                guard case .dictionary(var calls)? = root["calls"], case .dictionary(var entry)? = calls["B"] else {
                    Issue.record("the call is not in the file")
                    return
                }
                entry["state"] = .string("answered")
                calls["B"] = .dictionary(entry)
                root["calls"] = .dictionary(calls)
            }
            #expect(try byForeigner.wait(for: "ended").ended?.reason == .answered)
            _ = byForeigner.story()
            #expect(runs(2).contains(arguments + Self.variables("B", "answered")))

            let declined = try ring(phone, "C")
            try phone.belfry("decline", "C")
            _ = declined.story()
            #expect(runs(3).contains(["declined"] + Self.variables("C", "declined")))

            let missed = try ring(phone, "D")
            _ = try phone.hangUp("D").story()
            _ = missed.story()
            #expect(runs(4).contains(["missed"] + Self.variables("D", "hangup")))

            let killed = try ring(phone, "E")
            kill(try #require(phone.worker(of: "E")), SIGKILL)
            _ = killed.story()
            #expect(runs(5).contains(["missed"] + Self.variables("E", "died")))

            let stale = #""type": 1, "callId": "F", "callerName": "Ada", "sentAt": 1000000"#
            #expect(try phone.push(Phone.payload(stale, "", group: nil)).story().last == "missed")
            #expect(runs(6).contains(["missed"] + Self.variables("F", "missed")))
            // Else it would wait for a server, to show what was missed.
            try phone.belfry("calls", "--clear-missed")
            finish(phone)
            #expect(runs(6).count == 6, "each once")
            #expect(try !phone.hasFailedUnits())
        }

        @Test("who is called back, by the button of the missed call alone, is whose call was missed last, and once")
        func callBack() throws {
            let server = try StubServer()
            let phone = try Phone(["BELFRY_ON_CALL_BACK": "\(program()) back"], hasDesktop: true)
            var missed: StubServer.Asked?
            for id in ["A", "B"] {
                _ = try ring(phone, id, #""handle": "+49 1""#)
                _ = try phone.hangUp(id).story()
                // One notice stands for both, and says so; until then it is still that of A alone.
                let body = id == "A" ? "Missed call" : "2 missed calls"
                #expect(
                    try server.shows {
                        $0.count == 1 && $0[0].category == "call.unanswered" && $0[0].body.contains(body)
                    })
                missed = server.shown.values.first
            }
            let shown = try #require(missed)
            #expect(shown.actions == ["call.back", "Call back", "call.seen", "Seen"])
            server.obey("choose \(shown.id) default")
            server.obey("choose \(shown.id) call.back")
            try server.waitForClose(of: shown.id)
            #expect(runs(1) == [["back"] + Self.variables("B", "missed", handle: "+49 1")])
            // What is gone starts nothing.
            server.obey("choose \(shown.id) call.back")
            finish(phone)
            #expect(runs(1).count == 1)
            #expect(phone.ledger().missedCalls.isEmpty, "who is called back is missed no longer")
            #expect(try !phone.hasFailedUnits())
        }

        @Test("a call that belfry-desktop missed half of, since it was killed while it rang, is run for once")
        func desktopKilled() throws {
            let program = program()
            let phone = try Phone(["BELFRY_ON_ANSWER": program], hasDesktop: true)
            let call = try ring(phone, "A")
            let killed = try #require(phone.desktop)
            kill(killed, SIGKILL)
            #expect(waitUntil { phone.desktop.map { $0 != killed } ?? false })
            try call.wait(for: "notification")
            try phone.belfry("answer")
            _ = call.story()
            #expect(runs(1) == [Self.variables("A", "answered")])
            finish(phone)
            #expect(runs(1).count == 1)
        }

        @Test("S4 a hostile name is a value: no shell, no unit and no screen reads more in it")
        func hostile() throws {
            let program = program()
            let phone = try Phone(["BELFRY_ON_ANSWER": program], hasDesktop: true)
            let name = #"\n\"'`$(id) $HOME %n %% \\ ;&|<> \u202e\u0007\u009b\ttab"#
            let call = try phone.push(
                Phone.payload(
                    #""type": 1, "callId": "A$\"'%n;x", "callerName": "\#(name)""#, #""handle": "+49\nBELFRY_CALL=x""#,
                    group: nil))
            try call.wait(for: "notification")
            try phone.belfry("answer")
            _ = call.story()
            #expect(
                runs(1) == [
                    [
                        #"BELFRY_CALL=A$"'%n;x"#, #"BELFRY_NAME="'`$(id) $HOME %n %% \ ;&|<> tab"#,
                        "BELFRY_HANDLE=+49 BELFRY_CALL=x", "BELFRY_GROUP=group.belfry", "BELFRY_REASON=answered",
                    ]
                ])
        }

        @Test("a unit reads its variables from a file; a template has an instance for each call", arguments: ["", "@"])
        func units(kind: String) throws {
            let program = program()
            let unit = "belfry-test-hook-\(UInt32.random(in: 0 ... .max))"
            let phone = try Phone(["BELFRY_ON_ANSWER": "\(unit)\(kind).service"], hasDesktop: true)
            let path = "\(Surroundings.home)/.config/systemd/user/\(unit)\(kind).service"
            let text = """
                [Service]
                Type=oneshot
                EnvironmentFile=%t/\(phone.name)/hooks/%n
                ExecStart=\(program) unit
                """
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            _ = unsafe write(descriptor, text, text.utf8.count)
            close(descriptor)
            defer { unsafe unlink(path) }
            try phone.systemctl("daemon-reload")
            var expected: Set<[String]> = []
            for (number, id) in ["A", "B"].enumerated() {
                let name = #"a\\b\"c$d`e%n'"#
                let call = try phone.push(
                    Phone.payload(#""type": 1, "callId": "\#(id)", "callerName": "\#(name)""#, "", group: nil))
                try call.wait(for: "notification")
                try phone.belfry("answer", id)
                _ = call.story()
                expected.insert(["unit"] + Self.variables(id, "answered", name: #"a\b"c$d`e%n'"#))
                #expect(Set(runs(number + 1)) == expected)
                // One that still ends what it has done is not started once more.
                #expect(
                    try !kind.isEmpty
                        || waitUntil {
                            try phone.systemctl("show", "--property=ActiveState", "--value", "\(unit).service").output
                                .hasPrefix("inactive")
                        })
            }
        }

        @Test("what cannot be started is an entry in the journal, and costs nothing")
        func cannot() throws {
            let phone = try Phone(
                ["BELFRY_ON_ANSWER": "/nonexistent/program", "BELFRY_ON_DECLINE": "nonexistent.service"],
                hasDesktop: true)
            for (id, command) in [("A", "answer"), ("B", "decline")] {
                let call = try ring(phone, id)
                try phone.belfry(command, id)
                _ = call.story()
            }
            let said = { (text: String) in
                waitUntil {
                    (try? run(
                        "/usr/bin/journalctl",
                        ["--user", "--quiet", "--output=cat", "--unit=\(phone.name)-desktop.service"]
                    ).output.contains(text)) ?? false
                }
            }
            #expect(said("/nonexistent/program cannot be started: No such file or directory"))
            #expect(said("nonexistent.service cannot be started: org.freedesktop.systemd1.NoSuchUnit"))
            #expect(try !phone.hasFailedUnits())
        }
    }
}
