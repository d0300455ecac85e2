import BelfryTerms
import CallChannel
import CallControl
import Testing

/// A hangup that comes as a voip push.
@Suite struct HangupPushTests {
    private static let a = Centre.uuid("A")

    @Test("C6 its worker waits for nothing, and it is handed over and owes a report as any")
    func handed() {
        var centre = Centre.running()
        #expect(
            centre.push(1, kind: .hangup) == ["app push 1 must", "worker 1 handed", "= handed"])
        centre.take(.workerGone(WorkerNumber(1)))
        #expect(centre.wait(5_000) == ["! push-not-reported"])
        var cold = Centre()
        #expect(cold.push(1, kind: .hangup) == ["worker 1 wait", "start \(Centre.app)"])
        cold.take(.workerGone(WorkerNumber(1)))
        cold.starts()
        #expect(cold.pushes.count == 1)
    }

    @Test("C6 a UUID that is known gets error 2; a new one is accepted, rings nobody, and an end follows")
    func reports() {
        var centre = WalkTests.ringing()
        centre.push(2, kind: .hangup)
        #expect(
            centre.reports(Self.a, push: 2, n: 2) == ["app reported 2: 2", "= refused 2", "! uuid-reused at 2"])
        centre.push(3, kind: .hangup)
        #expect(
            centre.reports(Centre.uuid("B"), push: 3, n: 3) == [
                "app reported 3", "= reported", "app perform end #1 5.0 s", "= end performed",
            ])
        #expect(centre.outcome(1) == ["= end fulfilled", "= ended by remote"])
        #expect(centre.control.liveCalls == 1, "the first still rings, until its worker says otherwise")
    }

    @Test("C6 a call that was answered it does not end")
    func answered() {
        var centre = WalkTests.ringing()
        centre.ends(1, .answered)
        centre.outcome(1)
        centre.push(2, kind: .hangup)
        centre.reports(Self.a, push: 2, n: 2)
        centre.take(.workerGone(WorkerNumber(2)))
        centre.wait(60_000)
        #expect(centre.control.liveCalls == 1)
    }
}
