import BelfryTerms
import CallChannel
@testable import CallControl
import Testing

/// How long a push waits for its app.
@Suite struct PatienceTests {
    private static let a = Centre.uuid("A")

    @Test("C3 the patience is what is set, and runs from the push, launch included")
    func setting() {
        var settings = CallControlSettings()
        settings.appPatience = .seconds(2)
        var centre = Centre(settings: settings)
        centre.push(1)
        centre.wait(1_500)
        centre.starts()
        #expect(centre.wait(499) == [])
        #expect(centre.wait(1) == ["worker 1 ring"])
        #expect(
            centre.wait(1_500) == ["! push-not-reported at 1"], "the report is due since the app was handed the push")
    }

    @Test("C3 an app that leaves before its registry is there: its pushes ring, and do not wait until it is")
    func leaves() {
        var centre = Centre()
        centre.push(1)
        centre.starts(types: [])
        #expect(
            centre.take(.appGone(Centre.app)) == ["= ended", "! app-not-started at 1", "worker 1 ring"])
        #expect(centre.control.listed.first?.problem.isEmpty == false)
        centre.starts(types: [])
        #expect(centre.push(2) == ["! app-not-started at 2", "worker 2 ring"])
        #expect(
            centre.app(.registry(["voip"])) == [
                "app push 1 must", "worker 1 handed", "= handed", "app push 2", "worker 2 handed", "= handed",
            ])
        #expect(centre.control.listed.first?.problem.isEmpty == true)
        #expect(centre.push(3).first == "worker 3 wait")
    }

    @Test("C3 an app that leaves before it reports what it was handed: that rings, and was not reported")
    func diesWithPush() {
        var centre = Centre.running()
        centre.push(1)
        #expect(
            centre.take(.appGone(Centre.app)) == ["= ended", "! push-not-reported at 1", "worker 1 ring"])
        #expect(centre.wait(6_000) == ["worker 1 end hangup failed"], "its worker never rang")
        #expect(centre.push(2) == ["worker 2 wait", "start \(Centre.app)"])
    }

    @Test("C3 an app that has failed once is told of it without a push, too; what rings already is left alone")
    func failsAgain() {
        var centre = Centre()
        centre.push(1)
        centre.take(.appFailed(Centre.app, why: "x"))
        #expect(centre.take(.appFailed(Centre.app, why: "y")) == ["! app-not-started"])
        centre.starts()
        #expect(centre.take(.appFailed(Centre.app, why: "z")) == [], "it runs: another process was meant")
    }

    @Test("C3 a driver that looks too late lets pass what was due, before it hears what has come")
    func lateDriver() {
        var centre = Centre.running()
        centre.push(1)
        centre.stall(6_000)
        #expect(
            centre.reports(Self.a, push: 1) == [
                "! push-not-reported at 1", "worker 1 ring", "! push-reported-late at 1", "worker 1 caller Ada +49",
            ])
    }

    @Test("C3 a hundred pushes of an app are remembered without a report; while all ring, more have no app")
    func flood() {
        var centre = Centre()
        for worker in 1...100 { centre.push(Int64(worker)) }
        #expect(centre.push(101) == ["worker 101 none"])
        centre.take(.workerGone(WorkerNumber(1)))
        #expect(centre.push(102).first == "worker 102 wait")
        #expect(centre.control.pushes.count == 100)
    }

    @Test("C1 what a worker hands over beside its push is nothing")
    func twice() {
        var centre = Centre.running()
        centre.push(1)
        #expect(centre.push(1, id: "q") == [])
    }
}
