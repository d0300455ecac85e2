import BelfryDevices
import Support
import Testing

/// Both sides of a fleet's pushes together.
@Suite struct FleetWorldTests {
    /// How many worlds there are, of 1,000 pushes each; `make check` has more.
    private static let seeds = 1...(testVariable("BELFRY_FLEET_SEEDS").flatMap { UInt64($0) } ?? 20)

    @Test("on a kind network each push is delivered once, and nothing is offline")
    func kind() {
        var world = FleetWorld(seed: 1, count: 500, isKind: true)
        world.run()
        #expect(world.stories.allSatisfy { $0.isSettled && $0.deliveries.count == 1 && $0.offlines.isEmpty })
    }

    @Test("on any network none is lost, and none comes twice unless its machine died with it", arguments: seeds)
    func any(seed: UInt64) {
        var world = FleetWorld(seed: seed, count: 1_000)
        world.run()
        let lost = world.stories.filter { !$0.isSettled || $0.deliveries.isEmpty }
        #expect(lost.isEmpty, "seed \(seed)")
        let twice = world.stories.filter { Set($0.deliveries).count < $0.deliveries.count }
        #expect(twice.isEmpty, "seed \(seed)")
        #expect(world.wrongOfflines.isEmpty, "seed \(seed)")
    }
}
