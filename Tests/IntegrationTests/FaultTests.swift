import BelfryAppGroup
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("R14: what is missing or broken is one event, never a lost call") struct Faults {
        @Test("a client that leaves") func clientLeaves() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "2s"])
            let call = try phone.call("A")
            try call.wait(for: "delivered")
            call.leave()
            #expect(phone.worker(of: "A") != nil)
            #expect(waitUntil { phone.ledger().call(.init("A"))?.state == .timeout })
        }

        @Test("a client that ends its sending still hears the end") func halfClose() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "1s"])
            let payload = Phone.payload(#""type": 1, "callId": "A""#, "", group: nil)
            let call = try Client(socket: phone.socket, sending: Array(payload.utf8), thenShutdown: true)
            #expect(call.story().suffix(2) == ["ended timeout", "missed"])
        }

        @Test("a client that never reads") func neverReads() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "2s", "BELFRY_RING_INTERVAL": "200ms"])
            let call = try phone.call("A")
            #expect(waitUntil { phone.ledger().call(.init("A"))?.state == .timeout })
            #expect(call.story().last == "missed")
        }

        @Test("no sound server") func noSoundServer() throws {
            let phone = try Phone([
                "BELFRY_SOUND": "ring", "BELFRY_RING_DURATION": "3s", "PULSE_SERVER": "unix:/nonexistent",
            ])
            let call = try phone.call("A")
            guard case .sound(let state, _) = try call.wait(for: "sound").body else {
                Issue.record("the sound has no state")
                return
            }
            #expect(state == .unavailable)
            #expect(call.story().suffix(2) == ["ended timeout", "missed"])
            #expect(!call.ticks.isEmpty, "it rings on; a machine at its limits may miss one")
        }

        @Test("a sink that is muted: the ring is played, its sound is told as muted, and belfry call warns")
        func mutedSink() throws {
            let phone = try Phone(["BELFRY_SOUND": "ring", "BELFRY_RING_DURATION": "2s"])
            _ = try run("/usr/bin/pactl", ["set-sink-mute", "ring", "1"])
            defer { _ = try? run("/usr/bin/pactl", ["set-sink-mute", "ring", "0"]) }
            let call = try phone.belfry("call", "--name", "Ada")
            #expect(call.output.contains("muted"), "\(call.output)")
            #expect(call.errors.contains("nobody hears this call: the sink ring is muted"), "\(call.errors)")
        }

        @Test("a sound server that is stopped before the ring delays neither ticks nor hangup") func stoppedBefore()
            throws
        {
            let phone = try Phone(["BELFRY_SOUND": "ring"])
            kill(Surroundings.soundServer, SIGSTOP)
            defer { kill(Surroundings.soundServer, SIGCONT) }
            let call = try phone.call("A")
            guard case .sound(let state, _) = try call.wait(for: "sound").body else {
                Issue.record("the sound has no state")
                return
            }
            #expect(state == .unavailable)
            // All while it is still stopped, which who waits for it would not outlast.
            try call.wait(for: "tick")
            _ = try phone.hangUp("A").story()
            #expect(call.story().suffix(2) == ["ended hangup cancelled", "missed"])
        }

        @Test("a sound server that is stopped between ticks") func stoppedBetween() throws {
            let phone = try Phone(["BELFRY_SOUND": "ring", "BELFRY_RING_DURATION": "6s"])
            let recording = Recording()
            let call = try phone.call("A")
            try call.wait(for: "tick")
            #expect(recording.waitUntilHeard())
            kill(Surroundings.soundServer, SIGSTOP)
            defer { kill(Surroundings.soundServer, SIGCONT) }
            #expect(call.story().suffix(2) == ["ended timeout", "missed"])
            #expect(call.ticks.count >= 3, "of five; who waits for the server has one")
        }

        @Test("R13: a corrupt group file is set aside, and the call rings") func corrupt() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "1s"])
            _ = try phone.call("first").story()
            let path = phone.file().path
            let descriptor = unsafe open(path, O_WRONLY | O_TRUNC)
            _ = unsafe write(descriptor, "<plist><dict><key>", 18)
            close(descriptor)
            let call = try phone.call("A")
            #expect(
                call.story() == [
                    "received call-request", "warning group-corrupt", "ringing loud", "delivered extension",
                    "ended timeout", "missed",
                ])
            #expect(size(of: "\(path).corrupt") == 18)
        }

        @Test("a lock that a stopped process holds silences nobody") func lock() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "2s"])
            _ = try phone.call("first", #""duration": 1"#).story()
            let lock = phone.file().path + ".lock"
            let ready = "\(phone.folder.path)/ready"
            let holder = try ChildProcess(
                ChildCommand(
                    path: "/usr/bin/flock", arguments: [lock, "/bin/sh", "-c", "echo >'\(ready)'; exec sleep 600"]))
            #expect(waitUntil { size(of: ready) > 0 })
            try holder.signal(SIGSTOP)
            let call = try phone.call("A")
            let story = call.story()
            #expect(story.contains("warning group-locked"))
            #expect(story.contains("ringing loud"))
            #expect(story.suffix(2).contains("missed"))
            let delivered = try #require(call.events.first { $0.name == "delivered" })
            #expect(delivered.at < 5, "a lock is waited for a second at most")
        }

        @Test("a configuration full of mistakes rings with what is right in it") func mistakes() throws {
            let phone = try Phone(
                ["BELFRY_SOUND": "none"],
                configuration: """
                    [Ring]
                    Duration=2s
                    Intervall=5s
                    Interval=banana
                    SecondCall=shout
                    [Rign]
                    Sound=ring
                    nonsense
                    """)
            let story = try phone.call("A").story()
            #expect(story.count { $0 == "warning configuration" } >= 4)
            #expect(story.suffix(2) == ["ended timeout", "missed"])
        }

        @Test("an unwritable state directory") func unwritable() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "1s", "BELFRY_STATE_DIRECTORY": "/proc/belfry"])
            let story = try phone.call("A").story()
            #expect(story.contains("warning group-unwritable"))
            #expect(story.suffix(2).contains("missed"))
            #expect(story.contains("ringing loud"))
        }
    }
}
