import BelfryPictures
import BelfrySyscalls

/// A fetch's turn among those of all workers: one fetch of a URL at a time, so that the others find the picture in the
/// cache, and few fetches in all, since each may take 200 MiB for a large picture.
///
/// A turn is two locked files in `<state>/avatars/locks`, which the kernel frees when their holder dies. If the locks
/// cannot be made, nobody waits: too many fetchers are better than no picture.
///
/// It passes three states, and ``step()`` moves it on: waiting for the URL's lock (`.wait`), the URL's lock taken and
/// the cache to be looked into (`.look`, once), waiting for one of the slots (`.wait`) until it may fetch (`.fetch`). A
/// slot without having looked is impossible, since `hasLooked` is asked first.
final class FetchTurn {
    /// How many fetchers of a user run at once.
    static let fetchersMax = 8

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
    private let name: String
    private var hasLooked = false
    private var hasWaited = false
    /// The lock on this URL; nil before `.look`, and after it if this turn had to wait.
    private var urlLock: FileLock?
    /// One of the slots; nil before `.fetch`.
    private var slotLock: FileLock?

    /// A turn to fetch `url`.
    init(_ url: WebURL, statePath: String) {
        self.statePath = statePath
        name = CacheKey(url).fileName
    }

    /// What to do next; never waits.
    func step() -> Step {
        do throws(SystemError) {
            let folder = try folder()
            guard hasLooked else { return try takeURL(in: folder) }
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
        if urlLock != nil, let folder = try? folder() { try? folder.remove(name) }
        urlLock = nil
        slotLock = nil
    }

    private func takeURL(in folder: borrowing Directory) throws(SystemError) -> Step {
        guard let lock = try FileLock.tryTake(name, in: folder) else {
            hasWaited = true
            return .wait
        }
        urlLock = consume lock
        hasLooked = true
        // Having waited once, don't hold others up: pictures that may not be kept would be fetched one at a time.
        if hasWaited { end() }
        return .look
    }

    private func folder() throws(SystemError) -> Directory {
        try PictureCache(statePath: statePath).folder(makes: true).openDirectory("locks", makes: true)
    }
}
