public import BelfryDevices
public import BelfryTerms

/// Which devices of shared names live: those of whose agents something was heard, or of which this gateway knows for
/// less than ten minutes. The others' agents were killed, and nobody else removes what they had.
public struct SharedDevices: Sendable {
    /// After how long without a word a device goes.
    public static let patience = TimeSpan.seconds(600)
    /// How often they are looked at.
    public static let interval = TimeSpan.seconds(60)
    /// How many one agent has at most: so many it names.
    public static let perAgentMax = 64

    private var heardAt: [DeviceKey: Instant] = [:]

    /// Nothing is known.
    public init() {}

    /// An agent of `machine` has said that it lives, with these devices.
    public mutating func hear(_ devices: [String], of machine: FleetName, at now: Instant) {
        for key in devices.compactMap({ DeviceKey(machine, $0) }) where heardAt[key] != nil { heardAt[key] = now }
    }

    /// Nobody could be heard for a while: all live for another ten minutes.
    public mutating func beginAnew() { heardAt = [:] }

    /// Those of `devices`, which are all that are in use, that have to go.
    public mutating func look(at devices: [DeviceKey], at now: Instant) -> [DeviceKey] {
        let earlier = heardAt
        heardAt = Dictionary(devices.map { ($0, earlier[$0] ?? now) }) { first, _ in first }
        return devices.filter { now - (heardAt[$0] ?? now) >= Self.patience }.sorted()
    }
}
