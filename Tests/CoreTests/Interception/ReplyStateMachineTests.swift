import BelfryTerms
@testable import Interception
import Testing

/// The one reply to a notification, wherever the extension's code runs: R2, R3 and R17.
@Suite struct ReplyStateMachineTests {
    private static let start = Instant(microseconds: 9_000_000)

    private static func at(_ seconds: Int64) -> Instant { start + .seconds(seconds) }

    private static func reply(isTold: Bool = false) -> ReplyStateMachine {
        ReplyStateMachine(within: Budget(start: start, length: .seconds(30)), isTold: isTold)
    }

    @Test("R2 the first reply counts, and none after the end or a death")
    func countsOnce() {
        for end in [
            { $0.replied() }, { $0.died() }, { $0.timePassed(to: Self.at(30)) == .end },
        ] as [(inout ReplyStateMachine) -> Bool] {
            var reply = Self.reply()
            let didEnd = end(&reply)
            #expect(didEnd && !reply.isAwaited && reply.due == nil)
            let later = [reply.replied(), reply.died(), reply.tell(), reply.stop(at: Self.at(1))]
            #expect(!later.contains(true))
            #expect(reply.timePassed(to: Self.at(40)) == nil && !reply.isStopped)
            let hasBegun = reply.began(within: Budget(start: Self.at(1), length: .seconds(30)))
            #expect(!hasBegun)
        }
    }

    @Test("R3 a second before the end the extension is told, once; at the end nothing counts any more")
    func expires() {
        var reply = Self.reply()
        #expect(reply.due == Self.at(29) && reply.timePassed(to: Self.at(28)) == nil)
        #expect(reply.timePassed(to: Self.at(29)) == .timeWillExpire && reply.due == Self.at(30))
        #expect(reply.timePassed(to: Self.at(29)) == nil && reply.isAwaited)
        #expect(reply.timePassed(to: Self.at(30)) == .end)
        var stalled = Self.reply()
        #expect(stalled.timePassed(to: Self.at(500)) == .end, "whoever stood still tells nobody late")
        var accompanied = Self.reply(isTold: true)
        #expect(accompanied.due == Self.at(30) && accompanied.timePassed(to: Self.at(29)) == nil)
    }

    @Test("R3 one that begins after a wait has all of its budget from then, unless it is told or stopped already")
    func begins() {
        let budget = Budget(start: Self.at(20), length: .seconds(30))
        var reply = Self.reply()
        #expect(reply.began(within: budget) && reply.due == Self.at(49) && reply.budget == budget)
        for spoil in [{ _ = $0.tell() }, { _ = $0.stop(at: Self.at(1)) }] as [(inout ReplyStateMachine) -> Void] {
            var late = Self.reply()
            spoil(&late)
            #expect(!late.began(within: budget) && late.budget.end == Self.at(30))
        }
    }

    @Test("R17 a stop leaves a second, never more than the budget, and tells whom nobody has told")
    func stops() {
        var reply = Self.reply()
        #expect(reply.stop(at: Self.at(5)) && reply.isStopped && reply.due == Self.at(6))
        #expect(
            !reply.stop(at: Self.start + .milliseconds(5_900)) && reply.due == Self.at(6), "a second stop is nothing")
        #expect(reply.timePassed(to: Self.start + .milliseconds(5_999)) == nil)
        #expect(reply.timePassed(to: Self.at(6)) == .end && reply.isStopped)
        var late = Self.reply()
        #expect(late.timePassed(to: Self.at(29)) == .timeWillExpire)
        #expect(!late.stop(at: Self.start + .milliseconds(29_500)) && late.due == Self.at(30))
        var inTime = Self.reply()
        #expect(inTime.stop(at: Self.at(5)) && inTime.replied() && inTime.isStopped)
    }
}
