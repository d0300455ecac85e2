import BelfryTerms
import CallLedger

/// What the oracle knows of one worker.
struct Account {
    /// What the rules say of its request; nil before that is decided, and if the rules cannot tell.
    var verdict: Rules.Verdict?
    /// Whether its request, or its hangup, was decided.
    var isDecided = false
    /// When that was.
    var decidedAt: Instant?
    /// When its ring is to begin and end, and what that end is called.
    var window: Window?
    /// What ended its ring, if it was told so, and what it was asked.
    var cause: Rules.End?
    var ask: RingAsk?
    /// A hangup that it was asked and that is too late to end its ring.
    var lateHangup: RingAsk?
    /// The hangup that it has put into the ledger.
    var hangup: HangupMemory?
    /// Whether the app was in front as it fell silent.
    var sawFront = false
    /// When it fell silent.
    var silentAt: Instant?
    /// How its ring ended, by the rules.
    var settled: Rules.End?
    /// Whether its ring has been settled, by whatever rules.
    var isSettled = false
    var isHeard = false
    /// Whether there was a folder to be watched for news of the group file as it began to ring.
    var isToldOfNews = false
    var mode: RingMode?
    var muting = Muting()
    /// Whether its ring waits for the desktop's first word before it begins.
    var awaitsDesktop = false
    /// When it began to ring, and told its mode last, by its events.
    var beganAt: Instant?
    var modeToldAt: Instant?
    var lastTick: Int64 = 0
    var ticks: Int64 = 0
    /// How often its sound was asked for, and would have to be: once each time it rings in a mode, and with each tick.
    var pulses = 0
    var pulsesDue = 0
    var deliveries = 0
    var ends = 0
    /// How it says that its ring ended.
    var endedAs: EndReason?
    var missed = 0
    /// Whether it is recording that it told its missed call, and has.
    var isMarking = false
    var isMarked = false
    /// Whether it has to tell a missed call, by how it says itself that its ring ended.
    var endsAsMissed: Bool?
    var isReceived = false
    var isRejected = false
    var hasPicture = false
    /// Whether it has told what became of its picture, and whether that is being fetched.
    var isPictureTold = false
    var isFetching = false
    /// What it has warned of, and how often.
    var warnings: [WarningCode: Int] = [:]
    /// Whether its push states a time that cannot be.
    var isClockBad = false
    /// Whether it does not ring, or no longer, because of a flag that nobody owns; nil if the rules cannot tell.
    var isFlagUnowned: Bool? = false
    var stoppedAt: Instant?
    var hasLeft = false
    /// Whether its client hears nothing more.
    var hasClosed = false
    /// Why its push is not intercepted, by the rules.
    var passthrough: PassthroughReason?
    var interception = Interception()
    /// What it has decided may not be laid yet: how many notes it had laid before, and what was so before.
    var pending: (notes: Int, rules: Rules)?

    struct Window {
        let start: Instant
        let end: Instant
        let endsAs: Rules.End
    }

    /// Whether its call rings, or is about to.
    var isToRing: Bool { mode != nil || awaitsDesktop }

    /// Whether it rings, as far as its own events go.
    var isRinging: Bool { window != nil && silentAt == nil && isToRing }
}
