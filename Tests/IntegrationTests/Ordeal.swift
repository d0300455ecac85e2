import BelfryTerms
import Support

/// What one call of a wave goes through, drawn from a seed before it begins. Instants are microseconds after the wave's
/// begin.
struct Ordeal: CustomStringConvertible {
    /// How the call is to end.
    enum Fate: Equatable {
        case hangUp(HangupReason), answer, decline, timeOut
    }

    /// Whose worker is struck.
    enum Victim {
        case call, hangup
    }

    /// The call's id, its own in its group.
    let id: String
    let group: String
    /// When its request is pushed.
    let begins: Int64
    let fate: Fate
    /// When the hangup is pushed or the command starts; of a ring that nobody ends, when its time is up. A hangup may
    /// come before the request.
    let fateComes: Int64
    let victim: Victim
    /// When the victim is struck.
    let falls: Int64
    /// How long the blow lasts, if it is one that passes.
    let lasts: Int64
    /// What the blow leaves, if it takes descriptors away.
    let descriptorsLeft: Int

    /// How long a ring lasts that nobody ends.
    static let ringMicroseconds: Int64 = 1_000_000
    /// One request comes so long after another on average.
    private static let meanDistance: Int64 = 25_000
    /// What a worker may need to start or to end: where most of its steps are.
    private static let busyMicroseconds: Int64 = 14_000

    /// The call `number` of its wave.
    init(number: Int, in group: String, using random: inout SeededRandom) {
        id = "call-\(number)"
        self.group = group
        let begins = Int64(number) * Self.meanDistance + .random(in: Self.busyMicroseconds...60_000, using: &random)
        self.begins = begins
        let fate = random.pick([
            Fate.hangUp(.cancelled), .hangUp(.cancelled), .hangUp(.answeredElsewhere), .answer, .decline, .timeOut,
            .timeOut,
        ])
        self.fate = fate
        let rung = Int64.random(in: 3_000...600_000, using: &random)
        switch fate {
        case .timeOut: fateComes = begins + Self.ringMicroseconds
        case .hangUp where random.oneIn(5): fateComes = begins - rung % Self.busyMicroseconds
        case .hangUp, .answer, .decline: fateComes = begins + rung
        }
        let soon = Int64.random(in: 0...Self.busyMicroseconds, using: &random)
        let isHangup = if case .hangUp = fate { true } else { false }
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: (victim, falls) = (.call, begins + soon)
        case 2: (victim, falls) = (.call, begins + abs(fateComes - begins) * soon / Self.busyMicroseconds)
        case 3 where isHangup: (victim, falls) = (.hangup, fateComes + soon)
        default: (victim, falls) = (.call, max(begins, fateComes) + soon)
        }
        lasts = .random(in: 1_000...300_000, using: &random)
        descriptorsLeft = .random(in: 0...20, using: &random)
    }

    var description: String {
        "\(id) at \(begins / 1_000) ms, \(fate) at \(fateComes / 1_000) ms, blow at \(falls / 1_000) ms to its \(victim)"
    }
}
