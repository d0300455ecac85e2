public import BelfryEventLoop
public import BelfryProtocol
public import BelfryTerms
public import CallLedger
public import PictureFetcher

/// All that a call does to the world, and needs of it: peers that a test plays, each of its own.
public struct CallWorld {
    /// The clock, and what calls back at an instant.
    public let timers: any TimerSource
    /// The wall clock.
    public let wall: () -> WallTime
    /// Who else rings.
    public let ledger: any SharedLedger
    /// What a ring is heard and felt by.
    public let ringer: any RingOutput
    /// Where the caller's picture comes from.
    public let pictures: any PictureSource
    /// Takes the events.
    public let report: (Event.Body) -> Void

    /// A world of these peers.
    public init(
        timers: any TimerSource, wall: @escaping () -> WallTime, ledger: any SharedLedger, ringer: any RingOutput,
        pictures: any PictureSource, report: @escaping (Event.Body) -> Void
    ) {
        self.timers = timers
        self.wall = wall
        self.ledger = ledger
        self.ringer = ringer
        self.pictures = pictures
        self.report = report
    }
}

/// The ledger that all processes share, as one ring uses it.
public protocol SharedLedger: AnyObject {
    /// Who this process is to the others.
    var owner: Owner { get }

    /// Changes the ledger in one transaction, and then calls `done`, perhaps before this returns.
    ///
    /// `change` runs exactly once whatever becomes of the file, on what could be read of it.
    func transact<Answer>(_ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer) -> Void)

    /// Calls `changed` with the ledger as it finds it first, and whenever it may have changed, until
    /// ``stopWatching()``.
    func watch(_ changed: @escaping (Ledger) -> Void)

    /// Narrows the watch to `keys`, most important first. Other calls' changes may not be shown until ``lookAgain()``,
    /// and a ledger that is shown meanwhile may know these alone.
    func focus(on keys: [CallKey])

    /// Reads the file again, for a wake-up that was lost, and shows the watcher the ledger if it has changed.
    func lookAgain()

    /// Shows the watcher the ledger again when the process that rings `call` dies, and when that ring's time is up, in
    /// place of the call asked for before; nil is none. Neither changes the file.
    func expectEnd(of call: Call?)

    /// Watches neither the file nor a call any more.
    func stopWatching()
}

/// What a ring is heard and felt by.
public protocol RingOutput: AnyObject {
    /// Sounds and vibrates once in `mode`, in place of the last time.
    func pulse(_ mode: RingMode)

    /// Makes sound and vibration stop, and calls `silent` once they have.
    func silence(_ silent: @escaping () -> Void)
}

/// Where the caller's picture comes from.
public protocol PictureSource: AnyObject {
    /// Fetches the picture beside the ring, until `deadline` at most; calls `finished` once, perhaps before this
    /// returns, unless ``cancel()`` comes first.
    func fetch(_ url: String, deadline: Instant, finished: @escaping (PictureDownload.Outcome) -> Void)

    /// Ends the fetch.
    func cancel()
}
