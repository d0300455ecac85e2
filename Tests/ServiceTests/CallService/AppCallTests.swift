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

extension ReportedCaller {
    init(_ name: String?, _ handle: String? = nil, hasVideo: Bool? = nil) {
        self.init()
        (self.name, self.handle, self.hasVideo) = (name, handle, hasVideo)
    }
}

/// A worker with a voip push, and `belfry-calls` beside it.
@Suite("A voip push and its app") struct AppCallTests {
    let phone = FakePhone()
    let calls = ScriptedCalls()

    init() {
        let calls = calls
        phone.connect = { calls }
    }

    func tick(_ seconds: Int64) { phone.loop.advance(by: .seconds(seconds)) }

    func voip(_ id: String = "A", _ more: String = "", envelope: String = "") throws -> FakePhone.Worker {
        let fields =
            #""type": "call-request", "callId": "\#(id)", "callerName": "Ada""# + (more.isEmpty ? "" : ", " + more)
        return try phone.push(
            fields, aps: "", envelope: #""pushType": "voip""# + (envelope.isEmpty ? "" : ", " + envelope))
    }

    func call(_ id: String = "A") throws -> Call { try #require(phone.file.read().call(CallKey(id))) }

    private static let unknownReason = CodeWord<SilenceReason>(rawValue: "of-tomorrow")

    @Test("R4: it is handed over with its payload as it came, and rings once the app has reported it") func walk()
        throws
    {
        let push =
            #"{"pushType": "voip", "topic": "org.example.phone.voip", "id": "01234567-89AB-4CDE-8F01-23456789ABCD", "#
            + #""payload": { "callId": "A", "big": 12345678901234567890123 }}"#
        let worker = try phone.deliver(push)
        #expect(worker.world.fullStory == ["received voip"])
        let handed = try #require(calls.pushes.first)
        #expect(handed.id == "01234567-89ab-4cde-8f01-23456789abcd" && handed.topic == "org.example.phone.voip")
        #expect(handed.payload == #"{ "callId": "A", "big": 12345678901234567890123 }"#)
        #expect(handed.call == "A" && handed.kind == .callRequest && handed.group == FakePhone.group)
        #expect(handed.until == phone.loop.now + .seconds(30))
        calls.say(.wait(app: "org.example.phone"))
        tick(2)
        #expect(worker.world.story == [] && phone.file.read().rings.isEmpty)
        calls.say(.ring(ReportedCaller("Grace", "+1", hasVideo: true)))
        #expect(worker.world.story == ["caller Grace +1", "ringing loud", "delivered app"])
        #expect(try call().name == "Grace" && call().handle == "+1" && call().hasVideo)
        // What is left is counted from the push (R9).
        tick(28)
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["ended timeout", "missed"])
        #expect(worker.isFinished && !calls.isClosed)
        guard case .missed(_, let content, _)? = worker.world.events.last?.body else {
            Issue.record("not missed: \(worker.world.story)")
            return
        }
        #expect(content.title == "Grace" && content.body == "Missed video call")
    }

    @Test("R4: where no app takes it, or nothing listens, it rings at once, as built in") func none() throws {
        let worker = try voip()
        calls.say(.none)
        #expect(worker.world.story == ["ringing loud", "delivered passthrough"] && calls.isClosed)
        phone.connect = { nil }
        #expect(try voip("B").world.fullStory == ["received voip", "ringing soft", "delivered passthrough"])
        phone.connect = nil
        #expect(try voip("C").world.fullStory == ["received voip", "ringing soft", "delivered passthrough"])
    }

    @Test("R4: it rings with its own fields after a second without a word, and then counts as reported once it was")
    func noWord() throws {
        let worker = try voip()
        phone.loop.advance(by: .milliseconds(999))
        #expect(worker.world.story == [])
        phone.loop.advance(by: .milliseconds(1))
        #expect(worker.world.story == ["warning calls-unavailable", "ringing loud", "delivered passthrough"])
        calls.say(.wait(app: "a"), .silent(CodeWord(.duplicate)), .none)
        #expect(worker.world.storyWithoutTicks.count == 3, "too late to silence it")
        calls.say(.ring(ReportedCaller("Grace")))
        #expect(worker.world.story.last == "caller Grace " && worker.world.isSounding)
        calls.leave()
        #expect(worker.world.storyWithoutTicks.suffix(3) == ["warning calls-unavailable", "ended stopped", "missed"])
    }

    @Test("R4: it waits for its app no longer than that may take, and a second for who counts that") func silence()
        throws
    {
        let worker = try voip()
        calls.say(.wait(app: "a"))
        tick(5)
        #expect(worker.world.story == [])
        tick(1)
        #expect(worker.world.story == ["warning calls-unavailable", "ringing loud", "delivered passthrough"])
        tick(24)
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["ended timeout", "missed"])
    }

