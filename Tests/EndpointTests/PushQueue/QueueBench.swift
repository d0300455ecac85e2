import BelfryAppGroup
import BelfryDevices
import BelfryJSON
import BelfryTerms
import DeviceRegistry
import Forwarding
import Support

@testable import PushQueue

/// A queue in a folder of its own, on a loop that is moved by hand.
final class QueueBench {
    typealias Queue = NotificationQueue<PolledLoop>

    let folder: TemporaryFolder
    let state: StateDirectory
    let registry: TokenRegistry
    private(set) var loop = PolledLoop()
    private(set) var carrier = PlayedCarrier()
    private var queue: Queue?
    private(set) var warnings: [String] = []
    var wall = WallTime(microseconds: 1_800_000_000_000_000)

    init(in parent: String = "/tmp") throws {
        folder = TemporaryFolder(in: parent)
        state = StateDirectory(path: folder.path)
        registry = try TokenRegistry(state: state)
    }

    /// Opens the queue, as a process that has just been started does.
    func open(
        _ limits: ForwardingStateMachine.Limits = ForwardingStateMachine.Limits(), fileBytesMax: Int = 1 << 30
    ) throws {
        queue = nil
        loop = PolledLoop()
        carrier = PlayedCarrier()
        let queue = try Queue(
            state: state, registry: registry, carrier: carrier, on: loop, wallClock: { [unowned self] in wall },
            limits: limits, fileBytesMax: fileBytesMax)
        queue.onWarning = { [unowned self] in warnings.append($0) }
        self.queue = queue
    }

    /// Lets the queue go without a word, as kill -9 does.
    func close() { queue = nil }

    func finish() { queue?.finish() }

    func device(_ group: String? = nil) throws -> VirtualDevice {
        try registry.add(
            bundleID: "com.example.phone", appGroup: group.flatMap(GroupName.init), environment: .production, at: wall)
    }

    /// A device that somebody has taken off, as the queue knows.
    func offlineDevice() throws -> VirtualDevice {
        let device = try device()
        _ = try registry.setOffline(true, device.id)
        loop.settle()
        return device
    }

    func push(
        _ device: VirtualDevice, _ kind: TokenKind = .alert, id: String = randomUUID(), type: APNsPushType = .alert,
        body: String = "{\"aps\":{}}", expiration: WallTime? = nil
    ) -> (EndpointPush, Registration) {
        let registration = device.registrations[kind == .alert ? 0 : 1]
        let push = EndpointPush(
            apnsID: id, token: registration.token, topic: registration.topic, pushType: type, expiration: expiration,
            payload: Array(body.utf8), acceptedAt: wall)
        return (push, registration)
    }

    /// What requests are answered with, in the order of the answers.
    private(set) var answers: [QueueAnswer] = []
    /// How many pushes were handed over when an answer was sent, as a connection sends it: after the turn's callback.
    private(set) var takenWhenSent: [Int] = []

    func submit(_ push: (EndpointPush, Registration)) {
        queue?.submit(push.0, for: push.1) { [unowned self] in
            answers.append($0)
            loop.afterThis(description: "send") { [unowned self] in takenWhenSent.append(carrier.taken.count) }
        }
    }

    /// The steps of the log: `accepted`, or `offline busy`.
    /// What the log has for people.
    func details() throws -> [String] {
        try PushLog.lines(of: state).compactMap { try JSONValue.parse($0).objectValue?["detail"]?.stringValue }
    }

    func steps(of id: String? = nil) throws -> [String] {
        try PushLog.lines(of: state).compactMap { line -> String? in
            guard case .object(let object)? = try? JSONValue.parse(line) else { return nil }
            guard id == nil || object["id"]?.stringValue == id else { return nil }
            return ["step", "event", "code"].compactMap { object[$0]?.stringValue }.joined(separator: " ")
        }
    }
}
