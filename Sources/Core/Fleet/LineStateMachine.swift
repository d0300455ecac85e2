public import BelfryTerms

/// Which broker each line of a relay or an agent goes to, and when it is tried: two lines where there are two brokers
/// or more, which never end at one for longer than there is another; one where there is one broker.
///
/// Two addresses may lead to one broker, so brokers are told apart by what they say they are. It has no clock and no
/// connection: what happened goes in, and what is to be done comes out.
public struct LineStateMachine: Sendable {
    /// One of the lines.
    public struct Line: Hashable, Sendable, Comparable {
        /// Its place, from 0.
        public let number: Int

        /// Orders by place.
        public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    /// What happened.
    public enum Input: Hashable, Sendable {
        /// It is time, or may be.
        case tick
        /// A line is up, at the broker of that identity.
        case up(Line, serverID: String)
        /// A line could not be made, or ended.
        case down(Line)
        /// A broker does not let this credential in.
        case denied(Line)
        /// No gateway answers by this line, while it is up.
        case unanswered(Line)
    }

    /// What is to be done.
    public enum Effect: Hashable, Sendable {
        /// A line is to be made to that broker; what it comes to is an input.
        case connect(Line, BrokerAddress)
        /// A line that is up is to be ended; no input follows.
        case end(Line)
        /// The credential is refused, which has not been said since a line was up.
        case sayDenied(Line)
    }

    /// How long a line waits before it is tried again: twice as long each time, and never so long that what waits for
    /// the first broker that comes back is later than 5 s.
    public static let (firstDelay, longestDelay) = (TimeSpan.milliseconds(100), TimeSpan.seconds(4))
    /// How long a line has been up that begins with the first delay again.
    private static let steadySpan = TimeSpan.seconds(15)
    /// The same where the credential was refused, the first time and later.
    public static let (firstDenial, laterDenials) = (TimeSpan.seconds(120), TimeSpan.seconds(300))
    /// How long a line waits that found the other's broker at each address, until it looks again.
    public static let lookDelay = TimeSpan.seconds(15)
    /// How many lines there are at most.
    public static let linesMax = 2

    private enum State: Hashable, Sendable {
        case waiting(until: Instant)
        case connecting
        case up(serverID: String, since: Instant)
    }

    private struct Place: Sendable {
        var state: State
        /// The address it goes to, or went last.
        var address: Int
        /// How often it failed since it was last up for a while: a broker that ends each line at once is tried no more
        /// often than one that is gone.
        var failures = 0
        var denials = 0
        /// How many addresses in a row led to the other line's broker.
        var doubles = 0
        /// Whether it waits since all lead there.
        var isSpare = false
    }

    /// The brokers, in the order they are tried.
    public let brokers: [BrokerAddress]
    private var places: [Place]
    private var hasSaidDenied = false

    /// Lines to `brokers`, which begin with the next tick, each at another one.
    public init(to brokers: [BrokerAddress], at now: Instant) {
        self.brokers = brokers.enumerated().filter { !brokers[..<$0.offset].contains($0.element) }.map(\.element)
        places = (0..<min(self.brokers.count, Self.linesMax)).map { Place(state: .waiting(until: now), address: $0) }
    }

    /// The lines.
    public var lines: [Line] { places.indices.map { Line(number: $0) } }

    /// The identity of the broker where `line` is up; nil if it is not.
    public func serverID(of line: Line) -> String? {
        if case .up(let serverID, _) = places[line.number].state { serverID } else { nil }
    }

    /// Where `line` goes, or went last.
    public func broker(of line: Line) -> BrokerAddress { brokers[places[line.number].address] }

    /// When the next tick is due; nil if none is.
    public var wake: Instant? {
        places.compactMap { if case .waiting(let until) = $0.state { until } else { nil } }.min()
    }

