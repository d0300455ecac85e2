import BelfryEventLoop
import BelfryLines
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import BelfryTesting
import CallChannel

/// A connection to `belfry-calls` that hears of each event, and another one by which it is known that it does. It
/// belongs to a loop's thread.
final class CentreWatch {
    private let story: EventStory
    private let watch: LineConnection
    private let question: LineConnection
    private let loop: Loop
    private var hasBegun: Bool?
    private var whenBegun: ((Bool) -> Void)?
    private var patience: (any ScheduledTimer)?

    /// Adds each event that the `belfry-calls` at `socketPath` tells to `story`.
    init(at socketPath: String, _ story: EventStory, on loop: Loop) throws(SystemError) {
        self.story = story
        self.loop = loop
        let limits = LineConnection.Limits(
            lineBytesMax: CallLimits.lineBytesMax, unsentBytesMax: CallLimits.unsentBytesMax)
        func connect() throws(SystemError) -> LineConnection {
            LineConnection(
                try connectStream(to: socketPath, waits: false), limits, on: loop, description: "belfry-calls")
        }
        (watch, question) = (try connect(), try connect())
        try watch.listen { [weak self] in self?.heard($0) }
        try question.listen { [weak self] in self?.answered($0) }
        watch.send(ClientMessage.watch.line)
        // Answered after the watch has begun, since connections are heard in their order.
        question.send(ClientMessage.listApps.line)
    }

    /// Calls `done` once it hears, or with false if that does not come in `time`.
    func whenBegun(within time: TimeSpan, _ done: @escaping (Bool) -> Void) {
        if let hasBegun { return done(hasBegun) }
        whenBegun = done
        patience = loop.schedule(at: loop.now + time, description: "belfry-calls") { [weak self] in self?.begin(false) }
    }

    /// Hears no more.
    func close() {
        begin(false)
        watch.close()
        question.close()
    }

    private func begin(_ hasBegun: Bool) {
        guard self.hasBegun == nil else { return }
        self.hasBegun = hasBegun
        patience?.cancel()
        whenBegun.take()?(hasBegun)
    }

    private func heard(_ news: LineConnection.News) {
        switch news {
        case .line(let line): if let event = try? Event(line: line) { story.add(event) }
        case .taken: break
        case .ended, .lost:
            begin(false)
            story.finish(nil)
        }
    }

    private func answered(_ news: LineConnection.News) {
        switch news {
        case .line: begin(true)
        case .taken: break
        case .ended, .lost: begin(false)
        }
    }
}
