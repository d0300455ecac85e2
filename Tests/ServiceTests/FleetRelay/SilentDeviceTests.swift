import BelfryDevices
import BelfryEventLoop
import BelfryTerms
import DeviceRegistry
import Fleet
import FleetRelay
import Support
import Testing

/// Devices of test jobs that were killed, by a relay in virtual time at a real broker.
@Suite struct SilentDeviceTests {
    private let ci = FleetName("ci")!
    private let alive = "0a1b2c3d-0000-4000-8000-000000000001"
    private let dead = "0a1b2c3d-0000-4000-8000-000000000002"
    private let own = "0a1b2c3d-0000-4000-8000-000000000003"
    private let time = PolledLoop()
    private let trial: BucketTrial

    init() throws {
        let played = try PlayedBucket(on: Loop())
        try played.make()
        var limits = MirrorStateMachine.Limits()
        // The broker's heartbeats come in its own time.
        limits.silence = .seconds(86_400)
        trial = try BucketTrial("gate", played, limits: limits, in: time)
        try trial.connect()
        #expect(trial.runs { trial.bucket.standing == .empty })
        for (id, machine) in [(alive, "ci"), (dead, "ci"), (own, "kiosk")] {
            var addition = try #require(
                DeviceQuestion.Addition(
                    id: id, bundleID: "com.example.phone", appGroup: nil, environment: .production))
            addition.isShared = machine == "ci"
            _ = try trial.ask(.add(addition), of: #require(FleetName(machine)))
        }
        #expect(trial.runs { trial.registry.all().count == 3 })
    }

    /// So many minutes go by, in each of which the agents of `living` say that they live.
    private func pass(minutes: Int, living: [String]) {
        for _ in 0..<minutes {
            trial.bucket.hear(living, of: ci)
            time.advance(by: .seconds(60))
        }
        // What the last look has asked for is done.
        #expect(trial.runs { trial.registry.all().count == 3 })
    }

    private func isRemoved(_ id: String) -> Bool { trial.registry.device(id)?.removedAt != nil }

    @Test("of whose agent nothing is heard for ten minutes goes with the next look; others, and a machine's own, stay")
    func silent() throws {
        // It is looked at for the first time after a minute.
        pass(minutes: 10, living: [alive])
        #expect(try trial.fence() && !isRemoved(dead))
        pass(minutes: 1, living: [alive])
        #expect(trial.runs { isRemoved(dead) })
        pass(minutes: 20, living: [alive])
        #expect(try trial.fence() && !isRemoved(alive) && !isRemoved(own))
        #expect(trial.refusals == [] && trial.warnings == [])
    }

    @Test("after a time without a broker, in which nobody could be heard, each has ten minutes again")
    func anew() throws {
        pass(minutes: 6, living: [])
        trial.disconnect()
        pass(minutes: 60, living: [])
        try trial.connect()
        pass(minutes: 10, living: [])
        #expect(try trial.fence() && !isRemoved(alive) && !isRemoved(dead))
        pass(minutes: 1, living: [])
        #expect(trial.runs { isRemoved(alive) && isRemoved(dead) })
        #expect(!isRemoved(own))
    }
}