    /// Takes in what happened at `now`; what is to be done, in order.
    public mutating func heed(
        _ input: Input, at now: Instant, random: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch input {
        case .tick: return connectDue(at: now)
        case .up(let line, let serverID): return cameUp(line, serverID, at: now, random: &random)
        case .down(let line):
            fail(line, at: now, random: &random)
            return takeUpSpares(at: now)
        case .denied(let line): return wasDenied(line, at: now, random: &random)
        case .unanswered(let line):
            // Where the other line is, it is no better off; and where it is, no worse.
            guard serverID(of: line) != nil, move(line) else { return [] }
            places[line.number].state = .waiting(until: now)
            return [.end(line)] + takeUpSpares(at: now)
        }
    }

    /// A line is no longer up: one that only waits since it would be its double need not wait.
    private mutating func takeUpSpares(at now: Instant) -> [Effect] {
        for line in lines where places[line.number].isSpare { places[line.number].state = .waiting(until: now) }
        return connectDue(at: now)
    }

    private mutating func connectDue(at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        for line in lines {
            guard case .waiting(let until) = places[line.number].state, until <= now else { continue }
            places[line.number].state = .connecting
            places[line.number].isSpare = false
            effects.append(.connect(line, broker(of: line)))
        }
        return effects
    }

    private mutating func cameUp(
        _ line: Line, _ serverID: String, at now: Instant, random: inout some RandomNumberGenerator
    ) -> [Effect] {
        let isDouble = lines.contains { $0 != line && self.serverID(of: $0) == serverID }
        hasSaidDenied = false
        guard isDouble else {
            places[line.number].state = .up(serverID: serverID, since: now)
            places[line.number].denials = 0
            places[line.number].doubles = 0
            return []
        }
        // Two lines at one broker are worth no more than one. The later one goes on looking: at all addresses at once,
        // and then after a while again, since brokers come back.
        places[line.number].doubles += 1
        move(line)
        let isSpare = places[line.number].doubles >= brokers.count - 1
        if isSpare { places[line.number].doubles = 0 }
        places[line.number].isSpare = isSpare
        let delay = isSpare ? Self.halfRandom(Self.lookDelay, &random) : .zero
        places[line.number].state = .waiting(until: now + delay)
        return [.end(line)] + connectDue(at: now)
    }

    private mutating func fail(_ line: Line, at now: Instant, random: inout some RandomNumberGenerator) {
        if case .up(_, let since) = places[line.number].state, now >= since + Self.steadySpan {
            places[line.number].failures = 0
        }
        let doublings = min(places[line.number].failures, 10)
        let delay = min(Self.firstDelay * (Int64(1) << doublings), Self.longestDelay)
        places[line.number].failures += 1
        move(line)
        places[line.number].state = .waiting(until: now + Self.halfRandom(delay, &random))
    }

    private mutating func wasDenied(
        _ line: Line, at now: Instant, random: inout some RandomNumberGenerator
    ) -> [Effect] {
        let delay = places[line.number].denials == 0 ? Self.firstDenial : Self.laterDenials
        places[line.number].denials += 1
        move(line)
        places[line.number].state = .waiting(until: now + Self.halfRandom(delay, &random))
        let said: [Effect] = hasSaidDenied ? [] : [.sayDenied(line)]
        hasSaidDenied = true
        return said + takeUpSpares(at: now)
    }

    /// On to the next broker, but not to the one that the other line goes to; false if there is none.
    @discardableResult
    private mutating func move(_ line: Line) -> Bool {
        let others = lines.filter { $0 != line }.map { places[$0.number].address }
        let address = places[line.number].address
        let later = (1..<max(1, brokers.count)).map { (address + $0) % brokers.count }
        guard let next = later.first(where: { !others.contains($0) }) else { return false }
        places[line.number].address = next
        return true
    }

    /// At least half of `span` and no more than all of it, so that those that lost one broker do not come as one.
    private static func halfRandom(_ span: TimeSpan, _ random: inout some RandomNumberGenerator) -> TimeSpan {
        let half = span.microseconds / 2
        return TimeSpan(microseconds: half + Int64.random(in: 0...half, using: &random))
    }
}
