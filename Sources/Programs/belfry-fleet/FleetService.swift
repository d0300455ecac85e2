import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfryEventLoop
import BelfryPush
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Fleet
import FleetAgent
import FleetKeys
import FleetLine
import FleetRelay
import Glibc
import PushCarrier

/// The work of belfry-relay.service and belfry-agent.service: until a signal ends it.
final class FleetService {
    /// Which of the two.
    enum Work: String {
        case relay, agent
    }

    /// How often a broker is asked whether it is there: a gateway has to know soon, and thousands of machines ask it.
    private static let (relayPings, agentPings) = (TimeSpan.seconds(2), TimeSpan.seconds(15))
    /// What the unit does not start anew (`RestartPreventExitStatus=`).
    private static let notJoined: Int32 = 78
    /// What the unit starts anew (`RestartForceExitStatus=`).
    private static let outdated: Int32 = 75
    /// The first descriptor that the manager passes (sd_listen_fds(3)).
    private static let listener: Int32 = 3

    private let work: Work
    private let loop: Loop
    private let lines: FleetLines
    private var relay: GatewayRelay?
    private var agent: MachineAgent?

    /// Does `work` until a signal ends it, and returns the exit status.
    static func run(_ work: Work, state: StateDirectory, environment: Environment) -> Int32 {
        ignoreBrokenPipes()
        guard Environment.ofThisProcess(startingWith: ["LISTEN_FDS="])["LISTEN_FDS"] != nil,
            fileKind(of: listener) == S_IFSOCK
        else {
            tell(work, "descriptor \(listener) is no socket: belfry-\(work.rawValue).socket starts this program")
            return 64
        }
        do {
            let credential = try membership(of: work, state)
            let service = try FleetService(work, credential, state: state, environment: environment)
            FleetConfinement.confine(
                statePath: state.path, pushSocketPath: PushSocket.path(environment),
                ports: credential.brokers.map(\.port))
            return try service.serve(FleetMembership(state: state), credential)
        } catch let error as NotJoined {
            tell(work, error.description)
            return notJoined
        } catch {
            tell(work, "\(error)")
            return 69
        }
    }

    /// Why this state directory does not do that work.
    private struct NotJoined: Error, CustomStringConvertible {
        let description: String
    }

    private static func membership(of work: Work, _ state: StateDirectory) throws -> FleetCredential {
        let found: FleetCredential?
        do throws(FleetError) { found = try FleetMembership(state: state).credential() } catch {
            // No later try would read another one; of a store that fails, one may.
            guard error.kind == .unusable else { throw error }
            throw NotJoined(description: "\(error): see belfry fleet join --again")
        }
        guard let credential = found else {
            throw NotJoined(description: "\(state.path) belongs to no fleet: see belfry fleet join")
        }
        guard (credential.role == .gateway) == (work == .relay) else {
            throw NotJoined(description: "this is \(credential), which has no \(work.rawValue)")
        }
        do throws(FleetCredentialError) { _ = try credential.forLine() } catch {
            throw NotJoined(description: "\(credential): \(error): see belfry fleet join --again")
        }
        return credential
    }

    private init(
        _ work: Work, _ credential: FleetCredential, state: StateDirectory, environment: Environment
    ) throws {
        self.work = work
        loop = try Loop()
        let name = credential.name
        lines = FleetLines(
            to: credential.brokers, credential: try credential.forLine(),
            hearing: work == .relay
                ? FleetSubject.heard(byGateway: name) : FleetSubject.heard(byMachine: name),
            pings: work == .relay ? Self.relayPings : Self.agentPings, on: loop)
        let tell = { (text: String) in Self.tell(work, text) }
        let version = BelfryVersion.number
        switch work {
        case .relay:
            let settings = SettingsLoader.load(environment: environment).settings
            var limits = GatewayRelay.Limits()
            limits.asking.patience = settings.fleetPatience
            limits.mirror.devicesPerMachineMax = settings.fleetDevicesPerMachine
            let relay = try GatewayRelay(
                gateway: name, version: version, limits: limits, lines: lines,
                registry: RegistryMirror(state: state), on: loop)
            relay.onTold = tell
            try relay.serve(Self.listener)
            self.relay = relay
        case .agent:
            let carrier = SocketCarrier(socketPath: PushSocket.path(environment), on: loop)
            let registry = try TokenRegistry(state: state)
            let agent = MachineAgent(
                machine: name, version: version, isShared: credential.role == .shared, lines: lines, registry: registry,
                carrier: carrier, on: loop)
            agent.onTold = tell
            try agent.serve(Self.listener)
            self.agent = agent
        }
    }

    private func serve(_ membership: FleetMembership, _ credential: FleetCredential) throws -> Int32 {
        var status: Int32 = 0
        func endForAnother() {
            status = Self.outdated
            loop.stop()
        }
        let program = ProgramWatch(on: loop) { endForAnother() }
        let joined = membership.watch(on: loop, instead: credential) { endForAnother() }
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            try loop.onSignal(signal, description: "stop") { [loop] _ in loop.stop() }
        }
        let lifeline = try watchLifeline()
        // Ready without a broker: what comes waits for one.
        notifyServiceManager("READY=1")
        loop.run()
        lines.end()
        return withExtendedLifetime((program, joined, lifeline)) { status }
    }

    /// Whoever starts this without a service manager has it end with them by a pipe as standard input.
    private func watchLifeline() throws(SystemError) -> DescriptorSource? {
        guard fileKind(of: STDIN_FILENO) == S_IFIFO else { return nil }
        return try loop.watch(descriptor: STDIN_FILENO, events: .readable, description: "lifeline") { [loop] _ in
            loop.stop()
        }
    }

    private static func tell(_ work: Work, _ text: String) {
        complain(Printable.escaped("belfry-fleet \(work.rawValue): \(text)"))
    }
}
