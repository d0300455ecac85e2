import BelfryAppGroup
import BelfryDevices
import BelfryEventLoop
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Glibc
import HTTP2Server
import PushAPI
import PushEndpoint
import Support

/// An endpoint on a port of its own, with credentials that were just made, and clients in processes of their own.
final class EndpointBench: PushTaker {
    static let bundleID = "com.example.phone"
    static let team = "TEAMTEAM01"

    let folder = TemporaryFolder()
    let loop: Loop
    let store: CredentialStore
    let endpoint: APNsEndpoint
    let minted: MintedCredentials
    let port: UInt16
    let alertToken = DeviceToken.random()
    let voipToken = DeviceToken.random()
    let removedToken = DeviceToken.random()
    /// One that another gateway has given away, once that is known here.
    var learnedToken: DeviceToken?
    /// What was taken, in order.
    private(set) var pushes: [EndpointPush] = []
    /// Why requests were refused, in order.
    var refusals: [EndpointReason] { refused.map(\.refusal.reason) }
    /// What was answered as a tester wanted it, in order.
    private(set) var faults: [AnswerFault] = []
    /// What was refused, in order.
    private(set) var refused: [(refusal: Refusal, request: RefusedRequest)] = []
    /// Which connections ended before a request, in order.
    private(set) var ends: [EarlyEnd] = []
    /// How many more strangers there were of each kind, in order.
    private(set) var more: [(count: Int, code: String)] = []
    private(set) var warnings: [String] = []
    /// What the taker says to what it is given.
    var outcome: EndpointReason?
    private let listener: OwnedDescriptor

