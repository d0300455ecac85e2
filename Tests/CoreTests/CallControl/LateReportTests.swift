import BelfryProtocol
import BelfryTerms
import CallChannel
import CallControl
import Testing

/// What a report comes to that finds its ring on, over, lost, or not there at all.
@Suite struct LateReportTests {
    private static let a = Centre.uuid("A")
    private static let accepted = ["app reported 1", "= reported"]
    private static let end = ["app perform end #1 5.0 s", "= end performed"]

    /// A push whose app has let its patience pass.
    private static func unreported() -> Centre {
        var centre = Centre.running()
        centre.push(1)
        centre.wait(5_000)
        return centre
    }

    @Test("C4 accepted before the app runs: it has the push when it does, and the answer after its report")
    func acceptedCold() {
        var centre = Centre()
        centre.push(1)
        #expect(centre.wait(5_000) == ["worker 1 ring"])
        centre.rings(1)
        #expect(centre.ends(1, .answered) == [])
        centre.take(.workerGone(WorkerNumber(1)))
        centre.wait(20_000)
        centre.starts()
        #expect(
            centre.reports(Self.a, push: 1) == Self.accepted + [
                "app perform answer #1 60.0 s", "= answer performed", "collect c of group.a", "= connecting by person",
            ])
        var late = Centre()
        late.push(1)
        late.wait(5_000)
        late.rings(1)
        late.ends(1, .timeout)
        late.take(.workerGone(WorkerNumber(1)))
        late.wait(60_000)
        late.starts()
        #expect(late.pushes.isEmpty, "nobody is rung up for a call that was over a minute ago")
    }

    @Test("C4 a ring that was ordered and is not on yet: the caller is said, and the completion comes with the ring")
    func ordered() {
        var centre = Self.unreported()
        #expect(centre.reports(Self.a, push: 1) == ["! push-reported-late at 1", "worker 1 caller Ada +49"])
        #expect(centre.rings(1) == Self.accepted)
    }

    @Test(
        "C4 a ring that is over: the report is accepted, rings nobody, and an end follows",
        arguments: [(EndReason.declined, "person"), (.hangup, "remote"), (.timeout, "system"), (.foreground, "system")])
    func over(reason: EndReason, actor: String) {
        var centre = Self.unreported()
        centre.rings(1)
        centre.ends(1, reason)
        centre.take(.workerGone(WorkerNumber(1)))
        #expect(centre.reports(Self.a, push: 1) == ["! push-reported-late"] + Self.accepted + Self.end)
        #expect(centre.outcome(1) == ["= end fulfilled", "= ended by \(actor)"])
    }

    @Test(
        "C4 a report that the ledger lets not ring is accepted, and an end follows",
        arguments: [
            (SilenceReason.duplicate, "system"), (.hungUp, "remote"), (.answered, "person"), (.declined, "person"),
            (.stale, "system"), (.busy, "system"),
        ])
    func silent(why: SilenceReason, actor: String) {
        var centre = Centre.running()
        centre.push(1)
        centre.reports(Self.a, push: 1)
        #expect(centre.worker(1, .silent(call: "c", why: why)) == Self.accepted + Self.end)
        #expect(centre.outcome(1) == ["= end fulfilled", "= ended by \(actor)"])
    }

    @Test("C4 what a push came to is remembered for a minute, and no longer")
    func memory() {
        for (milliseconds, isTied) in [(59_999, true), (60_000, false)] as [(Int64, Bool)] {
            var centre = Self.unreported()
            centre.rings(1)
            centre.ends(1, .timeout)
            centre.take(.workerGone(WorkerNumber(1)))
            centre.wait(milliseconds)
            #expect(centre.isEmpty != isTied)
            let first = centre.reports(Self.a, push: 1).first
            #expect(first == (isTied ? "! push-reported-late" : "ring \(Self.a.text) Ada +49"))
        }
    }

    @Test("C4 a worker that died while it waited is replaced by a ring of what is left, in its group")
    func diedWaiting() throws {
        var centre = Centre.running()
        centre.push(1, seconds: 20)
        centre.take(.workerGone(WorkerNumber(1)))
        centre.wait(2_000)
        #expect(centre.reports(Self.a, push: 1) == ["ring c Ada +49 for 18.0 s"])
        #expect(try #require(centre.rings.last).group == Centre.group)
        #expect(centre.ringComes(1, worker: 2) == ["worker 2 ring Ada +49"])
        #expect(centre.rings(2) == Self.accepted)
    }

    @Test("C4 nothing is left of the ring of a worker that died: the report is accepted, and an end follows")
    func diedLongAgo() {
        var centre = Centre.running()
        centre.push(1, seconds: 20)
        centre.take(.workerGone(WorkerNumber(1)))
        centre.wait(20_000)
        #expect(centre.reports(Self.a, push: 1) == ["! push-reported-late"] + Self.accepted + Self.end)
        #expect(centre.outcome(1) == ["= end fulfilled", "= ended by system"])
    }

    @Test("C4 a ring that cannot be had: error 0, and the UUID is free")
    func cannotRing() {
        var centre = Centre.running()
        centre.reports(Self.a)
        #expect(centre.rings[0].group == nil && centre.rings[0].left == nil)
        #expect(centre.take(.ringFailed(centre.rings[0].id)) == ["app reported 1: 0", "= refused 0"])
        #expect(centre.take(.ringFailed(centre.rings[0].id)) == [])
        #expect(centre.reports(Self.a) == ["ring \(Self.a.text) Ada +49"])
    }

    @Test("C4 a worker that does not come in five seconds: error 0; one that comes after all is silent")
    func comesLate() {
        var centre = Centre.running()
        centre.reports(Self.a)
        #expect(centre.wait(4_999) == [])
        #expect(centre.wait(1) == ["app reported 1: 0", "= refused 0"])
        #expect(centre.ringComes(1, worker: 2) == ["worker 2 silent hung-up"])
        centre.take(.workerGone(WorkerNumber(2)))
        #expect(centre.isEmpty)
    }

    @Test("C4 a rejected push rings for nobody: error 0")
    func rejected() {
        var centre = Centre.running()
        centre.push(1)
        centre.reports(Self.a, push: 1)
        #expect(
            centre.worker(1, .rejected(reason: .busy, detail: "")) == ["app reported 1: 0", "= refused 0"])
    }

    @Test("C4 a worker that stands still where it should ring, or after its ring, counts as dead")
    func stuck() {
        var centre = Centre.running()
        centre.push(1)
        centre.reports(Self.a, push: 1)
        #expect(centre.wait(4_999) == [])
        #expect(centre.wait(1) == ["worker 1 end hangup failed", "app reported 1: 0", "= refused 0"])
        var ringing = WalkTests.ringing()
        #expect(ringing.wait(39_999) == [])
        #expect(ringing.wait(1) == ["worker 1 end hangup failed"] + Self.end)
        #expect(ringing.ends(1, .timeout) == [])
        var own = Centre.running()
        own.reports(Self.a)
        own.wait(3_000)
        own.ringComes(1, worker: 1)
        #expect(own.wait(4_999) == [])
        #expect(own.wait(1) == ["worker 1 end hangup failed", "app reported 1: 0", "= refused 0"])
        var later = Centre.running()
        later.reports(Self.a)
        later.ringComes(1, worker: 1)
        later.rings(1)
        #expect(later.wait(39_999) == [], "how long it rings says its worker")
        #expect(later.wait(1).first == "worker 1 end hangup failed")
    }

    @Test("C4 an answer that is said twice is collected once")
    func answeredTwice() {
        var centre = WalkTests.ringing()
        centre.ends(1, .answered)
        #expect(centre.ends(1, .answered) == [])
    }

    @Test("C4 no ring is waited for longer than two minutes and its grace, whatever its worker says")
    func endless() {
        var centre = Centre.running()
        centre.push(1, seconds: 1_000_000)
        centre.reports(Self.a, push: 1)
        centre.rings(1)
        #expect(centre.wait(129_999) == [])
        #expect(centre.wait(1).first == "worker 1 end hangup failed")
    }

    @Test("C4 a worker that rang by itself, since the word was late, is tied as any")
    func rangByItself() {
        var centre = Centre.running()
        centre.push(1)
        #expect(centre.rings(1) == [])
        #expect(centre.wait(4_000) == [])
        #expect(centre.reports(Self.a, push: 1) == ["worker 1 caller Ada +49"] + Self.accepted)
    }

    @Test("C4 a worker that is stopped while it waits: the report is accepted, and an end follows")
    func stopped() {
        var centre = Centre.running()
        centre.push(1)
        centre.worker(1, .missed(call: "c", content: NotificationContent()))
        centre.take(.workerGone(WorkerNumber(1)))
        #expect(centre.reports(Self.a, push: 1) == Self.accepted + Self.end)
    }

    @Test("C4 who calls may be said anew while it rings, and later changes nothing")
    func updates() {
        var centre = WalkTests.ringing()
        var update = CallUpdate()
        update.name = "Ada Lovelace"
        #expect(centre.app(.update(Self.a, update)) == ["worker 1 caller Ada Lovelace +49"])
        #expect(centre.app(.update(Self.a, update)) == [])
        centre.ends(1, .answered)
        update.name = "Byron"
        #expect(centre.app(.update(Self.a, update)) == [])
        var starting = Centre.running()
        starting.reports(Self.a)
        #expect(starting.app(.update(Self.a, update)) == [])
        #expect(starting.ringComes(1, worker: 1) == ["worker 1 ring Byron +49"])
    }
}
