import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
public import Fleet
public import FleetLine

/// The lines of a command to brokers, all at once and for as long as it needs them: it waits for each thing that it
/// asks.
///
/// It belongs to its thread, where nothing else happens meanwhile. The process must ignore SIGPIPE.
public final class BrokerVisit {
    /// What came of a question.
    public enum Answer {
        /// This, by whoever answered.
        case bytes([UInt8])
        /// Nobody listens to such questions.
        case nobody
        /// The broker does not let this credential ask; in its words.
        case forbidden(String)
        /// None came in time, or the line ended.
        case none
    }

    /// How long a broker has to let it in.
    public static let patience = TimeSpan.seconds(2)
    /// No answer is waited for as long.
    private static let pings = TimeSpan.seconds(60)

    /// Those that it was to go to.
    public let brokers: [BrokerAddress]
    private let loop: Loop
    private let inbox: String
    private var lines: [BrokerAddress: BrokerLine] = [:]
    /// The identities of the brokers that let it in.
    private(set) var servers: [BrokerAddress: String] = [:]
    private var failures: [BrokerAddress: LineEnd] = [:]
    private var questionsCount = 0
    private var hear: (LineMessage, BrokerAddress) -> Void = { _, _ in }
    private var refused: (String, BrokerAddress) -> Void = { _, _ in }
    private var isDone: () -> Bool = { false }

    /// Goes to all `brokers` as `credential`, whose role lets it listen to all below the subject `inbox`, and waits
    /// until each has let it in or not, for ``patience`` at most.
    public init(
        to brokers: [BrokerAddress], as credential: LineCredential, inbox: String
    ) throws(SystemError) {
        self.brokers = brokers
        self.inbox = inbox
        loop = try Loop()
        for broker in brokers { connect(to: broker, credential) }
        wait(for: Self.patience) { [unowned self] in servers.count + failures.count == brokers.count }
        for broker in brokers where servers[broker] == nil && failures[broker] == nil {
            lines.removeValue(forKey: broker)?.end()
            failures[broker] = .unreachable("no answer in time")
        }
    }

    deinit { for line in lines.values { line.end() } }

    /// Those that let it in, and are there.
    public var reached: [BrokerAddress] { brokers.filter { servers[$0] != nil } }

    /// Those that did not let it in, or went away, and why.
    public var missed: [(broker: BrokerAddress, why: LineEnd)] {
        brokers.compactMap { broker in failures[broker].map { (broker, $0) } }
    }

    private func connect(to broker: BrokerAddress, _ credential: LineCredential) {
        let line = BrokerLine(to: broker, credential: credential, pings: Self.pings, on: loop)
        line.onUp = { [unowned self, unowned line] in
            line.subscribe(["\(inbox).>"])
            servers[broker] = $0
            look()
        }
        line.onMessage = { [unowned self] in
            hear($0, broker)
            look()
        }
        line.onRefused = { [unowned self] in
            refused($0, broker)
            look()
        }
        line.onDown = { [unowned self] in
            servers[broker] = nil
            failures[broker] = $0
            look()
        }
        lines[broker] = line
    }

    /// Asks `broker` by `bytes` on `subject`, and waits for the first answer that `isWanted`, for `span` at most.
    public func ask(
        _ subject: String, headers: [(name: String, value: String)] = [], _ bytes: [UInt8], of broker: BrokerAddress,
        for span: TimeSpan, isWanted: @escaping ([UInt8]) -> Bool = { _ in true }
    ) -> Answer {
        questionsCount += 1
        let reply = "\(inbox).\(questionsCount)"
        var answer: Answer?
        hear = { message, from in
            guard from == broker, message.subject == reply, answer == nil else { return }
            switch message.kind {
            case .published: if isWanted(message.bytes) { answer = .bytes(message.bytes) }
            case .noResponders: answer = .nobody
            case .status: break
            }
        }
        refused = { words, from in if from == broker, answer == nil { answer = .forbidden(words) } }
        defer { (hear, refused) = ({ _, _ in }, { _, _ in }) }
        guard lines[broker]?.publish(subject, reply: reply, headers: headers, bytes) == true else { return .none }
        wait(for: span) { [unowned self] in answer != nil || servers[broker] == nil }
        return answer ?? .none
    }

    /// Waits for `span`, and hears nothing.
    func wait(for span: TimeSpan) { wait(for: span) { false } }

    private func wait(for span: TimeSpan, until isDone: @escaping () -> Bool) {
        self.isDone = isDone
        defer { self.isDone = { false } }
        guard !isDone() else { return }
        let timer = loop.schedule(at: loop.now + span, description: "visit") { [unowned self] in loop.stop() }
        loop.run()
        timer.cancel()
    }

    private func look() { if isDone() { loop.stop() } }
}
