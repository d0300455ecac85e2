import BelfryEventLoop
import BelfryTerms
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
        let settings = PictureSettings(timeout: .seconds(5), bytesMax: 1_024, allow: [], from: [])
        return FetchedPicture(
            loop: loop,
            picture: PictureDownload(loop: loop, settings: settings, statePath: folder.path, program: program))
    }

    @Test("R4 the fetch begins an iteration later, and what comes of it is told") func begins() {
        let picture = picture(by: nil)
        var outcomes = 0
        picture.fetch("http://a.example/p.png", deadline: loop.now + .seconds(5)) { _ in outcomes += 1 }
        #expect(outcomes == 0)
        loop.runUntilIdle()
        #expect(outcomes == 1)
    }

    @Test("R17 a fetch that is cancelled before it begins never does") func cancelledEarly() {
        let picture = picture(by: nil)
        picture.fetch("http://a.example/p.png", deadline: loop.now + .seconds(5)) { _ in Issue.record("told") }
        picture.cancel()
        loop.runUntilIdle()
    }

    @Test("R17 of a fetch that is cancelled under way nothing is told, not even at its deadline") func cancelled() {
        let program = folder.write(Array("#!/bin/sh\nexec sleep 60\n".utf8), to: "fetcher")
        #expect(unsafe chmod(program, 0o755) == 0)
        let picture = picture(by: program)
        let deadline = loop.now + .milliseconds(100)
        picture.fetch("http://a.example/p.png", deadline: deadline) { _ in Issue.record("told") }
        loop.runUntilIdle()
        picture.cancel()
        _ = loop.schedule(at: deadline + .milliseconds(50), description: "after the deadline") { [loop] in loop.stop() }
        loop.run()
    }
}
