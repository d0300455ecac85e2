import BelfryEventLoop
import BelfryJSON
import BelfryServe
import BelfrySyscalls
import Glibc
import Support
import Testing

/// A fleet of a test's own: a broker, and a gateway with an endpoint, all of it as processes.
final class PlayedFleet {
    /// By which a push server finds the gateway's endpoint.
    let endpoint: [String: String]
    private let folder = TemporaryFolder()
    private let port: UInt16
    private var loop: Loop?
    private var broker: SetUpBroker?
    private var relay: ChildProcess?
    private var served: ServedEndpoint?

    /// Without `hasGateway` it has a broker alone, and without `hasBroker` nothing that runs.
    init(hasBroker: Bool = true, hasGateway: Bool = true) throws {
        let loop = try Loop()
        self.loop = loop
        port = try #require(SetUpBroker.freePorts(1).first)
        let keeper = "\(folder.path)/keeper"
        try Self.fleet(["setup", "--broker", "127.0.0.1:\(port)"], keeper)
        guard hasBroker else {
            endpoint = [:]
            return
        }
        broker = try SetUpBroker(folder: "\(keeper)/fleet/setup/broker-127.0.0.1-\(port)", port: port)
        try Self.fleet(["setup"], keeper)
        guard hasGateway else {
            endpoint = [:]
            return
        }
        let (state, runtime) = (folder.makeFolder("gate"), folder.makeFolder("run"))
        var environment = Environment.allOfThisProcess()
        environment["BELFRY_STATE_DIRECTORY"] = state
        environment["BELFRY_RUNTIME_DIRECTORY"] = runtime
        environment["BELFRY_SOCKET"] = "\(folder.path)/none.sock"
        let made = try Self.fleet(["enroll", "gate", "--gateway"], keeper)
        try Self.fleet(["join", Self.file(made)], state)
        let listener = try listenPrivately(at: "\(runtime)/relay.sock", backlog: 64)
        relay = try ChildProcess(
            ChildCommand(
                path: testedProgram("belfry-fleet"), arguments: ["relay"],
                environment: environment.merging(["LISTEN_FDS": "1"]) { $1 },
                streams: [STDIN_FILENO: .null, 3: .descriptor(listener.number)]))
        let served = try ServedEndpoint(
            testedProgram("belfry-apns"), environment: environment, runtimePath: runtime, on: loop)
        endpoint = Dictionary(served.variables.map { ($0.name, $0.value) }) { $1 }
        self.served = served
    }

    deinit {
        // Before their folders go.
        (served, loop) = (nil, nil)
        relay = nil
        broker = nil
    }

    /// Makes a credential; where its file is.
    func credential(_ words: String...) throws -> String {
        try Self.file(Self.fleet(["enroll"] + words, "\(folder.path)/keeper"))
    }

    private static func file(_ printed: [String]) throws -> String {
        try #require(printed.first?.split(separator: " ").last.map(String.init))
    }

    /// What `belfry-fleet` prints.
    @discardableResult
    private static func fleet(_ words: [String], _ state: String) throws -> [String] {
        let run = try ProgramRun(
            testedProgram("belfry-fleet"), words, environment: ["BELFRY_STATE_DIRECTORY": state])
        let lines = run.lines()
        #expect(try run.child.waitUntilExit() == .exited(code: 0), "\(words) \(run.complaints())")
        return lines
    }

    /// What curl is to be given so that it pushes `payload` to `token` by the gateway whose `endpoint` that is.
    static func curl(_ payload: String, to token: String, by endpoint: [String: String]) throws -> [String] {
        func value(_ name: String) throws -> String { try #require(endpoint["BELFRY_APNS_\(name)"]) }
        return [
            "--silent", "--show-error", "--write-out", "%{http_code}", "--cacert", try value("CA"), "--cert",
            try value("CERTIFICATE"), "--header", "apns-topic: \(try value("BUNDLE_ID")).voip", "--data", payload,
            "\(try value("URL"))/3/device/\(token)",
        ]
    }
}
