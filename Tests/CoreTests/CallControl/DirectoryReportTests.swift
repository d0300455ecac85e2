import BelfryProtocol
import BelfryTerms
import CallChannel
import CallDirectory
import Testing

@testable import CallControl

/// Reports of callers whose number the person's call directory has.
@Suite struct DirectoryReportTests {
    private static let a = Centre.uuid("A")
    private static let tellows = NumberSource.extension(id: "com.example.tellows", app: "Tellows")

    private static func verdict(_ label: String?, isBlocked: Bool) -> NumberVerdict {
        var verdict = NumberVerdict()
        verdict.add(NumberEntry(491, isBlocked: isBlocked, label: label), from: tellows)
        return verdict
    }

    private static let blocked = verdict("Swindle", isBlocked: true)
    private static let known = verdict("Bank", isBlocked: false)

    private static func report(_ uuid: CallUUID = a, push: Int64? = nil) -> AppMessage {
        .report(CallReport(1, of: uuid, Centre.ada, push: push))
    }

    @Test("R24 a blocked caller's report gets error 4, and nothing rings; who watches hears it from here") func alone()
    {
        var centre = Centre.running()
        let silent = Event.Body.silent(call: Self.a.text, why: .blocked, label: NumberLabel("Swindle", from: "Tellows"))
        #expect(
            centre.app(Self.report(), number: Self.blocked) == ["app reported 1: 4", "= refused 4", "\(silent)"])
        #expect(centre.rings.isEmpty && centre.isEmpty && centre.observed.isEmpty)
    }

    @Test(
        "R24 the push of a blocked caller does not ring, owes nothing more, and one that rings by itself ends unmissed")
    func pushed() {
        var centre = Centre.running()
        centre.push(1)
        #expect(
            centre.app(Self.report(push: centre.pushes[0]), number: Self.blocked) == [
                "app reported 1: 4", "= refused 4", "worker 1 silent blocked [Tellows: Swindle]",
            ])
        #expect(centre.wait(10_000) == [], "no report is owed")
        centre.push(2)
        centre.wait(5_000)
        centre.rings(2)
        let late = centre.app(Self.report(push: centre.pushes[1]), number: Self.blocked)
        #expect(late.contains("worker 2 end hangup declined-elsewhere"), "\(late)")
        #expect(MissedReason(.hangup, hangupReason: .declinedElsewhere) == nil)
    }

    @Test("R24 C7 what is refused for another reason is refused for that") func others() {
        var centre = Centre.running()
        centre.app(Self.report(), number: Self.known)
        #expect(centre.app(Self.report(), number: Self.blocked).first == "app reported 1: 2")
        let none = Centre.uuid("0")
        #expect(centre.app(Self.report(none), number: Self.blocked).first == "app reported 1: 0")
    }

    @Test("R24 a known caller rings with the label, with a push or without, and rings anew with it") func labelled() {
        var centre = Centre.running()
        centre.push(1)
        #expect(
            centre.app(Self.report(push: centre.pushes[0]), number: Self.known) == [
                "worker 1 ring Ada +49 [Tellows: Bank]"
            ])
        let b = Centre.uuid("B")
        #expect(centre.app(Self.report(b), number: Self.known) == ["ring \(b.text) Ada +49 [Tellows: Bank]"])
        #expect(centre.ringComes(1, worker: 2) == ["worker 2 ring Ada +49 [Tellows: Bank]"])
        #expect(
            centre.take(.workerGone(WorkerNumber(2))).first?.hasSuffix("Ada +49 [Tellows: Bank] for 30.0 s") == true)
    }

    @Test("R24 a number that an app says later has its own label, or none; one that it does not say keeps it")
    func updates() {
        var centre = Centre.running()
        centre.push(1)
        centre.app(Self.report(push: centre.pushes[0]), number: Self.known)
        centre.rings(1)
        var named = CallUpdate()
        named.name = "Grace"
        #expect(centre.app(.update(Self.a, named)) == ["worker 1 caller Grace +49 [Tellows: Bank]"])
        var other = CallUpdate()
        other.handle = CallHandle(.phoneNumber, "+1")
        #expect(
            centre.app(.update(Self.a, other), number: Self.verdict("Shop", isBlocked: true)) == [
                "worker 1 caller Grace +1 [Tellows: Shop]"
            ], "what rings is not blocked any more")
        #expect(centre.app(.update(Self.a, other)) == ["worker 1 caller Grace +1"])
        centre.ends(1, .answered)
        #expect(centre.shown.map(\.label) == [nil])
        centre.app(.update(Self.a, other), number: Self.known)
        #expect(centre.shown.map(\.label) == [NumberLabel("Bank", from: "Tellows")])
    }

    @Test("R24 what its worker finds blocked, since the app named no number: error 4, and the call was never there")
    func foundByWorker() {
        var centre = Centre.running()
        centre.push(1)
        centre.reports(Self.a, push: 1)
        #expect(
            centre.worker(1, .silent(call: "c", why: .blocked)) == ["app reported 1: 4", "= refused 4"])
        #expect(centre.control.calls.isEmpty)
        // One that nobody has reported is over, and a report that comes later is no ring either.
        centre.push(2)
        centre.wait(5_000)
        centre.worker(2, .silent(call: "c", why: .blocked))
        #expect(
            centre.reports(Self.a, push: 2) == [
                "! push-reported-late at 2", "app reported 1", "= reported", "app perform end #1 5.0 s",
                "= end performed",
            ])
    }
}
