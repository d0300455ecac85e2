import BelfrySyscalls
@testable import BelfryTesting
import Glibc
import Support
import Testing
import XCTest

/// A wait that fails is reported where it stands, in Swift Testing and in XCTest.
@Suite struct FailedWaitTests {
    /// The issues that `body` records, instead of failing this test.
    private func issues(_ body: () async throws -> Void) async throws -> [Issue] {
        let issues = Issues()
        try await withKnownIssue {
            try await body()
        } matching: { issue in
            issues.all.withLock { $0.append(issue) }
            return true
        }
        return issues.all.withLock { $0 }
    }

    private final class Issues: Sendable {
        let all = LockedValue<[Issue]>([])
    }

    @Test("by a bell's trait: once, at its line") func byTrait() async throws {
        let bell = try await Belfry.start()
        let (test, testCase) = (try #require(Test.current), try #require(Test.Case.current))
        let line = #line + 3
        let issues = try await issues {
            try await bell.provideScope(for: test, testCase: testCase) {
                try await bell.nextPush(within: .milliseconds(1))
            }
        }
        #expect(issues.map { $0.sourceLocation?.line } == [line])
        #expect("\(issues)".contains("no next push within 0.001 s. Nothing came"))
    }

    @Test("by running: once, at its line, and by a helper at the line that it is given") func byRunning() async throws {
        let line = #line + 3
        let issues = try await issues {
            _ = try await Belfry.running { bell in
                try await bell.call().waitFor(.rejected, within: .milliseconds(1))
            }
        }
        #expect(issues.first?.sourceLocation?.line == line && issues.first?.sourceLocation?.fileID == #fileID)
        let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: 7, column: 1)
        let helped = try await self.issues {
            _ = try await Belfry.running { bell in
                let push = try await bell.push("{}")
                try await push.waitFor(next: .ringing, within: .seconds(60), sourceLocation: place)
            }
        }
        #expect(helped.first?.sourceLocation?.line == 7)
    }

    @Test(
        "by XCTest: at its line; what workers and processes wrote is shown with any failure",
        arguments: ["testWait", "testProcess"])
    func byXCTest(name: String) throws {
        let run = try ProgramRun(
            builtProgram("belfryPackageTests.xctest"), ["ClientTests.FailingXCTests/\(name)"],
            environment: [FailingXCTests.variable: "yes"])
        let lines = run.lines()
        let told = (lines + run.complaints()).joined(separator: "\n")
        let start = "\(FailingXCTests.path):\(FailingXCTests.line(of: name)): error: "
        #expect(lines.contains { $0.hasPrefix(start) }, "\(told)")
        #expect(told.contains("wrote:\nHELLO") == (name == "testProcess"))
        if name == "testProcess" {
            #expect(told.contains("the workers of a failed test wrote:\nbelfry-worker: "), "\(told)")
        }
    }

    @Test("patience is the suite's, or that of whoever runs the tests if it is longer")
    func patience() async throws {
        func patience(_ settings: Duration?, _ text: String?) throws -> Duration {
            let environment = text.map { [Patience.variable: $0] } ?? [:]
            return try Patience(settings, environment: environment, budget: .seconds(30)).forOne
        }
        #expect(try patience(nil, nil) == .seconds(10) && patience(nil, "") == .seconds(10))
        #expect(try patience(.seconds(20), nil) == .seconds(20) && patience(nil, "2") == .seconds(2))
        #expect(try patience(.seconds(20), "2") == .seconds(20) && patience(.seconds(20), "30s") == .seconds(30))
        #expect(try Patience(.seconds(1), environment: [:], budget: .seconds(30)).forAll == .seconds(31))
        for text in ["0", "-1", "x", "1e9", "nan", "10m"] {
            let error = #expect(throws: BellError.self) { try patience(nil, text) }
            #expect(error?.code == .badSetting)
            #expect(error?.description.hasPrefix("BELFRY_TEST_PATIENCE=\(text): ") == true)
        }
        #expect(throws: BellError.self) { try patience(.zero, nil) }
    }
}

/// Tests that fail, in a process of ``FailedWaitTests``.
final class FailingXCTests: XCTestCase {
    static let variable = "BELFRY_TEST_FAILING"
    static let path = #filePath

    /// The line at which the test `name` fails, which is marked so.
    static func line(of name: String) -> Int {
        let bytes = sourceBytes("Tests/ClientTests/BelfryTesting/FailedWaitTests.swift")
        let source = String(decoding: bytes, as: UTF8.self)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.firstIndex { $0.hasSuffix("// \(name)") } ?? -1) + 1
    }

    private var isMeant: Bool { unsafe getenv(Self.variable) != nil }

    func testWait() async throws {
        guard isMeant else { throw XCTSkip("it fails") }
        try await Belfry.running { bell in
            try await bell.call().waitFor(.rejected, within: .milliseconds(1))  // testWait
        }
    }

    func testProcess() async throws {
        guard isMeant else { throw XCTSkip("it fails") }
        let bell = try await Belfry.start()
        let process = try await bell.run("/bin/sh", ["-c", "echo HELLO; exec sleep 1000"])
        try await process.waitForOutput("HELLO", within: .seconds(60))
        try await bell.push(#"{"aps":{"alert":"Hi"}}"#).waitUntilDone(within: .seconds(60))
        XCTFail("not a wait")  // testProcess
        await bell.stop()
    }
}
