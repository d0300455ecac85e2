import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("An app answers its calls by its own code, started and ended as a unit") struct AppCalls {
        private static let id = "com.example.phone"
        private let folder = TemporaryFolder()

        private func phone(_ settings: [String: String] = [:]) throws -> Phone {
            let path = folder.makeFolder("Phone.app")
            let text = """
                <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(Self.id)</string>
                <key>UIBackgroundModes</key><array><string>voip</string></array></dict></plist>
                """
            folder.write(Array(text.utf8), to: "Phone.app/Info.plist")
            let program = folder.write(Array(Self.program.utf8), to: "Phone.app/Phone")
            #expect(unsafe chmod(program, 0o755) == 0)
            return try Phone(["BELFRY_APPS": path].merging(settings) { $1 }, hasApps: true)
        }

        private func push(_ call: String, to phone: Phone) throws -> Client {
            try phone.push(
                #"{"payload": {"callId": "\#(call)"}, "pushType": "voip", "topic": "\#(Self.id).voip"}"#)
        }

        /// What the app was told and has done, a line each.
        private var told: [String] { contents(of: "\(folder.path)/told").split(separator: "\n").map(String.init) }

        @Test("push, start, report, ring, answer, hangup; the answer is the app's, and no other's")
        func walk() throws {
            let phone = try phone()
            let client = try push("one", to: phone)
            let ringing = try client.wait(for: "ringing")
            #expect(ringing.call == "one")
            #expect(phone.ledger().call(CallKey("one"))?.name == "Jane")
            try phone.belfry("answer", "one")
            try client.wait(for: "ended")
            #expect(waitUntil { told.contains("perform answer") })
            #expect(waitUntil { phone.ledger().answers.isEmpty })
            let list = try phone.belfry("app", "list", "--json").output
            #expect(list.contains("\"registered\":true"), "\(list)")
            let declined = try push("two", to: phone)
            try declined.wait(for: "ringing")
            try phone.belfry("decline", "two")
            #expect(waitUntil { told.contains("perform end") })
            #expect(told.filter { $0 == "started" }.count == 1, "the app that runs has the second call, too")
            #expect(try phone.belfry("app", "stop", Self.id).status == .exited(code: 0))
            #expect(told.last == "stop")
        }

        @Test("an app that runs when belfry-calls is killed has the next call") func centreKilled() throws {
            let phone = try phone()
            #expect(try phone.belfry("app", "start", Self.id).status == .exited(code: 0))
            let first = try #require(phone.calls)
            #expect(kill(first, SIGKILL) == 0)
            #expect(waitUntil { told.filter { $0 == "connected" }.count == 2 })
            let client = try push("one", to: phone)
            try client.wait(for: "ringing")
            #expect(phone.ledger().call(CallKey("one"))?.name == "Jane")
            #expect(phone.calls != first && told.filter { $0 == "started" }.count == 1)
            try phone.belfry("hangup", "one")
            _ = client.story()
        }

        @Test("an app that exits at once costs its push no ring") func exits() throws {
            let phone = try phone(["BELFRY_APP_PATIENCE": "20s"])
            folder.write(Array("#!/bin/sh\nexit 3\n".utf8), to: "Phone.app/Phone")
            let client = try push("one", to: phone)
            // Far below the patience, and far above what a busy machine takes for three starts.
            try client.wait(for: "ringing", within: 12_000)
            try phone.belfry("hangup", "one")
            let story = client.story()
            #expect(story.contains("warning app-not-started"), "\(story)")
            let run = try phone.belfry("app", "start", Self.id)
            #expect(run.status == .exited(code: 66) && run.errors.contains("before its registry was there"), "\(run)")
        }

        /// An app in few words: it reports each push as Jane's call, fulfils each action, and connects again.
        static let program = #"""
            #!/usr/bin/env python3
            import json, os, socket, sys, time, uuid
            told = open(os.path.join(os.getcwd(), "..", "told"), "a", 1)
            told.write("started\n")
            number = 0
            while True:
                s = socket.socket(socket.AF_UNIX)
                try:
                    s.connect(os.environ["BELFRY_CALLS_SOCKET"])
                except OSError:
                    time.sleep(0.05)
                    continue
                told.write("connected\n")
                f = s.makefile("rw")
                def say(word, **fields):
                    f.write(json.dumps({"say": word, **fields}) + "\n")
                    f.flush()
                try:
                    say("hello", id="com.example.phone", pid=os.getpid(), version=1, name="Phone", voip=True, environment=None)
                    say("provider", configuration={"name": "Phone", "ringtone": None, "groups": 2, "callsPerGroup": 5,
                                                   "recents": True, "video": False, "handles": []})
                    say("registry", types=["voip"])
                    for line in f:
                        m = json.loads(line)
                        if m["say"] == "push":
                            number += 1
                            say("report", n=number, uuid=str(uuid.uuid4()), push=m["n"],
                                update={"name": "Jane", "handle": {"type": 1, "value": "jane"}})
                            say("returned", push=m["n"], form="completion")
                            say("completed", push=m["n"])
                        if m["say"] == "perform":
                            action = m["action"]
                            told.write("perform %s\n" % action["kind"])
                            say("performed", action=action["uuid"], implemented=True)
                            say("outcome", action=action["uuid"], fulfilled=True, at=None)
                        if m["say"] == "stop":
                            told.write("stop\n")
                            sys.exit(0)
                except OSError:
                    pass
            """#
    }
}
