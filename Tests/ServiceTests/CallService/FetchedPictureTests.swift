import BelfryEventLoop
import BelfryTerms
import CBelfryLinux
import CallService
import Glibc
import PictureFetcher
import Support
import Testing

@Suite("A caller's picture, as a worker has it fetched") struct FetchedPictureTests {
    let folder = TemporaryFolder()
    let loop: Loop

    init() throws { loop = try Loop() }

    private func picture(by program: String?) -> FetchedPicture {
        let settings = PictureSettings(timeout: .seconds(600), bytesMax: 1_024, allow: [], from: [])
        return FetchedPicture(
            loop: loop,
            picture: PictureDownload(loop: loop, settings: settings, statePath: folder.path, program: program))
    }

    @Test("R4 the fetch begins an iteration later, and what comes of it is told") func begins() {
        let picture = picture(by: nil)
        var outcomes = 0
        picture.fetch("http://a.example/p.png", deadline: loop.now + .seconds(600)) { _ in outcomes += 1 }
        #expect(outcomes == 0)
        loop.runUntilIdle()
        #expect(outcomes == 1)
    }

    @Test("R17 a fetch that is cancelled before it begins never does") func cancelledEarly() {
        let picture = picture(by: nil)
        picture.fetch("http://a.example/p.png", deadline: loop.now + .seconds(600)) { _ in Issue.record("told") }
        picture.cancel()
        loop.runUntilIdle()
    }

    @Test("R17 a fetch that is cancelled under way is over, and nothing is told of it", .timeLimit(.minutes(10)))
    func cancelled() throws {
        let pipe = "\(folder.path)/pipe"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let program = folder.write(Array("#!/bin/sh\nexec cat \(pipe)\n".utf8), to: "fetcher")
        try #require(unsafe chmod(program, 0o755) == 0)
        let picture = picture(by: program)
        picture.fetch("http://a.example/p.png", deadline: loop.now + .seconds(600)) { _ in Issue.record("told") }
        loop.runUntilIdle()
        // Opens once the fetcher reads, and hangs up once it has ended.
        let end = unsafe open(pipe, O_WRONLY | O_CLOEXEC)
        defer { close(end) }
        picture.cancel()
        var poll = pollfd(fd: end, events: 0, revents: 0)
        #expect(unsafe Glibc.poll(&poll, 1, -1) == 1)
        loop.runUntilIdle()
    }
}
