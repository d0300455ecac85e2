import BelfryTerms
import CallChannel
@testable import CallControl
import Testing

/// What is left of calls when an app, or its provider, is gone.
@Suite struct DeathTests {
    private static let a = Centre.uuid("A")

    @Test("C11 a provider that is invalidated: its calls end as failed, no delegate is called, and requests get 2")
    func invalidated() {
        var centre = WalkTests.ringing()
        centre.reports(Centre.uuid("B"), n: 2)
        #expect(
            centre.app(.invalidated) == [
                "worker 1 end hangup failed", "= ended by system", "app reported 2: 0", "= ended by system",
            ])
        #expect(centre.ends(1, .hangup) == [] && centre.performed.isEmpty)
        #expect(
            centre.requests([CallAction(.end, of: Self.a, uuid: Centre.uuid("1"))]) == ["app requested 9: 2"])
        #expect(centre.ringComes(1, worker: 2) == ["worker 2 silent hung-up"])
    }

    @Test("C11 an invalidated provider's open action is void, and active audio ends")
    func invalidatedWhileConnected() {
        var centre = WalkTests.ringing()
        centre.ends(1, .answered)
        centre.outcome(1)
        centre.requests([CallAction(.end, of: Self.a, uuid: Centre.uuid("1"))])
        #expect(centre.app(.invalidated) == ["= end failed", "= ended by system", "app audio off"])
        #expect(centre.outcome(2) == [])
    }

    @Test("C11 an app that is gone: its calls end as failed wherever they stand, and others' go on")
    func gone() {
        var centre = Centre.running(apps: [Centre.app, Centre.other])
        centre.push(1)
        centre.reports(Self.a, push: 1)
        centre.rings(1)
        centre.ends(1, .answered)
        centre.outcome(1)
        centre.reports(Centre.uuid("B"), n: 2)
        centre.reports(Centre.uuid("C"), n: 3, by: Centre.other)
        #expect(centre.take(.appGone(Centre.app)) == ["= ended by system", "= ended by system", "= ended"])
        #expect(centre.control.liveCalls == 1)
        #expect(centre.take(.appGone(Centre.app)) == [])
        #expect(centre.app(.registry(["voip"])) == [], "nobody is there to say that")
        #expect(centre.reports(Centre.uuid("D")) == [])
    }

    @Test("C11 a later process knows nothing of the actions of an earlier one")
    func otherProcess() {
        var centre = WalkTests.ringing()
        centre.ends(1, .declined)
        centre.outcome(1)
        centre.take(.appGone(Centre.app))
        centre.starts()
        #expect(centre.outcome(1) == ["! uuid-unknown"])
    }

    @Test("C11 a process that connects in an app's place is a new one")
    func replaced() {
        var centre = WalkTests.ringing()
        #expect(
            centre.take(.appConnected(AppHello(id: Centre.app, pid: 9))) == [
                "worker 1 end hangup failed", "= ended by system", "= ended", "= started",
            ])
        #expect(centre.control.listed.map(\.pid) == [9])
    }

    @Test("C11 to a provider that another one has replaced its calls are unknown, and they live")
    func providerTwice() {
        var centre = WalkTests.ringing()
        let end = CallAction(.end, of: Self.a, uuid: Centre.uuid("1"))
        #expect(
            centre.app(.warning(CodeWord(.providerTwice), detail: "two")) == ["! provider-twice at 1"])
        #expect(centre.requests([end]) == ["app requested 9: 4", "! uuid-unknown"])
        #expect(centre.warnings.last?.detail.contains("earlier provider") == true)
        #expect(centre.reports(Self.a, n: 2).first == "app reported 2: 2")
        #expect(centre.ends(1, .declined).first == "app perform end #1 5.0 s")
    }

    @Test("C11 nothing is kept of a process that was started by hand, once it is gone")
    func byHand() {
        var centre = Centre(apps: [])
        centre.starts("org.belfry.third")
        centre.take(.appGone("org.belfry.third"))
        #expect(centre.control.apps.isEmpty && centre.control.listed.isEmpty)
    }
}
