import BelfryEventLoop
import BelfryPictures
import BelfryProtocol
import BelfryTerms
import CallChannel
import CallLedger
import CallService
import GroupLedger
import NotificationDelivery
import PictureFetcher
import Support
import Testing

/// What becomes of such a push if there is no place, it is stopped, or something else ends its call.
@Suite("A voip push that waits") struct WaitingAppCallTests {
    private let walk = AppCallTests()
    private var phone: FakePhone { walk.phone }
    private var calls: ScriptedCalls { walk.calls }

    @Test("R5: before it is received it is asked if there is a place; a place that is lost meanwhile makes it missed")
    func busy() throws {
        phone.settings.callsMax = 1
        let first = try phone.call("B")
        let refused = try walk.voip()
        #expect(refused.world.fullStory == ["rejected Busy"] && refused.end == .refused)
        #expect(calls.isClosed && calls.pushes.isEmpty)
        _ = try phone.hangUp("B")
        walk.tick(1)
        #expect(first.isFinished)
        let second = AppCallTests()
        second.phone.settings.callsMax = 1
        let waiting = try second.voip()
        _ = try second.phone.call("B")
        second.calls.say(.ring(ReportedCaller("Grace")))
        second.tick(1)
        #expect(
            waiting.world.story == ["caller Grace ", "silent busy", "delivered app", "missed"] && waiting.isFinished)
        let missed = try #require(second.phone.file.read().missedCalls.first)
        #expect(missed.reason == CodeWord(.busy) && missed.name == "Grace")
        // The caller may try again.
        _ = try second.phone.hangUp("B")
        second.tick(1)
        let again = try second.voip()
        second.calls.say(.ring(ReportedCaller("Grace")))
        #expect(again.world.story.contains("ringing loud"))
    }

    @Test("R17: who is stopped while it waits is delivered and missed", arguments: [false, true]) func stopped(
        isHeard: Bool
    ) throws {
        let worker = try walk.voip()
        if isHeard { calls.say(.wait(app: "a"), .handed) }
        worker.stop()
        #expect(worker.world.story == ["delivered \(isHeard ? "app" : "passthrough")", "missed"] && worker.isFinished)
        #expect(phone.file.read().missedCalls.map(\.reason) == [CodeWord(.stopped)])
        #expect(try walk.call().state == .stopped)
        calls.say(.ring(ReportedCaller("Grace")))
        walk.tick(10)
        #expect(worker.world.story.last == "missed" && phone.file.read().rings.isEmpty)
    }

    @Test("R17: stopped while the ledger is asked, it ends as it begins; a lock that is held keeps no delivery waiting")
    func stoppedAsItBegins() throws {
        phone.file.lockDelay = .milliseconds(20)
        let worker = try walk.voip()
        phone.loop.advance(by: .milliseconds(20))
        calls.say(.ring(ReportedCaller("Grace")))
        worker.stop()
        walk.tick(1)
        #expect(worker.world.story.suffix(2) == ["ended stopped", "missed"] && worker.isFinished)
        let second = AppCallTests()
        let waiting = try second.voip()
        second.phone.file.lockDelay = .seconds(3)
        waiting.stop()
        second.tick(1)
        #expect(waiting.world.story == ["delivered passthrough"])
        second.tick(2)
        #expect(waiting.world.story == ["delivered passthrough", "missed"] && waiting.isFinished)
    }

    @Test("R11: one that is stopped is not missed if the person knows of the call", arguments: ["B", "A"])
    func stoppedAndKnown(ringing id: String) throws {
        let first = try phone.call("A")
        let worker = try walk.voip()
        calls.say(.wait(app: "a"))
        if id == "B" {
            walk.phone.file.change { _ = $0.decline(CallKey("A")) }
            walk.tick(1)
            #expect(first.isFinished)
        }
        worker.stop()
        #expect(worker.world.story == ["delivered passthrough"] && worker.isFinished)
        #expect(phone.file.read().missedCalls.isEmpty)
    }

    @Test("R8: what ended its call while it waited silences it, and a hangup makes it missed") func hungUp() throws {
        let worker = try walk.voip()
        calls.say(.wait(app: "a"))
        _ = try phone.hangUp("A")
        walk.tick(1)
        calls.say(.ring(ReportedCaller("Grace")))
        #expect(worker.world.story == ["caller Grace ", "silent hung-up", "delivered app", "missed"])
        #expect(worker.isFinished)
    }

    @Test("R9: what goes stale while it waits is missed, but for its expiration, which is that of its push")
    func stale() throws {
        let wall = phone.file.wall.unixSeconds
        let worker = try walk.voip("A", #""duration": 2"#)
        calls.say(.wait(app: "a"))
        walk.tick(3)
        calls.say(.ring(ReportedCaller("Grace")))
        #expect(worker.world.story == ["caller Grace ", "silent stale", "delivered app", "missed"])
        let second = AppCallTests()
        let expiring = try second.voip("B", envelope: #""expiration": \#(wall + 2)"#)
        second.calls.say(.wait(app: "a"))
        second.tick(3)
        second.calls.say(.ring(ReportedCaller("Grace")))
        #expect(expiring.world.story.contains("ringing loud"))
    }

    @Test("R7, R9: no budget cuts the ring of a voip push, and what is left of it is counted from when it was sent")
    func duration() throws {
        phone.settings.duration = .seconds(120)
        let worker = try walk.voip("A", #""sentAt": \#(phone.file.wall.unixSeconds - 10.5)"#)
        let until = try #require(calls.pushes.first).until
        #expect(until == phone.loop.now + .milliseconds(109_500))
        calls.say(.wait(app: "a"))
        walk.tick(4)
        calls.say(.ring(ReportedCaller("Grace")))
        #expect(try walk.call().until == until)
        walk.tick(105)
        #expect(worker.world.isSounding)
        walk.tick(1)
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["ended timeout", "missed"])
        phone.connect = nil
        let builtIn = try walk.voip("B")
        walk.tick(119)
        #expect(builtIn.world.isSounding)
        let alert = try phone.call("C")
        walk.tick(30)
        #expect(alert.world.storyWithoutTicks.suffix(2) == ["ended expired", "missed"])
    }

    @Test("R3: the time of its delivery is counted from its ring") func budget() throws {
        phone.settings.expiryBudget = .seconds(10)
        phone.budget = .seconds(10)
        phone.picture = (.seconds(8), .skipped(Skip(.connectFailed, "nobody there")))
        let worker = try walk.voip("A", #""callerAvatar": "https://a/b.png""#)
        calls.say(.wait(app: "a"))
        walk.tick(5)
        calls.say(.ring(ReportedCaller("Grace")))
        #expect(worker.world.deadline == .seconds(14))
        walk.tick(7)
        #expect(!worker.world.story.contains { $0.hasPrefix("delivered") })
        walk.tick(1)
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["skipped connect-failed", "delivered app"])
    }

    @Test("R3: a worker that stood still while it waited delivers, and rings for what is left") func stoodStill() throws
    {
        phone.settings.expiryBudget = .seconds(5)
        phone.budget = .seconds(5)
        let worker = try walk.voip()
        calls.say(.wait(app: "a"))
        phone.loop.stall(for: .seconds(20))
        walk.tick(1)
        #expect(worker.world.story.filter { $0.hasPrefix("delivered") } == ["delivered passthrough"])
        #expect(worker.world.story.contains("ringing loud") && worker.world.isSounding)
        walk.tick(9)
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["ended timeout", "missed"] && worker.isFinished)
    }

    @Test("R1: what is no voip push opens no way to apps") func others() throws {
        phone.connect = {
            Issue.record("it connects")
            return nil
        }
        _ = try phone.call("A")
        _ = try phone.hangUp("A")
        _ = try phone.deliver(#"{"aps": {"alert": "mail"}}"#)
    }

    @Test("what belfry-calls warns of is told") func warns() throws {
        let worker = try walk.voip()
        calls.say(.warning(CodeWord(.pushReportedLate), detail: "late"), .ring(nil))
        calls.say(.warning(CodeWord(.actionTwice), detail: "twice"))
        #expect(
            worker.world.story == [
                "warning push-reported-late", "ringing loud", "delivered passthrough", "warning action-twice",
            ])
    }
}

