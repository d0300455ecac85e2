import BelfryTerms
import CallChannel
import CallControl
import Testing

/// What iOS asks of an app for a push, and what is said of one that does otherwise.
@Suite struct PushRuleTests {
    private static let a = Centre.uuid("A")

    @Test("C5 a report before the return is in time, however long that takes within the patience")
    func inTime() {
        var centre = Centre.running()
        centre.push(1)
        centre.wait(4_000)
        centre.reports(Self.a, push: 1)
        centre.rings(1)
        centre.app(.returned(push: centre.pushes[0], form: .deprecated))
        centre.wait(10_000)
        #expect(centre.warnings.isEmpty)
    }

    @Test("C5 a report after the return is late", arguments: [0, 200])
    func late(milliseconds: Int64) {
        var centre = Centre.running()
        centre.push(1)
        #expect(centre.app(.returned(push: centre.pushes[0], form: .async)) == ["= returned"])
        centre.wait(milliseconds)
        #expect(centre.reports(Self.a, push: 1) == ["! push-reported-late at 1", "worker 1 ring Ada +49"])
        #expect(centre.warnings[0].detail.contains("\(Double(milliseconds)) ms after the receive method had returned"))
    }

    @Test("C5 a push without a report is said once; a report for it that is refused counts")
    func never() {
        var centre = Centre.running()
        centre.push(1)
        centre.wait(60_000)
        #expect(centre.warnings.map(\.code) == ["push-not-reported"])
        var known = Centre.running()
        known.push(1)
        known.reports(Self.a)
        known.rings(1)
        known.push(2)
        #expect(known.reports(Self.a, push: 2, n: 2).contains("app reported 2: 2"))
        known.wait(10_000)
        #expect(known.warnings.map(\.code) == ["uuid-reused"])
    }

    @Test("C5 no report is asked for while the app has a call, or owes another")
    func mustNot() {
        var centre = Centre.running()
        #expect(centre.push(1)[1] == "app push 1 must")
        #expect(centre.push(2)[1] == "app push 2")
        centre.reports(Self.a, push: 1)
        centre.app(.returned(push: centre.pushes[1], form: .deprecated))
        #expect(centre.reports(Centre.uuid("B"), push: 2, n: 2) == ["worker 2 ring Ada +49"])
        #expect(centre.push(3)[1] == "app push 3")
        for worker in 1...2 as ClosedRange<Int64> {
            centre.rings(worker)
            centre.ends(worker, .answered)
        }
        centre.wait(5_000)
        #expect(centre.push(4)[1] == "app push 4", "its rings are over, its calls are not")
        var alone = Centre.running()
        alone.push(1)
        alone.wait(5_000)
        #expect(alone.push(2)[1] == "app push 2 must", "iOS has counted the first already")
    }

    @Test("C5 a delegate without a receive method, and a completion handler that is not called")
    func forms() {
        for form in ReceiveForm.allCases {
            var centre = Centre.running()
            centre.push(1)
            centre.reports(Self.a, push: 1)
            centre.rings(1)
            centre.app(.returned(push: centre.pushes[0], form: form))
            centre.app(.returned(push: centre.pushes[0], form: form))
            centre.wait(5_000)
            let missing = [ReceiveForm.metadata, .completion].contains(form) ? ["push-completion-missing"] : []
            #expect(centre.warnings.map(\.code) == (form == .none ? ["push-no-receiver"] : missing))
        }
        var centre = Centre.running(apps: [Centre.app, Centre.other])
        centre.push(1)
        centre.reports(Self.a, push: 1)
        centre.rings(1)
        #expect(centre.app(.returned(push: centre.pushes[0], form: .completion), Centre.other) == [])
        centre.app(.returned(push: centre.pushes[0], form: .completion))
        centre.app(.completed(push: centre.pushes[0]), Centre.other)
        #expect(centre.wait(5_000) == ["! push-completion-missing at 1"])
    }

    @Test("C5 a registry that comes over a second after app and push is late, and so is none")
    func registry() {
        var centre = Centre()
        centre.push(1)
        centre.wait(3_000)
        centre.starts(types: [])
        centre.wait(1_000)
        #expect(centre.app(.registry(["voip"])).first == "app push 1 must")
        var late = Centre()
        late.starts(types: [])
        late.push(1)
        late.wait(1_001)
        #expect(late.app(.registry(["voip"])).first == "! registry-late at 1")
        var none = Centre()
        none.starts(types: ["fileProvider"])
        none.push(1)
        #expect(none.wait(5_000) == ["! registry-late at 1", "worker 1 ring"])
        #expect(none.app(.registry(["voip"])).first == "app push 1 must")
    }
}
