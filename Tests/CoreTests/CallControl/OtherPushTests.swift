import BelfryTerms
import CallChannel
import CallControl
import Testing

/// A voip push that is neither call nor hangup.
@Suite struct OtherPushTests {
    private static let a = Centre.uuid("A")

    @Test("C6 what is no call is handed over, waits and rings as its app reports; then it is a call as any")
    func reported() {
        var centre = Centre.running()
        #expect(
            centre.push(1, kind: .other) == ["worker 1 wait", "app push 1 must", "worker 1 handed", "= handed"])
        #expect(centre.reports(Self.a, push: 1) == ["worker 1 ring Ada +49"])
        #expect(centre.rings(1) == ["app reported 1", "= reported"])
        #expect(
            centre.ends(1, .declined) == ["app perform end #1 5.0 s", "= end performed"])
        #expect(centre.outcome(1) == ["= end fulfilled", "= ended by person"])
    }

    @Test("C6 without a report nothing rings, as is warned before its worker leaves; one that is late rings anew")
    func unreported() {
        var centre = Centre.running()
        centre.push(1, kind: .other)
        #expect(centre.wait(5_000) == ["! push-not-reported at 1", "worker 1 none"])
        centre.take(.workerGone(WorkerNumber(1)))
        #expect(centre.reports(Self.a, push: 1) == ["! push-reported-late", "ring c Ada +49 for 25.0 s"])
        #expect(centre.ringComes(1, worker: 2) == ["worker 2 ring Ada +49"])
        #expect(centre.rings(2) == ["app reported 1", "= reported"])
        var never = Centre.running()
        never.push(1, kind: .other)
        never.wait(5_000)
        never.take(.workerGone(WorkerNumber(1)))
        never.wait(60_000)
        #expect(never.isEmpty && never.rings.isEmpty)
    }

    @Test("C3 C6 an app that cannot be started, or leaves, lets it be delivered")
    func noApp() {
        var centre = Centre()
        centre.push(1, kind: .other)
        #expect(
            centre.take(.appFailed(Centre.app, why: "x")) == ["! app-not-started at 1", "worker 1 none"])
        #expect(
            centre.push(2, kind: .other) == ["! app-not-started at 2", "worker 2 none", "start \(Centre.app)"])
        var left = Centre.running()
        left.push(1, kind: .other)
        #expect(
            left.take(.appGone(Centre.app)) == ["= ended", "! push-not-reported at 1", "worker 1 none"])
    }

    @Test("C6 C7 a refused report lets it be delivered")
    func refused() {
        var centre = WalkTests.ringing()
        centre.push(2, kind: .other)
        #expect(
            centre.reports(Self.a, push: 2, n: 2) == [
                "app reported 2: 2", "= refused 2", "! uuid-reused at 2", "worker 2 silent duplicate",
            ])
    }
}