    /// Whose connections have so small a buffer for what they send, if `sendBufferBytes` is given.
    init(sendBufferBytes: Int32? = nil, _ change: (inout HTTP2Limits) -> Void = { _ in }) throws {
        // As the program does.
        ignoreBrokenPipes()
        loop = try Loop()
        store = try CredentialStore(state: StateDirectory(path: folder.path + "/state"))
        try store.setUp(hostName: "example.test")
        minted = try store.mint(bundleID: Self.bundleID, team: Self.team, environments: [.production])
        var port: UInt16 = 0
        listener = try listenLocally(backlog: 512, port: &port)
        self.port = port
        if var bytes = sendBufferBytes {
            let number = listener.number
            // Which the accepted sockets inherit.
            try checked("setsockopt") {
                unsafe setsockopt(number, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
            }
        }
        let taker = Weak()
        endpoint = try APNsEndpoint(store: store, environment: .production, taker: taker, on: loop)
        self.taker = taker
        taker.bench = self
        var limits = HTTP2Limits()
        change(&limits)
        endpoint.onWarning = { [unowned self] in warnings.append($0) }
        try endpoint.serve([listener.number], limits: limits)
    }

    private let taker: Weak

    /// Between the endpoint and the bench, neither of which can be made before the other.
    private final class Weak: PushTaker {
        weak var bench: EndpointBench?

        func standing(of token: DeviceToken) -> TokenStanding { bench?.standing(of: token) ?? .unknown }

        func makeCertain(_ answer: @escaping (Bool) -> Void) -> Bool { bench?.makeCertain(answer) ?? false }

        func take(_ push: EndpointPush, for registration: Registration, _ answer: @escaping (EndpointReason?) -> Void) {
            bench?.take(push, for: registration, answer)
        }

        func note(refusal: Refusal, of request: RefusedRequest) { bench?.note(refusal: refusal, of: request) }

        func note(end: EarlyEnd) { bench?.note(end: end) }

        func note(more count: Int, of kind: RefusalTally.Kind) { bench?.note(more: count, of: kind) }

        func note(fault: AnswerFault, of apnsID: String) { bench?.note(fault: fault, of: apnsID) }
    }

    func standing(of token: DeviceToken) -> TokenStanding {
        func registration(_ kind: TokenKind) -> Registration {
            Registration(
                token: token, deviceID: "1", kind: kind, bundleID: Self.bundleID, appGroup: nil,
                environment: .production)
        }
        switch token {
        case alertToken: return .registered(registration(.alert))
        case voipToken: return .registered(registration(.voip))
        case learnedToken: return .registered(registration(.alert))
        case removedToken: return .removed(registration(.alert), at: WallTime(microseconds: 1_700_000_000_123_456))
        default: return .unknown
        }
    }

    /// What the fleet answers, later; nil if the endpoint belongs to none.
    var isCertain: (() -> Bool)?

    func makeCertain(_ answer: @escaping (Bool) -> Void) -> Bool {
        guard let isCertain else { return false }
        loop.afterThis(description: "fleet") { answer(isCertain()) }
        return true
    }

    func take(_ push: EndpointPush, for registration: Registration, _ answer: @escaping (EndpointReason?) -> Void) {
        pushes.append(push)
        // Kept later, as a queue's are.
        loop.afterThis(description: "kept") { [outcome] in answer(outcome) }
    }

    func note(refusal: Refusal, of request: RefusedRequest) { refused.append((refusal, request)) }

    func note(end: EarlyEnd) { ends.append(end) }

    func note(more count: Int, of kind: RefusalTally.Kind) { more.append((count, kind.code)) }

    func note(fault: AnswerFault, of apnsID: String) { faults.append(fault) }

    /// Runs `path` while the endpoint serves, calls `onOutput` when it begins to print, and returns all that it prints.
    func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], onOutput: (() -> Void)? = nil
    ) throws -> String {
        let pipe = try DescriptorPair.pipe()
        var command = ChildCommand(
            path: path, arguments: arguments, environment: Environment.allOfThisProcess(),
            streams: [0: .null, 1: .descriptor(pipe.writing.number), 2: .descriptor(pipe.writing.number)])
        for (name, value) in environment { command.environment?[name] = value }
        let child = try ChildProcess(command)
        pipe.writing.close()
        let reading = pipe.reading.number
        var bytes: [UInt8] = []
        let source = try loop.watch(descriptor: reading, events: .readable, description: "output") { [loop] _ in
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            let count = unsafe read(reading, &chunk, chunk.count)
            if bytes.isEmpty, count > 0 { onOutput?() }
            bytes += chunk.prefix(max(count, 0))
            if count <= 0 { loop.stop() }
        }
        let guardian = loop.schedule(at: loop.now + .seconds(120), description: "guard") { try? child.signal(SIGKILL) }
        loop.run()
        guardian.cancel()
        source.cancel()
        _ = try child.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// curl's request, with these arguments beside the address and what it trusts: status, a space, and the body.
    func curl(
        _ arguments: [String], to token: DeviceToken? = nil, host: String = "api.push.apple.com",
        payload: String = #"{"aps":{"alert":"x"}}"#
    ) throws -> String {
        let url = "https://\(host)/3/device/\((token ?? alertToken).hex)"
        return try run(
            "/usr/bin/curl",
            [
                "--silent", "--show-error", "--cacert", store.path(of: CredentialStore.authorityName), "--connect-to",
                "\(host):443:127.0.0.1:\(port)", "--write-out", "%{http_code} %{http_version}\n", "--data", payload,
                url,
            ] + arguments)
    }

    /// A token of the key that was made, of a kind that Tests/Servers/apns-client.py knows.
    func bearer(_ kind: String = "good", key: String? = nil, id: String? = nil, team: String = EndpointBench.team)
        throws -> String
    {
        let made = try run(
            "/usr/bin/python3",
            [
                sourceFile("Tests/Servers/apns-client.py"), "token", key ?? minted.keyPath, id ?? minted.keyID, team,
                kind,
            ])
        return "authorization: bearer " + made.dropLast()
    }

    /// What became of a scenario of Tests/Servers/apns-client.py.
    func play(
        _ scenario: String, environment: [String: String] = [:], onOutput: (() -> Void)? = nil
    ) throws -> JSONObject {
        let authorization = try bearer().dropFirst("authorization: ".utf8.count)
        let said = try run(
            "/usr/bin/python3",
            [
                sourceFile("Tests/Servers/apns-client.py"), scenario, String(port),
                store.path(of: CredentialStore.authorityName), Self.bundleID, alertToken.hex, String(authorization),
            ], environment: environment, onOutput: onOutput)
        let last = said.split(separator: "\n").last ?? ""
        guard let object = (try? JSONValue.parse(Array(last.utf8)))?.objectValue else {
            throw SystemError(errno: EPROTO, call: scenario, subject: said)
        }
        return object
    }
}
