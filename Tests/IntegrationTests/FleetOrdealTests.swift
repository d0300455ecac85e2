import BelfryEventLoop
import BelfryTerms
import Glibc
import Support
import Testing

/// What hits a relay or an agent: `make test` only kills them.
enum FleetBlow: CaseIterable {
    case kill, stop

    static let chosen = FleetSize.isCampaign ? allCases : [.kill]

    /// The signal that begins it.
    var signal: String { self == .kill ? "KILL" : "STOP" }
}

extension IntegrationTests {
    /// `make fleet` has more pushes, and strikes more often.
    @Suite("What is promised of a fleet when something fails", .timeLimit(.minutes(5))) struct FleetOrdeal {
        private let fleet: OrdealFleet

        init() throws { fleet = try OrdealFleet() }

        @Test("nothing: each is taken once") func nothing() throws { #expect(try fleet.go().isOnceEach) }

        @Test("a broker is killed: none lost, none twice, none later than 1 s", arguments: FleetSize.brokers)
        func killed(broker: Int) throws {
            let outcome = try fleet.go(
                strikes: OrdealFleet.once(
                    { try fleet.office.signal(broker, SIGKILL) }, mend: { try fleet.office.startAgain(broker) }))
            #expect(outcome.isOnceEach && outcome.latest <= .seconds(1), "\(outcome)")
            print("broker \(broker) killed: latest \(outcome.latest)")
        }

        @Test("a broker is stopped: none lost, none twice, none later than 1 s", arguments: FleetSize.brokers)
        func stopped(broker: Int) throws {
            let outcome = try fleet.go(
                strikes: OrdealFleet.once(
                    { try fleet.office.signal(broker, SIGSTOP) }, mend: { try fleet.office.signal(broker, SIGCONT) }))
            #expect(outcome.isOnceEach && outcome.latest <= .seconds(1), "\(outcome)")
            print("broker \(broker) stopped: latest \(outcome.latest)")
        }

        @Test("all brokers are killed: what waits is delivered within 5 s of their return, once") func all() throws {
            let loop = try Loop()
            var returnedAt = loop.now
            let outcome = try fleet.go(
                strikes: OrdealFleet.once(
                    { for broker in 0..<3 { try fleet.office.signal(broker, SIGKILL) } },
                    mend: {
                        returnedAt = loop.now
                        for broker in 0..<3 { try fleet.office.startAgain(broker) }
                    }))
            #expect(outcome.isOnceEach, "\(outcome)")
            // Those that waited; later ones come as the last is sent.
            let sent = TimeSpan(microseconds: FleetSize.pause.microseconds * Int64(FleetSize.pushes / 4))
            let last = fleet.sink.taken.values.compactMap(\.first).max() ?? loop.now
            #expect(last - returnedAt <= .seconds(5) + sent, "\(last - returnedAt), \(outcome.latest)")
        }

        @Test(
            "the agent is killed or stopped: none lost, none later than 2 s once it is back",
            arguments: FleetBlow.chosen)
        func agent(_ blow: FleetBlow) throws {
            let outcome = try strike("-agent.service", of: fleet.machine, blow)
            #expect(outcome.counts.allSatisfy { $0 > 0 }, "\(outcome)")
            // One that died may have handed over what it could not tell any more.
            if blow == .stop { #expect(outcome.isOnceEach, "\(outcome)") }
        }

        @Test(
            "a relay is killed or stopped: none lost, none twice, none later than 2 s once it is back",
            arguments: FleetBlow.chosen)
        func relay(_ blow: FleetBlow) throws {
            let outcome = try strike("-relay.service", of: fleet.gates[0], blow)
            #expect(outcome.isOnceEach, "\(outcome)")
        }

        private func strike(_ unit: String, of phone: Phone, _ blow: FleetBlow) throws -> OrdealFleet.Outcome {
            let outcome = try fleet.go(
                strikes: OrdealFleet.often(
                    { try phone.strike(unit, blow.signal) },
                    mend: { if blow == .stop { try phone.strike(unit, "CONT") } }))
            let away = blow == .stop ? TimeSpan.milliseconds(500) : .zero
            #expect(outcome.latest <= .seconds(2) + away, "\(outcome.latest)")
            let twice = outcome.counts.count { $0 > 1 }
            print("\(unit) \(blow) \(FleetSize.strikes) times: latest \(outcome.latest), \(twice) twice")
            return outcome
        }
    }
}
