import BelfryProtocol
import BelfryTerms
import CallLedger
import CallService
import Interception
import PictureFetcher
import ServiceHost
import Support

/// A phone on which notifications arrive: each gets a worker of its own, all share one group file and one clock.
final class FakePhone {
    /// One notification and what became of it.
    final class Worker {
        let world: FakeWorld
        let service: CallService
        private(set) var host: HostedNotification
        private(set) var verdict: CallService.Verdict?
        fileprivate(set) var isFinished = false

        init(_ push: Push, world: FakeWorld, settings: RingSettings, budget: TimeSpan) {
            self.world = world
            let budget = Budget(start: world.now, length: budget)
            final class Weak { weak var worker: Worker? }
            let box = Weak()
            let service = CallService(push: push, world: world, settings: settings, budget: budget) {
                box.worker?.settle()
            }
            self.service = service
            host = HostedNotification(
                timers: world.loop, budget: budget, service: service, report: { world.report($0) },
                delivered: {
                    service.tellMissedIfSilent()
                    box.worker?.settle()
                })
            box.worker = self
            service.admit { [self] in
                verdict = $0
                guard case .proceed = $0 else { return }
                service.begin()
                host.receive(push.request, passthrough: nil)
            }
        }

        private func settle() {
            isFinished = host.isDelivered && !service.isBusy
        }
    }

    let loop = HandLoop()
    let file: FakeGroupFile
    var settings = RingSettings(
        duration: .seconds(30), interval: .seconds(1), sound: "ring", vibrates: true, secondCall: .soft, callsMax: 1_000
    )
    var budget = TimeSpan.seconds(30)
    /// What becomes of each caller's picture.
    var picture: (after: TimeSpan, outcome: PictureDownload.Outcome)?
    private var nextProcess: Int64 = 100

    init() { file = FakeGroupFile(loop: loop) }

    /// A push arrives: `fields` beside `aps`, as JSON.
    func push(_ fields: String, envelope: String = "") throws -> Worker {
        let json = """
            {"payload": {"aps": {"alert": {"title": "Ada", "body": "calls"}, "mutable-content": 1}, "info": {\(fields)}}\
            \(envelope.isEmpty ? "" : ", " + envelope)}
            """
        nextProcess += 1
        let world = FakeWorld(file: file, pid: nextProcess)
        world.picture = picture
        return Worker(try Push.parse(Array(json.utf8)), world: world, settings: settings, budget: budget)
    }

    func call(_ id: String, _ more: String = "") throws -> Worker {
        try push(#""type": "call-request", "callId": "\#(id)""# + (more.isEmpty ? "" : ", " + more))
    }

    func hangUp(_ id: String, _ more: String = "") throws -> Worker {
        try push(#""type": "hangup", "callId": "\#(id)""# + (more.isEmpty ? "" : ", " + more))
    }
}
