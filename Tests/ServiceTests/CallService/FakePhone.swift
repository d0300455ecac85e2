import BelfryProtocol
import BelfryTerms
import CallDirectory
import CallLedger
import CallService
import Interception
import NotificationDelivery
import PictureFetcher
import Support
import Testing

/// A phone on which notifications arrive: each gets a worker of its own, all share one group file and one clock.
final class FakePhone {
    /// One notification and what became of it.
    final class Worker {
        let world: FakeWorld
        private let delivery: Delivery
        private(set) var end: Delivery.End?

        init(_ push: Push, world: FakeWorld, settings: RingSettings, budget: TimeSpan) {
            self.world = world
            final class Weak { weak var worker: Worker? }
            let box = Weak()
            delivery = Delivery(
                Reception(world: world.world, settings: settings).sort(push), timers: world.loop,
                budget: Budget(start: world.loop.now, length: budget), report: { world.report($0) }
            ) { box.worker?.ended($0) }
            box.worker = self
            delivery.start()
        }

        /// Whether its last event was told.
        var isFinished: Bool { end == .handled }

        /// The worker is told to go.
        func stop() { delivery.stop() }

        private func ended(_ end: Delivery.End) {
            #expect(self.end == nil, "a walk that ends twice")
            self.end = end
        }
    }

    let loop = HandLoop()
    let file: FakeGroupFile
    var settings = RingSettings(
        duration: .seconds(30), interval: .seconds(1), sound: "ring", secondCall: .soft, callsMax: 1_000
    )
    var budget = TimeSpan.seconds(30)
    /// What becomes of each caller's picture.
    var picture: (after: TimeSpan, outcome: PictureDownload.Outcome)?
    /// Whether what fetches it heeds the deadline that it is given.
    var fetchHeedsDeadline = true
    static let group = GroupName("group.a") ?? { preconditionFailure("no group") }()
    /// Connects to `belfry-calls`; nil if there is no way there.
    var connect: (() -> (any AppCalls)?)?
    /// Who has a number, and which are blocked; nil if there is no call directory.
    var lookUp: NumberLookUp?
    private var nextProcess: Int64 = 100

    init() { file = FakeGroupFile(loop: loop) }

    /// A push arrives: `fields` beside `aps`, as JSON.
    func push(
        _ fields: String, aps: String = #""alert": {"title": "Ada", "body": "calls"}, "mutable-content": 1"#,
        envelope: String = ""
    ) throws -> Worker {
        let json = """
            {"payload": {"aps": {\(aps)}, "info": {\(fields)}}\
            \(envelope.isEmpty ? "" : ", " + envelope)}
            """
        return try deliver(json)
    }

    /// `json` arrives, a payload or an envelope.
    func deliver(_ json: String) throws -> Worker {
        nextProcess += 1
        let world = FakeWorld(file: file, pid: nextProcess)
        world.picture = picture
        world.appCalls = connect.map { AppCallsDoor(group: Self.group, connect: $0) }
        world.heedsDeadline = fetchHeedsDeadline
        world.lookUp = lookUp
        return Worker(try Push.parse(Array(json.utf8)), world: world, settings: settings, budget: budget)
    }

    func call(_ id: String, _ more: String = "", envelope: String = "") throws -> Worker {
        let fields = #""type": "call-request", "callId": "\#(id)""# + (more.isEmpty ? "" : ", " + more)
        return try push(fields, envelope: envelope)
    }

    func hangUp(_ id: String, _ more: String = "") throws -> Worker {
        try push(#""type": "hangup", "callId": "\#(id)""# + (more.isEmpty ? "" : ", " + more))
    }
}
