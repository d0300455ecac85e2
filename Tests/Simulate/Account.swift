import BelfryProtocol
import BelfryTerms
import CallLedger

/// What one worker has done so far, as far as others witness it.
struct Account {
    var isReceived = false
    var isRejected = false
    /// When its request, or its hangup, was decided, and when that lay where everybody finds it.
    var decidedAt: Instant?
    var laidAt: Instant?
    /// When its ring is to begin and end, and what that end is called; nil if its request is stale, or none.
    var window: Window?
    /// How it rings, and when it began to and told its mode last, by its events.
    var mode: RingMode?
    var beganAt: Instant?
    var modeToldAt: Instant?
    var isHeard = false
    /// When it was told to be silent.
    var silentAt: Instant?
    var lastTick: Int64 = 0
    var ticks: Int64 = 0
    /// How often its sound was asked for, and would have to be: once each time it rings in a mode, and with each tick.
    var pulses = 0
    var pulsesDue = 0
    /// Whether it has settled the end of its ring.
    var isSettled = false
    /// Whether it was hung up before that, for everybody to find.
    var isHungUp = false
    var deliveries = 0
    var ends = 0
    /// How it says that its ring ended, and whether that is to be told as missed.
    var endedAs: EndReason?
    var endsAsMissed: Bool?
    var missed = 0
    /// Whether it is recording that it told its missed call, and has.
    var isMarking = false
    var isMarked = false
    /// What it has warned of, and when.
    var warnings: [WarningCode: Instant] = [:]
    var stoppedAt: Instant?
    /// Whether its client hears nothing more, and whether it has ended by itself.
    var hasClosed = false
    var hasLeft = false
    var diedAt: Instant?

    struct Window {
        let start: Instant
        let end: Instant
        let endsAs: Model.End
    }

    /// Whether it rings, as far as its own events go.
    var isRinging: Bool { mode != nil && silentAt == nil }
}