/// The hangup of a voip push.
@Suite("A voip hangup and its app") struct AppHangupTests {
    private let walk = AppCallTests()
    private var calls: ScriptedCalls { walk.calls }

    private func hangUp() throws -> FakePhone.Worker {
        try walk.phone.push(#""type": "hangup", "callId": "A""#, aps: "", envelope: #""pushType": "voip""#)
    }

    @Test("R8: it takes effect first, and is handed over then: delivered by the app if that has it") func handed()
        throws
    {
        let ring = try walk.phone.call("A")
        let worker = try hangUp()
        #expect(calls.pushes.isEmpty)
        walk.phone.loop.advance(by: .milliseconds(1))
        #expect(ring.world.storyWithoutTicks.suffix(2) == ["ended hangup cancelled", "missed"])
        let push = try #require(calls.pushes.first)
        #expect(push.kind == .hangup && push.call == "A" && worker.world.story == [])
        calls.say(.warning(CodeWord(.uuidReused), detail: "known"), .handed)
        #expect(worker.world.story == ["warning uuid-reused", "delivered app"] && worker.isFinished)
        calls.say(.handed)
        calls.leave()
        #expect(worker.world.story.count == 2)
    }

    @Test("R8: it waits for nothing else", arguments: [WorkerOrder.none, .wait(app: "a"), .ring(nil)])
    func notHanded(_ order: WorkerOrder) throws {
        let worker = try hangUp()
        calls.say(order)
        #expect(worker.world.story == ["delivered passthrough"] && worker.isFinished)
    }

    @Test("R17: it is delivered in a second, at once if it is stopped or nobody is there") func alone() throws {
        let late = try hangUp()
        walk.tick(1)
        #expect(late.world.story == ["delivered passthrough"] && late.isFinished)
        let gone = try hangUp()
        calls.leave()
        #expect(gone.world.story == ["delivered passthrough"] && gone.isFinished)
        let stopped = try hangUp()
        stopped.stop()
        #expect(stopped.world.story == ["delivered passthrough"] && stopped.isFinished)
        walk.phone.connect = { nil }
        #expect(try hangUp().world.story == ["delivered passthrough"])
    }
}
