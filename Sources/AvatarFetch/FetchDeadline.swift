internal import Syscalls

/// When a fetch must have answered.
struct FetchDeadline {
    private let start = bootTimeMicroseconds()
    private let milliseconds: Int

    /// A deadline `milliseconds` from now.
    init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// Seconds since the start.
    var secondsSpent: Double { Double(bootTimeMicroseconds() - start) / 1_000_000 }

    /// Milliseconds that are left, rounded down; 0 where it has passed.
    var millisecondsLeft: Int { max(0, milliseconds - Int((bootTimeMicroseconds() - start) / 1_000)) }

    /// Whether it has passed.
    var hasPassed: Bool { millisecondsLeft == 0 }

    /// In words.
    var description: String { "within \(milliseconds) ms" }
}
