import BelfryAppGroup
import BelfryPropertyList
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("A ring ends") struct Silencing {
        let phone: Phone

        init() throws { phone = try Phone(["BELFRY_SOUND": "ring"]) }

        /// A call that rings and is heard.
        private func ringing(_ id: String) throws -> Client {
            let recording = Recording()
            let call = try phone.call(id)
            try call.wait(for: "delivered")
            #expect(recording.waitUntilHeard())
            return call
        }

        @Test("R7: answered and declined by the person at the endpoint", arguments: ["answer", "decline"])
        func byPerson(command: String) throws {
            let call = try ringing("A")
            let finished = try phone.belfry(command)
            #expect(finished.status.isSuccess, "\(finished.errors)")
            try call.wait(for: "ended")
            #expect(Recording.waitUntilSilent())
            #expect(call.story().last == (command == "answer" ? "ended answered" : "ended declined"))
            #expect(try phone.belfry(command).status == .exited(code: 66))
            #expect(try phone.call("A").story().contains(command == "answer" ? "silent answered" : "silent declined"))
        }

        @Test("R21: not by the person who silences it; it is silent at once, and answered as ever") func silenced()
            throws
        {
            let call = try ringing("A")
            let silenced = try phone.belfry("silence")
            #expect(silenced.output == "silenced A (Ada)\n", "\(silenced.errors)")
            #expect(Recording.waitUntilSilent())
            #expect(try call.wait(for: "ringing").ringing?.why == .silenced)
            #expect(try phone.belfry("calls").output.contains("silent"))
            let later = try phone.call("B")
            #expect(try later.wait(for: "ringing").ringing?.mode == .soft)
            try phone.belfry("answer", "A")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
            #expect(try phone.belfry("silence", "A").status == .exited(code: 66))
        }

        @Test("R5 R7: by the app that comes to the front, whose owner's death lets calls ring again") func app() throws
        {
            let call = try ringing("A")
            let app = try ChildProcess(ChildCommand(path: "/bin/sleep", arguments: ["600"]))
            #expect(try phone.belfry("app", "foreground", "--pid", "\(app.pid)").status.isSuccess)
            #expect(call.story().last == "ended foreground")
            #expect(try phone.call("B").story().contains("silent foreground"))
            try app.signal(SIGKILL)
            try app.waitUntilExit()
            let after = try phone.call("C")
            try after.wait(for: "ringing")
        }

        @Test("R7: by a stranger that answers, within a tick of nothing") func stranger() throws {
            let call = try ringing("A")
            phone.foreign { root in
                guard case .dictionary(var calls)? = root["calls"], case .dictionary(var entry)? = calls["A"] else {
                    Issue.record("the call is not in the file")
                    return
                }
                entry["state"] = .string("answered")
                calls["A"] = .dictionary(entry)
                root["calls"] = .dictionary(calls)
            }
            #expect(call.story().last == "ended answered")
        }

        @Test("R7: by a stranger that removes keyStartCallTime; its other keys survive") func start() throws {
            let call = try ringing("A")
            phone.foreign { root in
                root["keyStartCallTime"] = nil
                root["theirs"] = .real(3)
            }
            #expect(call.story().suffix(2) == ["ended hangup cancelled", "missed"])
            #expect(phone.file().snapshot().root["theirs"] == .real(3))
        }

        @Test("R17: by SIGTERM, delivered, tidied, with exit status 0") func term() throws {
            // The unit is forgotten as soon as it has ended: what it leaves behind says how.
            let status = phone.folder.write([], to: "status")
            let folder = "\(Surroundings.runtimeDirectory)/systemd/user/\(phone.name)@.service.d"
            let told = "[Service]\nExecStopPost=/bin/sh -c 'echo $$EXIT_CODE $$EXIT_STATUS > \(status)'\n"
            _ = try run("/usr/bin/install", ["-D", "/dev/stdin", "\(folder)/status.conf"], input: told)
            try phone.systemctl("daemon-reload")
            let call = try ringing("A")
            let worker = try #require(phone.worker(of: "A"))
            kill(worker, SIGTERM)
            #expect(call.story().suffix(2) == ["ended stopped", "missed"])
            #expect(Recording.waitUntilSilent())
            #expect(try waitUntil { try phone.livingWorkers() == 0 })
            #expect(bytes(of: status) == Array("exited 0\n".utf8))
            #expect(phone.file().snapshot().root["keyStartCallTime"] == nil)
        }

        @Test("R12: by kill -9, which leaves nothing ringing, and the call is recorded as missed") func killed() throws
        {
            let call = try ringing("A")
            let other = try phone.call("B")
            try other.wait(for: "delivered")
            kill(try #require(phone.worker(of: "A")), SIGKILL)
            #expect(try other.wait(for: "ringing").ringing?.mode == .loud)
            #expect(call.story().last == "delivered extension")
            #expect(waitUntil { phone.ledger().call(.init("A"))?.state == .missed })
            _ = try phone.hangUp("B").story()
            try other.wait(for: "ended")
            #expect(Recording.waitUntilSilent())
        }
    }
}
