public import BelfryProtocol
public import BelfryTerms
public import CallLedger
public import PictureFetcher

/// All that the service does to the world, and needs of it; a test mirrors it and refuses impossible orders.
public protocol CallWorld: AnyObject {
    /// The instant.
    var now: Instant { get }
    /// The wall clock.
    var wall: WallTime { get }
    /// This process, as owner of a ring.
    var owner: Owner { get }

    /// Calls `action` at `instant`, in place of what an earlier call asked for.
    func wake(at instant: Instant, _ action: @escaping () -> Void)

    /// Changes the group file in one transaction, and then calls `done`, perhaps before this returns.
    ///
    /// `change` runs exactly once whatever becomes of the file, on what could be read of it.
    func transact<Answer>(_ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer) -> Void)

    /// Calls `changed` with the ledger whenever the group file may have changed, until ``stopWatching()``.
    func watch(_ changed: @escaping (Ledger) -> Void)

    /// Of the calls only `keys` matter from now on, the first most: others' changes may be shown as late as
    /// ``lookAgain()``, and a ledger that is shown may know these alone.
    func heed(_ keys: [CallKey])

    /// Reads the group file again, for a wake-up that was lost, and tells the watcher where it has changed.
    func lookAgain()

    /// Calls `died` when `process` is gone, in place of the one watched before, and then shows the watcher the ledger
    /// again; nil watches none.
    func watchDeath(of process: Owner?, _ died: @escaping () -> Void)

    /// Watches neither the file nor a process any more.
    func stopWatching()

    /// Sounds and vibrates once in `mode`, in place of the last time.
    func pulse(_ mode: RingMode)

    /// Makes sound and vibration stop, and calls `silent` once they have.
    func silence(_ silent: @escaping () -> Void)

    /// Fetches the caller's picture beside the ring, until `deadline` at most; calls `finished` once, perhaps before
    /// this returns, unless ``cancelPicture()`` comes first.
    func fetchPicture(_ url: String, deadline: Instant, finished: @escaping (PictureDownload.Outcome) -> Void)

    /// Ends the fetch.
    func cancelPicture()

    /// Tells an event.
    func report(_ body: Event.Body)
}
