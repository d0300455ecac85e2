import BelfryEventLoop
import BelfryPictures
import BelfrySyscalls
import BelfryTerms
import Glibc
import PictureFetcher
import Support
import Testing

@Suite("A caller's picture, from stand-ins for belfry-avatar") struct PictureDownloadTests {
    let bench: PictureBench

    init() throws { bench = try PictureBench() }

    @Test("is kept whole, for its owner alone, and nothing else is left") func kept() throws {
        let ended = bench.outcome(of: bench.picture(bench.goodFetcher()))
        let path = try #require(ended.path)
        #expect(path == "\(bench.state)/attachments/\(ended.folderName)/caller.png")
        #expect(bench.bytes(of: path) == PictureBench.png)
        var status = stat()
        #expect(unsafe stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(bench.kept == [ended.folderName])
        #expect(bench.names(in: "attachments/\(ended.folderName)") == ["caller.png"])
        #expect(!bench.names(in: "avatars/locks").contains { $0.hasSuffix(".picture") })
    }

    @Test(
        "whatever the fetcher does, there is one reason and nothing is left",
        arguments: [
            ("exit 0", SkipReason.fetcherCrashed), ("exit 3", .fetcherCrashed), ("kill -SEGV $$", .fetcherCrashed),
            ("kill -KILL $$", .fetcherCrashed), ("kill -ALRM $$", .timeout), ("echo nonsense", .fetcherCrashed),
            ("head -c 100000 /dev/zero", .fetcherCrashed),
            ("echo '{\"outcome\": \"unchanged\", \"seconds\": 0}'", .fetcherCrashed),
            (
                "echo '{\"outcome\": \"skipped\", \"reason\": \"http-status\", \"detail\": \"404\", \"seconds\": 0}'",
                .httpStatus
            ),
            (
                "echo '{\"outcome\": \"skipped\", \"reason\": \"invented\", \"detail\": \"\", \"seconds\": 0}'",
                .fetcherCrashed
            ),
        ]) func failures(script: String, reason: SkipReason)
    {
        let ended = bench.outcome(of: bench.picture(bench.fetcher(script)))
        #expect(ended.skip?.reason == reason)
        #expect(ended.skip?.detail.isEmpty == false)
        #expect(bench.kept == [])
    }

    @Test("a picture that is not what the answer tells of is none") func lies() {
        let answer =
            #"{"outcome": "picture", "width": 2, "height": 2, "bytes": 5, "source": "png", "#
            + #""fetchedBytes": 9, "seconds": 0.1}"#
        for content in ["hello", "hello, world"] {
            let script = "printf '\(content)' >&3; echo '\(answer)'"
            let ended = bench.outcome(of: bench.picture(bench.fetcher(script)))
            #expect(ended.skip?.reason == .fetcherCrashed)
            #expect(bench.kept == [])
        }
    }

    @Test(
        "a picture that holds more than pixels is none",
        arguments: [
            SmallPNG.bytes(width: 8_192, height: 4_096),
            SmallPNG.bytes(more: SmallPNG.chunk("zTXt", Array("A\0\0x".utf8))),
            SmallPNG.bytes() + Array("<script>PK\u{3}\u{4}".utf8),
        ]) func morePixels(_ picture: [UInt8])
    {
        bench.folder.write(picture, to: "picture.png")
        let ended = bench.outcome(of: bench.picture(bench.goodFetcher(bytes: picture.count)))
        #expect(ended.skip?.reason == .fetcherCrashed)
        #expect(bench.kept == [])
        #expect(bench.names(in: "avatars") == ["locks"])
    }

    @Test("who outlives the fetcher and its group with its descriptors changes nothing of what is kept")
    func outlived() throws {
        for name in ["ready", "go", "done"] { _ = unsafe mkfifo("\(bench.folder.path)/\(name)", 0o600) }
        let outliving = "cd $1; echo x >ready; read x <go; echo changed >&3; echo x >done"
        let first = """
            /usr/bin/setsid /bin/sh -c '\(outliving)' sh $folder >/dev/null &
            read x <$folder/ready
            """
        let ended = bench.outcome(of: bench.picture(bench.goodFetcher(first: first)))
        let path = try #require(ended.path)
        bench.folder.write(Array("x\n".utf8), to: "go")
        #expect(bench.lines(of: "done") == ["x"])
        #expect(bench.bytes(of: path) == PictureBench.png)
    }

    @Test("a fetcher writes its picture and reads its request, and nothing the other way round") func oneWay() {
        let first = """
            /bin/cat <&3 >/dev/null 2>&1 && echo read >>$folder/more
            echo x 2>/dev/null >&0 && echo written >>$folder/more
            /bin/cat <&0 >$folder/request
            """
        #expect(bench.outcome(of: bench.picture(bench.goodFetcher(first: first))).path != nil)
        #expect(bench.lines(of: "more") == [])
        #expect(bench.lines(of: "request").first?.contains(PictureBench.url) == true)
    }

