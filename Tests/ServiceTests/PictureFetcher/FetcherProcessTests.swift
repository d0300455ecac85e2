import BelfryEventLoop
import BelfryPictures
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

@testable import PictureFetcher

@Suite("One run of a stand-in for belfry-avatar") struct FetcherProcessTests {
    private let bench: PictureBench
    private let heard = Heard()

    private final class Heard {
        var results: [Result<FetchAnswer, Skip>] = []
        var milliseconds: [Int] = []
    }

    init() throws { bench = try PictureBench() }

    private func run(_ script: String, within time: TimeSpan = .seconds(20)) throws -> FetcherProcess {
        try FetcherProcess(loop: bench.loop, program: bench.fetcher(script), environment: [:], within: time) {
            [heard] milliseconds in
            heard.milliseconds.append(milliseconds)
            return FetchRequest(
                url: PictureBench.url, bytesMax: 1, milliseconds: milliseconds, allow: [], from: [], entityTag: nil)
        } finished: { [heard] in
            heard.results.append($0)
        }
    }

    /// Runs the loop until the fetcher, which is the process `pid`, has ended.
    private func runUntilEnded(_ fetcher: borrowing FetcherProcess, pid: Int32) {
        func look() {
            guard ProcessIdentity(livingPID: pid) != nil else { return bench.loop.stop() }
            _ = bench.loop.schedule(at: bench.loop.now + .milliseconds(5), description: "look") { look() }
        }
        bench.loop.afterThis(description: "look") { look() }
        bench.loop.run()
        bench.loop.runUntilIdle()
    }

    private func pid() -> Int32 {
        while true {
            if let line = bench.lines(of: "pid").first, let pid = Int32(line) { return pid }
            _ = poll(nil, 0, 5)
        }
    }

    @Test(
        "a tenth of its time, 200 ms at most, is kept back for what it has to say",
        arguments: [(10_000, 9_800), (2_200, 2_000), (1_100, 990), (100, 90)])
    func answeringTime(time: Int64, told: Int) throws {
        let fetcher = try run("exec sleep 100", within: .milliseconds(time))
        fetcher.cancel()
        #expect(heard.milliseconds == [told])
    }

    @Test("given up, it is killed and nothing is told, also once its time is over") func cancelled() throws {
        let fetcher = try run("echo $$ >>$folder/pid; exec sleep 100", within: .milliseconds(50))
        let pid = pid()
        fetcher.cancel()
        runUntilEnded(fetcher, pid: pid)
        #expect(heard.results.isEmpty)
    }

    @Test("one that says too much is killed, which is told once") func tooMuch() throws {
        let fetcher = try run("echo $$ >>$folder/pid; head -c 100000 /dev/zero; exec sleep 100")
        runUntilEnded(fetcher, pid: pid())
        #expect(heard.results.count == 1)
    }

    @Test("an answer may have all of its bytes, and none more", arguments: [(0, true), (1, false)])
    func longestAnswer(over: Int, isOne: Bool) throws {
        let answer = #"{"outcome": "skipped", "reason": "http-status", "detail": "404", "seconds": 0}"#
        let spaces = FetchLimits.answerBytesMax - answer.utf8.count - 1 + over
        let fetcher = try run("echo $$ >>$folder/pid; printf '%s%\(spaces)s\\n' '\(answer)' ''")
        runUntilEnded(fetcher, pid: pid())
        _ = fetcher
        let result = try #require(heard.results.first)
        #expect(((try? result.get()) != nil) == isOne)
    }

    @Test("one that closes its answers and goes on costs nothing meanwhile") func silent() throws {
        let fetcher = try run("echo $$ >>$folder/pid; exec >&-; exec sleep 0.5")
        let pid = pid()
        let begun = processorTime()
        runUntilEnded(fetcher, pid: pid)
        #expect(processorTime() - begun < .milliseconds(200))
        #expect(heard.results.count == 1)
    }

    @Test("status 127 is a program that cannot be run") func missing() throws {
        let fetcher = try run("echo $$ >>$folder/pid; exit 127")
        runUntilEnded(fetcher, pid: pid())
        guard case .failure(let skip)? = heard.results.first else {
            Issue.record("it has an answer")
            return
        }
        #expect(skip.reason == .fetcherMissing)
    }
}

@Suite("A fetch's turn") struct FetchTurnTests {
    private let folder = TemporaryFolder()

    private func turn(_ address: String = PictureBench.url, in state: String? = nil) throws -> FetchTurn {
        FetchTurn(try WebURL(address), statePath: state ?? "\(folder.path)/state")
    }

    @Test("of one picture it looks, fetches, and the next one looks when that has ended") func sameURL() throws {
        let (first, second) = (try turn(), try turn())
        #expect(first.step() == .look && first.step() == .fetch)
        #expect(second.step() == .wait && second.step() == .wait)
        first.end()
        #expect(second.step() == .look && second.step() == .fetch)
    }

    @Test("of one host two fetch, the third waits for a place") func sameHost() throws {
        let turns = try ["a", "b", "c"].map { try turn("https://pictures.example/\($0)") }
        for turn in turns { #expect(turn.step() == .look) }
        #expect(turns.map { $0.step() } == [.fetch, .fetch, .wait])
        turns[1].end()
        #expect(turns[2].step() == .fetch)
    }

    @Test("where no locks can be made nobody waits") func unusable() throws {
        let turn = try turn(in: folder.write([], to: "file"))
        #expect(turn.step() == .look && turn.step() == .fetch && turn.step() == .fetch)
    }
}
