import BelfryCommandLine
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetKeys
import FleetLine

/// What `belfry fleet setup`, `revoke` and `remove` do at the brokers that run.
struct BrokerCommands {
    /// Where they print.
    let output: Output

    /// Tells those of `setup`'s brokers that are there whom they let in, and makes the registry of devices there.
    func makeRegistry(_ setup: FleetSetup, at now: WallTime) throws(CommandError) {
        ignoreBrokenPipes()
        let brokers = try orFailure { () throws(FleetError) in try setup.visitBrokers(at: now) }
        guard !brokers.reached.isEmpty else {
            return output.line(
                "No broker is reached. Once they run, belfry fleet setup again makes the registry of devices.")
        }
        tell(brokers.missed)
        for (broker, why) in brokers.tellWhomTheyLetIn() {
            output.complaint(warning("broker \(broker) does not take whom it lets in: \(why)"))
        }
        let registry = try orFailure { () throws(FleetError) in
            try brokers.makeRegistry { output.line("Waiting until the brokers agree on who leads.") }
        }
        let again = "once all brokers run with their folders, belfry fleet setup again"
        switch registry {
        case .made(let copies): output.line("The registry of devices was made, with \(Self.words(copies)).")
        case .raised(let before, let copies):
            output.line("The registry of devices has \(Self.words(copies)) now, instead of \(before).")
        case .there(let copies): output.line("The registry of devices is there, with \(Self.words(copies)).")
        case .fewer(let copies, let wanted, let why):
            output.complaint(
                warning("the registry of devices has \(Self.words(copies)) instead of \(wanted): \(why): \(again)"))
        case .tooFewBrokers:
            output.line(
                "Once more than half of the brokers run, belfry fleet setup again makes the registry of devices.")
        case .absent(let why):
            throw CommandError(.unavailable, "the registry of devices cannot be made: \(why)", again)
        }
    }

    /// Tells those of `setup`'s brokers that are there whom they let in no more; `folders` is what was written for
    /// them.
    func revoke(_ setup: FleetSetup, _ folders: [BrokerFolder], at now: WallTime) throws(CommandError) {
        ignoreBrokenPipes()
        let brokers = try orFailure { () throws(FleetError) in try setup.visitBrokers(at: now) }
        tell(brokers.missed)
        let refusing = brokers.tellWhomTheyLetIn()
        for (broker, why) in refusing { output.complaint("belfry: broker \(broker) did not take it: \(why)") }
        let untold = Set(refusing.map(\.broker) + brokers.missed.map(\.broker))
        guard !untold.isEmpty else {
            return output.line("Each broker has been told, and lets it in no more.")
        }
        output.line(
            "These go on letting it in until they are told, by the others as they are back, or start with a new folder:"
        )
        for folder in folders where untold.contains(folder.broker.address) {
            output.line("  \(folder.broker.address): \(folder.path)")
        }
        throw CommandError(
            .unavailable, "\(untold.count) of \(folders.count) brokers were not told",
            "belfry fleet revoke again once they run, or copy their folders and start them anew")
    }

    /// Writes at `setup`'s brokers that the devices of `name`, which was revoked, were removed.
    func remove(_ name: FleetName, _ setup: FleetSetup, at now: WallTime) throws(CommandError) {
        ignoreBrokenPipes()
        let count = try orFailure { () throws(FleetError) in
            try setup.checkRevoked(name, at: now)
            return try setup.visitBrokers(at: now).removeDevices(of: name, at: now)
        }
        output.line("removed \(count) \(count == 1 ? "device" : "devices") of \(name.text)")
    }

    private func tell(_ missed: [(broker: BrokerAddress, why: LineEnd)]) {
        for (broker, why) in missed { output.complaint("belfry: broker \(broker) is \(why)") }
    }

    private func warning(_ text: String) -> String { Printable.escaped("belfry: warning: \(text)") }

    private static func words(_ copies: Int) -> String { copies == 1 ? "1 copy" : "\(copies) copies" }
}
