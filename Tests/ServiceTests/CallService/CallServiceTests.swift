import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import CallLedger
import CallService
import NotificationDelivery
import Support
import Testing

@Suite("A call rings, from its push to its end") struct CallServiceTests {
    let phone = FakePhone()

    private func tick(_ seconds: Int64) { phone.loop.advance(by: .seconds(seconds)) }

    @Test("R4 R6 R7 R11: rings at once, ticks once a second, ends with the budget as timeout, and is missed")
    func fullRing() throws {
        let worker = try phone.call("A")
        #expect(worker.world.story == ["ringing loud", "delivered extension"])
        tick(30)
        let ticks = (1...29).map { "tick \($0)" }
        #expect(worker.world.story == ["ringing loud", "delivered extension"] + ticks + ["ended timeout", "missed"])
        #expect(worker.world.pulses.count == 30)
        #expect(worker.isFinished)
    }

    @Test("`ringing` names the sound that plays, and nothing vibrates") func ringingNamesTheSound() throws {
        let worker = try phone.call("A")
        guard case .ringing(let ringing) = worker.world.events[1].body else {
            Issue.record("does not ring: \(worker.world.story)")
            return
        }
        #expect(ringing.sound == "sound of loud")
        #expect(!ringing.vibrate)
    }

    @Test("R4: the delivered content is time-sensitive and has the caller's name if the alert has no title")
    func content() throws {
        let worker = try phone.push(#""type": 1, "callId": "A", "callerName": "Grace""#)
        #expect(worker.world.fullStory == ["received call-request", "ringing loud", "delivered extension"])
        guard case .delivered(_, let content, _) = worker.world.events[2].body else {
            Issue.record("not delivered: \(worker.world.story)")
            return
        }
        #expect(content.title == "Ada")
        #expect(content.interruptionLevel == .timeSensitive)
    }

    @Test("R4: a critical alert stays critical") func critical() throws {
        let worker = try phone.push(
            #""type": 1, "callId": "A""#,
            aps: #""alert": "calls", "mutable-content": 1, "interruption-level": "critical""#)
        guard case .delivered(_, let content, _)? = worker.world.events.last?.body else {
            Issue.record("not delivered: \(worker.world.story)")
            return
        }
        #expect(content.interruptionLevel == .critical)
    }

    @Test(
        "R11: `missed` says who called and how, without a sound, and not more urgently than an ordinary notification",
        arguments: [true, false])
    func missedContent(hasVideo: Bool) throws {
        let worker = try phone.push(
            #""type": 1, "callId": "A", "handle": "+49 30 1", "hasVideo": \#(hasVideo), "duration": 2"#,
            aps: #""alert": {"body": "calls"}, "mutable-content": 1, "sound": "ring.caf", "badge": 3"#)
        tick(3)
        guard case .missed(let call, let content, _)? = worker.world.events.last?.body else {
            Issue.record("not missed: \(worker.world.story)")
            return
        }
        #expect(call == "A" && content.title == "+49 30 1")
        #expect(content.body == (hasVideo ? "Missed video call" : "Missed call"))
        #expect(content.sound == nil && content.interruptionLevel == .active && content.badge == 3)
    }

    @Test("R9: an expiration of 0, which servers send for calls, is never past; any other is") func expiration() throws
    {
        #expect(try phone.call("A", envelope: #""expiration": 0"#).world.story.first == "ringing loud")
        #expect(try phone.call("B", envelope: #""expiration": 1"#).world.story.first == "silent stale")
    }

    @Test("`ringing` says how long the ring is, how often it ticks and what sounds, in each mode") func ringingEvent()
        throws
    {
        phone.settings.interval = .milliseconds(1_500)
        let rings = try [phone.call("A", #""duration": 7"#), phone.call("B", #""duration": 9"#)]
        for (worker, (mode, seconds)) in zip(rings, [(RingMode.loud, 7.0), (.soft, 9.0)]) {
            guard case .ringing(let ringing) = worker.world.events[1].body else {
                Issue.record("it does not ring: \(worker.world.story)")
                return
            }
            #expect(ringing.mode == CodeWord(mode) && ringing.duration == seconds && ringing.interval == 1.5)
            #expect(ringing.sound == "sound of \(mode)" && !ringing.vibrate)
        }
    }

    @Test("R6: 6 s at 1 s has ticks 1 to 5") func sixSeconds() throws {
        let worker = try phone.call("A", #""duration": 6"#)
        tick(10)
        #expect(worker.world.story.filter { $0.hasPrefix("tick") } == (1...5).map { "tick \($0)" })
    }

    @Test("R7 R8: a hangup silences the ring before `ended`, and ends no other call") func hangup() throws {
        let first = try phone.call("A")
        let second = try phone.call("B")
        first.world.silenceDelay = .milliseconds(50)
        tick(2)
        let hangup = try phone.hangUp("A")
        tick(1)
        #expect(hangup.isFinished)
        #expect(
            first.world.storyWithoutTicks == [
                "ringing loud", "delivered extension", "ended hangup cancelled", "missed",
            ])
        #expect(first.isFinished)
        #expect(second.world.storyWithoutTicks == ["ringing soft", "delivered extension", "ringing loud"])
        #expect(!second.isFinished)
    }

    @Test("R11: answered elsewhere is not missed") func answeredElsewhere() throws {
        let worker = try phone.call("A")
        _ = try phone.hangUp("A", #""reason": "answered-elsewhere""#)
        tick(1)
        #expect(worker.world.storyWithoutTicks.last == "ended hangup answered-elsewhere")
    }

    @Test("R8: a request whose hangup came first does not ring, and is missed once") func hangupFirst() throws {
        _ = try phone.hangUp("A")
        let late = try phone.call("A")
        #expect(late.world.story == ["silent hung-up", "delivered extension", "missed"])
        let copy = try phone.call("A")
        #expect(copy.world.story == ["silent hung-up", "delivered extension"])
        #expect(late.isFinished && copy.isFinished)
    }

    @Test("R7: a hangup whose wake-up is lost ends the ring by its next tick") func lostWakeUp() throws {
        let worker = try phone.call("A")
        tick(2)
        phone.file.losesWakeUps = true
        _ = phone.file.change { $0.hangUp(CallKey("A"), reason: .cancelled, sentAt: nil) }
        phone.loop.advance(by: .milliseconds(999))
        #expect(worker.world.story.last == "tick 2")
        phone.loop.advance(by: .milliseconds(1))
        #expect(worker.world.story.suffix(3) == ["tick 3", "ended hangup cancelled", "missed"])
    }

    @Test("R5: a call that was hung up is silent for that, whoever says that the app is in front") func hungUpInFront()
        throws
    {
        _ = try phone.hangUp("A")
        phone.file.root["enterToForground"] = .bool(true)
        #expect(try phone.call("A").world.story == ["silent hung-up", "delivered extension", "missed"])
    }

    @Test("R12: a worker that is killed before it has reported a missed call leaves that to others") func killedBefore()
        throws
    {
        let worker = try phone.call("A", #""duration": 2, "callerAvatar": "https://a.example/a.png""#)
        _ = try phone.hangUp("overtaken")
        let overtaken = try phone.call("overtaken", #""callerAvatar": "https://a.example/a.png""#)
        tick(3)
        #expect(worker.world.story.last == "ended timeout" && overtaken.world.story.last == "delivered extension")
        for worker in [worker, overtaken] { phone.file.kill(worker.world.owner.pid) }
        let missed = phone.file.change { $0.unreported }.map(\.key.text)
        #expect(missed.sorted() == ["A", "overtaken"])
    }

    @Test("R11: what a worker has reported as missed nobody reports after it") func reportedOnce() throws {
        let worker = try phone.call("A", #""duration": 2"#)
        let stale = try phone.call("B", envelope: #""expiration": 1"#)
        tick(3)
        #expect([worker, stale].allSatisfy { $0.world.story.last == "missed" && $0.isFinished })
        for worker in [worker, stale] { phone.file.kill(worker.world.owner.pid) }
        #expect(phone.file.change { $0.unreported }.isEmpty)
    }

    @Test("R7: what another program read of an earlier ring and writes back ends nothing, though no note says so")
    func writtenBack() throws {
        let first = try phone.push(#""type": "call-request", "duration": 2"#)
        tick(3)
        let read = phone.file.root
        #expect(first.isFinished && read["calls"] != nil)
        let second = try phone.push(#""type": "call-request""#)
        phone.file.removeNotes()
        phone.file.root = read
        tick(3)
        #expect(second.world.storyWithoutTicks == ["ringing loud", "delivered extension"])
        tick(30)
        #expect(second.world.storyWithoutTicks.suffix(2) == ["ended timeout", "missed"])
    }

    @Test("R10 R12: who waits behind a ring that ended waits for the next older one from then on") func nextOlder()
        throws
    {
        let (first, second, third) = try (phone.call("A"), phone.call("B"), phone.call("C"))
        phone.loop.advance(by: .milliseconds(100))
        _ = try phone.hangUp("B")
        phone.loop.advance(by: .milliseconds(100))
        #expect(second.isFinished)
        phone.file.kill(first.world.owner.pid)
        phone.loop.advance(by: .milliseconds(1))
        #expect(third.world.storyWithoutTicks.last == "ringing loud")
    }

    @Test("R5: the same call twice rings once") func duplicate() throws {
        _ = try phone.call("A")
        let copy = try phone.call("A")
        #expect(copy.world.story == ["silent duplicate", "delivered extension"])
    }

    @Test("R5 R7: answer and decline end the ring, and silence its copies", arguments: [true, false])
    func answerAndDecline(isAnswer: Bool) throws {
        let worker = try phone.call("A")
        tick(1)
        let done = phone.file.change { isAnswer ? $0.answer(CallKey("A")) : $0.decline(CallKey("A")) }
        #expect(done != nil)
        tick(1)
        let word = isAnswer ? "answered" : "declined"
        #expect(worker.world.storyWithoutTicks.last == "ended \(word)")
        #expect(try phone.call("A").world.story.first == "silent \(word)")
    }

    @Test("R7: another program answers by setting the state, and hangs up by removing the start") func strangers()
        throws
    {
        let answered = try phone.call("A")
        guard case .dictionary(var calls)? = phone.file.root["calls"], case .dictionary(var entry)? = calls["A"] else {
            Issue.record("no entry")
            return
        }
        entry["state"] = .string("answered")
        calls["A"] = .dictionary(entry)
        phone.file.root["calls"] = .dictionary(calls)
        tick(1)
        #expect(answered.world.storyWithoutTicks.last == "ended answered")
        let hungUp = try phone.call("B")
        phone.file.root["keyStartCallTime"] = nil
        tick(1)
        #expect(hungUp.world.storyWithoutTicks.suffix(2) == ["ended hangup cancelled", "missed"])
    }

    @Test("R7: a ring has rung until it was silent, however long the process still has to do") func rangUntilSilent()
        throws
    {
        let worker = try phone.call("A")
        worker.world.stopWatchingDelay = .milliseconds(7)
        tick(1)
        _ = try phone.hangUp("A")
        tick(1)
        let rang = worker.world.events.compactMap { event -> Double? in
            if case .ended(let ended) = event.body { ended.rang } else { nil }
        }
        #expect(rang == [1])
    }

    @Test("R5 R7: the app in front silences calls that ring, and calls that come") func foreground() throws {
        let worker = try phone.call("A")
        phone.file.root["enterToForground"] = .bool(true)
        tick(1)
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["warning foreground-unowned", "ended foreground"])
        #expect(
            try phone.call("B").world.story == [
                "silent foreground", "warning foreground-unowned", "delivered extension",
            ])
    }

    @Test("R9: a stale request is missed at once, a younger one rings for what is left") func stale() throws {
        let sent = phone.file.wall.unixSeconds + 0.25
        let stale = try phone.call("A", "\"sentAt\": \(sent - 31)")
        #expect(stale.world.story == ["silent stale", "delivered extension", "missed"])
        let younger = try phone.call("B", "\"sentAt\": \(sent - 27.5)")
        tick(4)
        #expect(younger.world.story.suffix(4) == ["tick 1", "tick 2", "ended timeout", "missed"])
    }

    @Test("R9: a clock over a minute ahead counts as absent") func badClock() throws {
        let worker = try phone.call("A", "\"sentAt\": \(phone.file.wall.unixSeconds + 90)")
        #expect(worker.world.story.prefix(2) == ["warning bad-clock", "ringing loud"])
    }

    @Test("R10: when the loud ring ends by its worker's death, the oldest that is left becomes loud") func death()
        throws
    {
        let first = try phone.call("A")
        let second = try phone.call("B")
        phone.file.kill(first.world.owner.pid)
        // Not the next tick: the death itself.
        phone.loop.advance(by: .milliseconds(1))
        #expect(second.world.storyWithoutTicks.last == "ringing loud")
    }

    @Test("R10: when the process ends that an answered call goes on in, the next one is loud at once") func holder()
        throws
    {
        let first = try phone.call("A")
        let holder = Owner(bootID: first.world.owner.bootID, pid: 70_000, start: 1)
        let second = try phone.call("B")
        phone.loop.advance(by: .milliseconds(100))
        _ = phone.file.change { $0.answer(CallKey("A"), heldBy: holder) }
        phone.loop.advance(by: .milliseconds(1))
        #expect(second.world.storyWithoutTicks == ["ringing soft", "delivered extension"])
        phone.file.kill(holder.pid)
        // Not the next tick: the death itself.
        phone.loop.advance(by: .milliseconds(1))
        #expect(second.world.storyWithoutTicks.last == "ringing loud")
    }

    @Test("R8 R10: a hangup that names no call ends what rings, at its ear, and what goes on") func hangsUpAll() throws
    {
        let first = try phone.call("A")
        let second = try phone.call("B")
        let holder = Owner(bootID: first.world.owner.bootID, pid: 70_000, start: 1)
        _ = phone.file.change { $0.answer(CallKey("A"), heldBy: holder) }
        phone.loop.advance(by: .milliseconds(100))
        #expect(phone.file.read().activeCalls.count == 1)
        _ = try phone.push(#""type": "hangup""#)
        phone.loop.advance(by: .milliseconds(100))
        #expect(second.world.storyWithoutTicks.contains("ended hangup cancelled"))
        #expect(phone.file.read().activeCalls.isEmpty)
    }

    @Test("R10: when the loud ring is declined, the next one is loud at once") func elderDeclined() throws {
        _ = try phone.call("A")
        let second = try phone.call("B")
        phone.loop.advance(by: .milliseconds(100))
        _ = phone.file.change { $0.decline(CallKey("A")) }
        phone.loop.advance(by: .milliseconds(1))
        #expect(second.world.story.last == "ringing loud")
    }

    @Test("R15: setting the clock changes nothing about a ring") func clock() throws {
        let worker = try phone.call("A", "\"sentAt\": \(phone.file.wall.unixSeconds)")
        tick(3)
        phone.file.wallOffset = .seconds(12)
        tick(26)
        #expect(worker.world.story.last == "tick 29")
        tick(1)
        #expect(worker.world.story.last == "missed")
    }

    @Test("A ring that another program's stale write has lost is put back, and can be hung up") func lost() throws {
        let before = phone.file.root
        let worker = try phone.call("A")
        phone.file.root = before
        tick(1)
        #expect(phone.file.read().rings.map(\.key) == [CallKey("A")])
        _ = try phone.hangUp("A")
        tick(1)
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["ended hangup cancelled", "missed"])
    }

    @Test("R17: a stop silences the call, which is settled and missed") func stop() throws {
        let worker = try phone.call("A")
        tick(2)
        worker.stop()
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["ended stopped", "missed"])
        #expect(worker.isFinished)
    }

    @Test("R7: an answer after the deadline is too late, even while the lock keeps the end waiting") func lateAnswer()
        throws
    {
        let worker = try phone.call("A", #""duration": 5"#)
        tick(4)
        phone.file.lockDelay = .milliseconds(300)
        phone.loop.advance(by: .milliseconds(1_100))
        _ = phone.file.change { $0.answer(CallKey("A")) }
        tick(1)
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["ended timeout", "missed"])
    }

    @Test("MaxCalls: past it a request is refused, a hangup never") func busy() throws {
        phone.settings.callsMax = 2
        let ringing = [try phone.call("A"), try phone.call("B")]
        let third = try phone.call("C")
        #expect(third.world.fullStory == ["rejected Busy"])
        guard case .rejected(_, let detail)? = third.world.events.first?.body else {
            Issue.record("it was not rejected")
            return
        }
        #expect(detail.hasPrefix("2 calls ring already") && third.end == .refused)
        let hangup = try phone.hangUp("A")
        phone.loop.advance(by: .zero)
        #expect(hangup.isFinished && ringing[0].world.story.last == "missed")
    }

    // MARK: A file in trouble

    @Test("R7 R14: a ring that is over as it begins ends and is missed, also if the group file cannot be used")
    func overAsItBegins() throws {
        for isUsable in [true, false] {
            phone.file.isUsable = isUsable
            phone.file.stallAfterChange = .seconds(2)
            let worker = try phone.call(isUsable ? "A" : "B", #""duration": 1"#)
            phone.file.stallAfterChange = .zero
            tick(1)
            #expect(worker.world.story == ["ringing loud", "delivered extension", "ended timeout", "missed"])
            #expect(worker.world.pulses.isEmpty && worker.isFinished)
        }
    }

    @Test("R14: with a group file that cannot be used a call rings to its end, and is missed") func unusableFile()
        throws
    {
        phone.file.isUsable = false
        let worker = try phone.call("A", #""duration": 3"#)
        tick(4)
        #expect(worker.world.story.suffix(3) == ["tick 2", "ended timeout", "missed"])
        #expect(worker.isFinished)
    }

    @Test("R2 R17: a hangup that waits for the lock as it is stopped is delivered once, hangs up, and warns of nothing")
    func hangupStopped() throws {
        let call = try phone.call("A")
        phone.file.lockDelay = .milliseconds(400)
        let hangup = try phone.hangUp("A")
        hangup.stop()
        #expect(hangup.world.story == ["delivered stopped"] && !hangup.isFinished)
        tick(1)
        #expect(hangup.world.story == ["delivered stopped"] && hangup.isFinished)
        #expect(call.world.storyWithoutTicks.last == "ended hangup cancelled" || call.world.story.last == "missed")
    }

    @Test("R22: a hangup is delivered before the file has it, and its client hears until then whether it does")
    func hangupFollowed() throws {
        phone.file.followingDelay = .milliseconds(500)
        let hangup = try phone.hangUp("A")
        phone.loop.advance(by: .milliseconds(499))
        #expect(hangup.world.story == ["delivered extension"] && !hangup.isFinished)
        phone.loop.advance(by: .milliseconds(1))
        #expect(hangup.isFinished)
    }

    @Test("R2 R3: a hangup that waits for the lock to the end of a short budget warns of no second call")
    func hangupExpired() throws {
        phone.budget = .seconds(1)
        phone.file.lockDelay = .milliseconds(1_500)
        let hangup = try phone.hangUp("A")
        tick(2)
        #expect(hangup.world.story == ["warning time-will-expire", "delivered extension"])
        #expect(hangup.isFinished && phone.file.read().call(CallKey("A"))?.state == .hangup)
    }

    @Test("R2 R3: nor does one whose process stands still past the end of its budget") func hangupExpiredAtOnce() throws
    {
        phone.budget = .seconds(1)
        phone.file.lockDelay = .milliseconds(1_500)
        let hangup = try phone.hangUp("A")
        phone.loop.stall(for: .milliseconds(1_200))
        tick(1)
        #expect(hangup.world.story == ["delivered expiry"] && hangup.isFinished)
    }

    @Test("R10: a soft ring becomes loud when the loud one's time is up, though that one's process stands still")
    func standsStill() throws {
        let until = phone.loop.now + .milliseconds(2_500)
        _ = phone.file.change {
            $0.admit(
                RingRequest(key: CallKey("A")), until: until, secondCall: .soft, callsMax: 9,
                owner: Owner(bootID: "boot", pid: 1, start: 1))
        }
        let second = try phone.call("B")
        phone.loop.advance(by: .milliseconds(2_499))
        #expect(second.world.storyWithoutTicks == ["ringing soft", "delivered extension"])
        phone.loop.advance(by: .milliseconds(1))
        #expect(second.world.storyWithoutTicks == ["ringing soft", "delivered extension", "ringing loud"])
    }

    @Test("a call that nobody will be told of as missed does not go on fetching its picture") func answeredFetch()
        throws
    {
        let worker = try phone.call("A", #""callerAvatar": "https://a.example/a.png""#)
        #expect(worker.world.isFetching)
        _ = phone.file.change { $0.answer(CallKey("A")) }
        tick(1)
        #expect(worker.isFinished && !worker.world.isFetching)
    }
}
