import BelfryAppGroup
import BelfryCommandLine
import BelfryConfinement
import BelfryDevices
import BelfryEventLoop
import BelfryPush
import BelfrySettings
import BelfrySyscalls
import BelfryTLS
import BelfryTerms
import CBelfryLinux
import DeviceRegistry
import FleetKeys
import Glibc
import HTTP2Server
import PushAPI
import PushCarrier
import PushEndpoint
import PushFollowing
import PushQueue
import RingEar

/// The work of belfry-apns.service: serves push servers at the sockets that were passed to it.
final class Serving {
    private let loop: Loop
    private let environment: Environment
    private let queue: NotificationQueue<Loop>
    private let endpoint: APNsEndpoint
    private let carrier: SocketCarrier
    private let relay: RelayCarrier
    private let registry: TokenRegistry
    private let runtime: RuntimeDirectory
    private var program: ProgramWatch?
    /// Whether another version of this program is installed.
    private var isOutdated = false
    private var control: ControlSocket?

    /// Serves until a signal stops it.
    static func run(listenerCount: Int?, state: StateDirectory, environment: Environment) throws(CommandError) {
        // Before OpenSSL is used; without it strangers are bounded in number alone.
        if !TLSMemory.count() { warn("what strangers make OpenSSL hold is not counted") }
        let sockets = try GivenSockets(count: listenerCount)
        do {
            // A user's service may have 1,024 descriptors, and each connection is one.
            try? ResourceLimit.descriptors.raise(to: 16_384)
            let settings = SettingsLoader.load(environment: environment).settings
            let serving = try Serving(settings, state: state, environment: environment)
            // After everything is open, and before the first connection.
            EndpointConfinement.confine(
                statePath: state.path, runtimePath: serving.runtime.path,
                pushSocketPath: PushSocket.path(environment))
            try serving.serve(sockets, settings)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.unavailable, "\(error)")
        }
    }

    private init(_ settings: Settings, state: StateDirectory, environment: Environment) throws {
        self.environment = environment
        runtime = RuntimeDirectory(environment: environment, statePath: state.path)
        loop = try Loop()
        let store = try CredentialStore(state: state)
        // The endpoint works at its first start, even if the person has not made a certificate.
        if (try? store.tlsServer()) == nil, try store.setUp(hostName: hostName()) {
            let authority = store.path(of: CredentialStore.authorityName)
            Self.warn("there was no authority in \(state.path), and no client trusts the new one yet: \(authority)")
        }
        registry = try TokenRegistry(state: state)
        if registry.wasSetAside { Self.warn(DeviceCommand.registryWarning) }
        carrier = SocketCarrier(socketPath: PushSocket.path(environment), on: loop)
        relay = RelayCarrier(socketPath: runtime.relaySocketPath, on: loop)
        queue = try NotificationQueue(
            state: state, registry: registry, carrier: MachineCarrier(here: carrier, elsewhere: relay), on: loop)
        endpoint = try APNsEndpoint(
            store: store, environment: settings.apnsEnvironment,
            taker: QueueTaker(queue, registry, relay, state, on: loop), on: loop)
        program = ProgramWatch(on: loop) { [unowned self] in
            isOutdated = true
            makeRoom()
        }
        carrier.onIdle = { [unowned self] in makeRoom() }
        endpoint.followers = FollowersFolder(in: runtime)
        queue.onWarning = Self.warn
        endpoint.onWarning = Self.warn
    }

    private static func warn(_ text: String) { complain(Printable.escaped("belfry-apns: warning: \(text)")) }

    private func serve(_ sockets: GivenSockets, _ settings: Settings) throws {
        var limits = HTTP2Limits()
        limits.firstStreams = UInt32(settings.apnsFirstStreams)
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            try loop.onSignal(signal, description: "stop") { [unowned self] _ in
                wasAsked = true
                stop()
            }
        }
        try endpoint.serve(sockets.providers, limits: limits)
        if let socket = sockets.control {
            control = try ControlSocket(socket, on: loop) { [unowned self] in perform($0) }
        }
        ServiceNotice.send("READY=1", environment)
        loop.run()
        queue.finish()
        // The unit starts the other one (`RestartForceExitStatus=`); who is stopped meanwhile stays so.
        if isOutdated, !wasAsked { exit(75) }
    }

    private func perform(_ request: ControlRequest) -> ControlAnswer {
        switch request {
        case .sendAway(let isHard):
            endpoint.sendAway(.shutdown, isHard: isHard)
            return .done
        case .fail(let fault): return endpoint.add(fault) ? .done : .refused
        case .clearFaults:
            endpoint.clearFailures()
            return .done
        case .setOffline(let isOffline, let device):
            return (try? registry.setOffline(isOffline, device)) == true ? .done : .refused
        case .listFaults: return ControlAnswer(listing: endpoint.failures)
        case .countWaiting: return ControlAnswer(counting: queue.waitingByMachine)
        }
    }

    /// Leaves for another version of this program, once nothing rings that came from here.
    private func makeRoom() {
        if isOutdated, !carrier.isBusy { stop() }
    }

    private var isStopping = false
    /// Whether a signal has stopped it.
    private var wasAsked = false

    private func stop() {
        guard !isStopping else { return }
        isStopping = true
        ServiceNotice.send("STOPPING=1", environment)
        endpoint.stop { [loop] in loop.stop() }
    }
}

