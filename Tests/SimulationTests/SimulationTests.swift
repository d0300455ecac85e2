import Testing

/// Seeded runs of whole calls over one file: R3, R7 to R12 and R15. A failure names its seed.
@Suite struct SimulationTests {
    @Test(
        "R7 R8 R11 R12 R15 nothing rings past its end or its hangup, each is missed once at most, nothing is stuck",
        arguments: 0..<20)
    func runs(batch: UInt64) {
        for seed in batch * 50..<(batch + 1) * 50 {
            let mistake = Simulation(seed: seed).run()
            if let mistake { Issue.record("seed \(seed): \(mistake)") }
        }
    }

    @Test("the runs reach everything that they are meant to reach")
    func variety() {
        var seen: [String: Int] = [:]
        for seed: UInt64 in 0..<300 {
            let simulation = Simulation(seed: seed)
            _ = simulation.run()
            seen.merge(simulation.checker.seen) { $0 + $1 }
        }
        let expected = [
            "ring", "silent", "hangup of a ring", "missed", "missed of a dead worker", "answer or decline",
            "app in front", "stranger", "ended hangup", "ended timeout", "ended answered", "ended declined",
            "ended foreground", "ended stopped",
        ]
        for what in expected { #expect(seen[what, default: 0] >= 2, "\(what) in \(seen)") }
    }

    @Test("the same seed gives the same run")
    func repeatable() {
        for seed: UInt64 in 0..<5 {
            let (one, other) = (Simulation(seed: seed), Simulation(seed: seed))
            #expect(one.run() == other.run())
            #expect(one.checker.seen == other.checker.seen && one.time.now == other.time.now)
        }
    }
}
