import BelfryTerms
import CallChannel
import CallControl
import Testing

/// Which push a report is for.
@Suite struct ReportTests {
    private static let a = Centre.uuid("A")
    private static let b = Centre.uuid("B")

    private static func twoPushes() -> Centre {
        var centre = Centre.running()
        centre.push(1, call: "c")
        centre.push(2, call: "d")
        return centre
    }

    @Test("C2 a report is for the push that it names, else for the oldest that owes one")
    func named() {
        var centre = Self.twoPushes()
        #expect(centre.reports(Self.a, push: 2) == ["worker 2 ring Ada +49"])
        #expect(centre.reports(Self.b, n: 2) == ["worker 1 ring Ada +49"])
        var unnamed = Self.twoPushes()
        #expect(unnamed.reports(Self.a) == ["worker 1 ring Ada +49"])
        #expect(unnamed.reports(Self.b, n: 2) == ["worker 2 ring Ada +49"])
    }

    @Test("C2 a report for a push that has one is without a push, and so is one when none is owed")
    func hasOne() {
        var centre = Self.twoPushes()
        centre.reports(Self.a, push: 1)
        #expect(centre.reports(Self.b, push: 1, n: 2) == ["ring \(Self.b.text) Ada +49"])
        centre.reports(Centre.uuid("C"), push: 2, n: 3)
        #expect(centre.reports(Centre.uuid("D"), n: 4) == ["ring \(Centre.uuid("D").text) Ada +49"])
    }

    @Test("C2 a push that waits to be handed over owes nothing")
    func notHanded() {
        var centre = Centre()
        centre.starts(types: [])
        centre.push(1)
        #expect(centre.reports(Self.a) == ["ring \(Self.a.text) Ada +49"])
    }

    @Test("C2 a report that names another app's push is without a push")
    func others() {
        var centre = Centre.running(apps: [Centre.app, Centre.other])
        centre.push(1)
        #expect(centre.reports(Self.a, push: 1, by: Centre.other) == ["ring \(Self.a.text) Ada +49"])
        #expect(centre.reports(Self.b, push: 1) == ["worker 1 ring Ada +49"])
    }

    @Test("C2 a push of an earlier centre rings by itself: error 0; no number is given twice")
    func earlier() {
        var before = Centre.running()
        before.push(1)
        before.push(2, call: "d")
        #expect(before.pushes[1] > before.pushes[0])
        var centre = Centre.running()
        centre.stall(3_000)
        #expect(
            centre.app(.report(CallReport(1, of: Self.a, Centre.ada, push: before.pushes[0])))
                == ["app reported 1: 0", "= refused 0"])
        centre.push(1)
        #expect(centre.pushes[0] > before.pushes[1])
        #expect(
            centre.app(.report(CallReport(1, of: Self.a, Centre.ada, push: before.pushes[1])))
                == ["app reported 1: 0", "= refused 0"])
    }

    @Test("C2 C11 what another process was handed is not owed by this one, unless it says so")
    func otherProcess() {
        var centre = Self.twoPushes()
        centre.take(.appGone(Centre.app))
        centre.rings(1)
        centre.rings(2)
        centre.starts()
        #expect(centre.reports(Self.a) == ["ring \(Self.a.text) Ada +49"])
        #expect(
            centre.reports(Self.b, push: 2, n: 2) == [
                "worker 2 caller Ada +49", "app reported 2", "= reported",
            ])
    }
}
