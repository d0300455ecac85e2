public import BelfryEventLoop
public import BelfryProtocol
public import BelfrySyscalls
public import BelfryTerms
public import CallChannel
public import CallDirectory
public import CallLedger
public import GroupLedger
public import PictureFetcher
public import SystemSound

/// Everything outside that a call uses, as separate parts that a test can replace.
public struct CallWorld {
    /// The clock, and what calls back at an instant.
    public let timers: any TimerSource
    /// The wall clock.
    public let wall: () -> WallTime
    /// The minute of the day, from 0 to 1439, by the machine's local time.
    public let minuteOfDay: () -> Int
    /// The ledger that all processes share.
    public let ledger: any SharedLedger
    /// What makes a ring heard.
    public let ringer: any RingOutput
    /// Where the caller's picture comes from.
    public let pictures: any PictureSource
    /// Takes the events.
    public let report: (Event.Body) -> Void
    /// What keeps the machine awake; nil if nothing does.
    public var wakefulness: (any RingWakefulness)?
    /// The desktop; nil if none is there.
    public var desktop: (any RingDesktop)?
    /// The way to the apps with their own calling code, for voip pushes; nil if there is none.
    public var appCalls: AppCallsDoor?
    /// Says who has a caller's number, and if the person has blocked it; unless it is set, nobody does.
    public var lookUp: NumberLookUp = { _, _ in NumberVerdict() }

    /// A world of these parts, without a desktop.
    public init(
        timers: any TimerSource, wall: @escaping () -> WallTime, minuteOfDay: @escaping () -> Int,
        ledger: any SharedLedger, ringer: any RingOutput, pictures: any PictureSource,
        report: @escaping (Event.Body) -> Void
    ) {
        self.timers = timers
        self.wall = wall
        self.minuteOfDay = minuteOfDay
        self.ledger = ledger
        self.ringer = ringer
        self.pictures = pictures
        self.report = report
    }
}

/// The ledger that all processes share, as one ring uses it.
public protocol SharedLedger: AnyObject {
    /// Who this process is in the ledger.
    var owner: Owner { get }

    /// Changes the ledger in one transaction, and then calls `done`, perhaps before this returns.
    ///
    /// `change` runs exactly once, even if nothing can be read or written: on what could be read.
    func transact<Answer>(_ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void)

    /// Changes what the ledger says of this process's ring, as ``transact(_:done:)`` does, but waits for no other
    /// decision.
    func transactOnOwnRing<Answer>(
        _ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void)

    /// Has the ledger name the file `picture` for this process's call `key`: for the program that answers it, or finds
    /// it missed. Calls `done` then, perhaps before this returns.
    func illustrate(_ key: CallKey, with picture: String, done: @escaping () -> Void)

    /// Lets other processes ask about this process's ring from now on: `heard` gets what they ask, and a closure to be
    /// called with what became of the ring once it is silent, or nil if there is nothing to answer.
    func listen(_ heard: @escaping (CallKey, RingAsk, @escaping (RingAnswer?) -> Void) -> Void)

    /// Stops listening.
    func stopListening()

    /// Asks at the ear of the ring `key`, or at all ears if that is nil, to have `ask` carried out. `heard` gets the
    /// answers, and whether all rings answered; if it returns nil, `change` carries `ask` out in the ledger. Then calls
    /// `done`, perhaps before this returns.
    func carryOut<Answer>(
        _ ask: RingAsk, of key: CallKey?, heard: @escaping (_ answers: [RingAnswer], _ all: Bool) -> Answer?,
        else change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void)

    /// Calls `changed` with the ledger as it is, and then whenever it may have changed, until ``stopWatching()``.
    func watch(_ changed: @escaping (Ledger) -> Void)

    /// Reads the file again, since a wake-up may have been lost, and shows the watcher the ledger if it has changed.
    func lookAgain()

    /// Shows the watcher the ledger again when the process that rings `call` dies or that ring's time is up, since
    /// neither changes the file. This replaces the call of the previous request; nil is none.
    func expectEnd(of call: Call?)

    /// Stops watching both the file and the call.
    func stopWatching()

    /// Calls `done` once the file has what this process changed, or cannot be written, or after two seconds; perhaps
    /// before this returns.
    func finish(_ done: @escaping () -> Void)
}

/// What makes a ring heard.
public protocol RingOutput: AnyObject {
    /// Plays `tune` from the next loud pulse on, in place of the configured sound, unless there is to be none.
    func ring(with tune: ResolvedSound)

    /// What sounds in `mode`: the name of a sound, its file, or `none`.
    func soundName(of mode: RingMode) -> String

    /// Sounds once in `mode`; this replaces the previous pulse.
    func pulse(_ mode: RingMode)

    /// Stops the sound, and calls `silent` once it has stopped, perhaps before this returns.
    func silence(_ silent: @escaping () -> Void)
}

/// What keeps the machine awake while a call rings loud.
public protocol RingWakefulness: AnyObject {
    /// Keeps it awake from now on; does nothing if it does so.
    func hold()

    /// Lets it sleep.
    func release()
}

/// Where the caller's picture comes from.
public protocol PictureSource: AnyObject {
    /// Fetches the picture beside the ring, until `deadline` at most; calls `finished` once, perhaps before this
    /// returns, unless ``cancel()`` comes first.
    func fetch(_ url: String, deadline: Instant, finished: @escaping (PictureDownload.Outcome) -> Void)

    /// Ends the fetch: `finished` is not called any more.
    func cancel()
}

/// The desktop, as one ring hears it.
public protocol RingDesktop: AnyObject {
    /// The desktop's first report; ``DesktopWord/none`` before that.
    var word: DesktopWord { get }

    /// Calls `begin` once, as soon as the desktop has said its first word: within 100 ms, also if it says nothing;
    /// perhaps before this returns.
    func beforeRing(_ begin: @escaping () -> Void)

    /// Calls `changed` whenever do-not-disturb goes on or off from now on, and before this returns if the desktop has
    /// said already which it is.
    func onMuted(_ changed: @escaping (Bool) -> Void)
}

/// The way to the apps that have their own calling code.
public struct AppCallsDoor {
    /// The app group whose ledger has the call.
    public let group: GroupName
    /// Connects to `belfry-calls`; nil if nothing listens there. Called for a voip push alone.
    public let connect: () -> (any AppCalls)?

    /// A way, for a call of `group`.
    public init(group: GroupName, connect: @escaping () -> (any AppCalls)?) {
        self.group = group
        self.connect = connect
    }
}

/// `belfry-calls`, as the worker of one voip push hears it. It hears the worker's events by itself, from the hand-over
/// on.
public protocol AppCalls: AnyObject {
    /// Hands `push` over, once. `heard` takes what it says of it, and nil as the last if the connection is gone: also
    /// if nothing that it says can be read. It may be called before this returns.
    func handOver(_ push: VoIPPush, heard: @escaping (WorkerOrder?) -> Void)

    /// The file beside the order that is being heard; nil if none came.
    func takeFile() -> PassedFile?

    /// Leaves: nothing is heard any more.
    func close()
}

/// What the desktop says of rings.
public struct DesktopWord: Hashable, Sendable {
    /// Whether do-not-disturb is on.
    public let isMuted: Bool
    /// Whether it vibrates.
    public let vibrates: Bool

    /// Of a desktop that is not there, or says nothing in time.
    public static let none = DesktopWord(isMuted: false, vibrates: false)

    /// A word.
    public init(isMuted: Bool, vibrates: Bool) {
        self.isMuted = isMuted
        self.vibrates = vibrates
    }
}