    @Test("one that hangs is killed with all it started, in time") func hangs() throws {
        let script = "sleep 600 & echo $! >$folder/grandchild; trap '' TERM; sleep 600"
        var pictures: [PictureDownload] = []
        var grandchild: Int32?
        // On a busy machine the script may not have come so far when its time is over.
        for timeout in [TimeSpan.milliseconds(400), .seconds(4), .seconds(20)] where grandchild == nil {
            bench.settings.timeout = timeout
            let picture = bench.picture(bench.fetcher(script))
            pictures.append(picture)
            let ended = bench.outcome(of: picture)
            #expect(ended.skip?.reason == .timeout)
            #expect(ended.seconds >= timeout.seconds && ended.seconds < timeout.seconds + 10)
            #expect(bench.kept == [])
            grandchild = bench.lines(of: "grandchild").first.flatMap { Int32($0) }
        }
        #expect(ends(try #require(grandchild)))
        _ = pictures
    }

    @Test("what one that ended left behind is killed") func leftBehind() throws {
        let picture = bench.picture(bench.goodFetcher(first: "sleep 600 >/dev/null 2>&1 & echo $! >$folder/grandchild"))
        #expect(bench.outcome(of: picture).path != nil)
        let grandchild = try #require(bench.lines(of: "grandchild").first.flatMap { Int32($0) })
        #expect(ends(grandchild))
    }

    @Test("the call's own deadline cuts the configured time") func deadline() {
        let ended = bench.outcome(of: bench.picture(bench.fetcher("sleep 600")), within: .milliseconds(300))
        #expect(ended.skip?.reason == .timeout)
        #expect(ended.seconds >= 0.3 && ended.seconds < 10)
        #expect(bench.outcome(of: bench.picture(bench.fetcher("exit 0")), within: .zero).skip?.reason == .timeout)
    }

    @Test("a fetcher that is missing or no program is a reason") func missing() {
        #expect(bench.outcome(of: bench.picture(nil)).skip?.reason == .fetcherMissing)
        #expect(bench.outcome(of: bench.picture("/nowhere/belfry-avatar")).skip?.reason == .fetcherMissing)
        let text = bench.folder.write(Array("no program".utf8), to: "text")
        unsafe chmod(text, 0o755)
        #expect(bench.outcome(of: bench.picture(text)).skip?.reason == .fetcherMissing)
        #expect(bench.kept == [])
    }

    @Test("what the settings forbid starts nothing") func forbidden() {
        let program = bench.goodFetcher()
        #expect(bench.outcome(of: bench.picture(program), url: "file:///etc/passwd").skip?.reason == .badScheme)
        #expect(bench.outcome(of: bench.picture(program), url: "http://127.0.0.1/a").skip?.reason == .addressRefused)
        bench.settings.from = ["other.example"]
        #expect(bench.outcome(of: bench.picture(program)).skip?.reason == .hostNotAllowed)
        bench.settings.timeout = .zero
        #expect(bench.outcome(of: bench.picture(program)).skip?.reason == .off)
        #expect(bench.runs == 0)
    }

    @Test("state that is not writable, and a full disk, are reasons") func unwritable() {
        let program = bench.goodFetcher()
        bench.folder.write([], to: "state")
        #expect(bench.outcome(of: bench.picture(program)).skip?.reason == .writeFailed)
        #expect(bench.runs == 0)
    }

    @Test("a request of a thousand hosts reaches a fetcher that reads late, and delays nobody") func longRequest() {
        bench.settings.allow = (0..<1_000).map {
            "host-\($0).\(String(repeating: "a", count: 60)).\(String(repeating: "b", count: 60)).example"
        }
        let ended = bench.outcome(of: bench.picture(bench.goodFetcher(first: "/usr/bin/wc -c >$folder/request")))
        #expect(ended.path != nil)
        #expect((bench.lines(of: "request").first.flatMap { Int($0) } ?? 0) > 100_000)
    }

    @Test("the fetcher gets of the environment what it needs, and no descriptor but four") func environment() {
        bench.environment = [
            "SSL_CERT_FILE": "/test/ca.pem", "HOME": "/home/ada", "http_proxy": "http://proxy", "LD_PRELOAD": "/x.so",
        ]
        let first = "/usr/bin/env >$folder/environment; /bin/ls /proc/$$/fd >$folder/descriptors"
        #expect(bench.outcome(of: bench.picture(bench.goodFetcher(first: first))).path != nil)
        // The shell adds PWD, and what it was called by.
        let names = bench.lines(of: "environment").compactMap { $0.split(separator: "=").first }
        #expect(Set(names).subtracting(["PWD", "_", "SHLVL", "OLDPWD"]) == ["SSL_CERT_FILE", "SWIFT_BACKTRACE"])
        // From 10 on shells keep what is theirs.
        #expect(Set(bench.lines(of: "descriptors").filter { $0.utf8.count == 1 }) == ["0", "1", "2", "3"])
    }

    @Test("given up, the fetcher is killed and nothing is told or left") func cancelled() {
        let picture = bench.picture(bench.fetcher("sleep 600"))
        picture.fetch(PictureBench.url, deadline: bench.loop.now + .seconds(30)) { _ in Issue.record("told of") }
        bench.loop.afterThis(description: "give up") { [bench] in
            picture.cancel()
            bench.loop.stop()
        }
        bench.loop.run()
        #expect(bench.kept == [])
    }

    /// Whether the process `pid` has ended, or does so soon.
    private func ends(_ pid: Int32) -> Bool {
        let end = bootTimeMicroseconds() + 20_000_000
        while ProcessIdentity(livingPID: pid) != nil, bootTimeMicroseconds() < end { _ = poll(nil, 0, 5) }
        return ProcessIdentity(livingPID: pid) == nil
    }
}
