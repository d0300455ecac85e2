import BelfryTerms
@testable import Ringing
import Testing

/// A ring drawn as rows of characters, one column for each step of virtual time.
///
/// Inputs, one row: `h` hangup, `a` answered, `d` declined, `f` the app in front, `s` stop; `l`, `o`, `q` it rings
/// loud, soft or silent from now on; `=` the process is stopped and sees nothing, until the row goes on. Of a timer and
/// an input in one column the timer is seen first.
///
/// Effects, three rows: `says` has `L`, `O`, `Q` for `ringing` in its mode, the last digit of a tick's number, and
/// the input's letter for `ended`, with `t` for `timeout` and `x` for `expired`; `sound` has `l`, `o`, `q` for one
/// pulse in its mode and `.` for silence.
struct TimeLine {
    /// The length of a column.
    var step = TimeSpan.milliseconds(500)
    /// Between ticks.
    var interval = TimeSpan.seconds(1)
    /// How long the call rings.
    var duration = TimeSpan.seconds(6)
    /// The end of the budget, counted from the ring's start.
    var budget = TimeSpan.seconds(30)
    /// How long ago the request was sent; nil where it does not say.
    var age: TimeSpan?
    /// How late each timer fires.
    var lateness = TimeSpan.zero
    /// How it rings at first.
    var mode = RingMode.loud
    /// The column in which the process goes on to ring after its admission.
    var begins = 0
    /// What the group file says in place of the first end; nil where that one wins.
    var winner: EndReason?

    static let start = Instant(microseconds: 5_000_000_007)
    static let wall = WallTime(microseconds: 1_700_000_000_250_000)

    /// Plays `inputs` and expects the two rows of effects, spaces at their ends apart.
    func expect(
        inputs: String, says: String, sound: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var play = Play(self)
        let columns = Array(inputs)
        for column in 0..<max(columns.count, says.count, sound.count) {
            play.step(column, column < columns.count ? columns[column] : "-")
        }
        #expect(play.says.row == Self.trimmed(says), sourceLocation: sourceLocation)
        #expect(play.sound.row == Self.trimmed(sound), sourceLocation: sourceLocation)
    }

    var window: RingWindow? {
        RingWindow.of(
            duration: duration, sentAt: age.map { Self.wall + (.zero - $0) }, expiration: nil, start: Self.start,
            wall: Self.wall, deadline: Self.start + budget)
    }

    fileprivate static func trimmed(_ row: String) -> String {
        var row = row
        while row.last == "-" { row.removeLast() }
        return row
    }
}

private struct Row {
    private var letters: [Character] = []

    /// Writes `letter` into `column`; two letters that meet there become `*`.
    mutating func write(_ letter: Character, at column: Int) {
        while letters.count <= column { letters.append("-") }
        letters[column] = letters[column] == "-" ? letter : "*"
    }

    var row: String { TimeLine.trimmed(String(letters)) }
}

private struct Play {
    let line: TimeLine
    var machine = RingStateMachine()
    var wake: Instant?
    var says = Row()
    var sound = Row()

    init(_ line: TimeLine) { self.line = line }

    mutating func step(_ column: Int, _ input: Character) {
        let now = TimeLine.start + line.step * Int64(column)
        if column == line.begins, let window = line.window {
            perform(machine.begin(window, interval: line.interval, mode: line.mode, at: now), now, column)
        }
        guard input != "=" else { return }
        if let due = wake, due + line.lateness <= now {
            wake = nil
            perform(machine.timerFired(at: now), now, column)
        }
        switch input {
        case "h": perform(machine.end(.hangup), now, column)
        case "a": perform(machine.end(.answered), now, column)
        case "d": perform(machine.end(.declined), now, column)
        case "f": perform(machine.end(.foreground), now, column)
        case "s": perform(machine.end(.stopped), now, column)
        case "l": perform(machine.change(to: .loud, at: now), now, column)
        case "o": perform(machine.change(to: .soft, at: now), now, column)
        case "q": perform(machine.change(to: .silent, at: now), now, column)
        default: #expect(input == "-", "no input is drawn so")
        }
    }

    private mutating func perform(_ effects: [RingStateMachine.Effect], _ now: Instant, _ column: Int) {
        for effect in effects {
            switch effect {
            case .ringing(let mode): says.write(Character(letter(mode).uppercased()), at: column)
            case .pulse(let mode): sound.write(letter(mode), at: column)
            case .tick(let n, let late):
                #expect(TimeLine.start + line.interval * n + late == now)
                says.write(Character("\(n % 10)"), at: column)
            case .wake(let instant): wake = instant
            case .silence:
                sound.write(".", at: column)
                perform(machine.silenced(at: now), now, column)
            case .settle(let reason): perform(machine.settled(line.winner ?? reason), now, column)
            case .ended(let reason, let rang, _):
                #expect(rang == now - TimeLine.start)
                says.write(letter(reason), at: column)
            }
        }
    }

    private func letter(_ mode: RingMode) -> Character {
        switch mode {
        case .loud: "l"
        case .soft: "o"
        case .silent: "q"
        }
    }

    private func letter(_ reason: EndReason) -> Character {
        switch reason {
        case .hangup: "h"
        case .answered: "a"
        case .declined: "d"
        case .foreground: "f"
        case .timeout: "t"
        case .expired: "x"
        case .stopped: "s"
        }
    }
}