    @Test("R4: the app's patience is over: it rings with its own fields, and is delivered by the app if that has it")
    func patience() throws {
        let worker = try voip()
        calls.say(.wait(app: "a"), .handed, .ring(nil))
        #expect(worker.world.story == ["ringing loud", "delivered app"])
        #expect(try call().name == "Ada")
        phone.connect = { ScriptedCalls([(after: .zero, says: .ring(nil))], on: phone.loop) }
        let second = try voip("B")
        tick(0)
        #expect(second.world.story == ["ringing soft", "delivered passthrough"])
    }

    @Test(
        "R4: gone before the ring, it rings as built in; gone since, nobody could take the answer",
        arguments: [true, false])
    func gone(waits: Bool) throws {
        let worker = try voip()
        if waits { calls.say(.wait(app: "a")) }
        calls.leave()
        let began = ["warning calls-unavailable", "ringing loud", "delivered passthrough"]
        #expect(worker.world.story == began)
        calls.leave()
        tick(1)
        #expect(worker.world.storyWithoutTicks == began, "it is not theirs")
    }

    @Test("R4: gone since it was ordered to ring: the ring is over and missed, since nobody could take the answer")
    func goneSince() throws {
        let worker = try voip()
        calls.say(.wait(app: "a"), .ring(ReportedCaller("Grace")))
        tick(1)
        calls.leave()
        #expect(worker.world.storyWithoutTicks.suffix(3) == ["warning calls-unavailable", "ended stopped", "missed"])
        #expect(worker.isFinished && phone.file.read().missedCalls.map(\.reason) == [CodeWord(.stopped)])
        calls.leave()
        #expect(worker.world.story.last == "missed")
    }

    @Test("R4: gone after each line that it may say: rung once, ended once, delivered once", arguments: 0...5)
    func goneAfter(lines: Int) throws {
        let worker = try voip()
        let said: [WorkerOrder] = [
            .wait(app: "a"), .handed, .ring(ReportedCaller("Grace")), .caller(ReportedCaller("Grace H.")),
            .end(.decline),
        ]
        for order in said.prefix(lines) {
            calls.say(order)
            phone.loop.advance(by: .milliseconds(10))
        }
        calls.leave()
        tick(60)
        let story = worker.world.story
        let end = lines < 3 ? "ended timeout" : lines < 5 ? "ended stopped" : "ended declined"
        #expect(story.count { $0.hasPrefix("ringing") } == 1, "\(story)")
        #expect(story.filter { $0.hasPrefix("ended") } == [end], "\(story)")
        #expect(story.count { $0.hasPrefix("delivered") } == 1 && worker.isFinished, "\(story)")
        #expect(phone.file.read().rings.isEmpty && phone.file.read().answers.isEmpty)
    }

