import BelfryDevices
import BelfryAppGroup
import BelfryCommandLine
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetKeys

/// `belfry fleet setup`, `enroll`, `revoke` and `remove`, by which whoever has the keys of a fleet says which brokers
/// it has and who belongs to it; `join` and `leave`, by which a machine or gateway does.
struct FleetCommands {
    /// Where they print.
    let output: Output

    /// What `--help` prints.
    static let help = """
        Usage: belfry fleet setup [--broker HOST[:PORT[:ROUTEPORT]]]...
               belfry fleet enroll NAME [--gateway|--shared] [--expires SPAN] [--again]
               belfry fleet revoke NAME [--gateway|--machine]
               belfry fleet remove NAME
               belfry fleet join FILE [--again]
               belfry fleet leave
               belfry fleet status [--json]
               belfry fleet list [--json]
               belfry fleet restore
        All but the last five are for whoever keeps the keys of a fleet: they make keys, a folder for each of its brokers, and
        a credential for each machine and gateway, which joins by it.

        setup again adds brokers, and makes those certificates anew that end within 90 days; keys stay as they are.
        Each folder has to be copied to its broker's host, where its nats.conf says how to start it. Once the brokers
        run, setup again makes the registry of devices there.
        enroll writes one file, by which a machine called NAME, or a gateway, is let in; with --shared many agents at
        once, each with devices of its own. SPAN is as 30d or 12h; without it the credential does not end by itself.
        With --again NAME gets another one, and those before stay good.
        revoke has the brokers refuse all credentials of NAME, for good: at once those that run, and the others once they
        are told, or start with their new folder. Its devices stay until remove, and are answered 410 then.
        join checks the credential in FILE, or on standard input with -, at the brokers, and keeps it; without --again
        not in place of another fleet's, or of another name or role. leave removes it.
        status tells how the relay or agent here stands: its lines to brokers, whom it hears, and, of a gateway, what it
        knows of the fleet's devices. list tells, on a gateway, of each gateway and machine. restore, on a gateway, gives
        the brokers the devices back that they have lost with their disks.
        """

    /// The options that they take.
    static let options = [
        Option("broker", "HOST", "a broker: its host, and its ports behind colons, 4222 and 6222 without"),
        Option("gateway", "enroll, revoke: a gateway, no machine"),
        Option("machine", "revoke: a machine, no gateway"),
        Option("shared", "enroll: many agents under one name"),
        Option("expires", "SPAN", "enroll: how long it is good"),
        Option("again", "enroll: another credential for a name that has one; join: instead of another"),
        Option("json", "status, list: print JSON"), Option("help", "show the help"),
    ]
    /// The options that each takes.
    private static let own = [
        "setup": ["broker"], "enroll": ["gateway", "shared", "expires", "again"], "revoke": ["gateway", "machine"],
        "remove": [], "join": ["again"], "leave": [], "status": ["json"], "list": ["json"],
        "restore": [],
    ]
    private static let shortest = TimeSpan.seconds(60)
    private static let longest = TimeSpan.seconds(3_650 * 86_400)

    /// Runs the command in `words`.
    func run(_ words: [String], state: StateDirectory, environment: Environment) throws(CommandError) {
        let words = try OptionParser.parse(words, Self.options, stopsAtFirstArgument: false)
        guard !words.has("help") else { return output.line(Self.help) }
        let arguments = words.arguments
        let verb = arguments.first ?? ""
        guard let own = Self.own[verb] else {
            let meant = NearestName.nearest(to: verb, of: Self.own.keys.sorted())
            throw CommandError(
                .usage, "belfry fleet needs one of setup, enroll, revoke, remove, join, leave, status, list, restore",
                meant.map { "did you mean \($0)?" } ?? "see belfry fleet --help")
        }
        if let other = words.values.keys.sorted().first(where: { !own.contains($0) }) {
            throw CommandError(.usage, "belfry fleet \(verb) has no --\(other)", "see belfry fleet --help")
        }
        switch (verb, arguments.count) {
        case ("setup", 1): try setUp(words, state)
        case ("enroll", 2): try enroll(try name(arguments[1]), words, state)
        case ("revoke", 2): try revoke(try name(arguments[1]), words, state)
        case ("remove", 2):
            let name = try name(arguments[1])
            let setup = try orFailure { () throws(FleetError) in try FleetSetup(state: state) }
            try BrokerCommands(output: output).remove(name, setup, at: now)
        case ("join", 2):
            try JoinCommands(output: output).join(arguments[1], again: words.has("again"), state, at: now)
        case ("leave", 1): try JoinCommands(output: output).leave(state)
        case ("status", 1):
            try StatusCommands(output: output, state, environment).printStatus(asJSON: words.has("json"))
        case ("list", 1):
            try StatusCommands(output: output, state, environment).printList(state, asJSON: words.has("json"))
        case ("restore", 1): try StatusCommands(output: output, state, environment).restore()
        case ("setup", _): throw CommandError(.usage, "belfry fleet setup takes no argument", "--broker HOST")
        case ("join", _): throw CommandError(.usage, "belfry fleet join takes one file", "see belfry fleet --help")
        case ("leave", _), ("status", _), ("list", _), ("restore", _):
            throw CommandError(.usage, "belfry fleet \(verb) takes no argument")
        default: throw CommandError(.usage, "belfry fleet \(verb) takes one name", "see belfry fleet --help")
        }
    }

