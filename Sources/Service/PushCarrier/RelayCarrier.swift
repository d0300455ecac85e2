public import BelfryDevices
public import BelfryEventLoop
import BelfryLines
import BelfrySyscalls
import BelfryTerms
import Fleet

/// Takes pushes to other machines, by the relay beside this endpoint: all over one connection.
///
/// That the relay is away is no machine's absence: pushes wait, and are said anew to the next one. Nothing is connected
/// before the first push or question.
public final class RelayCarrier: Carrier {
    /// How long until the relay is tried again, the last delay for all further times.
    private static let delays: [TimeSpan] = [100, 200, 400, 800, 1_600, 2_000].map { .milliseconds($0) }
    /// How long a fence may take: longer than a relay gives it.
    private static let fencePatience = TimeSpan.seconds(3)
    /// All pushes that may be under way to other machines at once, each as long as one can be.
    private static let limits = LineConnection.Limits(
        lineBytesMax: RelayNews.lineBytesMax, unsentBytesMax: 64 << 20)

    /// Called as soon as a machine that was offline is there.
    public var onReturn: (FleetName?) -> Void = { _ in }

    private let socketPath: String
    private let loop: Loop
    private var connection: LineConnection?
    private var failures = 0
    private var timer: (any ScheduledTimer)?
    private var lastNumber: UInt64 = 0
    private var pushes: [UInt64: Push] = [:]
    private var fences: [UInt64: (answer: (Bool) -> Void, timer: any ScheduledTimer)] = [:]

    private struct Push {
        let handOver: HandOver
        let machine: FleetName
        let news: (CarrierNews) -> Void
        /// Whether it is settled, and only events are heard of it.
        var isFollowed = false
    }

    /// A carrier by the relay's socket at `socketPath`.
    public init(socketPath: String, on loop: Loop) {
        self.socketPath = socketPath
        self.loop = loop
    }

    /// Has the relay carry `handOver`, whose device another machine has.
    public func carry(_ handOver: HandOver, _ news: @escaping (CarrierNews) -> Void) {
        guard let machine = handOver.registration.machine else {
            preconditionFailure("a push for this machine by the relay")
        }
        lastNumber += 1
        pushes[lastNumber] = Push(handOver: handOver, machine: machine, news: news)
        guard let connection else { return connectSoon() }
        send(lastNumber, over: connection)
    }

    /// Answers whether the registry of devices is as a majority of the fleet's brokers had it when this was asked; false
    /// if that cannot be said now.
    public func fence(_ answer: @escaping (Bool) -> Void) {
        if connection == nil { connect() }
        guard let connection else { return answer(false) }
        lastNumber += 1
        let number = lastNumber
        let timer = loop.schedule(at: loop.now + Self.fencePatience, description: "fence") { [weak self] in
            self?.fenced(number, isCertain: false)
        }
        fences[number] = (answer, timer)
        connection.send(RelayQuestion.fence(number).line)
    }

    private func send(_ number: UInt64, over connection: LineConnection) {
        guard let push = pushes[number] else { return }
        let message = FleetPush(push.handOver.push, isKept: push.handOver.isKept).bytes
        connection.send(RelayQuestion.push(number, to: push.machine, message).line)
    }

    private func connectSoon() {
        guard timer == nil else { return }
        let delay = failures == 0 ? .zero : Self.delays[min(failures, Self.delays.count) - 1]
        timer = loop.schedule(at: loop.now + delay, description: "relay") { [weak self] in self?.connect() }
    }

    private func connect() {
        timer?.cancel()
        timer = nil
        do throws(SystemError) {
            let connection = LineConnection(
                try connectStream(to: socketPath, waits: false), Self.limits, on: loop, description: "relay")
            try connection.listen { [weak self] in self?.heard($0) }
            self.connection = connection
            for number in pushes.keys.sorted() { send(number, over: connection) }
        } catch {
            failures += 1
            connectSoon()
        }
    }

    private func heard(_ news: LineConnection.News) {
        switch news {
        case .line(let line): if let news = RelayNews(line: line) { heard(news) }
        case .ended, .lost: lose()
        case .taken: break
        }
    }

    /// The relay is gone. What it has taken is followed no more, the rest is said to the next one.
    private func lose() {
        guard let lost = connection else { return }
        connection = nil
        // After this callback, which the connection itself makes.
        loop.afterThis(description: "relay left") { lost.close() }
        pushes = pushes.filter { !$0.value.isFollowed }
        for number in fences.keys.sorted() { fenced(number, isCertain: false) }
        failures += 1
        connectSoon()
    }

    private func heard(_ news: RelayNews) {
        failures = 0
        switch news {
        case .said(let number, let word): heard(word, of: number)
        case .again(let number, let why): pushes[number]?.news(.askedAgain(why))
        case .gone(let number): pushes[number]?.news(.gone)
        case .over(let number): if pushes[number]?.isFollowed == true { end(number, .over) }
        case .back(let machine): onReturn(machine)
        case .fenced(let number, let isCertain): fenced(number, isCertain: isCertain)
        }
    }

    private func heard(_ word: FleetSaying.Word, of number: UInt64) {
        guard let push = pushes[number] else { return }
        switch word {
        case .taken, .over: break
        case .event(let event, let code): push.news(.event(event, code: code))
        case .received:
            pushes[number]?.isFollowed = true
            push.news(.received)
        case .rejected(let reason, let detail): end(number, .rejected(reason: reason, detail: detail))
        case .replaced: end(number, .replaced)
        case .offline(let why, let detail): end(number, .offline(why, detail: detail))
        }
    }

    private func end(_ number: UInt64, _ news: CarrierNews) {
        pushes.removeValue(forKey: number)?.news(news)
    }

    private func fenced(_ number: UInt64, isCertain: Bool) {
        guard let fence = fences.removeValue(forKey: number) else { return }
        fence.timer.cancel()
        fence.answer(isCertain)
    }
}
