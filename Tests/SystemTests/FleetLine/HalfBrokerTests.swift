import BelfryEventLoop
import BelfryTerms
import FleetLine
import Support
import Testing

/// Brokers that stop half-way, or say what no broker says.
@Suite(.serialized) final class HalfBrokerTests {
    private let loop: Loop
    private let certificate: BrokerCertificate
    private let user = PlayedAccount().user()

    init() throws {
        loop = try Loop()
        certificate = try BrokerCertificate()
    }

    private func trial(_ broker: HalfBroker) -> LineTrial {
        LineTrial(to: broker.port, as: user, trusting: certificate.authority, on: loop)
    }

    @Test("one that says no more is given up in time", arguments: ["mute", "greeting", "waiting"])
    func givenUp(_ way: String) throws {
        let broker = try HalfBroker(way, certificate)
        let start = loop.now
        let trial = trial(broker)
        try #require(loop.run { trial.end != nil })
        guard case .unreachable = trial.end else { return #expect(trial.end == nil) }
        #expect(loop.now - start < .seconds(10))
    }

    @Test("one that goes before its first PONG is a broker that was not reached, at once")
    func closed() throws {
        let broker = try HalfBroker("closed", certificate)
        let start = loop.now
        let trial = trial(broker)
        try #require(loop.run { trial.end != nil })
        guard case .unreachable = trial.end else { return #expect(trial.end == nil) }
        #expect(loop.now - start < .seconds(2))
    }

    @Test(
        "what is no broker of the fleet is not trusted: another protocol, no TLS, more than a greeting before it",
        arguments: ["stranger", "plain", "early"])
    func untrusted(_ way: String) throws {
        let broker = try HalfBroker(way, certificate)
        let trial = trial(broker)
        try #require(loop.run { trial.end != nil })
        #expect(trial.serverID == nil)
        guard case .untrusted = trial.end else { return #expect(trial.end == nil) }
    }

    @Test("one that is full is not reached, in its words, and not denied")
    func full() throws {
        let broker = try HalfBroker("full", certificate)
        let trial = trial(broker)
        try #require(loop.run { trial.end != nil })
        #expect(trial.end == .unreachable("maximum connections exceeded"))
    }

    @Test("one that says what no broker says is ended; it has been answered, and what it said before counts")
    func wrong() throws {
        let broker = try HalfBroker("wrong", certificate)
        let trial = trial(broker)
        try #require(loop.run { trial.serverID != nil })
        // It goes on once its own ping is answered.
        try #require(loop.run { trial.end != nil })
        guard case .closed = trial.end else { return #expect(trial.end == nil) }
        #expect(trial.texts == ["well"] && !trial.heardAfterEnd)
    }

    @Test("one that takes the credential back while the line is up denies it")
    func revoked() throws {
        let broker = try HalfBroker("revoked", certificate)
        let trial = trial(broker)
        try #require(loop.run { trial.end != nil })
        #expect(trial.serverID == "HALF" && trial.end == .denied("User Authentication Revoked"))
    }

    @Test("a record of which the rest comes later holds nothing up")
    func torn() throws {
        let broker = try HalfBroker("torn", certificate)
        let trial = trial(broker)
        try #require(loop.run { trial.serverID != nil })
        #expect(trial.serverID == "HALF")
        #expect(trial.line.subscribe(["torn"]))
        var longest = TimeSpan.zero
        var last = loop.now
        let start = loop.now
        try #require(
            loop.run {
                longest = max(longest, self.loop.now - last)
                last = self.loop.now
                return !trial.messages.isEmpty
            })
        #expect(trial.texts == ["well"])
        #expect(loop.now - start > .seconds(2))
        #expect(longest < .milliseconds(500), "\(longest.seconds)")
        trial.line.end()
    }
}
