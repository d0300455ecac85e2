import BelfryDevices
import BelfryEventLoop
import BelfryLines
import BelfrySyscalls
import BelfryTerms
import Fleet
import Glibc
import PushCarrier
import Support
import Testing

/// What an endpoint keeps of pushes to other machines, against a relay that is played over a real socket.
@Suite struct RelayCarrierTests {
    /// A relay on the test's own loop.
    private final class PlayedRelay {
        let loop: Loop
        let carrier: RelayCarrier
        private let folder = TemporaryFolder()
        private var socket: Int32?
        private var listener: SocketListener?
        private(set) var connection: LineConnection?
        private(set) var questions: [RelayQuestion] = []

        init() throws {
            ignoreBrokenPipes()
            loop = try Loop()
            carrier = RelayCarrier(socketPath: "\(folder.path)/relay.sock", on: loop)
        }

        func begin() throws {
            let path = "\(folder.path)/relay.sock"
            TemporaryFolder.remove(path)
            let socket = try makeStreamSocket(at: path)
            listener = try SocketListener(at: socket, on: loop, description: "played") { [unowned self] in
                let limits = LineConnection.Limits(unsentBytesMax: 1 << 20)
                let connection = LineConnection($0, limits, on: loop, description: "played")
                try? connection.listen { [unowned self] in
                    if case .line(let line) = $0, let question = RelayQuestion(line: line) { questions.append(question) }
                }
                self.connection = connection
            }
            self.socket = socket
        }

        func end() {
            connection?.close()
            (connection, listener) = (nil, nil)
            if let socket { close(socket) }
            socket = nil
        }

        deinit { end() }

        /// What is asked from now on, `count` of it.
        func asked(_ count: Int) -> [RelayQuestion] {
            let isAsked = loop.run { [unowned self] in questions.count >= count }
            #expect(isAsked)
            defer { questions = [] }
            return questions
        }

        func tell(_ news: RelayNews) { connection?.send(news.line) }
    }

    private static let machine = FleetName("kiosk")!
    private static let push = EndpointPush(
        apnsID: "a", token: .random(), topic: "com.example.phone", pushType: .alert, payload: Array("{}".utf8),
        acceptedAt: WallTime(microseconds: 1_800_000_000_000_000))

    private func handOver(isKept: Bool = false) -> HandOver {
        HandOver(
            push: Self.push,
            registration: Registration(
                token: Self.push.token, deviceID: "d", kind: .alert, bundleID: "com.example.phone", appGroup: nil,
                environment: .production, machine: Self.machine), isKept: isKept)
    }

    @Test("a push is told of as the relay tells it, until it is over; the machine's return is told")
    func news() throws {
        let relay = try PlayedRelay()
        try relay.begin()
        var told: [CarrierNews] = []
        var back: [FleetName?] = []
        relay.carrier.onReturn = { back.append($0) }
        relay.carrier.carry(handOver(isKept: true)) { told.append($0) }
        let message = FleetPush(Self.push, isKept: true).bytes
        #expect(relay.asked(1) == [.push(1, to: Self.machine, message)])
        for news in [
            RelayNews.again(1, .untaken), .said(1, .taken), .said(1, .received),
            .said(1, .event("ended", code: "hangup")), .gone(1), .over(1), .said(1, .received), .back(Self.machine),
        ] { relay.tell(news) }
        #expect(relay.loop.run(until: { !back.isEmpty }))
        #expect(back == [Self.machine])
        #expect(
            told == [.askedAgain(.untaken), .received, .event("ended", code: "hangup"), .gone, .over])
    }

    @Test("what was not settled is said anew to the next relay, what was settled is followed no more")
    func anew() throws {
        let relay = try PlayedRelay()
        var told: [Int: [CarrierNews]] = [:]
        for number in 0..<3 { relay.carrier.carry(handOver()) { told[number, default: []].append($0) } }
        // Nobody listens yet.
        relay.loop.run(for: .milliseconds(50))
        try relay.begin()
        #expect(relay.asked(3).count == 3)
        relay.tell(.said(1, .received))
        relay.tell(.said(2, .offline(.silent, detail: "")))
        #expect(relay.loop.run(until: { told.count == 2 }))
        relay.end()
        try relay.begin()
        let message = FleetPush(Self.push).bytes
        #expect(relay.asked(1) == [.push(3, to: Self.machine, message)])
        relay.tell(.said(1, .event("late", code: nil)))
        relay.tell(.said(3, .replaced))
        #expect(relay.loop.run(until: { told.count == 3 }))
        #expect(told[0] == [.received] && told[2] == [.replaced])
        #expect(told[1] == [.offline(.silent, detail: "")])
    }

    @Test("a fence is uncertain without a relay, when it goes, and when it says nothing")
    func fences() throws {
        let relay = try PlayedRelay()
        var answers: [Bool] = []
        relay.carrier.fence { answers.append($0) }
        #expect(answers == [false])
        try relay.begin()
        for _ in 0..<2 { relay.carrier.fence { answers.append($0) } }
        #expect(relay.asked(2) == [.fence(1), .fence(2)])
        relay.tell(.fenced(2, isCertain: true))
        #expect(relay.loop.run(until: { answers.count == 2 }))
        relay.end()
        #expect(relay.loop.run(until: { answers.count == 3 }))
        try relay.begin()
        relay.carrier.fence { answers.append($0) }
        #expect(relay.loop.run(until: { answers.count == 4 }))
        #expect(answers == [false, true, false, false])
    }
}
