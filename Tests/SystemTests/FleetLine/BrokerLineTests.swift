import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetLine
import Glibc
import Support
import Testing

/// Lines to real brokers.
@Suite(.serialized) final class BrokerLineTests {
    private let account = PlayedAccount()
    private let loop: Loop
    private let broker: Broker
    private let authority: [UInt8]

    init() throws {
        loop = try Loop()
        let certificate = try BrokerCertificate()
        authority = certificate.authority
        broker = try Broker(Broker.Manner(account, certificate))
    }

    private func trial(
        as user: (jwt: String, key: [UInt8])? = nil, host: String = "127.0.0.1", pings: TimeSpan = .seconds(60)
    ) -> LineTrial {
        LineTrial(
            to: broker.port, host: host, as: user ?? account.user(), trusting: authority, pings: pings, on: loop)
    }

    private func upTrial(
        as user: (jwt: String, key: [UInt8])? = nil, pings: TimeSpan = .seconds(60)
    ) throws -> LineTrial {
        let trial = trial(as: user, pings: pings)
        try #require(loop.run { trial.serverID != nil || trial.end != nil })
        #expect(trial.end == nil)
        return trial
    }

    @Test("messages go both ways, with where to answer and with headers, as they are")
    func bothWays() throws {
        let (one, other) = (try upTrial(), try upTrial())
        #expect(one.serverID?.isEmpty == false && one.serverID == other.serverID)
        #expect(one.line.subscribe(["ask.one", "ask.two"]))
        #expect(other.line.subscribe(["answer.*"]))
        // What is subscribed to is told to the broker before what is published by the same line, not by another.
        #expect(one.line.publish("ask.two", reply: "answer.0", []))
        try #require(loop.run { one.messages.count == 1 })
        let bytes = [UInt8](0...255)
        #expect(other.line.publish("ask.one", reply: "answer.1", headers: [("Kind", "a b"), ("Other", "c")], bytes))
        try #require(loop.run { one.messages.count == 2 })
        #expect(one.messages[0].reply == "answer.0" && one.messages[0].bytes.isEmpty)
        let asked = one.messages[1]
        #expect(asked.kind == .published && asked.subject == "ask.one" && asked.reply == "answer.1")
        #expect(asked.bytes == bytes && asked.headers == ["Kind": "a b", "Other": "c"])
        #expect(one.line.publish("answer.1", Array("yes".utf8)))
        try #require(loop.run { !other.messages.isEmpty })
        #expect(other.texts == ["yes"] && other.messages[0].reply == nil)
    }

    @Test("a question that nobody listens to is answered so at once")
    func noResponders() throws {
        let trial = try upTrial()
        #expect(trial.line.subscribe(["answer.>"]))
        #expect(trial.line.publish("nobody", reply: "answer.7", [1]))
        try #require(loop.run { !trial.messages.isEmpty })
        #expect(trial.messages[0].kind == .noResponders && trial.messages[0].subject == "answer.7")
        #expect(trial.messages[0].bytes.isEmpty)
    }

    @Test("ten thousand messages come, all in their order")
    func order() throws {
        let (one, other) = (try upTrial(), try upTrial())
        #expect(other.line.subscribe(["many"]))
        #expect(other.line.publish("many", Array("begin".utf8)))
        try #require(loop.run { !other.messages.isEmpty })
        // Longer than a record of TLS now and then, so that some come in parts.
        let padding = String(repeating: ".", count: 20_000)
        let sent = (0..<10_000).map { $0.isMultiple(of: 100) ? "\($0)\(padding)" : "\($0)" }
        for text in sent {
            // A slow broker is waited for, since nothing is kept for it beyond the limit.
            while !one.line.publish("many", Array(text.utf8)) { loop.run(for: .milliseconds(1)) }
        }
        try #require(loop.run { other.messages.count == 10_001 })
        #expect(Array(other.texts.dropFirst()) == sent)
    }

