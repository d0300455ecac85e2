public import BelfryDevices
public import BelfryEventLoop
import BelfryProtocol
import BelfryPush
import BelfrySyscalls
import BelfryTerms
import Glibc

/// Takes pushes to the workers of this machine, by the push socket: one connection for each.
public final class SocketCarrier: Carrier {
    /// How many pushes that were taken are followed at once; what becomes of the others is not reported.
    private static let followedMax = 256

    /// How long a push is tried again while the socket is full: a machine that has much to do is not offline.
    private static let patience = TimeSpan.seconds(60)

    /// Called as soon as the push socket is there again.
    public var onReturn: (FleetName?) -> Void = { _ in }

    private let socketPath: String
    private let loop: Loop
    /// Called whenever the last push that was handed over has ended: nothing rings any more that came from here.
    public var onIdle: () -> Void = {}
    private var openCount = 0
    private var followedCount = 0
    private var folderWatch: DirectorySource?

    /// A carrier to the push socket at `socketPath`.
    public init(socketPath: String, on loop: Loop) {
        self.socketPath = socketPath
        self.loop = loop
    }

    /// Pushes `handOver`, and follows what becomes of it.
    public func carry(_ handOver: HandOver, _ news: @escaping (CarrierNews) -> Void) {
        let following = Following(news)
        openCount += 1
        do throws(PushError) {
            following.connection = try PushConnection(
                to: PushSocket(path: socketPath), sending: Self.envelope(handOver), on: loop, patience: Self.patience,
                onLine: { [self] in if let event = $0.event { heard(event, by: following) } },
                onEnd: { [self] in ended($0, following) })
        } catch {
            ended(error, following)
        }
    }

    /// One push, and what takes its news.
    private final class Following {
        let news: (CarrierNews) -> Void
        var connection: PushConnection?
        var isAnswered = false
        var isFollowed = false
        /// Whether a foreign extension has it, and nothing was delivered yet.
        var isForeignsTurn = false

        init(_ news: @escaping (CarrierNews) -> Void) { self.news = news }
    }

    /// Takes the first word for what becomes of the push: taken, rejected for good, or that it is to be tried again, as
    /// for a device that is offline (R20).
    private func heard(_ event: Event, by following: Following) {
        guard !following.isAnswered else {
            if case .extensionProcess(let process) = event.body, process.state == .started {
                following.isForeignsTurn = true
            }
            if case .delivered = event.body { following.isForeignsTurn = false }
            if let told = event.told { following.news(told) }
            return
        }
        switch event.body {
        case .received:
            following.isAnswered = true
            following.news(.received)
            follow(following)
        case .rejected(let reason, let detail):
            following.isAnswered = true
            if reason == RejectionReason.busy {
                following.news(.offline(.busy, detail: detail))
            } else if reason == RejectionReason.incomplete || reason == RejectionReason.empty {
                // We send all of it, so the machine has too much to do: try again.
                following.news(.offline(.workerDied, detail: detail))
            } else {
                following.news(.rejected(reason: reason.rawValue, detail: detail))
            }
        default:
            // A later version may say more before it takes the notification.
            break
        }
    }

    private func follow(_ following: Following) {
        guard followedCount < Self.followedMax else {
            // After this callback, which the connection itself makes.
            loop.afterThis(description: "push left") { following.connection?.leave() }
            return following.news(.over)
        }
        following.isFollowed = true
        followedCount += 1
    }

    /// Whether a push that was handed over has not ended.
    public var isBusy: Bool { openCount > 0 }

    private func ended(_ error: PushError?, _ following: Following) {
        following.connection = nil
        openCount -= 1
        if openCount == 0 { loop.afterThis(description: "idle") { [weak self] in self?.onIdle() } }
        if following.isFollowed {
            followedCount -= 1
            // Its worker was killed: whoever tidies up after it delivers the original.
            if following.isForeignsTurn {
                following.news(.event(Event.Kind.delivered.rawValue, code: Deliverer.crash.rawValue))
            }
            following.news(.over)
        }
        guard !following.isAnswered else { return }
        following.isAnswered = true
        guard let error, error.code == .noSocket || error.code == .pathTooLong else {
            let detail = error?.detail ?? "the connection ended without a word"
            return following.news(.offline(.workerDied, detail: detail))
        }
        awaitSocket()
        following.news(.offline(.noSocket, detail: error.detail))
    }

    /// Waits for the socket to come back. If its folder cannot be watched, or is missing, the queue tries again.
    private func awaitSocket() {
        guard folderWatch == nil else { return }
        let folder = socketPath.lastIndex(of: "/").map { String(socketPath[..<$0]) } ?? "."
        guard let directory = try? Directory.open(path: folder, makes: false) else { return }
        folderWatch = try? loop.watchDirectory(directory.descriptor.number, description: "push socket") { [weak self] in
            guard let self, unsafe access(socketPath, F_OK) == 0 else { return }
            folderWatch?.cancel()
            folderWatch = nil
            onReturn(nil)
        }
    }

    /// The push as the push socket takes it.
    static func envelope(_ handOver: HandOver) -> [UInt8] {
        let push = handOver.push
        return Envelope(
            id: push.apnsID, pushType: PushType(rawValue: push.pushType.rawValue) ?? .alert, topic: push.topic,
            sentAt: push.acceptedAt, sentUntil: handOver.acceptedUntil, expiration: push.expiration,
            collapseID: push.collapseID,
            appGroup: handOver.registration.appGroup?.text, callPayload: handOver.registration.callPayload
        ).enclosing(payloadBytes: push.payload)
    }
}

extension Event {
    /// What the log says of it; nil if it is not worth a line.
    fileprivate var told: CarrierNews? {
        guard !isFrequent, kind != .received, kind != .rejected else { return nil }
        if case .attachment(let attachment) = body, case .skipped(let reason, _) = attachment.outcome {
            return .event(name, code: reason.rawValue)
        }
        return .event(name, code: word)
    }
}
