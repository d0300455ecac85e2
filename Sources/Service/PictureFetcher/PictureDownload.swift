public import BelfryEventLoop
public import BelfryPictures
public import BelfryProtocol
import BelfrySyscalls
public import BelfryTerms
import Glibc

/// One caller's picture: from the cache, from its server, or the reason to go without.
///
/// Nothing here delays a ring: all is done from the loop, and another process talks to the network.
///
/// It is idle until ``fetch(_:deadline:finished:)``; then it waits for its turn (`pause` is set), then for the fetcher
/// (`fetcher` is set), and is over once `finished` is nil again. It never waits for both: the pause has fired before
/// the fetcher is started. A fetcher that ends after ``cancel()`` is reaped, and reports nothing.
public final class PictureDownload {
    /// How a download ended.
    public enum Outcome: Sendable {
        /// The picture is kept, `bytes` long, and took `seconds`.
        case attached(NotificationAttachment, bytes: Int64, seconds: Double)
        /// There is none.
        case skipped(Skip)
    }

    /// How long to wait before asking again for a turn: twice as long as before, and shorter as the time runs out, so
    /// that the worker that came last, and asks most often, is not served first.
    static func pause(after earlier: TimeSpan, left: TimeSpan) -> TimeSpan {
        let (shortest, longest) = (TimeSpan.milliseconds(5), TimeSpan.milliseconds(80))
        return max(shortest, min(earlier + earlier, longest, TimeSpan(microseconds: left.microseconds / 128)))
    }

    private let loop: Loop
    private let settings: PictureSettings
    private let statePath: String
    // Made when a picture is asked for: most notifications have none.
    private lazy var store = KeptPictures(statePath: statePath)
    private lazy var cache = PictureCache(statePath: statePath)
    private let program: () -> String?
    private let variable: (String) -> String?
    private var fetcher: FetcherProcess?
    private var turn: FetchTurn?
    private var pause: (any ScheduledTimer)?
    private var began = Instant(microseconds: 0)
    private var deadline = Instant(microseconds: 0)
    private var finished: ((Outcome) -> Void)?

    /// - Parameters:
    ///   - statePath: Belfry's state directory.
    ///   - program: where belfry-avatar is: beside the worker, never looked up in PATH; nil if that is not known.
    ///   - variable: looks up an environment variable; the fetcher gets those that ``FetcherEnvironment`` names.
    public init(
        loop: Loop, settings: PictureSettings, statePath: String, program: @autoclosure @escaping () -> String?,
        variable: @escaping (String) -> String? = { FetcherEnvironment.variable($0) }
    ) {
        self.loop = loop
        self.settings = settings
        self.program = program
        self.variable = variable
        self.statePath = statePath
    }

    /// Fetches the picture at `url`, for the configured time and until `deadline` at most; calls `finished` once,
    /// perhaps before it returns, unless it is cancelled. Called once.
    public func fetch(_ url: String, deadline: Instant, finished: @escaping (Outcome) -> Void) {
        began = loop.now
        self.deadline = min(deadline, began + settings.timeout)
        self.finished = finished
        attempt { [self] () throws(Skip) in
            guard settings.timeout > .zero else { throw Skip(.off, "[Avatar] Timeout=0 turns pictures off") }
            let url = try WebURL(url)
            if let refusal = DestinationRules(allow: settings.allow, from: settings.from).refusal(of: url) {
                throw refusal
            }
            if let picture = current(cache.entry(of: url)) { return try attach(picture) }
            guard let program = program(), unsafe access(program, X_OK) == 0 else {
                throw Skip(.fetcherMissing, "belfry-avatar is not installed beside belfry-worker")
            }
            let turn = FetchTurn(url, statePath: statePath)
            self.turn = turn
            try fetch(url, by: program, turn: turn, earlier: .zero)
        }
    }

    /// Gives up and kills the fetcher; `finished` is not called any more.
    public func cancel() {
        finished = nil
        fetcher?.cancel()
        tidyUp()
    }

    /// Removes pictures that are older than a day, except those that `listed` returns; none if it returns nil. With
    /// many it takes a while, so call it when all else is done.
    public func removeOld(keeping listed: () -> Set<String>?) {
        guard began.microseconds > 0 else { return }
        store.removeOld(at: wallTimeMicroseconds() / 1_000_000, keeping: listed)
    }

    /// Ends with the reason that `body` throws.
    private func attempt(_ body: () throws(Skip) -> Void) {
        do throws(Skip) { try body() } catch { finish(.skipped(error)) }
    }

    private func current(_ entry: CacheEntry?) -> KeptPicture? {
        guard case .picture? = entry?.use(at: wallTimeMicroseconds() / 1_000_000) else { return nil }
        return entry?.picture
    }

