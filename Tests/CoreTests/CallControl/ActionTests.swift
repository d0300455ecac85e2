import BelfryTerms
import CallChannel
import CallControl
import Testing

/// The actions that a delegate performs: who asks for them, in which order, and what comes of them.
@Suite struct ActionTests {
    private static let a = Centre.uuid("A")
    private static let b = Centre.uuid("B")
    private static let ownAnswer = CallAction(.answer, of: a, uuid: Centre.uuid("1"))
    private static let ownEnd = CallAction(.end, of: a, uuid: Centre.uuid("2"))

    /// A call that the person has answered.
    private static func answered() -> Centre {
        var centre = WalkTests.ringing()
        centre.ends(1, .answered)
        centre.take(.workerGone(WorkerNumber(1)))
        return centre
    }

    // MARK: Who asks

    @Test("C9 the app's own answer answers the ring; the delegate performs that very action")
    func answersItself() {
        var centre = WalkTests.ringing()
        #expect(centre.requests([Self.ownAnswer]) == ["app requested 9", "worker 1 end answer"])
        #expect(
            centre.ends(1, .answered) == [
                "app perform answer #1 60.0 s", "= answer performed", "collect c of group.a", "= connecting by app",
            ])
        #expect(centre.performed == [Self.ownAnswer])
        #expect(centre.outcome(1) == ["= answer fulfilled", "= connected by app", "app audio on"])
    }

    @Test("C9 the app's own end declines the ring; the delegate performs that very action, once")
    func declinesItself() {
        var centre = WalkTests.ringing()
        #expect(centre.requests([Self.ownEnd]) == ["app requested 9", "worker 1 end decline"])
        #expect(centre.ends(1, .declined) == ["app perform end #1 5.0 s", "= end performed"])
        #expect(centre.performed == [Self.ownEnd])
        #expect(centre.outcome(1) == ["= end fulfilled", "= ended by app"])
    }

    @Test("C9 an end that the app asked for too late follows the answer")
    func endLoses() {
        var centre = WalkTests.ringing()
        centre.requests([Self.ownEnd])
        #expect(
            centre.ends(1, .answered) == [
                "app perform answer #1 60.0 s", "= answer performed", "collect c of group.a",
                "= connecting by person", "app perform end #2 5.0 s", "= end performed",
            ])
        #expect(centre.outcome(1) == ["= answer fulfilled", "= connected by person", "app audio on"])
        #expect(centre.outcome(2) == ["= end fulfilled", "= ended by app", "app audio off"])
    }

    @Test("C9 an answer that the app asked for too late is never performed")
    func answerLoses() {
        var centre = WalkTests.ringing()
        centre.requests([Self.ownAnswer])
        #expect(centre.ends(1, .hangup) == ["app perform end #1 5.0 s", "= end performed"])
        #expect(centre.outcome(1) == ["= end fulfilled", "= ended by remote"])
    }

    @Test("C9 what the app asks for before its ring is there is said to the worker that comes")
    func early() {
        var centre = Centre.running()
        centre.reports(Self.a)
        #expect(centre.requests([Self.ownAnswer]) == ["app requested 9"])
        #expect(centre.requests([Self.ownEnd]) == ["app requested 9"], "the first of them is said")
        #expect(centre.ringComes(1, worker: 1) == ["worker 1 ring Ada +49", "worker 1 end answer"])
    }

    // MARK: The app says that a call is over

    @Test(
        "C9 the app reports the end: the ring ends for that reason, and no delegate is called",
        arguments: [
            (CallEndedReason.failed, "hangup failed"), (.remoteEnded, "hangup cancelled"), (.unanswered, "timeout"),
            (.answeredElsewhere, "hangup answered-elsewhere"), (.declinedElsewhere, "hangup declined-elsewhere"),
        ])
    func reportsEnd(reason: CallEndedReason, end: String) {
        var centre = WalkTests.ringing()
        #expect(centre.app(.end(Self.a, reason, at: nil)) == ["worker 1 end \(end)", "= ended by remote"])
        #expect(centre.ends(1, .hangup) == [])
        centre.take(.workerGone(WorkerNumber(1)))
        #expect(centre.isEmpty)
        #expect(centre.performed.isEmpty)
    }

    @Test("C9 an end that is reported before the ring is there completes the report, and the ring does not begin")
    func endsEarly() {
        var centre = Centre.running()
        centre.reports(Self.a)
        #expect(
            centre.app(.end(Self.a, .remoteEnded, at: nil)) == [
                "app reported 1", "= reported", "= ended by remote",
            ])
        #expect(centre.ringComes(1, worker: 1) == ["worker 1 silent hung-up"])
    }

    @Test("C9 of hangup and accept the first wins: an answer that comes after is taken away, one before is void")
    func races() {
        var centre = WalkTests.ringing()
        centre.app(.end(Self.a, .remoteEnded, at: nil))
        #expect(centre.ends(1, .answered) == ["collect c of group.a"])
        var other = Self.answered()
        #expect(
            other.app(.end(Self.a, .remoteEnded, at: nil)) == ["= answer failed", "= ended by remote"])
        #expect(other.outcome(1) == [])
        #expect(other.isEmpty && other.warnings.isEmpty)
    }

    // MARK: Outcomes

    @Test("C10 an answer that takes 59 s is fine; after 60 s it is timed out, and its call is over")
    func slow() {
        var centre = Self.answered()
        #expect(centre.wait(59_000) == ["! action-unfinished"])
        #expect(centre.outcome(1) == ["= answer fulfilled", "= connected by person", "app audio on"])
        var late = Self.answered()
        late.wait(59_999)
        #expect(late.wait(1) == ["app timed-out #1", "= answer timed-out", "= ended by system"])
        #expect(late.outcome(1) == ["! action-after-timeout"])
        #expect(late.control.deadline == nil)
        var unlooked = Self.answered()
        unlooked.stall(61_000)
        #expect(
            unlooked.outcome(1) == [
                "! action-unfinished", "app timed-out #1", "= answer timed-out", "= ended by system",
                "! action-after-timeout",
            ])
    }

    @Test("C10 the times are what is set")
    func settings() {
        var settings = CallControlSettings()
        settings.answerTimeout = .seconds(2)
        settings.actionTimeout = .seconds(1)
        var centre = Centre(settings: settings)
        centre.starts()
        centre.push(1)
        centre.reports(Self.a, push: 1)
        centre.rings(1)
        #expect(centre.ends(1, .answered).first == "app perform answer #1 2.0 s")
        centre.wait(1_599)
        #expect(centre.warnings.isEmpty)
        #expect(centre.wait(1) == ["! action-unfinished at 1"])
        centre.requests([Self.ownEnd])
        #expect(centre.wait(400).suffix(3) == ["= answer timed-out", "= end failed", "= ended by system"])
    }

    @Test("C10 an answer that fails ends the call, and no audio becomes active")
    func fails() {
        var centre = Self.answered()
        #expect(centre.outcome(1, false) == ["= answer failed", "= ended by system"])
        #expect(centre.outcome(1, false) == ["! action-twice"])
        #expect(centre.isEmpty)
    }

    @Test("C10 an end that fails, or is never answered, ends the call all the same")
    func endFails() {
        var centre = WalkTests.ringing()
        centre.ends(1, .declined)
        #expect(centre.outcome(1, false) == ["= end failed", "= ended by system"])
        var never = WalkTests.ringing()
        never.ends(1, .declined)
        #expect(
            never.wait(5_000) == [
                "! action-unfinished at 1", "app timed-out #1", "= end timed-out", "= ended by system",
            ])
    }

    @Test("C10 only the first outcome counts, of this app's own actions; one that nobody asked for changes nothing")
    func outcomes() {
        var centre = Centre.running(apps: [Centre.app, Centre.other])
        centre.push(1)
        centre.reports(Self.a, push: 1)
        centre.rings(1)
        centre.ends(1, .answered)
        let answer = centre.performed[0].uuid
        #expect(centre.app(.outcome(answer, isFulfilled: false, at: nil), Centre.other) == ["! uuid-unknown"])
        #expect(centre.app(.performed(answer, isImplemented: false), Centre.other) == [])
        #expect(centre.outcome(1).first == "= answer fulfilled")
        #expect(centre.outcome(1, false) == ["! action-twice"])
        #expect(centre.app(.outcome(Self.b, isFulfilled: true, at: nil)) == ["! uuid-unknown"])
        #expect(centre.control.liveCalls == 1)
    }

    @Test("C10 a method that the delegate lacks leaves the action pending until its time is over")
    func unimplemented() {
        var centre = Self.answered()
        #expect(
            centre.app(.performed(centre.performed[0].uuid, isImplemented: false)) == ["! action-unimplemented"])
        #expect(centre.wait(59_999) == [])
        #expect(centre.wait(1) == ["app timed-out #1", "= answer timed-out", "= ended by system"])
        var implemented = Self.answered()
        #expect(implemented.app(.performed(implemented.performed[0].uuid, isImplemented: true)) == [])
        implemented.wait(48_000)
        #expect(implemented.warnings.first?.detail.contains("the delegate has returned") == true)
    }

    /// Says of a call that it cannot be held: it goes on beside another.
    private static var withoutHolding: CallUpdate {
        var update = CallUpdate()
        update.supportsHolding = false
        return update
    }

    @Test("C10 audio is active from the first connected call to the last")
    func audio() {
        var centre = Self.answered()
        centre.app(.update(Self.a, Self.withoutHolding))
        centre.outcome(1)
        centre.push(2, call: "d")
        centre.reports(Self.b, push: 2, n: 2)
        centre.rings(2)
        centre.ends(2, .answered)
        #expect(centre.outcome(2) == ["= answer fulfilled", "= connected by person"])
        #expect(centre.app(.end(Self.a, .remoteEnded, at: nil)) == ["= ended by remote"])
        centre.requests([CallAction(.end, of: Self.b, uuid: Centre.uuid("2"))])
        #expect(centre.outcome(3) == ["= end fulfilled", "= ended by app", "app audio off"])
    }

    @Test("C10 what comes of one call's action leaves the actions of the app's other calls alone")
    func twoCalls() {
        var centre = Self.answered()
        centre.app(.update(Self.a, Self.withoutHolding))
        centre.push(2, call: "d")
        centre.reports(Self.b, push: 2, n: 2)
        centre.rings(2)
        centre.ends(2, .answered)
        #expect(centre.outcome(1, false) == ["= answer failed", "= ended by system"])
        #expect(centre.outcome(2) == ["= answer fulfilled", "= connected by person", "app audio on"])
        #expect(centre.control.listed.map(\.calls) == [1])
    }

    @Test("C10 each app's audio is its own, and becomes active anew")
    func audioOfTwo() {
        var centre = Centre.running(apps: [Centre.app, Centre.other])
        for (worker, app, uuid) in [(1, Centre.other, Self.b), (2, Centre.app, Self.a)] as [(Int64, String, CallUUID)] {
            centre.push(worker, topic: app + ".voip")
            centre.reports(uuid, by: app)
            centre.rings(worker)
            centre.ends(worker, .answered)
            if worker == 1 { centre.app(.outcome(centre.performed[0].uuid, isFulfilled: true, at: nil), app) }
        }
        #expect(centre.control.listed.map(\.calls) == [1, 1])
        // The second is the hold of the other app's call.
        #expect(centre.outcome(3) == ["= answer fulfilled", "= connected by person", "app audio on"])
        #expect(centre.app(.end(Self.a, .remoteEnded, at: nil)) == ["= ended by remote", "app audio off"])
        centre.push(3)
        centre.reports(Self.a, push: 3)
        centre.rings(3)
        centre.ends(3, .answered)
        #expect(centre.outcome(4).last == "app audio on")
    }

    @Test("C9 an end that is being performed is the app's, though it reports another")
    func endReportedWhileEnding() {
        var centre = Self.answered()
        centre.outcome(1)
        centre.requests([Self.ownEnd])
        #expect(
            centre.app(.end(Self.a, .remoteEnded, at: nil)) == [
                "! end-by-report", "= end failed", "= ended by app", "app audio off",
            ])
        var late = WalkTests.ringing()
        late.requests([Self.ownEnd])
        late.ends(1, .answered)
        #expect(late.app(.end(Self.a, .remoteEnded, at: nil)).first == "! end-by-report at 1")
        var early = Centre.running()
        early.push(1)
        early.reports(Self.a, push: 1)
        #expect(
            early.app(.end(Self.a, .remoteEnded, at: nil)) == [
                "app reported 1", "= reported", "worker 1 end hangup cancelled", "= ended by remote",
            ])
    }

    @Test("C10 what is open as a call ends is void, and its outcome counts for nothing") func openAtTheEnd() {
        var centre = Self.answered()
        centre.outcome(1)
        let mute = CallAction(.mute(true), of: Self.a, uuid: Centre.uuid("3"))
        #expect(centre.requests([Self.ownEnd, mute]).filter { $0.hasPrefix("app perform") }.count == 2)
        #expect(centre.outcome(2) == ["= end fulfilled", "= mute failed", "= ended by app", "app audio off"])
        #expect(centre.outcome(3) == [])
    }
}