    @Test("R4: gone while the ledger is asked: it ends as it begins; what was said meanwhile comes after")
    func goneAsItBegins()
        throws
    {
        phone.file.lockDelay = .milliseconds(20)
        let worker = try voip()
        phone.loop.advance(by: .milliseconds(20))
        calls.say(.ring(ReportedCaller("Grace")), .caller(ReportedCaller("Grace H.")))
        calls.leave()
        #expect(worker.world.story == ["caller Grace "])
        phone.loop.advance(by: .milliseconds(20))
        #expect(worker.world.story.prefix(2) == ["caller Grace ", "ringing loud"])
        tick(1)
        #expect(
            worker.world.story.contains("caller Grace H. ")
                && worker.world.story.suffix(2) == ["ended stopped", "missed"])
        #expect(worker.isFinished)
    }

    @Test("R5: what an app may not have does not ring, and says why", arguments: SilenceReason.allCases)
    func silent(_ why: SilenceReason) throws {
        let worker = try voip()
        calls.say(.wait(app: "a"), .silent(CodeWord(why)))
        let missed = why == .busy ? ["missed"] : []
        let delivered = why == .blocked ? "delivered app unseen" : "delivered app"
        #expect(worker.world.story == ["silent \(why.rawValue)", delivered] + missed)
        #expect(worker.isFinished && phone.file.read().missedCalls.map(\.reason) == missed.map { _ in CodeWord(.busy) })
        #expect(phone.file.read().rings.isEmpty)
    }

    @Test("R5: a reason of a later version silences nothing") func silentForNoReason() throws {
        let worker = try voip()
        calls.say(.silent(Self.unknownReason))
        #expect(worker.world.story == ["ringing loud", "delivered passthrough"])
    }

    @Test("R7: the app ends its ring as anybody does, and the first end counts")
    func ends() throws {
        let ends: [(RingEnd, String)] = [
            (.answer, "ended answered"), (.decline, "ended declined"), (.hangUp(.failed), "ended hangup failed"),
            (.timeOut, "ended timeout"),
        ]
        for (end, story) in ends {
            let walk = AppCallTests()
            let worker = try walk.voip()
            walk.calls.say(.end(end), .caller(ReportedCaller("nobody")))
            #expect(worker.world.story == [], "there is no ring yet")
            walk.calls.say(.ring(ReportedCaller("Grace")), .end(end), .end(.decline))
            walk.tick(1)
            #expect(worker.world.story.filter { $0.hasPrefix("ended") } == [story])
            #expect(worker.world.story.contains("missed") == ["ended hangup failed", "ended timeout"].contains(story))
            #expect(walk.phone.file.read().answers.count == (story == "ended answered" ? 1 : 0))
        }
    }

    @Test("R4: a report that is late, or says more, changes who calls where that is shown and listed") func caller()
        throws
    {
        let worker = try voip()
        calls.say(.ring(nil), .caller(ReportedCaller("Grace", "+1")), .caller(ReportedCaller(nil, nil, hasVideo: true)))
        calls.say(.caller(ReportedCaller("Grace")))
        #expect(worker.world.story == ["ringing loud", "delivered passthrough", "caller Grace +1", "caller Grace +1"])
        #expect(try call().name == "Grace" && call().handle == "+1" && call().hasVideo && call().state == .ringing)
        worker.stop()
        let missed = try #require(phone.file.read().missedCalls.first)
        #expect(missed.name == "Grace" && missed.handle == "+1" && missed.hasVideo)
        calls.say(.caller(ReportedCaller("Ada")))
        #expect(phone.file.read().missedCalls.first?.name == "Grace", "the ring is over")
    }

    @Test("S5: of a name and a handle as much is taken as a push may have") func longNames() throws {
        let worker = try voip()
        calls.say(.ring(ReportedCaller(String(repeating: "é", count: 1 << 20), String(repeating: "1", count: 1 << 20))))
        guard case .caller(let caller)? = worker.world.events.dropFirst().first?.body else {
            Issue.record("no caller: \(worker.world.story.count)")
            return
        }
        #expect(caller.name.utf8.count == 4_096 && caller.handle.utf8.count == 4_096)
    }

    @Test("R5, R7: the app in front silences no ring that an app reported, before it or since") func inFront() throws {
        phone.file.change { $0.enterForeground(owner: nil) }
        let worker = try voip()
        calls.say(.ring(ReportedCaller("Grace")))
        #expect(worker.world.story == ["caller Grace ", "ringing loud", "delivered app"])
        phone.file.change { $0.enterBackground() }
        phone.file.change { $0.enterForeground(owner: nil) }
        var answers: [RingAnswer?] = []
        phone.file.say(.foreground, of: CallKey("A"), toEarOf: worker.world.owner.pid) { answers.append($0) }
        tick(1)
        #expect(worker.world.isSounding && answers.map { $0?.state } == [.ringing])
        // One that was not reported is as any, until it is.
        phone.connect = { ScriptedCalls([(after: .zero, says: .ring(nil))], on: phone.loop) }
        let second = try voip("B")
        tick(0)
        #expect(second.world.story.first == "silent foreground")
    }

    @Test("R7: a call that is reported late is ended by no app that comes to the front since then") func inFrontLater()
        throws
    {
        let worker = try voip()
        calls.say(.ring(nil), .caller(ReportedCaller("Ada")))
        phone.file.change { $0.enterForeground(owner: nil) }
        tick(1)
        #expect(worker.world.isSounding)
        worker.stop()
        let second = try voip("B")
        calls.say(.ring(nil))
        #expect(second.world.story.first == "silent foreground")
    }
}
