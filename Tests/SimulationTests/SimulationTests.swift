import Testing

@testable import simulate

/// Seeded runs of real workers on a machine that is played, held against the rules: R1 to R18 as far as events, file
/// and sound show them. A failure names its seed; `make simulate SEED=` tells its story.
@Suite struct SimulationTests {
    @Test("R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R17 R22 C6 what happens is what the rules say, all of it")
    func runs() {
        var seen: [String: Int] = [:]
        for seed: UInt64 in 0..<1_000 {
            let world = World(Plan(seed: seed))
            let mistake = world.run()
            if let mistake { Issue.record("seed \(seed): \(mistake)") }
            seen.merge(world.oracle.seen) { $0 + $1 }
        }
        let expected = [
            "ring loud", "ring soft", "busy", "silent duplicate", "silent answered", "silent hungUp",
            "silent hungUp, missed", "silent stale, missed", "silent foreground", "hangup in the ledger",
            "asked at an ear", "undisturbed", "reboot", "set aside", "one more call",
            "command ends a ring", "missed", "missed of a dead worker", "app in front", "stranger",
            "ringing loud", "ringing soft", "ringing silent", "ended hangup", "ended timeout", "ended expired",
            "ended answered", "ended declined", "ended foreground", "ended stopped", "no call rings",
        ]
        for what in expected { #expect(seen[what, default: 0] >= 2, "\(what) in \(seen)") }
    }

    @Test("R7 R8 R11 who wants to end a call in the same millisecond hears one outcome, however they ask")
    func meetings() {
        var seen: [String: Int] = [:]
        for seed: UInt64 in 0..<200 {
            let world = World(Plan(seed: seed, meets: true))
            let mistake = world.run()
            if let mistake { Issue.record("seed \(seed) of meetings: \(mistake)") }
            seen.merge(world.oracle.seen) { $0 + $1 }
        }
        for what in [
            "told answered", "told declined", "told hangup", "ended answered", "ended declined", "ended hangup",
            "ended timeout",
        ] { #expect(seen[what, default: 0] >= 2, "\(what) in \(seen)") }
    }

    @Test("the same seed gives the same run")
    func repeatable() {
        for seed: UInt64 in 0..<20 { #expect(Plan(seed: seed).told() == Plan(seed: seed).told()) }
    }
}
