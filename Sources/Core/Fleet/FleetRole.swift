/// What a credential makes of who has it.
public enum FleetRole: String, Hashable, Sendable, CaseIterable {
    /// One machine, which takes the pushes under its name.
    case machine
    /// A gateway, which gives pushes to all machines.
    case gateway
    /// Many agents under one machine's name, each answering for its own tokens.
    case shared

    /// Whose names are those of this role: no two of them have the same one.
    public var names: FleetRole { self == .gateway ? .gateway : .machine }

    /// The user unit that has its lines to the brokers.
    public var unit: String { self == .gateway ? "belfry-relay.service" : "belfry-agent.service" }
}
