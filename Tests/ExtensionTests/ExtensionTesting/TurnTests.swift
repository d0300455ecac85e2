import BelfryTerms
@testable import ExtensionTesting
import Support
import Synchronization
import Testing
import UserNotifications

/// One extension at a time runs in a process.
@Suite struct TurnTests {
    private static let alert = #"{"aps":{"alert":{"title":"Hello"},"mutable-content":1},"a":1}"#

    @Test("tests that come at once have their turns one after the other") func turns() async throws {
        let count = InsideCount()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    try await Belfry.running(Numbered()) { bell in
                        count.enter()
                        try await bell.push(Self.alert).waitFor(.delivered, within: .seconds(60))
                        count.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(count.most == 1)
    }

    @Test("a second one in the same test is an error, which says so") func nested() async throws {
        try await Belfry.running(Numbered()) { _ in
            let error = await #expect(throws: BellError.self) { try await Belfry.running(Numbered()) { _ in } }
            #expect(error?.code == .notServed && error?.description.contains("one at a time") == true)
        }
    }

    @Test("a bell that is stopped by hand passes its turn, once") func stopped() async throws {
        for _ in 0..<2 {
            let bell = try await Belfry.start(Numbered())
            try await bell.push(Self.alert).waitFor(.delivered, within: .seconds(60))
            await bell.stop()
            await bell.stop()
        }
    }

    @Test("who waits too long, or is cancelled, is told whose turn it is") func patience() async throws {
        try await Belfry.running(Numbered()) { _ in
            let error = await #expect(throws: BellError.self) {
                try await ProcessTurn.$isMine.withValue(false) {
                    try await Belfry.start(settings: BellSettings()) { place throws(BellError) in
                        let lent = LentExtension(at: place, holder: "b", turnPatience: .milliseconds(20)) { Numbered() }
                        try await lent.settle(resources: nil)
                        return lent
                    }
                }
            }
            #expect(error?.description.contains("TurnTests.swift") == true, "\(error as Any)")
            let waiting = Task.detached { try await Belfry.start(Numbered()) }
            waiting.cancel()
            await #expect(throws: BellError.self) { try await waiting.value }
        }
        try await Belfry.start(Numbered()).stop()
    }

    @Test("who gave up before it waits does not wait") func early() async {
        let turn = ProcessTurn()
        #expect(await turn.take(turn.makeID(), as: "a"))
        let id = turn.makeID()
        turn.giveUp(id)
        #expect(await !turn.take(id, as: "b") && turn.holder == "a")
    }

    @Test("code that still runs as its bell stops is named on standard error") func named() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let gate = Gate()
                try await Belfry.running(Blocking(gate, replies: true)) { bell in
                    let push = try await bell.push(#"{"payload":\#(TurnTests.alert),"collapseId":"the one"}"#)
                    try await push.waitFor(.delivered, within: .seconds(60))
                }
            })
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("belfry: didReceive of the one still runs"), "\(text)")
    }
}

/// How many are inside at once.
private final class InsideCount: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func enter() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func leave() { counts.withLock { $0.now -= 1 } }
}
