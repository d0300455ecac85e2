import BelfryTerms
import Testing

/// What words of closed lists say of one another.
@Suite struct ClosedListTests {
    @Test("R11 who answered or declined elsewhere has not missed the call, whatever else ended it")
    func missed() {
        let missed = HangupReason.allCases.filter { MissedReason(.hangup, hangupReason: $0) != nil }
        #expect(missed == [.cancelled, .busy, .failed])
        #expect(MissedReason(.hangup, hangupReason: nil) == .cancelled)
        for end in EndReason.allCases where end != .hangup {
            let reasons = HangupReason.allCases.map { MissedReason(end, hangupReason: $0) }
            let isMissed = [.timeout, .expired, .stopped].contains(end)
            #expect(reasons.allSatisfy { $0?.rawValue == (isMissed ? end.rawValue : nil) })
        }
    }

    @Test("levels are ordered by how much they may interrupt")
    func levels() {
        let levels: [InterruptionLevel] = [.passive, .active, .timeSensitive, .critical]
        for (rank, level) in levels.enumerated() {
            for (otherRank, other) in levels.enumerated() { #expect((level < other) == (rank < otherRank)) }
        }
    }

    @Test("each end of a ring is a state of its call, and two states are no end")
    func ends() {
        #expect(EndReason.allCases.map { CallState($0).endReason } == EndReason.allCases)
        #expect(EndReason.allCases.map { CallState($0).rawValue } == EndReason.allCases.map(\.rawValue))
        #expect(CallState.allCases.filter { $0.endReason == nil } == [.ringing, .missed])
    }
}
