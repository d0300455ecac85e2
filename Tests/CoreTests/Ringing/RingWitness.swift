import BelfryTerms
@testable import Ringing

/// One ring's driver in small: it keeps what was asked of it, and says which effect no driver should be asked for.
struct RingWitness {
    enum Input: CaseIterable, Sendable {
        case timerOnTime, timerLate, timerVeryLate, timerPastTheEnd, timerEarly
        case loud, soft, hangup, stop
        case silenced, settled
    }

    static let interval = TimeSpan.milliseconds(1000)
    static let start = Instant(microseconds: 3_000_000_001)

    private(set) var machine = RingStateMachine()
    private(set) var mistakes: [String] = []
    private(set) var now = start
    private(set) var endedCount = 0

    private let window: RingWindow
    private var wake: Instant?
    private var isSilent = false
    private var isSettling = false
    private var lastTick: Int64 = 0
    private var tickCount: Int64 = 0

    /// A ring that has begun, `length` long.
    init(length: TimeSpan) {
        window = RingWindow(start: Self.start, end: Self.start + length, reasonAtEnd: .timeout)
        judge(machine.begin(window, interval: Self.interval, mode: .soft, at: window.start), mayPulse: true)
        if wake == nil { mistakes.append("begin asks for no wake-up") }
    }

    /// Whether the ring's sound was stopped.
    var isOver: Bool { isSilent }

    mutating func feed(_ input: Input) {
        switch input {
        case .timerOnTime: fire(at: max(now, wake ?? now))
        case .timerLate: fire(at: max(now, wake ?? now) + .milliseconds(300))
        case .timerVeryLate: fire(at: max(now, wake ?? now) + .milliseconds(2300))
        case .timerPastTheEnd: fire(at: max(now, window.end) + .seconds(60))
        case .timerEarly: fire(at: now)
        case .loud: judge(machine.change(to: .loud, at: now), mayPulse: true)
        case .soft: judge(machine.change(to: .soft, at: now), mayPulse: true)
        case .hangup: judge(machine.end(.hangup), mayPulse: false)
        case .stop: judge(machine.end(.stopped), mayPulse: false)
        case .silenced: judge(machine.silenced(at: now), mayPulse: false)
        case .settled: judge(machine.settled(.answered), mayPulse: false)
        }
        if machine.isRinging == isSilent { mistakes.append("isRinging is \(machine.isRinging)") }
    }

    private mutating func fire(at instant: Instant) {
        now = instant
        let wasSilent = isSilent
        if let due = wake, due <= instant { wake = nil }
        judge(machine.timerFired(at: instant), mayPulse: true)
        guard !wasSilent else { return }
        if instant >= window.end, !isSilent { mistakes.append("rings on at its end") }
        if !isSilent, wake == nil { mistakes.append("rings without a timer") }
    }

    private mutating func judge(_ effects: [RingStateMachine.Effect], mayPulse: Bool) {
        var pulses = 0
        for effect in effects {
            switch effect {
            case .ringing: demand(!isSilent && now < window.end, "ringing after the end")
            case .pulse:
                pulses += 1
                demand(mayPulse && !isSilent && now < window.end, "a pulse after the end")
            case .tick(let n, let late): judgeTick(n, late)
            case .wake(let instant):
                demand(!isSilent, "a wake-up after silence")
                demand(instant <= window.end, "a wake-up past the end")
                let next = Self.start + Self.interval * (lastTick + 1)
                demand(instant == min(next, window.end), "a wake-up at another instant than the next tick's")
                wake = instant
            case .silence:
                demand(!isSilent, "silence twice")
                isSilent = true
            case .settle:
                demand(isSilent && !isSettling, "settle before silence, or twice")
                isSettling = true
            case .ended(_, let rang, let ticks):
                endedCount += 1
                demand(isSettling && endedCount == 1, "ended before it was settled, or twice")
                demand(ticks == tickCount, "ended after \(tickCount) ticks says \(ticks)")
                demand(rang >= .zero && rang <= now - Self.start, "rang \(rang)")
            }
        }
        demand(pulses <= 1, "a burst of pulses")
    }

    private mutating func judgeTick(_ n: Int64, _ late: TimeSpan) {
        let due = Self.start + Self.interval * n
        tickCount += 1
        demand(!isSilent, "a tick after silence")
        demand(n > lastTick, "tick \(n) after tick \(lastTick)")
        demand(due < window.end, "tick \(n) is due at the end")
        demand(due <= now && late == now - due, "tick \(n) says \(late) late")
        demand(late < Self.interval, "tick \(n) is made up")
        lastTick = n
    }

    private mutating func demand(_ condition: Bool, _ mistake: String) {
        if !condition { mistakes.append(mistake) }
    }
}
