import BelfryTerms
import CallChannel

/// A voip push, or a ring that a report without one has asked for: what its worker does, and what its app owes for it.
struct PushDue: Sendable {
    /// What became of the ring.
    enum Ring: Hashable, Sendable {
        /// Its worker waits for an order, no longer than `until`.
        case waiting(until: Instant)
        /// It was asked for, and its worker has not come yet.
        case pushed
        /// Its worker was ordered to ring, and does not yet.
        case ordered
        /// It rings.
        case ringing
        /// It was answered.
        case answered
        /// It is over, or never was: by whom.
        case over(CallActor)
        /// Its worker is gone before it rang, or was not to ring by itself: a report rings anew.
        case lost

        /// Whether nothing more comes of it.
        var isFinal: Bool {
            switch self {
            case .waiting, .pushed, .ordered, .ringing: false
            case .answered, .over, .lost: true
            }
        }
    }

    /// How long a worker may take to come, or to ring once it was ordered to.
    static let ringPatience = TimeSpan.seconds(5)
    /// How long after its last instant a ring may still be on: then its worker counts as dead.
    static let ringGrace = TimeSpan.seconds(10)
    /// How long a ring may last at most, whatever its worker says: `[Ring] Duration=` allows no more.
    static let ringMax = TimeSpan.seconds(120)
    /// How long a push's outcome is remembered for a report that comes late (C4).
    static let memory = TimeSpan.seconds(60)

    /// Its number, by which its app names it: never twice, not even by another centre on this machine.
    let number: Int64
    /// The push's id.
    let id: String
    /// The app whose it is.
    let app: String
    /// The call's key in the ledger.
    let key: String
    /// The group of the ledger; nil until a worker says which.
    var group: GroupName?
    /// Whether a report has asked for it.
    var isOwn = false
    /// Whether it is a call by itself, which rings without a report too.
    let hasCall: Bool
    /// When it came.
    let arrived: Instant
    /// The last instant at which its ring would still be on.
    var until: Instant
    /// What is still to be handed to the app.
    var payload: String?
    /// Its worker's connection; nil if that is gone, or not there yet.
    var worker: WorkerNumber?
    /// Whether it ever had a worker.
    var hadWorker = false
    /// What became of the ring.
    private(set) var ring: Ring
    /// When what is unsettled of the ring is due: an order, a worker, an event; or when the push is forgotten.
    private(set) var ringDue: Instant?

    /// When the app was handed it; nil if it was not.
    var handed: Instant?
    /// Whether the app that was handed it has gone since.
    var isOfEarlierProcess = false
    /// Whether iOS would ask for a report.
    var mustReport = false
    /// When the report is missing; nil if it came, if that was said, or if the push was not handed over.
    var reportDue: Instant?
    /// When the receive method returned; nil if it has not.
    var returned: Instant?
    /// When the completion handler's call is missing; nil if it came, or is not waited for.
    var completionDue: Instant?
    /// Whether its report came.
    var isReported = false
    /// Whether the app was said to have no registry for it.
    var isRegistryMissed = false

    /// A push that came.
    init(_ push: VoIPPush, number: Int64, for app: String, from worker: WorkerNumber, ring: Ring, at now: Instant) {
        self.number = number
        id = push.id
        self.app = app
        key = push.call
        group = push.group
        arrived = now
        until = min(push.until, now + Self.ringMax)
        payload = push.payload
        self.worker = worker
        hadWorker = true
        hasCall = push.kind != .other
        self.ring = ring
        settle(ring, at: now)
    }

    /// A ring that a report asks for.
    init(
        own id: String, number: Int64, for app: String, key: String, group: GroupName?, until: Instant, at now: Instant
    ) {
        self.number = number
        self.id = id
        self.app = app
        self.key = key
        self.group = group
        isOwn = true
        hasCall = true
        arrived = now
        self.until = until
        ring = .pushed
        isReported = true
        settle(.pushed, at: now)
    }

    /// The ring is what `ring` says, from `now` on.
    mutating func settle(_ ring: Ring, at now: Instant) {
        self.ring = ring
        ringDue =
            switch ring {
            case .waiting(let patience): patience
            case .pushed, .ordered: now + Self.ringPatience
            case .ringing: max(until, now) + Self.ringGrace
            case .answered, .over, .lost: now + Self.memory
            }
    }

    /// Whether the app was handed it, and owes a report for it.
    var isOwed: Bool { handed != nil && !isReported }

    /// When something of it is due next.
    var deadline: Instant? {
        // What is final is only to be forgotten, and that needs no instant of its own if nothing waits for it.
        [ring.isFinal && !isRemembered ? nil : ringDue, reportDue, completionDue].compactMap { $0 }.min()
    }

    /// Whether the outcome is kept for something that may still come: a report, or the worker of a ring that nobody
    /// wants any more.
    private var isRemembered: Bool { ringDue != nil && (!isReported || isOwn && !hadWorker) }

    /// The outcome was remembered for long enough.
    mutating func forget() { ringDue = nil }

    /// Whether nothing can refer to it any more, but for a call.
    var isForgotten: Bool {
        ring.isFinal && worker == nil && !isRemembered && reportDue == nil && completionDue == nil
    }
}
