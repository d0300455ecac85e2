import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Fleet
import PushAPI

/// `belfry fleet status` and `list`: how this machine's relay or agent stands, and whom a gateway knows; and `restore`.
struct StatusCommands {
    private static let patienceSeconds = 5
    /// All of a fleet's devices take a minute on slow disks.
    private static let restorePatienceSeconds = 300

    /// Where they print.
    let output: Output
    private let member: RunningMember
    private let environment: Environment

    /// Of the relay or agent of the fleet that `state` belongs to.
    init(output: Output, _ state: StateDirectory, _ environment: Environment) throws(CommandError) {
        (self.output, self.environment) = (output, environment)
        member = try RunningMember(state, environment)
    }

    private var role: FleetRole { member.credential.role }

    private func status() throws(CommandError) -> FleetStatus {
        try member.ask(FleetStatus.question, patienceSeconds: Self.patienceSeconds, FleetStatus.init(line:))
    }

    /// `status`.
    func printStatus(asJSON: Bool) throws(CommandError) {
        let status = try status()
        guard !asJSON else { return output.line(String(decoding: status.line.dropLast(), as: UTF8.self)) }
        output.line("\(role.rawValue) \(status.name.text), for \(age(of: status.since))")
        for (number, line) in status.lines.enumerated() {
            output.line("line \(number + 1)   \(line.broker)  \(line.isUp ? "up" : "down")\(end(of: line))")
        }
        if let standing = status.standing { output.line("devices  \(Self.words(for: standing))") }
        if let bucket = status.bucket { output.line("registry \(Self.words(for: bucket))") }
        let (who, none) = role == .gateway ? ("machine", "none was heard") : ("gateway", "none answers")
        if status.peers.isEmpty { output.line("\(who)  \(none)") }
        for peer in status.peers {
            let clock = peer.clockSeconds.map { $0 == 0 ? "" : ", its clock is \($0) s off" } ?? ""
            let twice = !peer.isTwice ? "" : role == .gateway ? ", twice" : ", which hears this machine's name twice"
            let waiting = peer.waitingCount == 0 ? "" : ", \(Self.waiting(peer.waitingCount))"
            output.line("\(who)  \(peer.name.text), heard \(age(of: peer.heardAt)) ago\(waiting)\(clock)\(twice)")
        }
        output.line("pushes   \(Self.waiting(status.waitingCount))")
        if status.droppedCount > 0 { output.line("dropped  \(status.droppedCount) messages that made no sense") }
    }

    private static func waiting(_ count: Int) -> String { count == 1 ? "1 push waits" : "\(count) pushes wait" }

    private func end(of line: FleetStatus.Line) -> String {
        line.certificateDaysLeft(at: now).map { ", its certificate ends in \($0) days" } ?? ""
    }

    private static func words(for bucket: FleetStatus.Bucket) -> String {
        let copies = bucket.copies.count == 1 ? "1 copy" : "\(bucket.copies.count) copies"
        let missing = bucket.copies.missingCount == 0 ? "" : ", \(bucket.copies.missingCount) not there"
        let unread = bucket.unreadCount == 0 ? "" : ", \(bucket.unreadCount) changes not read yet"
        return "\(copies)\(missing), \(bucket.devicesCount) devices\(unread)"
    }

    /// `list`.
    func printList(_ state: StateDirectory, asJSON: Bool) throws(CommandError) {
        guard role == .gateway else {
            throw CommandError(.usage, "this is \(member.credential)", "a gateway has the list of all machines")
        }
        let status = try status()
        let registry: TokenRegistry
        do throws(RegistryError) { registry = try TokenRegistry(state: state) } catch {
            throw CommandError(.unavailable, "\(error)")
        }
        var devices: [FleetName: Int] = [:]
        for device in registry.all() where device.removedAt == nil {
            if let machine = device.machine { devices[machine, default: 0] += 1 }
        }
        for gateway in status.gateways { line("gateway", gateway.name, gateway, nil, asJSON: asJSON) }
        let waiting = waitingByMachine()
        let peers = Dictionary(status.peers.map { ($0.name, $0) }) { _, last in last }
        for name in Set(devices.keys).union(peers.keys).sorted() {
            let waitingCount = waiting.map { $0[name] ?? 0 } ?? peers[name]?.waitingCount ?? 0
            line("machine", name, peers[name], (devices[name] ?? 0, waitingCount), asJSON: asJSON)
        }
    }

