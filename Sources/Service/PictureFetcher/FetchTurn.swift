import BelfryPictures
import BelfrySyscalls

/// A fetch's turn among those of all workers: one fetch of a URL at a time, so that the others find the picture in the
/// cache, and few fetches in all, since each may take 200 MiB for a large picture.
///
/// A turn is two locked files in `<state>/avatars/locks`, which the kernel frees when their holder dies. Where there
/// are none to be had, nobody waits: too many fetchers are better than no picture.
final class FetchTurn {
    /// How many fetchers of a user run at once.
    static let fetchersMax = 8

    /// What there is to do next.
    enum Step {
        /// Look into the cache: somebody else may just have fetched it. Then ask again.
        case look
        /// Fetch it.
        case fetch
        /// Ask again a little later.
        case wait
    }

    private let statePath: String
    private let name: String
    private var hasLooked = false
    private var hasWaited = false
    private var own: FileLock?
    private var slot: FileLock?

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
                slot = consume lock
                return .fetch
            }
            return .wait
        } catch {
            // What is wrong with the folder is told of once the picture cannot be kept either.
            if hasLooked { return .fetch }
            hasLooked = true
            return .look
        }
    }

    /// Gives the turn to the others.
    func end() {
        if own != nil, let folder = try? folder() { try? folder.remove(name) }
        own = nil
        slot = nil
    }

    private func takeURL(in folder: borrowing Directory) throws(SystemError) -> Step {
        guard let lock = try FileLock.tryTake(name, in: folder) else {
            hasWaited = true
            return .wait
        }
        own = consume lock
        hasLooked = true
        // Who waited in vain waits for nobody again: a picture that may not be kept would be fetched one by one.
        if hasWaited { end() }
        return .look
    }

    private func folder() throws(SystemError) -> Directory {
        try PictureCache(statePath: statePath).folder(makes: true).openDirectory("locks", makes: true)
    }
}
