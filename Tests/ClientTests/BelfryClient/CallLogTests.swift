import BelfryAppGroup
@testable import BelfryClient
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger
import RingEar
import Support
import Testing

/// What an app finds in its group as it starts.
@Suite struct CallLogTests {
    let folder = TemporaryFolder()
    let log: CallLog

    init() throws {
        log = try CallLog(group: "group.test", environment: Self.environment(folder))
    }

    private static func environment(_ folder: TemporaryFolder) -> [String: String] {
        ["BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "BELFRY_RUNTIME_DIRECTORY": "\(folder.path)/run"]
    }

    /// Calls ring, and then each is answered or missed.
    private func ring(_ ids: [String], _ end: EndReason) throws {
        let file = LedgerFile(
            state: StateDirectory(path: "\(folder.path)/state"), runtime: RuntimeDirectory(path: "\(folder.path)/run"),
            group: try #require(GroupName("group.test")))
        // On a loaded machine a test may stand still for minutes.
        file.answersWait = .seconds(3_600)
        let owner = Owner(ProcessIdentity.current)
        _ = file.transactAndWait(on: try Loop()) { ledger in
            for id in ids {
                var request = RingRequest(key: CallKey(id))
                (request.name, request.handle, request.hasVideo) = ("Ada \(id)", "+1", true)
                let until = Instant(microseconds: bootTimeMicroseconds()) + .seconds(30)
                _ = ledger.admit(request, until: until, secondCall: .soft, callsMax: 99, owner: owner)
                ledger.illustrate(request.key, owner: owner, with: "/\(id).png")
                if end == .answered { _ = ledger.answer(request.key) }
                _ = ledger.settle(request, owner: owner, reason: end)
            }
        }
    }

    @Test func whereNothingWasThereIsNothing() async throws {
        #expect(await log.answers() == [])
        #expect(await log.missedCalls() == [])
        #expect(try await log.collectAnswers() == [])
        try await log.clearMissedCalls()
    }

    @Test func anAnswerIsTheAppsOnce() async throws {
        try ring(["a", "b"], .answered)
        let waiting = await log.answers()
        let first = try #require(waiting.first)
        #expect(waiting.map(\.callID) == ["a", "b"] && first.name == "Ada a" && first.handle == "+1" && first.hasVideo)
        #expect(first.picture == "/a.png")
        #expect((1_700_000_000...wallTimeMicroseconds() / 1_000_000).contains(first.answered))
        #expect(try await log.collectAnswers() == waiting)
        #expect(try await log.collectAnswers() == [])
        #expect(await log.answers() == [])
    }

    @Test func manyWhoAskAtOnceGetEachAnswerOnce() async throws {
        let ids = (0..<20).map { "\($0)" }
        try ring(ids, .answered)
        let environment = Self.environment(folder)
        let collected = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await CallLog(group: "group.test", environment: environment).collectAnswers().map(\.callID)
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(collected.sorted() == ids.sorted())
    }

    @Test func missedCallsAreListedUntilTheyAreCleared() async throws {
        try ring(["a", "b", "c"], .timeout)
        let missed = await log.missedCalls()
        #expect(missed.map(\.callID) == ["a", "b", "c"] && missed.allSatisfy { $0.reason == .timeout && $0.hasVideo })
        #expect(missed.first?.picture == "/a.png" && missed.first?.name == "Ada a" && missed.first?.handle == "+1")
        try await log.clearMissedCalls(["b", "z"])
        #expect(await log.missedCalls().map(\.callID) == ["a", "c"])
        try await log.clearMissedCalls()
        #expect(await log.missedCalls() == [])
    }

    @Test func badPlacesAreRefused() {
        let badGroup = #expect(throws: CallLogError.self) { _ = try CallLog(group: "../x", environment: [:]) }
        #expect(badGroup?.code == .badGroup)
        let noPlace = #expect(throws: CallLogError.self) { _ = try CallLog(group: "group.test", environment: [:]) }
        #expect(noPlace?.code == .noPlace && noPlace?.description.contains("HOME") == true)
    }
}
