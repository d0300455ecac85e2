import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfryJSON
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Fleet
import FleetKeys
import RingEar

/// `belfry device`: virtual devices that push servers can reach, whether or not the endpoint runs.
struct DeviceCommand {
    /// Where it prints.
    let output: Output

    /// What `--help` prints.
    static let help = """
        Usage: belfry device add --bundle-id ID [--group NAME|--share] [--environment production|development]
                                 [--payload WHOSE] [--count N] [--json]
               belfry device list [--tokens] [--json]
               belfry device remove|offline|online DEVICE
        Apps on virtual devices, each with a token for calls and one for the rest, by which push servers reach them.

        DEVICE is the id that add prints, or one of its tokens. A device that is removed is gone for good: its tokens are
        answered 410 from then on. One that is offline keeps the latest push of each topic until it is online.
        Without --group its notifications go to the group that the worker's configuration names. The servers of apps in
        one group can hang up each other's calls: a second app is let into a group only by --group or --share.
        --payload says whose fields the pushes of its server have for calls, WHOSE being one of
        \(CallPayload.words); else what the worker's
        configuration says.
        With --count, and with list --tokens, a device is one line, its tokens last: that of alerts, then that of calls.
        """

    /// The warning for the operator when that has happened.
    static let registryWarning = "the registry of devices was damaged, and set aside: no token is known any more"

    private static let verbs = ["add", "list", "remove", "offline", "online"]
    /// The options that it takes.
    static let options = [
        Option("bundle-id", "ID", "the app"), Option("group", "NAME", "where its notifications go"),
        Option("share", "let it share the configured group with other apps"),
        Option("environment", "ENVIRONMENT", "whose tokens it has"),
        Option("payload", "WHOSE", "whose fields its server's pushes have for calls"),
        Option("count", "N", "how many are added"),
        Option("tokens", "list the tokens too"), Option("json", "print JSON"),
        Option("help", "show the help"),
    ]

    /// Runs the command in `words`, after `device`.
    func run(_ words: [String], state: StateDirectory, environment: Environment) throws(CommandError) {
        let words = try OptionParser.parse(words, Self.options, stopsAtFirstArgument: false)
        guard !words.has("help") else { return output.line(Self.help) }
        guard let verb = words.arguments.first, Self.verbs.contains(verb) else {
            let meant = words.arguments.first.flatMap { NearestName.nearest(to: $0, of: Self.verbs) }
            throw CommandError(
                .usage, "belfry device needs one of \(Self.verbs.joined(separator: ", "))",
                meant.map { "did you mean \($0)?" } ?? "see belfry device --help")
        }
        let names = words.arguments.dropFirst()
        let isOfOne = verb != "add" && verb != "list"
        guard names.count == (isOfOne ? 1 : 0) else {
            throw CommandError(.usage, "belfry device \(verb) takes \(isOfOne ? "one device" : "no argument")")
        }
        let registry = try orFailure { () throws(RegistryError) in try TokenRegistry(state: state) }
        if registry.wasSetAside { output.complaint("belfry: warning: \(Self.registryWarning)") }
        switch verb {
        case "add": try add(to: registry, try agent(state, environment), words, environment)
        case "list": list(registry, words)
        default: try change(registry, try agent(state, environment), verb, names.first ?? "")
        }
    }

    /// The agent that has to be asked, as this machine is one of a fleet's; nil if it is not.
    private func agent(_ state: StateDirectory, _ environment: Environment) throws(CommandError) -> RunningAgent? {
        let credential: FleetCredential?
        do throws(FleetError) {
            credential = try FleetMembership(state: state).credential()
        } catch {
            throw CommandError(.unavailable, "\(error)", "see belfry fleet join --again")
        }
        guard credential?.role.names == .machine else { return nil }
        return RunningAgent(in: RuntimeDirectory(environment: environment, statePath: state.path))
    }

