import BelfryEventLoop
import BelfryPictures
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
@testable import PictureFetcher
import Support
import Testing

@Suite("Pictures are shared by all calls of a day") struct SharingTests {
    let bench: PictureBench

    init() throws { bench = try PictureBench() }

    private func fetch(_ program: String) -> Ended { bench.outcome(of: bench.picture(program)) }

    @Test("one that is fresh is not fetched again") func fresh() throws {
        let program = bench.goodFetcher()
        #expect(fetch(program).path != nil)
        let second = try #require(fetch(program).path)
        #expect(bench.runs == 1)
        #expect(bench.bytes(of: second) == PictureBench.png)
        #expect(bench.outcome(of: bench.picture(program), url: PictureBench.url + "?b").path != nil)
        #expect(bench.runs == 2)
    }

    @Test("one that is stale is asked for by its tag, and used again if unchanged") func unchanged() {
        _ = fetch(bench.goodFetcher(#", "etag": "\"v1\"""#, keepSeconds: 0))
        let answer = #"{"outcome": "unchanged", "seconds": 0.1, "keepSeconds": 60}"#
        let program = bench.fetcher("/bin/cat >$folder/request; echo '\(answer)'")
        let second = fetch(program)
        #expect(second.path != nil, "\(second)")
        #expect(bench.lines(of: "request").first?.contains(#""etag":"\"v1\"""#) == true)
        #expect(fetch(program).path != nil)
        #expect(bench.runs == 2)
    }

    @Test("one that may not be kept is fetched each time") func notKept() {
        let program = bench.goodFetcher(keepSeconds: 0)
        _ = fetch(program)
        #expect(fetch(program).path != nil)
        #expect(bench.runs == 2)
        #expect(bench.names(in: "avatars") == ["locks"])
    }

    @Test("entries that are corrupt are as none") func corrupt() throws {
        let program = bench.goodFetcher()
        _ = fetch(program)
        let name = try #require(bench.names(in: "avatars").first { $0.hasSuffix(".picture") })
        let path = "\(bench.state)/avatars/\(name)"
        let whole = bench.bytes(of: path)
        var flipped = whole
        flipped[flipped.count - 20] ^= 1
        for (index, broken) in [[], Array(whole.dropLast(5)), flipped, Array("{}\n".utf8) + PictureBench.png]
            .enumerated()
        {
            bench.folder.write(broken, to: "state/avatars/\(name)")
            #expect(fetch(program).path != nil)
            #expect(bench.runs == index + 2)
        }
        // A link or a folder in its place neither.
        unsafe unlink(path)
        unsafe symlink("/etc/passwd", path)
        #expect(fetch(program).path != nil)
    }

    @Test("an entry under the name of another URL is never shown: a collision is a miss") func collision() throws {
        let (ada, eve) = (PictureBench.url, "https://pictures.example/eve.png")
        let program = bench.goodFetcher()
        #expect(bench.outcome(of: bench.picture(program), url: ada).path != nil)
        // As if both URLs had one key.
        let names = try [ada, eve].map { "\(bench.state)/avatars/\(CacheKey(try WebURL($0)).fileName)" }
        let moved = unsafe rename(names[0], names[1])
        #expect(moved == 0)
        #expect(bench.outcome(of: bench.picture(program), url: eve).path != nil)
        #expect(bench.runs == 2, "fetched, not taken from the entry of the other")
        #expect(bench.outcome(of: bench.picture(program), url: eve).path != nil)
        #expect(bench.runs == 2, "the other's entry is replaced")
    }

    @Test("the first entry of all makes the cache's folder") func firstEntry() throws {
        let url = try WebURL(PictureBench.url)
        let picture = try #require(KeptPicture(PictureBench.png))
        let now = wallTimeMicroseconds() / 1_000_000
        let entry = CacheEntry(url: url, fetchedAt: now, freshness: Freshness(seconds: 60), picture: picture)
        let cache = PictureCache(statePath: bench.state)
        cache.keep(entry, of: url, at: now)
        #expect(cache.entry(of: url) == entry)
    }

    @Test("entries of an earlier version are not read, stay for a day, and go") func earlierVersion() {
        let names = ["a", "b"].map { String(repeating: $0, count: 64) + ".picture" }
        bench.folder.makeFolder("state/avatars")
        for name in names { bench.folder.write(PictureBench.png, to: "state/avatars/\(name)") }
        let old = Int(wallTimeMicroseconds() / 1_000_000) - 86_410
        let times = [timespec(tv_sec: old, tv_nsec: 0), timespec(tv_sec: old, tv_nsec: 0)]
        let result = unsafe utimensat(AT_FDCWD, "\(bench.state)/avatars/\(names[0])", times, 0)
        #expect(result == 0)
        #expect(fetch(bench.goodFetcher()).path != nil)
        #expect(bench.runs == 1)
        let left = bench.names(in: "avatars")
        #expect(!left.contains(names[0]) && left.contains(names[1]))
    }

    @Test("asked for by twenty calls at once, it is fetched once") func together() {
        let program = bench.goodFetcher(first: "sleep 0.3")
        let ended = bench.outcomes(of: (0..<20).map { _ in bench.picture(program) })
        #expect(ended.count == 20)
        #expect(ended.allSatisfy { $0.path != nil })
        #expect(bench.runs == 1)
    }

    @Test("where it may not be kept, those who waited do not wait for each other") func togetherNotKept() {
        // All but the first wait for one more beside them: one after the other they would wait in vain.
        let program = bench.goodFetcher(
            keepSeconds: 0,
            first: "[ $(wc -l <$folder/runs) = 1 ] || until [ $(wc -l <$folder/runs) -ge 3 ]; do sleep 0.01; done")
        let ended = bench.outcomes(of: (0..<9).map { _ in bench.picture(program) })
        #expect(ended.allSatisfy { $0.path != nil })
        #expect(bench.runs == 9)
    }

    @Test("eight fetchers run at once; who waits in vain goes without, in time") func crowd() {
        let program = bench.fetcher("sleep 600")
        let ended = outcomes(of: (0..<12).map { "https://host-\($0 / 2).example/\($0)" }, program, within: .seconds(8))
        #expect(bench.runs == 8)
        #expect(ended.values.allSatisfy { $0.skip?.reason == .timeout && $0.seconds < 16 })
        #expect(bench.names(in: "attachments") == [])
        #expect(bench.names(in: "avatars/locks").allSatisfy { $0.hasPrefix("slot-") })
    }

    @Test("who waits asks less and less often, and more often again as the time runs out") func pauses() {
        var pause = TimeSpan.zero
        let first = (0..<6).map { _ in
            pause = PictureDownload.pause(after: pause, left: .seconds(25))
            return pause
        }
        #expect(first == [5, 10, 20, 40, 80, 80].map { .milliseconds($0) })
        #expect(PictureDownload.pause(after: pause, left: .milliseconds(2_560)) == .milliseconds(20))
        #expect(PictureDownload.pause(after: pause, left: .zero) == .milliseconds(5))
    }

    @Test("two fetch from one host; the others of that host wait, and no other host does") func oneHost() {
        let program = bench.goodFetcher(first: "read line; case $line in *slow*) sleep 600;; esac")
        let slow = (0..<9).map { "https://slow.example/\($0)" }
        let ended = outcomes(of: slow + ["https://other.example/a"], program, within: .seconds(8))
        #expect(ended["https://other.example/a"]?.path != nil)
        #expect(ended.values.count { $0.skip?.reason == .timeout } == 9)
        #expect(bench.runs == 3)
    }

    /// What comes of each of `urls`, asked for at once and in this order.
    private func outcomes(of urls: [String], _ program: String, within time: TimeSpan) -> [String: Ended] {
        let began = bench.loop.now
        var ended: [String: Ended] = [:]
        let pictures = urls.map { _ in bench.picture(program) }
        for (url, picture) in zip(urls, pictures) {
            picture.fetch(url, deadline: began + time) { [bench] in
                ended[url] = Ended(outcome: $0, seconds: (bench.loop.now - began).seconds)
                if ended.count == urls.count { bench.loop.stop() }
            }
        }
        bench.loop.run()
        return withExtendedLifetime(pictures) { ended }
    }

    @Test("S1: each notification has a picture of its own, also where another one fails") func apart() throws {
        let good = bench.picture(bench.goodFetcher())
        let ended = bench.outcomes(of: [good, bench.picture(nil), bench.picture(bench.goodFetcher())])
        let paths = ended.compactMap(\.path)
        #expect(Set(paths).count == 2)
        for path in paths { #expect(bench.bytes(of: path) == PictureBench.png) }
        #expect(bench.kept.count == 2)
    }

    @Test("a picture is kept for a day, then removed with what dead workers left") func old() throws {
        let program = bench.goodFetcher()
        let yesterday = fetch(program).folderName
        let today = fetch(program).folderName
        bench.folder.write([1], to: "state/attachments/\(yesterday)/.caller.png.1.new")
        func age(_ name: String, seconds: Int) {
            let now = Int(wallTimeMicroseconds() / 1_000_000)
            let times = [timespec(tv_sec: now - seconds, tv_nsec: 0), timespec(tv_sec: now - seconds, tv_nsec: 0)]
            let result = unsafe utimensat(AT_FDCWD, "\(bench.state)/attachments/\(name)", times, 0)
            precondition(result == 0)
        }
        age(yesterday, seconds: 86_410)
        bench.folder.makeFolder("state/attachments/killed")
        bench.folder.write([1], to: "state/attachments/killed/.caller.png.new")
        bench.folder.makeFolder("state/attachments/missed")
        bench.folder.write([1], to: "state/attachments/missed/caller.png")
        age("missed", seconds: 86_410)
        age("killed", seconds: 610)
        bench.folder.makeFolder("state/attachments/writing")
        bench.folder.write([1], to: "state/attachments/writing/.caller.png.new")
        age(today, seconds: 86_300)
        let picture = bench.picture(program)
        let now = bench.outcome(of: picture).folderName
        picture.removeOld { nil }
        #expect(Set(bench.kept) == [now, yesterday, today, "missed", "writing"])
        age(yesterday, seconds: 86_410)
        picture.removeOld { ["\(bench.state)/attachments/missed/caller.png", "caller.png", "/"] }
        #expect(Set(bench.kept) == [now, today, "missed", "writing"])
    }

    @Test("a day is over when its last second is") func wholeDay() {
        let kept = 1_700_000_000
        bench.folder.makeFolder("state/attachments/kept")
        bench.folder.write([1], to: "state/attachments/kept/caller.png")
        let times = [timespec(tv_sec: kept, tv_nsec: 0), timespec(tv_sec: kept, tv_nsec: 0)]
        let result = unsafe utimensat(AT_FDCWD, "\(bench.state)/attachments/kept", times, 0)
        precondition(result == 0)
        let store = KeptPictures(statePath: bench.state)
        store.removeOld(at: Int64(kept) + 86_400) { [] }
        #expect(bench.kept == ["kept"])
        store.removeOld(at: Int64(kept) + 86_401) { [] }
        #expect(bench.kept == [])
    }
}
