import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Support
import Testing

/// All of them run one after another: they share one sound server, one manager and two cores.
@Suite("On a real systemd, with a real sound server", .serialized) struct IntegrationTests {}

extension IntegrationTests {
    @Suite("A call rings") struct Ringing {
        @Test("and is heard; a hangup silences it at once") func heard() throws {
            let phone = try Phone(["BELFRY_SOUND": "ring"])
            let recording = Recording()
            let call = try phone.call("A")
            try call.wait(for: "ringing")
            #expect(recording.waitUntilHeard())
            try call.wait(for: "tick")
            let hangup = try phone.hangUp("A")
            #expect(hangup.story() == ["received hangup", "delivered extension"])
            try call.wait(for: "ended")
            #expect(Recording.waitUntilSilent())
            #expect(call.story().suffix(2) == ["ended hangup cancelled", "missed"])
        }

        @Test("R7 R11: its full duration, to missed") func fullDuration() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "3s"])
            let call = try phone.call("A")
            #expect(
                call.story() == [
                    "received call-request", "ringing loud", "delivered extension", "ended timeout", "missed",
                ])
            #expect(call.ticks == [1, 2])
        }

        @Test("R3 R6 R7: the real thirty seconds, with twenty-nine ticks") func thirtySeconds() throws {
            let phone = try Phone()
            let call = try phone.call("A")
            #expect(call.story(within: 40_000).suffix(2) == ["ended timeout", "missed"])
            #expect(call.ticks.last == 29)
            #expect(call.ticks.count >= 26, "\(call.ticks): a busy machine may miss some")
            let ended = try #require(call.events.first { $0.name == "ended" }?.ended)
            #expect(ended.rang > 29 && ended.rang < 33)
        }

        @Test("R10: a second call is soft, and loud once the first is over; each has its own hangup") func two() throws
        {
            let phone = try Phone(["BELFRY_SOUND": "ring"])
            let first = try phone.call("A")
            try first.wait(for: "delivered")
            let second = try phone.call("B")
            try second.wait(for: "delivered")
            #expect(second.story == ["received call-request", "ringing soft", "delivered extension"])
            _ = try phone.hangUp("A").story()
            #expect(first.story().suffix(2) == ["ended hangup cancelled", "missed"])
            #expect(try second.wait(for: "ringing").ringing?.mode == .loud)
            _ = try phone.hangUp("B").story()
            #expect(second.story().suffix(2) == ["ended hangup cancelled", "missed"])
        }

        @Test("R5: the same call twice rings once") func twice() throws {
            let phone = try Phone()
            let first = try phone.call("A")
            try first.wait(for: "delivered")
            #expect(
                try phone.call("A").story() == ["received call-request", "silent duplicate", "delivered extension"])
        }

        @Test("R8: a hangup that comes first keeps it silent, and it is missed") func hangupFirst() throws {
            let phone = try Phone()
            _ = try phone.hangUp("A").story()
            #expect(
                try phone.call("A").story() == [
                    "received call-request", "silent hung-up", "delivered extension", "missed",
                ])
        }

        @Test("R9: a stale call is missed at once") func stale() throws {
            let phone = try Phone()
            let sent = wallTimeMicroseconds() / 1_000_000 - 60
            #expect(
                try phone.call("A", "\"sentAt\": \(sent)").story() == [
                    "received call-request", "silent stale", "delivered extension", "missed",
                ])
        }

        @Test("R1: not without mutable-content; a voip push rings all the same") func interception() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "1s"])
            let plain = #"{"aps": {"alert": "Ada calls"}, "info": {"type": 1, "callId": "A"}}"#
            #expect(
                try phone.push(plain).story() == [
                    "received call-request no-mutable-content", "silent not-intercepted", "delivered passthrough",
                ])
            let voip = #"{"payload": {"info": {"callId": "V", "callerName": "Ada"}}, "pushType": "voip"}"#
            #expect(
                try phone.push(voip).story() == [
                    "received call-request voip", "ringing loud", "delivered passthrough", "ended timeout", "missed",
                ])
        }

        @Test("R1: a hangup that is not intercepted hangs up, with a warning") func hangupNotIntercepted() throws {
            let phone = try Phone()
            let call = try phone.call("A")
            try call.wait(for: "delivered")
            let hangup = #"{"aps": {"content-available": 1}, "info": {"type": 2, "callId": "A"}}"#
            #expect(
                try phone.push(hangup).story() == [
                    "received hangup background", "warning hangup-not-intercepted", "delivered passthrough",
                ])
            #expect(call.story().suffix(2) == ["ended hangup cancelled", "missed"])
        }
    }
}