    private func add(
        to registry: TokenRegistry, _ agent: RunningAgent?, _ words: ParsedOptions, _ variables: Environment
    ) throws(CommandError) {
        guard let bundleID = words["bundle-id"] else {
            throw CommandError(.usage, "belfry device add needs a bundle identifier", "--bundle-id com.example.phone")
        }
        guard let environment = APNsEnvironment(word: words["environment"] ?? "production") else {
            throw CommandError(.usage, "--environment is production or development")
        }
        let group = words["group"].flatMap(GroupName.init)
        guard words["group"] == nil || group != nil else {
            throw CommandError(.usage, "the name of an app group is \(GroupName.rule)")
        }
        let payload = words["payload"].flatMap(CallPayload.init(rawValue:))
        guard words["payload"] == nil || payload != nil else {
            throw CommandError(.usage, "--payload is one of \(CallPayload.words)")
        }
        if let fault = TokenRegistry.fault(inBundleID: bundleID) { throw CommandError(.usage, fault) }
        let count = Int(words["count"] ?? "1") ?? 0
        guard (1...TokenRegistry.devicesMax).contains(count) else {
            throw CommandError(.usage, "--count is a whole number from 1 to \(TokenRegistry.devicesMax)")
        }
        let configured = SettingsLoader.load(environment: variables).settings.appGroup
        let sharing = GroupSharing(group, configured: configured, among: registry.all().filter { $0.machine == nil })
        if let others = sharing.others(than: bundleID), group == nil, !words.has("share") {
            throw CommandError(
                .usage, "the group \(sharing.group) is that of \(others), whose server could hang up its calls",
                "--group NAME for one of its own, or --share")
        }
        if let agent {
            for number in 0..<count {
                let addition = DeviceQuestion.Addition(
                    id: randomUUID(), bundleID: bundleID, appGroup: group, environment: environment,
                    callPayload: payload)
                guard let addition else { throw CommandError(.usage, "\(bundleID) is no bundle identifier") }
                // Each as it is there: what was added before one that fails is known.
                tell([AddedDevice(try agent.add(addition))], isFirst: number == 0, sharing, words)
            }
            return
        }
        let now = WallTime(microseconds: wallTimeMicroseconds())
        let added = try orFailure { () throws(RegistryError) in
            try registry.add(
                count, bundleID: bundleID, appGroup: group, environment: environment, callPayload: payload, at: now)
        }
        tell(added.map { AddedDevice($0) }, isFirst: true, sharing, words)
    }

    private func tell(
        _ added: [AddedDevice], isFirst: Bool, _ sharing: GroupSharing, _ words: ParsedOptions
    ) {
        if words.has("json") {
            for device in added {
                var object = device.object
                if !sharing.apps.isEmpty { object["sharedWith"] = .array(sharing.apps.map { .string($0) }) }
                output.json(object)
            }
        } else if words.has("count") {
            for device in added { output.line("\(device.id) \(device.tokens)") }
            if isFirst, sharing.with != nil { output.complaint("belfry: \(sharing.sentence)") }
        } else {
            output.line("device \(added[0].id)")
            output.line("alert  \(added[0].alertToken.hex)")
            output.line("voip   \(added[0].voipToken.hex)")
            output.line(sharing.sentence)
        }
    }

    private func list(_ registry: TokenRegistry, _ words: ParsedOptions) {
        for device in registry.all() {
            let added = AddedDevice(device)
            guard !words.has("json") else {
                output.json(added.object)
                continue
            }
            let group = device.appGroup?.text ?? "-"
            let tokens = words.has("tokens") ? " \(added.tokens)" : ""
            output.line(
                "\(device.id) \(device.bundleID) \(group) \(device.environment.rawValue) \(added.state)" + tokens
                    + (device.machine.map { " of \($0.text)" } ?? ""))
        }
    }

    private func change(
        _ registry: TokenRegistry, _ agent: RunningAgent?, _ verb: String, _ name: String
    ) throws(CommandError) {
        let known = registry.all().first { device in
            device.id == name.lowercased() || device.registrations.contains { $0.token == DeviceToken(hex: name) }
        }
        if let machine = known?.machine {
            throw CommandError(
                .usage, "the device \(name) is the machine \(machine.text)'s", "belfry device \(verb) there")
        }
        if let agent, let known, known.removedAt == nil {
            let question: DeviceQuestion =
                switch verb {
                case "remove": .remove(known.id)
                case "online": .online(known.id)
                default: .offline(known.id)
                }
            return try agent.change(question)
        }
        let done = try orFailure { () throws(RegistryError) in
            guard let id = known?.id else { return false }
            switch verb {
            case "remove": return try registry.remove(id, at: WallTime(microseconds: wallTimeMicroseconds()))
            default: return try registry.setOffline(verb == "offline", id)
            }
        }
        guard done else {
            let what = known == nil ? "there is no device \(name)" : "the device \(name) was removed"
            throw CommandError(.notFound, what, "see belfry device list")
        }
    }

    private func orFailure<Answer>(_ body: () throws(RegistryError) -> Answer) throws(CommandError) -> Answer {
        do throws(RegistryError) { return try body() } catch { throw CommandError(.unavailable, "\(error)") }
    }
}
