import BelfryAppGroup
import BelfryDevices
import BelfryEventLoop
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Fleet
import FleetLine
import FleetRelay
import Glibc
import Support
import Testing

@testable import FleetKeys

/// A broker that keeps the bucket of devices, as the holder of a fleet's keys has made it.
final class PlayedBucket {
    static let stream = "KV_belfry-devices"
    let loop: Loop
    let broker: Support.Broker
    private let account = PlayedAccount()
    private let certificate: BrokerCertificate
    private let owner: BrokerLine
    private(set) var answers: [LineMessage] = []

    init(on loop: Loop) throws {
        ignoreBrokenPipes()
        self.loop = loop
        certificate = try BrokerCertificate()
        broker = try Support.Broker(Support.Broker.Manner(withStreamsOf: account, certificate))
        let user = account.user()
        owner = BrokerLine(
            to: try #require(BrokerAddress(host: "127.0.0.1", port: broker.port)),
            credential: LineCredential(jwt: user.jwt, key: user.key, authority: certificate.authority),
            pings: .seconds(60), on: loop)
        var isUp = false
        owner.onUp = { _ in isUp = true }
        owner.onMessage = { [unowned self] in answers.append($0) }
        try #require(loop.runs { isUp }, "\(broker.log)")
        #expect(owner.subscribe(["_INBOX.owner.>"]))
    }

    /// What JetStream answers to the owner of the account.
    @discardableResult
    func answer(_ subject: String, _ bytes: [UInt8] = []) throws -> JSONObject {
        let count = answers.count
        #expect(owner.publish(subject, reply: "_INBOX.owner.1", bytes))
        try #require(loop.runs { answers.count > count })
        return try #require(try JSONValue.parse(answers[count].bytes).objectValue)
    }

    /// Makes the bucket.
    func make() throws {
        let made = try answer(
            "$JS.API.STREAM.CREATE.\(Self.stream)",
            JSONObject(
                dictionaryLiteral: ("name", .string(Self.stream)), ("subjects", ["$KV.belfry-devices.>"]),
                ("max_msgs_per_subject", 1), ("storage", "file"), ("num_replicas", 1), ("discard", "new"),
                ("deny_delete", true), ("retention", "limits"), ("max_msgs", -1), ("max_bytes", -1), ("max_age", 0),
                ("max_consumers", -1)
            ).serialized())
        #expect(made["error"] == nil, "\(made)")
    }

    /// Removes it.
    func remove() throws { try answer("$JS.API.STREAM.DELETE.\(Self.stream)") }

    /// Writes there what a gateway does.
    func write(_ bytes: [UInt8], at key: String) {
        #expect(owner.publish("$KV.belfry-devices.\(key)", bytes))
    }

    /// Writes so many, each as `value` says, as fast as the line takes them.
    func write(_ count: Int, _ value: (Int) -> (key: String, bytes: [UInt8])) throws {
        for number in 0..<count {
            let (key, bytes) = value(number)
            let subject = "$KV.belfry-devices.\(key)"
            try #require(loop.runs { owner.publish(subject, bytes) })
        }
        try #require(
            loop.runs {
                let state = try? answer("$JS.API.STREAM.INFO.\(Self.stream)")["state"]?.objectValue
                return state?["messages"] == .integer(Int64(count))
            })
    }

    /// The watches that the broker has.
    func watches() throws -> [JSONValue] {
        try #require(try answer("$JS.API.CONSUMER.NAMES.\(Self.stream)")["consumers"]?.arrayValue)
    }

    /// A line by a credential that allows what a gateway's does.
    func line(_ gateway: FleetName) throws -> BrokerLine {
        let rights = FleetRights.gateway
        func named(_ subjects: [String]) -> [String] {
            subjects.map { $0.replacing("{{name()}}", with: gateway.text) }
        }
        let user = account.user(heard: named(rights.heard), said: named(rights.published))
        return BrokerLine(
            to: try #require(BrokerAddress(host: "127.0.0.1", port: broker.port)),
            credential: LineCredential(jwt: user.jwt, key: user.key, authority: certificate.authority),
            pings: .seconds(60), on: loop)
    }
}

