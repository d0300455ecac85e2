import BelfryEventLoop
import BelfryTerms
import Fleet

/// Writes the devices into the bucket that it lacks: many at a time, each once, until all are there or one cannot be.
final class BucketRestoration {
    private static let openMax = 256
    /// How long the brokers may say nothing.
    private static let patience = TimeSpan.seconds(10)

    private let loop: any EventLoop
    private let write: (DeviceKey) -> Bool
    private let done: (FleetRestoration) -> Void
    private var waiting: ArraySlice<DeviceKey>
    private var openCount = 0
    private var restoredCount = 0
    private var problem: String?
    private var timer: (any ScheduledTimer)?

    /// Has `write` write each of `keys`, to which ``heard(_:)`` hears the answer; false if it cannot now. `done` is
    /// called once.
    init(
        _ keys: [DeviceKey], on loop: any EventLoop, write: @escaping (DeviceKey) -> Bool,
        done: @escaping (FleetRestoration) -> Void
    ) {
        (self.loop, self.write, self.done) = (loop, write, done)
        waiting = keys[...]
    }

    deinit { timer?.cancel() }

    /// Writes the next ones.
    func goOn() {
        while problem == nil, openCount < Self.openMax, let key = waiting.popFirst() {
            if write(key) { openCount += 1 } else { problem = "no broker is in reach" }
        }
        timer?.cancel()
        guard openCount > 0 else { return done(FleetRestoration(restoredCount: restoredCount, problem: problem)) }
        timer = loop.schedule(at: loop.now + Self.patience, description: "restore") { [weak self] in
            guard let self else { return }
            done(FleetRestoration(restoredCount: restoredCount, problem: "the brokers do not answer"))
        }
    }

    /// A broker has answered to one of them.
    func heard(_ answer: BucketAnswer) {
        openCount -= 1
        switch answer {
        case .written: restoredCount += 1
        // Another gateway was faster.
        case .isAnother: break
        case .bucket, .watching: problem = "a broker answers something else"
        case .failed(let why): problem = why
        }
        goOn()
    }
}