/// Hands the pushes that the endpoint has accepted to the queue.
private final class QueueTaker: PushTaker {
    private let queue: NotificationQueue<Loop>
    private let registry: TokenRegistry
    private let relay: RelayCarrier
    private let state: StateDirectory
    private let loop: Loop
    private var hasLooked = false

    init(
        _ queue: NotificationQueue<Loop>, _ registry: TokenRegistry, _ relay: RelayCarrier, _ state: StateDirectory,
        on loop: Loop
    ) {
        self.queue = queue
        self.registry = registry
        self.relay = relay
        self.state = state
        self.loop = loop
    }

    /// Looks for changes by commands, once for all requests that came together.
    func standing(of token: DeviceToken) -> TokenStanding {
        if !hasLooked {
            hasLooked = true
            registry.look()
            loop.afterThis(description: "devices") { [self] in hasLooked = false }
        }
        return registry.lastStanding(of: token)
    }

    func makeCertain(_ answer: @escaping (Bool) -> Void) -> Bool {
        guard FleetMembership.isGateway(state) else { return false }
        relay.fence { [registry] isCertain in
            registry.look()
            answer(isCertain)
        }
        return true
    }

    func take(_ push: EndpointPush, for registration: Registration, _ answer: @escaping (EndpointReason?) -> Void) {
        queue.submit(push, for: registration) { outcome in
            switch outcome {
            case .accepted: answer(nil)
            case .tooManyRequests: answer(.tooManyRequests)
            case .unavailable: answer(.serviceUnavailable)
            case .failed: answer(.internalServerError)
            }
        }
    }

    func note(refusal: Refusal, of request: RefusedRequest) {
        var note = note(.refused, request.apnsID)
        note.status = refusal.reason.status
        note.code = refusal.reason.rawValue
        note.detail = refusal.detail
        note.clockSeconds = refusal.clockSeconds
        note.certificate = request.fingerprint
        note.topic = request.topic
        note.pushType = request.pushType
        switch request.token.map(standing(of:)) {
        case .registered(let registration), .removed(let registration, _, _): note.deviceID = registration.deviceID
        case .unknown, nil: break
        }
        queue.note(note)
    }

    func note(end: EarlyEnd) {
        var note = note(.disconnected, nil)
        (note.code, note.certificate, note.detail) = (end.why.rawValue, end.fingerprint, end.detail)
        queue.note(note)
    }

    func note(more count: Int, of kind: RefusalTally.Kind) {
        var note: PushNote
        switch kind {
        case .refusal(let reason):
            note = self.note(.refused, nil)
            note.status = reason.status
        case .end: note = self.note(.disconnected, nil)
        }
        (note.code, note.moreCount, note.detail) = (kind.code, count, "and \(count) more")
        queue.note(note)
    }

    func note(fault: AnswerFault, of apnsID: String) {
        var note = note(.injected, apnsID)
        note.status = fault.status
        note.detail = fault.reason.isEmpty ? nil : fault.reason
        queue.note(note)
    }

    private func note(_ step: PushStep, _ apnsID: String?) -> PushNote {
        PushNote(at: WallTime(microseconds: wallTimeMicroseconds()), apnsID: apnsID, step: step)
    }
}

/// The sockets that the service manager, or `belfry serve`, has opened for this process.
private struct GivenSockets {
    /// The first descriptor that is passed (sd_listen_fds(3)).
    private static let first: Int32 = 3
    private static let countMax = 64

    /// Those that push servers connect to.
    private(set) var providers: [Int32] = []
    /// The one that testers connect to; nil if there is none.
    private(set) var control: Int32?

    /// `count` sockets, else as many as the environment says.
    init(count: Int?) throws(CommandError) {
        let environment = Environment.ofThisProcess(startingWith: ["LISTEN_"])
        // Inherited variables may be meant for a parent (sd_listen_fds(3)).
        let isForUs = environment["LISTEN_PID"].flatMap { Int32($0) } == getpid()
        let announced = isForUs ? environment["LISTEN_FDS"].flatMap { Int($0) } : nil
        guard let count = count ?? announced, (1...Self.countMax).contains(count) else {
            throw CommandError(
                .usage, "there is no socket to serve", "systemctl --user start belfry-apns.socket starts it with some")
        }
        for number in Self.first..<(Self.first + Int32(count)) {
            guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0, fcntl(number, F_SETFL, O_NONBLOCK) == 0 else {
                throw CommandError(.usage, "descriptor \(number) is no socket to serve")
            }
            if Self.isUnix(number) { control = number } else { providers.append(number) }
        }
    }

    private static func isUnix(_ number: Int32) -> Bool {
        var address = sockaddr()
        var size = socklen_t(MemoryLayout<sockaddr>.size)
        return unsafe getsockname(number, &address, &size) == 0 && address.sa_family == sa_family_t(AF_UNIX)
    }
}

/// Messages of a service to its manager (sd_notify(3)).
private enum ServiceNotice {
    static func send(_ text: String, _ environment: Environment) {
        guard let path = environment["NOTIFY_SOCKET"], !path.isEmpty else { return }
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard let number = try? checked("socket", { socket(AF_UNIX, kind, 0) }) else { return }
        let notice = OwnedDescriptor(owning: number)
        guard (try? connectUnixSocket(notice.number, to: path)) != nil else { return }
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.send(notice.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