    private func name(_ text: String) throws(CommandError) -> FleetName {
        guard let name = FleetName(text) else {
            throw CommandError(.usage, "\(text) is no name of a machine or gateway", FleetName.rule)
        }
        return name
    }

    private func setUp(_ words: ParsedOptions, _ state: StateDirectory) throws(CommandError) {
        var brokers: [Broker] = []
        for text in words.lists["broker"] ?? [] {
            guard let broker = Broker(text) else { throw CommandError(.usage, "\(text) is no broker", Broker.rule) }
            brokers.append(broker)
        }
        let setup = try orFailure { () throws(FleetError) in try FleetSetup(state: state) }
        let folders = try orFailure { () throws(FleetError) in
            if brokers.isEmpty, try !setup.isSetUp() { return [BrokerFolder]() }
            return try setup.setUp(adding: brokers, at: now)
        }
        guard !folders.isEmpty else { throw CommandError(.usage, "a fleet has a broker at least", "--broker HOST") }
        for folder in folders {
            let standing =
                switch folder.standing {
                case .new: ", which is new"
                case .changed: ", which has changed"
                case .same: ""
                }
            output.line("broker \(folder.broker.address)\(standing): \(folder.path)")
        }
        output.line(
            """

            Copy each folder that is new or has changed to its host, for a user of its own there, and start it in there:
              nats-server -c nats.conf
            Its ports have to be reachable: \(Self.ports(of: folders.map(\.broker))).
            Who has \(setup.path) has the fleet: keep a copy where no machine reaches it.
            Whoever shall belong to the fleet: belfry fleet enroll NAME, and --gateway for a gateway.
            """)
        if folders.count == 2 {
            output.complaint("belfry: warning: of two brokers neither may be missing when devices are added: have 3")
        }
        output.line("")
        try BrokerCommands(output: output).makeRegistry(setup, at: now)
    }

    private static func ports(of brokers: [Broker]) -> String {
        let clients = Set(brokers.map(\.address.port)).sorted().map(String.init).joined(separator: ", ")
        guard brokers.count > 1 else { return "\(clients) for machines and gateways" }
        let routes = Set(brokers.map(\.routePort)).sorted().map(String.init).joined(separator: ", ")
        return "\(clients) for machines and gateways, \(routes) for the other brokers"
    }

    private func enroll(_ name: FleetName, _ words: ParsedOptions, _ state: StateDirectory) throws(CommandError) {
        guard !(words.has("gateway") && words.has("shared")) else {
            throw CommandError(.usage, "a gateway shares its name with none", "--gateway or --shared")
        }
        var end: WallTime?
        if let text = words["expires"] {
            guard let span = ValueText.duration(text, from: Self.shortest, to: Self.longest) else {
                throw CommandError(.usage, "--expires is 1min to 3650d", "such as 30d or 12h")
            }
            end = now + span
        }
        let role: FleetRole = words.has("gateway") ? .gateway : words.has("shared") ? .shared : .machine
        let path = try orFailure { () throws(FleetError) in
            try FleetSetup(state: state).enroll(name, as: role, until: end, again: words.has("again"), at: now)
        }
        output.line("\(role.rawValue) \(name.text): \(path)")
        output.line("Whoever has this file is that \(role.names.rawValue): move it there, and keep no copy.")
    }

    private func revoke(_ name: FleetName, _ words: ParsedOptions, _ state: StateDirectory) throws(CommandError) {
        guard !(words.has("gateway") && words.has("machine")) else {
            throw CommandError(.usage, "revoke takes one of --gateway and --machine")
        }
        let role: FleetRole? = words.has("gateway") ? .gateway : words.has("machine") ? .machine : nil
        let setup = try orFailure { () throws(FleetError) in try FleetSetup(state: state) }
        let (roles, folders) = try orFailure { () throws(FleetError) in try setup.revoke(name, as: role, at: now) }
        for role in roles.sorted(by: { $0.rawValue < $1.rawValue }) {
            output.line("revoked the \(role.rawValue) \(name.text)")
        }
        try BrokerCommands(output: output).revoke(setup, folders, at: now)
    }

    private var now: WallTime { WallTime(microseconds: wallTimeMicroseconds()) }

}

/// What `body` returns; how the program ends if it throws.
func orFailure<Answer>(_ body: () throws(FleetError) -> Answer) throws(CommandError) -> Answer {
    do throws(FleetError) {
        return try body()
    } catch {
        switch error.kind {
        case .store: throw CommandError(.unavailable, "\(error)")
        case .absent: throw CommandError(.notFound, "\(error)", "see belfry fleet --help")
        case .present: throw CommandError(.usage, "\(error)", "see belfry fleet --help")
        case .unusable: throw CommandError(.badNotification, "\(error)")
        }
    }
}
