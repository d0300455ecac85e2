import BelfryPictures
import BelfryProtocol
import BelfryTerms
import CallLedger
import CallService
import NotificationDelivery
import PictureFetcher
import Support
import Testing

@Suite("R4: a call and its caller's picture") struct PictureTests {
    let phone = FakePhone()
    let folder = TemporaryFolder()
    let picture: NotificationAttachment
    let arrived: PictureDownload.Outcome

    init() {
        let path = folder.write([1], to: "caller.png")
        picture = NotificationAttachment(id: "caller", path: path, type: "public.png")
        arrived = .attached(picture, bytes: 1, seconds: 0.1)
    }

    private func call(_ more: String = #""callerAvatar": "https://a.example/a.png""#) throws -> FakePhone.Worker {
        try phone.call("A", more)
    }

    private func attachments(_ worker: FakePhone.Worker, in name: String) -> [NotificationAttachment]? {
        worker.world.events.compactMap { event -> [NotificationAttachment]? in
            switch event.body {
            case .delivered(_, let content, _) where name == "delivered": content.attachments
            case .missed(_, let content, _) where name == "missed": content.attachments
            default: nil
            }
        }.first
    }

    @Test("rings at once, and is delivered with the picture once it is there") func arrives() throws {
        phone.picture = (.milliseconds(1_500), arrived)
        let worker = try call()
        #expect(worker.world.story == ["ringing loud"])
        phone.loop.advance(by: .seconds(2))
        #expect(worker.world.story == ["ringing loud", "tick 1", "attached", "delivered extension", "tick 2"])
        phone.loop.advance(by: .seconds(30))
        #expect(attachments(worker, in: "missed") == [picture])
        #expect(worker.isFinished)
    }

    @Test("goes without it if it does not come before the budget's last second") func never() throws {
        let worker = try call()
        phone.loop.advance(by: .milliseconds(28_999))
        #expect(!worker.world.story.contains("delivered extension"))
        phone.loop.advance(by: .milliseconds(1))
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["skipped timeout", "delivered extension"])
        phone.loop.advance(by: .seconds(1))
        #expect(worker.isFinished)
    }

    @Test(
        "R14: where there is no network it rings to its end, and what is missing is reported once",
        arguments: [SkipReason.resolveFailed, .connectFailed])
    func noNetwork(reason: SkipReason) throws {
        phone.picture = (.milliseconds(100), .skipped(Skip(reason, "Network is unreachable")))
        let worker = try call()
        phone.loop.advance(by: .seconds(30))
        #expect(
            worker.world.storyWithoutTicks == [
                "ringing loud", "skipped \(reason.rawValue)", "delivered extension", "ended timeout", "missed",
            ])
        #expect(worker.isFinished)
    }

    @Test("a hangup delivers at once without it, and the missed call waits for it") func hangup() throws {
        phone.picture = (.seconds(3), arrived)
        let worker = try call()
        phone.loop.advance(by: .milliseconds(500))
        _ = try phone.hangUp("A")
        phone.loop.advance(by: .milliseconds(100))
        #expect(
            worker.world.story == ["ringing loud", "skipped ended", "delivered extension", "ended hangup cancelled"])
        #expect(!worker.isFinished)
        phone.loop.advance(by: .seconds(3))
        #expect(worker.world.story.last == "missed")
        #expect(attachments(worker, in: "delivered") == [])
        #expect(attachments(worker, in: "missed") == [picture])
        #expect(worker.isFinished)
    }

    @Test("an answer waits for nothing") func answer() throws {
        let worker = try call()
        _ = phone.file.change { $0.answer(CallKey("A")) }
        phone.loop.advance(by: .milliseconds(100))
        #expect(worker.world.story == ["ringing loud", "skipped ended", "delivered extension", "ended answered"])
        #expect(worker.isFinished)
    }

    @Test("R17: a stop ends the fetch, and waits for nothing") func stop() throws {
        let worker = try call()
        worker.stop()
        #expect(
            worker.world.story == ["ringing loud", "skipped ended", "delivered stopped", "ended stopped", "missed"])
        #expect(!worker.world.isFetching)
        #expect(worker.isFinished)
    }

    @Test("R1 R17: a stop of a voip push whose picture is on its way passes it through at once") func voipStop() throws
    {
        let worker = try phone.push(
            #""callId": "A", "callerAvatar": "https://a.example/a.png""#, aps: "", envelope: #""pushType": "voip""#)
        #expect(worker.world.story == ["ringing loud"])
        worker.stop()
        #expect(
            worker.world.story == ["ringing loud", "skipped ended", "delivered passthrough", "ended stopped", "missed"])
        #expect(worker.isFinished && !worker.world.isFetching)
    }

    @Test("R17: a stop while a missed call waits for its picture reports it at once") func stopMissed() throws {
        _ = try phone.hangUp("A")
        let worker = try call()
        #expect(worker.world.story.last == "delivered extension" && !worker.isFinished)
        worker.stop()
        #expect(worker.world.story.last == "missed" && worker.isFinished && !worker.world.isFetching)
    }

    @Test("R3 R4: a picture is given up a second before the budget's end, by who fetches it and by who waits")
    func deadline() throws {
        phone.budget = .seconds(9)
        phone.fetchHeedsDeadline = false
        let worker = try call()
        #expect(worker.world.deadline == .seconds(8))
        phone.loop.advance(by: .milliseconds(8_100))
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["skipped timeout", "delivered extension"])
    }

    @Test("R2: a voip push whose picture never comes is passed through at the end of its budget, and once")
    func voipLate() throws {
        phone.fetchHeedsDeadline = false
        let worker = try phone.push(
            #""callId": "A", "callerAvatar": "https://a.example/a.png""#, aps: "", envelope: #""pushType": "voip""#)
        phone.loop.advance(by: phone.budget)
        #expect(
            worker.world.storyWithoutTicks == [
                "ringing loud", "delivered passthrough", "skipped ended", "ended timeout",
            ])
    }

    @Test("with the app in front it is delivered with the picture") func foreground() throws {
        phone.picture = (.milliseconds(100), arrived)
        phone.file.change { $0.enterForeground(owner: nil) }
        let worker = try call()
        phone.loop.advance(by: .milliseconds(100))
        #expect(worker.world.story.first == "silent foreground")
        #expect(attachments(worker, in: "delivered") == [picture])
        #expect(worker.isFinished)
    }

    @Test("a call that was hung up before is delivered at once, and missed with the picture") func hangupFirst() throws
    {
        phone.picture = (.seconds(1), arrived)
        _ = try phone.hangUp("A")
        let worker = try call()
        #expect(worker.world.story == ["silent hung-up", "skipped ended", "delivered extension"])
        phone.loop.advance(by: .seconds(2))
        #expect(worker.world.story.last == "missed")
        #expect(attachments(worker, in: "missed") == [picture])
        #expect(worker.isFinished)
    }

    @Test("a bad address is passed over at once; for a call that does not ring no picture is fetched") func none()
        throws
    {
        #expect(
            try call(#""callerAvatar": """#).world.story == ["ringing loud", "skipped bad-url", "delivered extension"])
        let copy = try call()
        #expect(copy.world.story == ["silent duplicate", "skipped ended", "delivered extension"])
        #expect(!copy.world.isFetching)
    }
}
