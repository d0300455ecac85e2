import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Fleet
import FleetKeys
import RingEar

/// `belfry fleet status` and `list`: how this machine's relay or agent stands, and whom a gateway knows.
struct StatusCommands {
    private static let patienceSeconds = 5

    /// Where they print.
    let output: Output
    private let credential: FleetCredential
    private let status: FleetStatus

    /// Asks the relay or agent of the fleet that `state` belongs to.
    init(output: Output, _ state: StateDirectory, _ environment: Environment) throws(CommandError) {
        self.output = output
        let known: FleetCredential?
        do throws(FleetError) { known = try FleetMembership(state: state).credential() } catch {
            throw CommandError(.unavailable, "\(error)", "see belfry fleet join --again")
        }
        guard let known else {
            throw CommandError(.notFound, "this machine belongs to no fleet", "see belfry fleet join")
        }
        credential = known
        let runtime = RuntimeDirectory(environment: environment, statePath: state.path)
        let (path, unit) =
            known.role == .gateway
            ? (runtime.relaySocketPath, "belfry-relay.service") : (runtime.agentSocketPath, "belfry-agent.service")
        let line: [UInt8]
        do throws(SystemError) {
            line = try CommandSocket.exchange(
                FleetStatus.question + [UInt8(ascii: "\n")], at: path, patienceSeconds: Self.patienceSeconds,
                bytesMax: FleetStatus.bytesMax)
        } catch {
            throw CommandError(
                .unavailable, "\(known) does not answer: \(error)", "systemctl --user enable --now \(unit)")
        }
        guard let status = FleetStatus(line: line.last == UInt8(ascii: "\n") ? line.dropLast() : line) else {
            throw CommandError(.unavailable, "\(known) answers what nobody understands", "is it of this version?")
        }
        self.status = status
    }

    /// `status`.
    func printStatus(asJSON: Bool) {
        guard !asJSON else { return output.line(String(decoding: status.line.dropLast(), as: UTF8.self)) }
        output.line("\(credential.role.rawValue) \(status.name.text), for \(age(of: status.since))")
        for (number, line) in status.lines.enumerated() {
            output.line("line \(number + 1)   \(line.broker)  \(line.isUp ? "up" : "down")")
        }
        if let standing = status.standing { output.line("devices  \(Self.words(for: standing))") }
        let (who, none) =
            credential.role == .gateway ? ("machine", "none was heard") : ("gateway", "none answers")
        if status.peers.isEmpty { output.line("\(who)  \(none)") }
        for peer in status.peers {
            let clock = peer.clockSeconds.map { $0 == 0 ? "" : ", its clock is \($0) s off" } ?? ""
            output.line("\(who)  \(peer.name.text), heard \(age(of: peer.heardAt)) ago\(clock)")
        }
        if status.droppedCount > 0 { output.line("dropped  \(status.droppedCount) messages that made no sense") }
    }

    /// `list`.
    func printList(_ state: StateDirectory, asJSON: Bool) throws(CommandError) {
        guard credential.role == .gateway else {
            throw CommandError(.usage, "this is \(credential)", "a gateway has the list of all machines")
        }
        let registry: TokenRegistry
        do throws(RegistryError) { registry = try TokenRegistry(state: state) } catch {
            throw CommandError(.unavailable, "\(error)")
        }
        var devices: [FleetName: Int] = [:]
        for device in registry.all() where device.removedAt == nil {
            if let machine = device.machine { devices[machine, default: 0] += 1 }
        }
        let peers = Dictionary(status.peers.map { ($0.name, $0) }) { _, last in last }
        for name in Set(devices.keys).union(peers.keys).sorted() {
            line(name, peers[name], devices: devices[name] ?? 0, asJSON: asJSON)
        }
    }

    private func line(_ name: FleetName, _ peer: FleetStatus.Peer?, devices: Int, asJSON: Bool) {
        let isThere = peer.map { !$0.isAbsent } ?? false
        guard asJSON else {
            let heard = peer.map { "heard \(age(of: $0.heardAt)) ago, there for \(age(of: $0.since))" } ?? "not heard"
            let waiting = peer?.waitingCount ?? 0
            return output.line(
                "\(name.text) \(isThere ? "there" : "away"), \(devices) devices, \(waiting) pushes wait, \(heard)")
        }
        var object: JSONObject = [
            "machine": .string(name.text), "there": .bool(isThere), "devices": .integer(Int64(devices)),
            "waiting": .integer(Int64(peer?.waitingCount ?? 0)),
        ]
        object["since"] = peer.map { .integer($0.since.unixSecond) }
        object["heard"] = peer.map { .integer($0.heardAt.unixSecond) }
        output.json(object)
    }

    /// How long ago `time` is, in its largest unit.
    private func age(of time: WallTime) -> String {
        let seconds = max(0, (WallTime(microseconds: wallTimeMicroseconds()) - time).microseconds / 1_000_000)
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
