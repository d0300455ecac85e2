import BelfryEventLoop
import BelfrySyscalls
@testable import BelfryTesting
import Support
import Testing

/// What workers wrote is for tests that fail: which of them do.
@Suite struct FailureWatchTests {
    private struct Broken: Error {}

    /// Whether a test that does `body` counts as failed; what it records fails nobody.
    private func hasFailed(_ body: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        let test = try #require(Test.current)
        let verdict = Verdict()
        let swallowing: IssueHandlingTrait = .compactMapIssues { _ in nil }
        try await swallowing.provideScope(for: test, testCase: Test.Case.current) {
            let (watch, scopeWatch) = (FailureWatch(), FailureWatch())
            _ = await watch.watching(body)
            _ = await scopeWatch.watching(test, Test.Case.current, body)
            verdict.hasFailed = watch.hasFailed
            #expect(scopeWatch.hasFailed == verdict.hasFailed)
        }
        return verdict.hasFailed
    }

    private final class Verdict: @unchecked Sendable { var hasFailed = false }

    @Test("a test has failed by an error or a failure that it records, and not by a known one")
    func failures() async throws {
        #expect(try await !hasFailed {})
        #expect(try await hasFailed { throw Broken() })
        #expect(try await hasFailed { Issue.record("broken") })
        #expect(try await !hasFailed { withKnownIssue { Issue.record("known") } })
        #expect(try await !hasFailed { throw CancellationError() })
    }

    @Test("what a body returns or throws comes through") func outcome() async throws {
        #expect(try await FailureWatch().watching { 7 }.get() == 7)
        await #expect(throws: Broken.self) { try await FailureWatch().watching { throw Broken() }.get() }
    }

    @Test("a test without traits, as XCTest has them, is said what to call instead") func noBell() async {
        let error = await Task.detached {
            do throws(BellError) {
                _ = try Belfry.bell
                return nil as BellError?
            } catch {
                return error
            }
        }.value
        #expect(error?.code == .noBell && error?.description.contains("Belfry.running { bell in") == true)
        do throws(BellError) {
            _ = try Belfry.bell
            Issue.record("there is a bell")
        } catch {
            #expect(error.description.hasSuffix("the trait .belfry"))
        }
    }
}

/// What the workers of a bell write.
@Suite struct WorkersWordsTests {
    /// Far longer than anything here takes, on a loaded machine too.
    private static let patience = Duration.seconds(60)

    @Test("it is kept, its story in it; not if the settings say so", arguments: [true, false])
    func kept(isKept: Bool) async throws {
        let settings = BellSettings(log: isKept ? .ofFailedTests : .never)
        let words = try await Belfry.running(settings: settings) { bell in
            let push = try await bell.push(#"{"aps":{"alert":"Hi"},"info":{"type":"call-request","callId":"a"}}"#)
            try await push.waitUntilDone(within: Self.patience)
            await bell.stop()
            return await bell.workersWords()
        }
        #expect(words.contains("belfry-worker: ") == isKept && words.contains("not-intercepted") == isKept, "\(words)")
    }

    @Test("of more than is kept the last lines are") func limit() throws {
        let words = try WorkersWords(on: try Loop())
        defer { words.finish() }
        guard case .descriptor(let number) = words.stream else { throw BellError(.notServed, "no pipe") }
        let line = Array((String(repeating: "x", count: 1_023) + "\n").utf8)
        let count = WorkersWords.bytesMax / line.count + 10
        for _ in 0..<count {
            try writeAll(line, to: number, path: "pipe")
            _ = words.text()
        }
        try writeAll(Array("last\n".utf8), to: number, path: "pipe")
        let text = words.text()
        #expect(text.hasPrefix("...\nxxx") && text.hasSuffix("x\nlast\n"))
        #expect(text.utf8.count <= WorkersWords.bytesMax + 4 && text.utf8.count > WorkersWords.bytesMax - 2_048)
    }
}
