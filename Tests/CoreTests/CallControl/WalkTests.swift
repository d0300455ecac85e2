import BelfryProtocol
import BelfryTerms
import CallChannel
import CallControl
import Testing

/// One push from its worker to the app and back, in order.
@Suite struct WalkTests {
    private static let a = Centre.uuid("A")

    /// A call that rings, reported for its push in time.
    static func ringing() -> Centre {
        var centre = Centre.running()
        centre.push(1)
        centre.reports(a, push: 1)
        centre.rings(1)
        return centre
    }

    @Test("C1 a push waits for its app, which reports it; it rings as the app says, and then the report is completed")
    func warm() {
        var centre = Centre.running()
        #expect(centre.push(1) == ["worker 1 wait", "app push 1 must", "worker 1 handed", "= handed"])
        #expect(centre.reports(Self.a, push: 1) == ["worker 1 ring Ada +49"])
        #expect(centre.rings(1) == ["app reported 1", "= reported"])
        #expect(centre.app(.returned(push: centre.pushes[0], form: .completion)) == ["= returned"])
        #expect(centre.app(.completed(push: centre.pushes[0])) == [])
        #expect(centre.wait(39_000) == [])
    }

    @Test("C1 an app that does not run is started, and handed the push once its registry is there")
    func cold() {
        var centre = Centre()
        #expect(centre.push(1) == ["worker 1 wait", "start \(Centre.app)"])
        centre.wait(900)
        #expect(centre.take(.appConnected(AppHello(id: Centre.app, pid: 3))) == ["= started"])
        centre.app(.provider(ProviderSettings()))
        #expect(centre.app(.registry(["voip"])).suffix(3) == ["app push 1 must", "worker 1 handed", "= handed"])
        #expect(centre.reports(Self.a, push: 1) == ["worker 1 ring Ada +49"])
    }