/// A gateway's bucket, with a registry of its own and one line to the broker.
final class BucketTrial {
    let state: TemporaryFolder
    let played: PlayedBucket
    let gateway: FleetName
    private(set) var bucket: DeviceBucket!
    private(set) var line: BrokerLine?
    private(set) var warnings: [String] = []
    private(set) var refusals: [String] = []
    /// Those that the endpoint looks into.
    let registry: TokenRegistry

    /// The time in which it waits, if it is not that of the broker's loop.
    private let time: PolledLoop?

    convenience init(
        _ name: String, _ played: PlayedBucket, limits: MirrorStateMachine.Limits = .init(), in time: PolledLoop? = nil
    ) throws {
        try self.init(#require(FleetName(name)), played, limits: limits, in: time, TemporaryFolder())
    }

    /// The same gateway's next process.
    convenience init(of trial: BucketTrial) throws {
        trial.disconnect()
        try self.init(trial.gateway, trial.played, limits: .init(), in: nil, trial.state)
    }

    private init(
        _ gateway: FleetName, _ played: PlayedBucket, limits: MirrorStateMachine.Limits, in time: PolledLoop?,
        _ state: TemporaryFolder
    ) throws {
        (self.played, self.gateway, self.time, self.state) = (played, gateway, time, state)
        registry = try TokenRegistry(state: StateDirectory(path: state.path))
        let loop: any EventLoop = time ?? played.loop
        bucket = try DeviceBucket(
            gateway: gateway, registry: RegistryMirror(state: StateDirectory(path: state.path)), limits: limits,
            on: loop,
            here: {
                HereAnswer(
                    gateway: gateway, time: WallTime(microseconds: wallTimeMicroseconds()),
                    introduction: FleetIntroduction(version: "7.0.0", brokers: ["a"]))
            }
        ) { [unowned self] subject, reply, headers, bytes in
            line?.publish(subject, reply: reply, headers: headers, bytes) ?? false
        }
        bucket.onWarning = { [unowned self] in warnings.append($0) }
    }

    /// Connects, and waits until the line is up.
    func connect() throws {
        let line = try played.line(gateway)
        self.line = line
        var isUp = false
        line.onUp = { [unowned self, unowned line] _ in
            #expect(line.subscribe(bucket.subjects))
            isUp = true
            bucket.lineIsUp()
        }
        line.onMessage = { [unowned self] in #expect(bucket.hear($0)) }
        line.onRefused = { [unowned self] in refusals.append($0) }
        line.onDown = { [unowned self] _ in
            self.line = nil
            bucket.lineIsDown()
        }
        try #require(runs { isUp })
    }

    /// Runs until `isReached`, while its own time stands still if it has one.
    func runs(until isReached: () -> Bool) -> Bool {
        played.loop.runs {
            time?.settle()
            return isReached()
        }
    }

    func disconnect() {
        line?.end()
        line = nil
        bucket.lineIsDown()
    }

    /// What the gateway answers to the machine.
    func ask(_ question: DeviceQuestion, of machine: FleetName) throws -> DeviceAnswer {
        var answer: DeviceAnswer?
        bucket.ask(question, of: machine) { answer = $0 }
        try #require(runs { answer != nil })
        return try #require(answer)
    }

    /// What comes of having the bucket restored.
    func restore() throws -> FleetRestoration {
        var restored: FleetRestoration?
        bucket.restore { restored = $0 }
        try #require(played.loop.runs { restored != nil })
        return try #require(restored)
    }

    /// Whether a fence makes certain that nobody has an unknown token.
    func fence() throws -> Bool {
        var isCertain: Bool?
        bucket.fence { isCertain = $0 }
        try #require(runs { isCertain != nil })
        return isCertain == true
    }
}

extension Loop {
    /// Runs until `isReached`, at most for `limit`; whether it was.
    func runs(within limit: TimeSpan = .seconds(20), until isReached: () -> Bool) -> Bool {
        let end = now + limit
        while !isReached(), now < end {
            let timer = schedule(at: now + .milliseconds(1), description: "look") { [unowned self] in stop() }
            run()
            timer.cancel()
        }
        return isReached()
    }
}