    /// What the endpoint beside this relay has for each machine; nil if it does not say.
    private func waitingByMachine() -> [FleetName: Int]? {
        guard let path = EndpointSocket.path(environment) else { return nil }
        let answer = try? CommandSocket.exchange(
            ControlRequest.countWaiting.line, at: path, patienceSeconds: Self.patienceSeconds,
            bytesMax: ControlAnswer.bytesMax)
        guard case .waiting(let counts)? = answer.flatMap({ ControlAnswer(line: $0) }) else { return nil }
        return counts
    }

    private func line(
        _ who: String, _ name: FleetName, _ peer: FleetStatus.Peer?, _ counts: (devices: Int, waiting: Int)?,
        asJSON: Bool
    ) {
        let isThere = peer.map { !$0.isAbsent } ?? false
        guard asJSON else {
            var words = ["\(who) \(name.text) \(isThere ? "there" : "away")"]
            if peer?.isTwice ?? false { words.append("twice") }
            if let (devices, waiting) = counts {
                words += ["\(devices) \(devices == 1 ? "device" : "devices")", Self.waiting(waiting)]
            }
            words.append(peer.map { "heard \(age(of: $0.heardAt)) ago, there for \(age(of: $0.since))" } ?? "not heard")
            if let introduction = peer?.introduction {
                let brokers = introduction.brokers.joined(separator: " and ")
                if !brokers.isEmpty { words.append("by \(brokers)") }
                if !introduction.version.isEmpty { words.append("belfry \(introduction.version)") }
            }
            return output.line(Printable.escaped(words.joined(separator: ", ")))
        }
        var object: JSONObject = [who: .string(name.text), "there": .bool(isThere)]
        object["devices"] = counts.map { .integer(Int64($0.devices)) }
        object["waiting"] = counts.map { .integer(Int64($0.waiting)) }
        object["since"] = peer.map { .integer($0.since.unixSecond) }
        object["heard"] = peer.map { .integer($0.heardAt.unixSecond) }
        if let introduction = peer?.introduction {
            if !introduction.version.isEmpty { object["version"] = .string(introduction.version) }
            object["brokers"] = .array(introduction.brokers.map { .string($0) })
        }
        if peer?.isTwice ?? false { object["twice"] = true }
        output.json(object)
    }

    /// `restore`.
    func restore() throws(CommandError) {
        guard role == .gateway else {
            throw CommandError(.usage, "this is \(member.credential)", "a gateway knows the devices of all machines")
        }
        let restored = try member.ask(
            FleetRestoration.question, patienceSeconds: Self.restorePatienceSeconds, FleetRestoration.init(line:))
        let count = restored.restoredCount == 1 ? "1 device" : "\(restored.restoredCount) devices"
        if let problem = restored.problem {
            throw CommandError(
                .unavailable, "\(count) restored, and not all: \(problem)",
                "more than half of the brokers have to run; belfry fleet setup makes their registry")
        }
        output.line(restored.restoredCount == 0 ? "The registry of devices lacks none." : "restored \(count)")
    }

    private var now: WallTime { WallTime(microseconds: wallTimeMicroseconds()) }

    /// How long ago `time` is, in its largest unit.
    private func age(of time: WallTime) -> String {
        let seconds = max(0, (now - time).microseconds / 1_000_000)
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    private static func words(for standing: MirrorStateMachine.Standing) -> String {
        switch standing {
        case .unread: "the fleet's were not read yet: unknown tokens are answered 503"
        case .empty: "the fleet has none"
        case .missing: "the fleet lacks some that are known here: unknown tokens are answered 503"
        case .unreadable: "some of the fleet's cannot be read: unknown tokens are answered 503"
        case .whole: "as the fleet has them"
        }
    }
}
