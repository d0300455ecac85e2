import BelfryDevices

/// The devices of one machine that have something to hand over, by the rank they had when they came.
struct MachineQueue {
    private var ready: [APNsPriority: Line<String>] = [:]
    /// How many hand-overs to the machine are unanswered.
    var inFlightCount = 0
    /// Whether it waits until there are fewer hand-overs in all.
    var isStarved = false

    /// Whether a device may have something to hand over.
    var hasReady: Bool { ready.values.contains { $0.first != nil } }
    /// Whether nothing about it needs to be remembered.
    var isForgettable: Bool { inFlightCount == 0 && !hasReady && !isStarved }

    mutating func append(_ device: String, _ rank: APNsPriority) { ready[rank, default: Line()].append(device) }

    /// The next device, of the most urgent rank.
    mutating func popFirst() -> (device: String, rank: APNsPriority)? {
        for rank in [APNsPriority.immediate, .considerate, .low] {
            if let device = ready[rank]?.popFirst() { return (device, rank) }
        }
        return nil
    }
}