    @Test("C9 an answered ring is answered by the delegate; fulfilled, the call is connected and the audio active")
    func answered() {
        var centre = Self.ringing()
        #expect(
            centre.ends(1, .answered) == [
                "app perform answer #1 60.0 s", "= answer performed", "collect c of group.a",
                "= connecting by person",
            ])
        #expect(centre.take(.workerGone(WorkerNumber(1))) == [])
        centre.wait(100)
        #expect(centre.outcome(1) == ["= answer fulfilled", "= connected by person", "app audio on"])
        #expect(
            centre.requests([CallAction(.end, of: Self.a, uuid: Centre.uuid("E"))])
                == ["app requested 9", "app perform end #2 5.0 s", "= end performed"])
        #expect(centre.outcome(2) == ["= end fulfilled", "= ended by app", "app audio off"])
        #expect(centre.isEmpty && centre.control.deadline == nil)
    }

    @Test(
        "C9 a ring that ends otherwise is ended by the delegate, and is over by who ended it",
        arguments: [
            (EndReason.declined, "person"), (.hangup, "remote"), (.timeout, "system"), (.stopped, "system"),
            (.expired, "system"),
        ])
    func ended(reason: EndReason, actor: String) {
        var centre = Self.ringing()
        #expect(centre.ends(1, reason) == ["app perform end #1 5.0 s", "= end performed"])
        #expect(centre.outcome(1) == ["= end fulfilled", "= ended by \(actor)"])
        centre.take(.workerGone(WorkerNumber(1)))
        #expect(centre.isEmpty)
    }

    @Test("C1 a push for nobody rings without an app")
    func nobody() {
        var none = Centre(apps: [])
        #expect(none.push(1, topic: nil) == ["worker 1 none"])
        var two = Centre(apps: [Centre.app, Centre.other])
        #expect(two.push(1, topic: "org.belfry.third.voip") == ["worker 1 none"])
        #expect(two.push(2, topic: nil) == ["worker 2 none"])
        #expect(two.push(3, topic: Centre.app) == ["worker 3 none"], "a topic of calls ends with .voip")
        #expect(two.push(4, topic: nil, bundle: Centre.other) == ["worker 4 wait", "start \(Centre.other)"])
        #expect(two.push(5, topic: "org.belfry.third.voip", bundle: Centre.other) == ["worker 5 none"])
        var one = Centre()
        #expect(one.push(1, topic: nil) == ["worker 1 wait", "start \(Centre.app)"])
    }

    @Test("C1 an app that was started by hand is an app")
    func byHand() {
        var centre = Centre(apps: [])
        centre.starts(Centre.app)
        #expect(centre.push(1) == ["worker 1 wait", "app push 1 must", "worker 1 handed", "= handed"])
        centre.take(.appGone(Centre.app))
        #expect(centre.push(2) == ["worker 2 none"])
    }

    @Test("C3 its patience over, the push rings with its own fields; a report that is late is tied to that ring")
    func patience() {
        var centre = Centre.running()
        centre.push(1)
        #expect(centre.wait(4_999) == [])
        #expect(centre.wait(1) == ["! push-not-reported at 1", "worker 1 ring"])
        #expect(centre.rings(1) == [])
        centre.wait(1_000)
        #expect(
            centre.reports(Self.a, push: 1) == [
                "! push-reported-late at 1", "worker 1 caller Ada +49", "app reported 1", "= reported",
            ])
        #expect(centre.ends(1, .declined) == ["app perform end #1 5.0 s", "= end performed"])
    }

    @Test("C4 a report after the answer: the answer follows the completion")
    func reportAfterAnswer() {
        var centre = Centre.running()
        centre.push(1)
        centre.wait(5_000)
        centre.rings(1)
        #expect(centre.ends(1, .answered) == [], "it lies in pendingAccept until its app has the action")
        centre.take(.workerGone(WorkerNumber(1)))
        centre.wait(1_000)
        #expect(
            centre.reports(Self.a, push: 1) == [
                "! push-reported-late", "app reported 1", "= reported", "app perform answer #1 60.0 s",
                "= answer performed", "collect c of group.a", "= connecting by person",
            ])
    }

    @Test("C3 an app that cannot be started does not make its pushes wait")
    func notStarted() {
        var centre = Centre()
        centre.push(1)
        #expect(
            centre.take(.appFailed(Centre.app, why: "no such program")) == [
                "! app-not-started at 1", "worker 1 ring",
            ])
        #expect(centre.push(2) == ["! app-not-started at 2", "worker 2 ring", "start \(Centre.app)"])
        centre.starts()
        #expect(centre.pushes.count == 2, "the app has them once it is there")
        #expect(centre.push(3) == ["worker 3 wait", "app push 3", "worker 3 handed", "= handed"])
    }

    @Test("C11 the app gone, its calls end as failed, and what it was handed rings without it")
    func appGone() {
        var centre = Self.ringing()
        centre.push(2)
        #expect(
            centre.take(.appGone(Centre.app)) == [
                "worker 1 end hangup failed", "= ended by system", "= ended", "worker 2 ring",
            ])
        #expect(centre.ends(1, .hangup) == [])
        #expect(centre.control.liveCalls == 0)
    }

    @Test("C4 a worker that dies while it rings: an end follows; one that dies before it rings is asked for anew, once")
    func workerGone() {
        var centre = Self.ringing()
        #expect(
            centre.take(.workerGone(WorkerNumber(1))) == ["app perform end #1 5.0 s", "= end performed"])
        #expect(centre.outcome(1) == ["= end fulfilled", "= ended by system"])
        centre.push(2, seconds: 20)
        centre.reports(Self.a, push: 2)
        centre.wait(100)
        #expect(centre.take(.workerGone(WorkerNumber(2))) == ["ring c Ada +49 for 19.9 s"])
        #expect(centre.ringComes(1, worker: 3) == ["worker 3 ring Ada +49"])
        #expect(centre.take(.workerGone(WorkerNumber(3))) == ["app reported 1: 0", "= refused 0"])
        #expect(centre.control.liveCalls == 0)
    }

    @Test("C4 a report that no push brought rings by a push of its own")
    func alone() {
        var centre = Centre.running()
        #expect(centre.reports(Self.a) == ["ring \(Self.a.text) Ada +49"])
        #expect(centre.ringComes(1, worker: 1) == ["worker 1 ring Ada +49"])
        #expect(centre.rings(1) == ["app reported 1", "= reported"])
        #expect(centre.ends(1, .answered).first == "app perform answer #1 60.0 s")
    }
}
