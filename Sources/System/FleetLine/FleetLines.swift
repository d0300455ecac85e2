public import BelfryEventLoop
public import BelfryTerms
public import Fleet

/// The lines of a relay, an agent or a command to the brokers of their fleet, as ``LineStateMachine`` has them.
///
/// Its call backs come on the loop, and none once ``end()`` was called.
public final class FleetLines {
    /// The place of a line, from 0.
    public typealias Number = Int

    /// A line is up, and listens.
    public var onUp: (Number) -> Void = { _ in }
    /// A line that was up is no more.
    public var onDown: (Number) -> Void = { _ in }
    /// A message came by a line.
    public var onMessage: (LineMessage, Number) -> Void = { _, _ in }
    /// Something is to be told to people: a line that is up, or down, or denied.
    public var onTold: (String) -> Void = { _ in }

    private let loop: Loop
    private let credential: LineCredential
    /// What a line listens to from the moment that it is up.
    public var subjects: [String]
    private let pings: TimeSpan
    private var machine: LineStateMachine
    private var random = SystemRandomNumberGenerator()
    private var lines: [Number: BrokerLine] = [:]
    /// Of which lines it was told that they are not up: they are tried for ever, and told of once.
    private var toldDown: Set<Number> = []
    private var timer: (any ScheduledTimer)?

    /// Lines to `brokers` by `credential`, which listen to `subjects` as soon as they are up and ask every `pings`
    /// whether their broker is there.
    public init(
        to brokers: [BrokerAddress], credential: LineCredential, hearing subjects: [String], pings: TimeSpan,
        on loop: Loop
    ) {
        self.loop = loop
        self.credential = credential
        self.subjects = subjects
        self.pings = pings
        // Each broker has its share of those that begin.
        machine = LineStateMachine(to: brokers.shuffled(), at: loop.now)
        wait()
    }

    /// The lines that are up.
    public private(set) var up: Set<Number> = []

    private func broker(of line: Number) -> BrokerAddress { machine.broker(of: machine.lines[line]) }

    /// How each line stands.
    public var status: [FleetStatus.Line] {
        machine.lines.map { line in
            let isUp = up.contains(line.number)
            return FleetStatus.Line(
                broker: "\(machine.broker(of: line))", isUp: isUp,
                certificateEnd: isUp ? lines[line.number]?.certificateEnd : nil)
        }
    }

    /// What a program of that version says of itself, which has these lines.
    public func introduction(version: String) -> FleetIntroduction {
        FleetIntroduction(version: version, brokers: up.sorted().map { "\(broker(of: $0))" })
    }

    /// Sends `bytes` to `subject` over `line`, and has an answer go to `reply`; false, and nothing is sent now or
    /// later, unless it is up and has room.
    public func publish(
        _ subject: String, reply: String? = nil, headers: [(name: String, value: String)] = [], _ bytes: [UInt8],
        over line: Number
    ) -> Bool {
        lines[line]?.publish(subject, reply: reply, headers: headers, bytes) ?? false
    }

    /// No gateway answers by `line`: it moves on, if there is another broker.
    public func unanswered(_ line: Number) { heed(.unanswered(machine.lines[line])) }

    /// Ends all lines.
    public func end() {
        timer?.cancel()
        timer = nil
        for line in lines.values { line.end() }
        lines = [:]
        (onUp, onDown, onMessage, onTold) = ({ _ in }, { _ in }, { _, _ in }, { _ in })
    }

    private func heed(_ input: LineStateMachine.Input) {
        for effect in machine.heed(input, at: loop.now, random: &random) {
            switch effect {
            case .connect(let line, let broker): connect(line, to: broker)
            case .end(let line): lineEnded(line.number, why: nil)
            case .sayDenied(let line): onTold("\(broker(of: line.number)) denies: see belfry fleet enroll --again")
            }
        }
        wait()
    }

    private func wait() {
        timer?.cancel()
        timer = machine.wake.map { at in
            loop.schedule(at: at, description: "lines") { [weak self] in self?.heed(.tick) }
        }
    }

    private func connect(_ place: LineStateMachine.Line, to broker: BrokerAddress) {
        let line = BrokerLine(to: broker, credential: credential, pings: pings, on: loop)
        let number = place.number
        line.onUp = { [weak self] in self?.cameUp(place, at: $0) }
        line.onMessage = { [weak self] in self?.onMessage($0, number) }
        line.onRefused = { [weak self] in self?.onTold("\(broker) refuses: \($0)") }
        line.onDown = { [weak self] in self?.wentDown(place, $0) }
        lines[number] = line
    }

    private func cameUp(_ place: LineStateMachine.Line, at serverID: String) {
        let number = place.number
        heed(.up(place, serverID: serverID))
        // It may be a double, which is ended at once.
        guard machine.serverID(of: place) == serverID, let line = lines[number] else { return }
        line.subscribe(subjects)
        toldDown.remove(number)
        up.insert(number)
        onTold("line \(number + 1) to \(broker(of: number)) is up")
        onUp(number)
    }

    private func wentDown(_ place: LineStateMachine.Line, _ why: LineEnd) {
        lineEnded(place.number, why: why)
        if case .denied = why { heed(.denied(place)) } else { heed(.down(place)) }
    }

    /// The line is no more; that is told the first time, with its reason if it has one.
    private func lineEnded(_ number: Number, why: LineEnd?) {
        lines.removeValue(forKey: number)?.end()
        if let why, toldDown.insert(number).inserted {
            onTold("line \(number + 1) to \(broker(of: number)) is down, \(why)")
        }
        if up.remove(number) != nil { onDown(number) }
    }
}