    /// Fetches the picture when it is its turn. Nothing reports that a lock is free, so it is tried again and again.
    private func fetch(_ url: WebURL, by program: String, turn: FetchTurn, earlier: TimeSpan) throws(Skip) {
        guard deadline > loop.now else {
            let detail =
                "\(FetchTurn.fetchersMax) other pictures, \(FetchTurn.fetchersOfHostMax) of the same host, or this one "
                + "for another call, took all the time"
            throw Skip(.timeout, began == loop.now ? "no time is left for a picture" : detail)
        }
        var step = turn.step()
        var entry: CacheEntry?
        if case .look = step {
            entry = cache.entry(of: url)
            if let picture = current(entry) { return try attach(picture) }
            step = turn.step()
        }
        guard case .fetch = step else {
            let pause = Self.pause(after: earlier, left: deadline - loop.now)
            let next = min(loop.now + pause, deadline)
            self.pause = loop.schedule(at: next, description: "turn to fetch") { [unowned self] in
                attempt { () throws(Skip) in try fetch(url, by: program, turn: turn, earlier: pause) }
            }
            return
        }
        try start(url, by: program, entry: entry ?? cache.entry(of: url))
    }

    private func start(_ url: WebURL, by program: String, entry: CacheEntry?) throws(Skip) {
        var entityTag: String?
        if case .ask(let tag)? = entry?.use(at: wallTimeMicroseconds() / 1_000_000) { entityTag = tag }
        do throws(SystemError) { try store.prepare() } catch { throw Skip(.writeFailed, "\(error)") }
        let settings = settings
        do throws(SystemError) {
            fetcher = try FetcherProcess(
                loop: loop, program: program, environment: FetcherEnvironment.of(variable), within: deadline - loop.now
            ) { milliseconds in
                FetchRequest(
                    url: url.text, bytesMax: settings.bytesMax, milliseconds: milliseconds, allow: settings.allow,
                    from: settings.from, entityTag: entityTag)
            } finished: { [unowned self] result in
                attempt { () throws(Skip) in try answered(result, url: url, entry: entry) }
            }
        } catch {
            throw Skip(.fetcherMissing, "belfry-avatar cannot be started: \(error)")
        }
    }

    private func answered(_ result: Result<FetchAnswer, Skip>, url: WebURL, entry: CacheEntry?) throws(Skip) {
        let answer = try result.get()
        let now = wallTimeMicroseconds() / 1_000_000
        switch answer.outcome {
        case .skipped(let skip): throw skip
        case .unchanged:
            guard let entry else { throw Skip(.fetcherCrashed, "belfry-avatar says unchanged of what it never had") }
            cache.keep(entry.renewed(at: now, freshness: answer.freshness), of: url, at: now)
            try attach(entry.picture)
        case .picture(let picture):
            try take(picture, freshness: answer.freshness, of: url, at: now)
        }
    }

    /// Takes the picture that the fetcher wrote, and believes of its answer only what the file shows.
    private func take(
        _ picture: FetchAnswer.Picture, freshness: Freshness, of url: WebURL, at now: Int64
    ) throws(Skip) {
        guard let written = try? fetcher?.written(), written.count == picture.bytes, let kept = KeptPicture(written)
        else {
            throw Skip(.fetcherCrashed, "what belfry-avatar wrote is not the picture it told of")
        }
        // Kept before the turn ends: a worker that waits for the turn looks into the cache then.
        if freshness.isWorthKeeping {
            cache.keep(CacheEntry(url: url, fetchedAt: now, freshness: freshness, picture: kept), of: url, at: now)
        }
        try attach(kept)
    }

    private func attach(_ picture: KeptPicture) throws(Skip) {
        do throws(SystemError) { try store.keep(picture) } catch { throw Skip(.writeFailed, "\(error)") }
        let attachment = NotificationAttachment(id: "caller", path: store.path, type: FetchAnswer.writtenType)
        finish(
            .attached(attachment, bytes: Int64(picture.bytes.count), seconds: (loop.now - began).seconds))
    }

    private func finish(_ outcome: Outcome) {
        tidyUp()
        let finished = finished
        self.finished = nil
        finished?(outcome)
    }

    /// The fetcher stays: one that was killed has yet to be reaped.
    private func tidyUp() {
        turn?.end()
        turn = nil
        pause?.cancel()
        pause = nil
    }
}

/// The operator's settings for callers' pictures.
public struct PictureSettings: Hashable, Sendable {
    /// How long a picture may take; zero turns pictures off.
    public var timeout: TimeSpan
    /// Bytes of a picture as it arrives, at most.
    public var bytesMax: Int
    /// Hosts and networks exempt from the ban on private addresses.
    public var allow: [String]
    /// The only hosts that pictures may come from; empty for any.
    public var from: [String]

    /// Settings.
    public init(timeout: TimeSpan, bytesMax: Int, allow: [String], from: [String]) {
        self.timeout = timeout
        self.bytesMax = bytesMax
        self.allow = allow
        self.from = from
    }
}