    @Test("a broker that is killed ends its line, which then takes nothing")
    func killed() throws {
        let trial = try upTrial()
        #expect(trial.line.subscribe(["a"]))
        broker.kill()
        try #require(loop.run { trial.end != nil })
        guard case .closed = trial.end else { return #expect(trial.end == nil) }
        #expect(!trial.line.publish("a", [1]))
        #expect(!trial.line.subscribe(["b"]))
        #expect(!trial.heardAfterEnd && trial.messages.isEmpty)
    }

    @Test(
        "where nobody listens, at each address of a host, and where no host is, no broker is reached",
        arguments: ["127.0.0.1", "localhost", "nowhere.invalid"])
    func unreachable(_ host: String) throws {
        broker.kill()
        let start = loop.now
        let trial = trial(host: host)
        try #require(loop.run { trial.end != nil })
        #expect(loop.now - start < .seconds(6))
        guard case .unreachable(let why) = trial.end else { return #expect(trial.end == nil) }
        #expect(why.contains(host), "\(why)")
    }

    @Test("what would be another word of NATS' text is not said, nor more than the broker takes")
    func unsaid() throws {
        let trial = try upTrial()
        #expect(!trial.line.publish("a b", [1]) && !trial.line.subscribe(["a", "b\r\n"]))
        #expect(!trial.line.publish("a", [UInt8](repeating: 0, count: 65_537)))
        #expect(trial.line.publish("a", [UInt8](repeating: 0, count: 65_536)))
        try #require(loop.run { trial.messages.count == 1 })
        #expect(trial.messages[0].bytes.count == 65_536 && trial.refusals.isEmpty && trial.end == nil)
    }

    @Test("a broker that stands still ends its line when two pings were missed, and is not waited for meanwhile")
    func stopped() throws {
        let trial = try upTrial(pings: .milliseconds(200))
        loop.run(for: .seconds(2))
        #expect(trial.end == nil)
        let start = loop.now
        try broker.stop()
        defer { try? broker.goOn() }
        var longest = TimeSpan.zero
        var last = loop.now
        _ = loop.run {
            longest = max(longest, self.loop.now - last)
            last = self.loop.now
            // More than the kernel takes: none of it blocks the loop.
            while trial.line.publish("a", [UInt8](repeating: 0, count: 60_000)) {}
            return trial.end != nil
        }
        #expect(trial.end == .silent)
        let waited = loop.now - start
        #expect(waited >= .milliseconds(300) && waited < .milliseconds(1_500), "\(waited.seconds)")
        #expect(longest < .milliseconds(200), "\(longest.seconds)")
    }

    @Test("a user of another account's key is denied, in words without the credential")
    func denied() throws {
        let user = PlayedAccount().user()
        let trial = trial(as: user)
        try #require(loop.run { trial.end != nil })
        guard case .denied(let why) = trial.end else { return #expect(trial.end == nil) }
        #expect(why == "Authorization Violation")
        #expect(!why.contains(user.jwt))
        #expect(trial.serverID == nil)
    }

    @Test("what a user may not is refused by the broker, and its line stays")
    func refused() throws {
        let trial = try upTrial(as: account.user(heard: ["mine"], said: ["yours"]))
        #expect(trial.line.subscribe(["mine", "other"]))
        try #require(loop.run { trial.refusals.count == 1 })
        #expect(trial.line.publish("mine", []))
        try #require(loop.run { trial.refusals.count == 2 })
        #expect(trial.refusals[0].contains("\"other\"") && trial.refusals[1].contains("\"mine\""), "\(trial.refusals)")
        #expect(trial.end == nil)
    }

    @Test("a broker of another authority, or of another name, is not trusted")
    func untrusted() throws {
        let other = try BrokerCertificate()
        let stranger = LineTrial(
            to: broker.port, as: account.user(), trusting: other.authority, on: loop)
        let elsewhere = try BrokerCertificate(names: "IP:127.0.0.9,DNS:elsewhere")
        let renamed = try Broker(Broker.Manner(account, elsewhere))
        let moved = ["127.0.0.1", "localhost"].map {
            LineTrial(to: renamed.port, host: $0, as: account.user(), trusting: elsewhere.authority, on: loop)
        }
        let named = trial(host: "localhost")
        let unreadable = LineTrial(to: broker.port, as: account.user(), trusting: [1], on: loop)
        try #require(loop.run { stranger.end != nil && named.serverID != nil && unreadable.end != nil })
        try #require(loop.run { moved.allSatisfy { $0.end != nil } })
        for trial in [stranger, unreadable] + moved {
            #expect(trial.serverID == nil)
            guard case .untrusted = trial.end else { Issue.record("\(String(describing: trial.end))"); continue }
        }
    }
}
