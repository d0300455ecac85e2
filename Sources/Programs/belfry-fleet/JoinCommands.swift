import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetKeys
import FleetLine
import Glibc

/// `belfry fleet join` and `leave`: whether this machine belongs to a fleet, and as what.
struct JoinCommands {
    /// How long a gateway has to answer.
    private static let patience = TimeSpan.seconds(3)

    /// Where they print.
    let output: Output

    /// Checks the credential in the file at `path`, and at the brokers, and keeps it; one of another fleet, name or
    /// role is replaced only if `again`.
    func join(_ path: String, again: Bool, _ state: StateDirectory, at now: WallTime) throws(CommandError) {
        let bytes = try Self.read(path)
        let credential: FleetCredential
        let line: LineCredential
        do throws(FleetCredentialError) {
            credential = try FleetCredential(bytes: bytes)
            try credential.check(at: now)
            line = try credential.forLine()
        } catch {
            throw CommandError(.badNotification, "\(Self.name(of: path)) cannot be used", "\(error)")
        }
        let membership = FleetMembership(state: state)
        if !again { try check(credential, against: membership) }
        try askGateways(as: credential, by: visitBrokers(as: credential, line))
        try orFailure { () throws(FleetError) in try membership.keep(credential) }
        output.line("This is the \(credential.role.rawValue) \(credential.name.text) of the fleet now.")
        output.line("  systemctl --user enable --now \(credential.role.unit)")
        if path != "-" { output.line("Remove \(path): whoever has it is this \(credential.role.names.rawValue), too.") }
    }

    /// Removes the credential.
    func leave(_ state: StateDirectory) throws(CommandError) {
        let membership = FleetMembership(state: state)
        // One that is damaged, too, can be left.
        let credential = try? membership.credential()
        guard try orFailure({ () throws(FleetError) in try membership.leave() }) else {
            throw CommandError(.notFound, "this machine belongs to no fleet")
        }
        output.line("This machine belongs to no fleet any more.")
        let units = credential.map { [$0.role.unit] } ?? [FleetRole.gateway, .machine].map(\.unit)
        output.line("  systemctl --user disable --now \(units.joined(separator: " "))")
    }

    private static func name(of path: String) -> String { path == "-" ? "what is on standard input" : path }

    private static func read(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(SystemError) {
            guard path == "-" else { return try readFile(at: path, bytesMax: FleetCredential.bytesMax).bytes }
            return readKernelFile("/dev/stdin", bytesMax: FleetCredential.bytesMax + 1) ?? []
        } catch {
            let isMissing = error.errno == ENOENT || error.errno == ENOTDIR
            throw CommandError(isMissing ? .notFound : .badNotification, "the credential cannot be read", "\(error)")
        }
    }

    /// Throws if this machine belongs to another fleet, or to this one as somebody else.
    private func check(_ credential: FleetCredential, against membership: FleetMembership) throws(CommandError) {
        guard let known = try orFailure({ () throws(FleetError) in try membership.credential() }) else { return }
        guard known.claims.account == credential.claims.account else {
            throw CommandError(.usage, "this machine belongs to another fleet", "belfry fleet leave, or --again")
        }
        guard known.name == credential.name, known.role == credential.role else {
            throw CommandError(
                .usage, "this is the \(known.role.rawValue) \(known.name.text) already",
                "belfry fleet leave, or --again")
        }
    }

    /// Tells of each broker whether it lets `credential` in; throws if none does.
    private func visitBrokers(
        as credential: FleetCredential, _ line: LineCredential
    ) throws(CommandError) -> BrokerVisit {
        ignoreBrokenPipes()
        let visit: BrokerVisit
        do throws(SystemError) {
            visit = try BrokerVisit(to: credential.brokers, as: line, inbox: Self.inbox(of: credential))
        } catch {
            throw CommandError(.unavailable, "\(error)")
        }
        for broker in visit.reached { output.line("broker \(broker) lets it in") }
        var isDenied = false
        for (broker, why) in visit.missed {
            output.complaint(Printable.escaped("belfry: broker \(broker) is \(why)"))
            if case .denied = why { isDenied = true }
        }
        guard visit.reached.isEmpty else { return visit }
        throw CommandError(
            .unavailable, "no broker lets it in",
            isDenied
                ? "if it was not revoked, and the clock is right, the brokers are of another fleet"
                : "is a broker running, and can its port be reached from here?")
    }

    /// Tells of the gateway that answers a machine, and of clocks that differ; nothing that keeps it from joining.
    private func askGateways(as credential: FleetCredential, by visit: BrokerVisit) throws(CommandError) {
        guard credential.role != .gateway, let broker = visit.reached.first else { return }
        let answer = visit.ask(
            FleetSubject.here(credential.name).text, HereMessage.question.bytes, of: broker, for: Self.patience)
        guard case .bytes(let bytes) = answer, let said = try? HereAnswer(bytes: bytes) else {
            return output.complaint(
                "belfry: no gateway answers: until one does, no push comes here, and no device is added")
        }
        output.line("gateway \(said.gateway.text) answers")
        let seconds = (said.time - WallTime(microseconds: wallTimeMicroseconds())).microseconds / 1_000_000
        guard abs(seconds) > FleetStatus.clockSecondsMax else { return }
        output.complaint("belfry: its clock is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") this one")
    }

    private static func inbox(of credential: FleetCredential) -> String {
        credential.role == .gateway ? "_INBOX.\(credential.name.text).join" : "belfry.answer.\(credential.name.text)"
    }
}
