import BelfryProtocol
import BelfryTerms
@testable import CallService
import Testing

/// What waits for a picture, and for how long: R4. What is said of one that does not come: R14.
@Suite struct PictureStateMachineTests {
    typealias Effect = PictureStateMachine.Effect

    static let url = "https://a.example/a.png"
    static let picture = NotificationAttachment(id: "caller", path: "/p.png", type: "public.png")
    static let attached = Event.Attachment.Outcome.attached(path: "/p.png", type: "public.png", bytes: 1, seconds: 0.1)
    static let failed = Event.Attachment.Outcome.skipped(reason: .timeout, detail: "late")

    private func coming() -> PictureStateMachine {
        var machine = PictureStateMachine()
        #expect(machine.begin(.url(Self.url)) == [.fetch(Self.url)])
        return machine
    }

    private static func skipped(_ reason: SkipReason, _ url: String = url) -> Effect {
        .report(url: url, .skipped(reason: reason, detail: "why"))
    }

    @Test("R4 the delivery and the missed call wait for the picture, and have it") func arrives() {
        var machine = coming()
        #expect(machine.deliveryReady().isEmpty && machine.missedReady().isEmpty && machine.attachment == nil)
        let effects = machine.finished(Self.picture, Self.attached)
        #expect(effects == [.report(url: Self.url, Self.attached), .deliver, .reportMissed])
        #expect(machine.attachment == Self.picture)
        #expect(machine.finished(nil, Self.failed).isEmpty && machine.cancel(.ended, "why").isEmpty)
    }

    @Test("without a picture nobody waits", arguments: [true, false]) func absent(isUnusable: Bool) {
        var machine = PictureStateMachine()
        let effects = machine.begin(isUnusable ? .unusable(detail: "why") : .absent)
        #expect(effects == (isUnusable ? [Self.skipped(.badURL, "")] : []))
        #expect(machine.deliveryReady() == [.deliver] && machine.missedReady() == [.reportMissed])
    }

    @Test("R14 a skipped picture is reported, and nobody waits") func skips() {
        var machine = PictureStateMachine()
        #expect(machine.skip(.url(Self.url), .ended, "why") == [Self.skipped(.ended)])
        #expect(machine.deliveryReady() == [.deliver])
        var absent = PictureStateMachine()
        #expect(absent.skip(.absent, .ended, "why").isEmpty)
    }

    @Test("R4 R14 if the delivery goes ahead, that is reported once; the picture may still come for the missed call")
    func goesAhead() {
        var machine = coming()
        _ = machine.deliveryReady()
        #expect(machine.deliverNow(.timeout, "why") == [Self.skipped(.timeout), .deliver])
        #expect(machine.deliverNow(.ended, "why").isEmpty && machine.missedReady().isEmpty)
        #expect(machine.finished(Self.picture, Self.attached) == [.reportMissed] && machine.attachment == Self.picture)
    }

    @Test("a delivery that is not held up any more does not wait, whenever it is ready") func readyLater() {
        var machine = coming()
        #expect(machine.deliverNow(.ended, "why") == [Self.skipped(.ended)])
        #expect(machine.deliveryReady() == [.deliver])
        var early = PictureStateMachine()
        #expect(early.deliverNow(.ended, "why").isEmpty)
        #expect(early.begin(.url(Self.url)) == [.fetch(Self.url)] && early.deliveryReady() == [.deliver])
    }

    @Test("R17 a cancelled fetch lets everybody go on") func cancels() {
        var machine = coming()
        _ = machine.deliveryReady()
        _ = machine.missedReady()
        #expect(machine.cancel(.ended, "why") == [.cancelFetch, Self.skipped(.ended), .deliver, .reportMissed])
        #expect(machine.attachment == nil)
    }

    @Test("R2 a delivery that somebody else made is not made again") func forgotten() {
        var machine = coming()
        _ = machine.deliveryReady()
        machine.forgetDelivery()
        #expect(machine.finished(nil, Self.failed) == [.report(url: Self.url, Self.failed)])
    }

    @Test("a second picture is a defect of ours") func second() async {
        await #expect(processExitsWith: .failure) {
            var machine = PictureStateMachine()
            _ = machine.begin(.absent)
            _ = machine.begin(.absent)
        }
    }
}
