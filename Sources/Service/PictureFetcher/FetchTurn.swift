import BelfryPictures
import BelfrySyscalls

/// A fetch's turn among those of all workers: one fetch of a URL at a time, so that the others find the picture in the
/// cache; few fetches in all, since each may take 200 MiB for a large picture; and fewer from one host, so that a host
/// that is slow or sends bombs holds up itself alone.
///
/// A turn is three locked files in `<state>/avatars/locks`, which the kernel frees when their holder dies. If the locks
/// cannot be made, no worker waits: too many fetchers are better than no picture.
///
/// It passes four states, and ``step()`` moves it on: waiting for the URL's lock (`.wait`), the URL's lock taken and
/// the cache to be looked into (`.look`, once), waiting for one of the host's places, and then for one of the slots
/// (`.wait`), until it may fetch (`.fetch`). A slot without having looked is impossible, since `hasLooked` is asked
/// first.
final class FetchTurn {
    /// How many fetchers of a user run at once.
    static let fetchersMax = 8
    /// How many of them fetch from one host, as the URL names it.
    static let fetchersOfHostMax = 2

    /// What to do next.
    enum Step {
        /// Look into the cache: another worker may just have fetched the picture. Then ask again.
        case look
        /// Fetch the picture.
        case fetch
        /// Ask again a little later.
        case wait
    }

    private let statePath: String
    private let key: CacheKey
    private var hasLooked = false
    private var hasWaited = false
    /// The lock on this URL; nil before `.look`, and after it if this turn had to wait.
    private var urlLock: FileLock?
    /// One of the host's places; nil before it waits for a slot.
    private var hostLock: FileLock?
    private var hostLockName = ""
    /// One of the slots; nil before `.fetch`.
    private var slotLock: FileLock?

    /// A turn to fetch `url`.
    init(_ url: WebURL, statePath: String) {
        self.statePath = statePath
        key = CacheKey(url)
    }

    /// What to do next; never waits.
    func step() -> Step {
        do throws(SystemError) {
            let folder = try folder()
            guard hasLooked else { return try takeURL(in: folder) }
            guard try takeHost(in: folder) else { return .wait }
            for number in 0..<Self.fetchersMax {
                guard let lock = try FileLock.tryTake("slot-\(number)", in: folder) else { continue }
                slotLock = consume lock
                return .fetch
            }
            return .wait
        } catch {
            // A fault of the folder is reported when the picture cannot be kept either.
            if hasLooked { return .fetch }
            hasLooked = true
            return .look
        }
    }

    /// Gives the turn to the others.
    func end() {
        // While the locks are held: afterwards a file of that name may be another worker's.
        if let folder = try? folder() {
            if urlLock != nil { try? folder.remove(key.fileName) }
            if hostLock != nil { try? folder.remove(hostLockName) }
        }
        urlLock = nil
        hostLock = nil
        slotLock = nil
    }

    private func takeURL(in folder: borrowing Directory) throws(SystemError) -> Step {
        guard let lock = try FileLock.tryTake(key.fileName, in: folder) else {
            hasWaited = true
            return .wait
        }
        urlLock = consume lock
        hasLooked = true
        // Having waited once, don't hold others up: pictures that may not be kept would be fetched one at a time.
        if hasWaited { end() }
        return .look
    }

    /// Whether it has one of the host's places, which it keeps while it waits for a slot.
    private func takeHost(in folder: borrowing Directory) throws(SystemError) -> Bool {
        if hostLock != nil { return true }
        for number in 0..<Self.fetchersOfHostMax {
            let name = "host-\(key.hostDigits)-\(number)"
            guard let lock = try FileLock.tryTake(name, in: folder) else { continue }
            hostLock = consume lock
            hostLockName = name
            return true
        }
        return false
    }

    private func folder() throws(SystemError) -> Directory {
        try PictureCache(statePath: statePath).folder(makes: true).openDirectory("locks", makes: true)
    }
}
