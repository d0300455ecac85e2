public import AvatarPolicy
public import BootTime
public import EventLoop
public import Notifications
import AvatarCache
import Glibc
import Syscalls

/// One caller's picture: from the cache, from its server, or the reason to go without.
///
/// Nothing here delays a ring: all is done from the loop, and the network belongs to another process.
public final class CallerPicture {
    /// How it ended.
    public enum Outcome: Sendable {
        /// The picture is kept, `bytes` long, and took `seconds`.
        case attached(NotificationAttachment, bytes: Int64, seconds: Double)
        /// There is none.
        case skipped(Skip)
    }

    /// The longest that a fetch may take whatever the settings say.
    static let milliseconds = 1...FetchLimits.millisecondsMax

    private let loop: Loop
    private let settings: AvatarSettings
    private let store: AttachmentStore
    private let cache: PictureCache
    private let program: String?
    private var fetcher: PictureFetcher?
    private var began = Instant(microseconds: 0)
    private var finished: ((Outcome) -> Void)?

    /// - Parameters:
    ///   - statePath: Belfry's state directory.
    ///   - requestID: the request's UUID.
    ///   - program: where belfry-avatar is: beside the worker, never looked up in PATH; nil where that is not known.
    public init(loop: Loop, settings: AvatarSettings, statePath: String, requestID: String, program: String?) {
        self.loop = loop
        self.settings = settings
        self.program = program
        store = AttachmentStore(statePath: statePath, requestID: requestID)
        cache = PictureCache(statePath: statePath)
    }

    /// Fetches the picture at `url`, for the configured time and until `deadline` at most; calls `finished` once, perhaps
    /// before it returns, unless it is cancelled.
    public func fetch(_ url: String, deadline: Instant, finished: @escaping (Outcome) -> Void) {
        began = loop.now
        self.finished = finished
        do throws(Skip) {
            guard settings.timeout > .zero else { throw Skip(.off, "[Avatar] Timeout=0 turns pictures off") }
            let url = try WebURL(url)
            if let refusal = DestinationRules(allow: settings.allow, from: settings.from).refusal(of: url) {
                throw refusal
            }
            try fetch(url, within: min(settings.timeout, deadline - began))
        } catch {
            finish(.skipped(error))
        }
    }

    /// Gives up and kills the fetcher; nothing is called any more.
    public func cancel() {
        finished = nil
        fetcher?.cancel()
        fetcher = nil
        store.discard()
    }

    private func fetch(_ url: WebURL, within time: TimeSpan) throws(Skip) {
        let now = wallTimeMicroseconds() / 1_000_000
        let entry = cache.entry(of: url)
        var entityTag: String?
        switch entry?.use(at: now) {
        case .picture?:
            if let entry { return try attach(entry.picture) }
        case .ask(let tag)?: entityTag = tag
        case .some(.none), nil: break
        }
        guard let program, unsafe access(program, X_OK) == 0 else {
            throw Skip(.fetcherMissing, "belfry-avatar is not installed beside belfry-worker")
        }
        let milliseconds = Int(clamping: time.microseconds / 1_000)
        guard milliseconds > 0 else { throw Skip(.timeout, "no time is left for a picture") }
        let request = FetchRequest(
            url: url.text, bytesMax: settings.bytesMax, milliseconds: milliseconds, allow: settings.allow,
            from: settings.from, entityTag: entityTag)
        do throws(SystemError) {
            let file = try store.makeFile()
            fetcher = try PictureFetcher(loop: loop, program: program, request: request, file: file) {
                [unowned self] result in answered(result, url: url, entry: entry)
            }
        } catch {
            store.discard()
            throw Skip(error.call == "posix_spawn" ? .fetcherMissing : .writeFailed, "\(error)")
        }
    }

    private func answered(_ result: Result<FetchAnswer, Skip>, url: WebURL, entry: CacheEntry?) {
        fetcher = nil
        do throws(Skip) {
            let answer = try result.get()
            let now = wallTimeMicroseconds() / 1_000_000
            switch answer.outcome {
            case .skipped(let skip): throw skip
            case .unchanged:
                guard let entry else { throw Skip(.fetcherCrashed, "the fetcher says unchanged of what it never had") }
                store.discard()
                cache.keep(entry.renewed(at: now, freshness: answer.freshness), of: url, at: now)
                try attach(entry.picture)
            case .picture(let picture):
                try take(picture, freshness: answer.freshness, of: url, at: now)
            }
        } catch {
            store.discard()
            finish(.skipped(error))
        }
    }

    /// Believes nothing of what the fetcher says but what its file shows.
    private func take(
        _ picture: FetchAnswer.Picture, freshness: Freshness, of url: WebURL, at now: Int64
    ) throws(Skip) {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try store.written(bytesMax: FetchLimits.writtenBytesMax) } catch {
            throw Skip(.writeFailed, "\(error)")
        }
        guard bytes.count == picture.bytes, let header = try? PictureHeader(of: bytes), header.format == .png else {
            throw Skip(.fetcherCrashed, "what belfry-avatar wrote is not the picture it told of")
        }
        do throws(SystemError) { try store.keep() } catch { throw Skip(.writeFailed, "\(error)") }
        attached(bytes: bytes.count)
        guard freshness.isWorthKeeping else { return }
        cache.keep(CacheEntry(url: url, fetchedAt: now, freshness: freshness, picture: bytes), of: url, at: now)
    }

    private func attach(_ picture: [UInt8]) throws(Skip) {
        do throws(SystemError) { try store.keep(picture) } catch { throw Skip(.writeFailed, "\(error)") }
        attached(bytes: picture.count)
    }

    private func attached(bytes: Int) {
        let attachment = NotificationAttachment(id: "caller", path: store.path, type: FetchAnswer.writtenType)
        finish(.attached(attachment, bytes: Int64(bytes), seconds: (loop.now - began).seconds))
        loop.afterThis(description: "old pictures") { [store] in store.removeOld(at: wallTimeMicroseconds() / 1_000_000)
        }
    }

    private func finish(_ outcome: Outcome) {
        let finished = finished
        self.finished = nil
        finished?(outcome)
    }
}
