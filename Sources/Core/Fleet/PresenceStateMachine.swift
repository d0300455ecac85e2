public import BelfryTerms

/// A machine's side of being there: says so over each line as it comes up, then every 30 s or so, and finds out by which
/// lines gateways answer.
public struct PresenceStateMachine: Sendable {
    /// How often it is said, and by how much at most sooner or later, so that thousands do not say it together.
    public static let (interval, spread) = (TimeSpan.seconds(30), TimeSpan.seconds(5))
    /// How long an answer is waited for.
    public static let patience = TimeSpan.seconds(10)

    /// Which of an agent's lines.
    public typealias LineNumber = Int

    /// What the driver has to do.
    public enum Effect: Hashable, Sendable {
        /// Say over the line that the machine is there, and have it answered by that number.
        case say(LineNumber, UInt64)
        /// No gateway answers by the line.
        case unanswered(LineNumber)
    }

    private struct Line: Sendable {
        /// The number of what was said last, and until when its answer is waited for; nil if it was answered.
        var open: (number: UInt64, until: Instant)?
        var sayAt: Instant
    }

    private var lines: [LineNumber: Line] = [:]
    private var number: UInt64

    /// No line is up. What is said is counted from `number` on, which no life of this machine had before.
    public init(countingFrom number: UInt64) { self.number = number }

    /// When ``wake(at:random:)`` is to be called; nil while no line is up.
    public var wakeAt: Instant? { lines.values.flatMap { [$0.sayAt, $0.open?.until].compactMap(\.self) }.min() }

    /// A line is up.
    public mutating func lineIsUp(
        _ line: LineNumber, at now: Instant, random: inout some RandomNumberGenerator
    ) -> [Effect] {
        [say(line, at: now, &random)]
    }

    /// A line is down.
    public mutating func lineIsDown(_ line: LineNumber) { lines[line] = nil }

    /// A gateway has answered what was said by that number; the answer came by `line`.
    public mutating func answered(_ number: UInt64, by line: LineNumber) {
        if lines[line]?.open?.number == number { lines[line]?.open = nil }
    }

    /// Says it now, over all lines: gateways have kept something that can be handed over now.
    public mutating func sayNow(at now: Instant, random: inout some RandomNumberGenerator) -> [Effect] {
        lines.keys.sorted().map { say($0, at: now, &random) }
    }

    /// Time has passed.
    public mutating func wake(at now: Instant, random: inout some RandomNumberGenerator) -> [Effect] {
        var effects: [Effect] = []
        for (line, state) in lines.sorted(by: { $0.key < $1.key }) {
            if let open = state.open, open.until <= now {
                // If it cannot move, it goes on asking.
                effects += [say(line, at: now, &random), .unanswered(line)]
            } else if state.sayAt <= now {
                effects.append(say(line, at: now, &random))
            }
        }
        return effects
    }

    private mutating func say(
        _ line: LineNumber, at now: Instant, _ random: inout some RandomNumberGenerator
    ) -> Effect {
        number += 1
        let sooner = Int64.random(in: -Self.spread.microseconds...Self.spread.microseconds, using: &random)
        // What was not answered in time is not asked anew before its own time is up.
        let until = lines[line]?.open?.until
        lines[line] = Line(
            open: (number, until.map { $0 > now ? $0 : now + Self.patience } ?? now + Self.patience),
            sayAt: now + Self.interval + TimeSpan(microseconds: sooner))
        return .say(line, number)
    }
}
