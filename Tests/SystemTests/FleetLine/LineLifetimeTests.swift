import BelfryEventLoop
import BelfryTerms
import Fleet
import FleetLine
import Support
import Testing

/// When a line ends, and what is left of it.
@Suite(.serialized) final class LineLifetimeTests {
    private let loop: Loop
    private let account = PlayedAccount()
    private let user: (jwt: String, key: [UInt8])
    private let certificate: BrokerCertificate

    init() throws {
        loop = try Loop()
        user = account.user()
        certificate = try BrokerCertificate()
    }

    private func trial(to broker: Broker, pings: TimeSpan = .seconds(60)) -> LineTrial {
        LineTrial(to: broker.port, as: user, trusting: certificate.authority, pings: pings, on: loop)
    }

    @Test("a line that is ended while it connects, or as a message comes, calls nobody back")
    func ended() throws {
        let broker = try Broker(Broker.Manner(account, certificate))
        let early = trial(to: broker)
        early.line.end()
        let line = trial(to: broker)
        try #require(loop.run { line.serverID != nil })
        var heard = 0
        line.line.onMessage = { [unowned line] _ in
            heard += 1
            line.line.end()
        }
        #expect(line.line.subscribe(["a"]))
        for _ in 0..<100 { #expect(line.line.publish("a", [1])) }
        try #require(loop.run { heard > 0 })
        loop.run(for: .milliseconds(500))
        #expect(heard == 1 && line.end == nil)
        #expect(early.serverID == nil && early.end == nil)
        #expect(!line.line.publish("a", [1]))
    }

    @Test("what was published before a line is ended is sent still")
    func lastWords() throws {
        let broker = try Broker(Broker.Manner(account, certificate))
        let (one, other) = (trial(to: broker), trial(to: broker))
        try #require(loop.run { one.serverID != nil && other.serverID != nil })
        #expect(other.line.subscribe(["bye"]))
        #expect(other.line.publish("bye", []))
        try #require(loop.run { !other.messages.isEmpty })
        #expect(one.line.publish("bye", Array("bye".utf8)))
        one.line.end()
        try #require(loop.run { other.messages.count == 2 })
        #expect(other.texts[1] == "bye")
    }

    @Test("a thousand lines, ended in each way, leave no descriptor and no thread behind")
    func thousand() throws {
        let broker = try Broker(Broker.Manner(account, certificate))
        let connect = { [unowned self] (isAwaited: Bool) in
            let trial = trial(to: broker, pings: .seconds(1))
            if isAwaited {
                let isUp = loop.run { trial.serverID != nil || trial.end != nil }
                #expect(isUp && trial.end == nil, "\(String(describing: trial.end))")
                #expect(trial.line.subscribe(["a.*", "b"]))
            }
            trial.line.end()
        }
        for count in 0..<20 { connect(count.isMultiple(of: 2)) }
        loop.run(for: .seconds(1))
        // Other tests have threads and descriptors of their own meanwhile.
        let (descriptors, threads) = (ownDescriptorCount(), ownThreadCount())
        for count in 0..<1_000 { connect(count % 4 != 0) }
        let isTidy = loop.run { ownDescriptorCount() <= descriptors + 8 && ownThreadCount() <= threads + 8 }
        #expect(
            isTidy,
            "\(descriptors) then \(ownDescriptorCount()) descriptors, \(threads) then \(ownThreadCount()) threads")
    }

    @Test("three brokers of a cluster are three, pass messages on, and one that starts again is another one")
    func cluster() throws {
        let brokers = try Broker.cluster(account, certificate)
        let lines = brokers.map { trial(to: $0) }
        try #require(loop.run { lines.allSatisfy { $0.serverID != nil } })
        #expect(Set(lines.compactMap(\.serverID)).count == 3)
        #expect(lines[2].line.subscribe(["a"]))
        try #require(
            loop.run {
                _ = lines[0].line.publish("a", [1]) && lines[1].line.publish("a", [2])
                return Set(lines[2].messages.map(\.bytes)) == [[1], [2]]
            })
        let port = brokers[0].port
        brokers[0].kill()
        try #require(loop.run { lines[0].end != nil })
        try brokers[0].start()
        #expect(brokers[0].port == port)
        let again = trial(to: brokers[0])
        try #require(loop.run { again.serverID != nil })
        #expect(again.serverID != lines[0].serverID)
    }

    @Test("of many members of a fleet each broker has its share") func shares() throws {
        let addresses = try (1...3).map { try #require(BrokerAddress(host: "127.0.0.1", port: $0)) }
        let credential = LineCredential(jwt: user.jwt, key: user.key, authority: certificate.authority)
        let begun = try (0..<60).map { _ in
            let lines = FleetLines(to: addresses, credential: credential, hearing: [], pings: .seconds(60), on: loop)
            defer { lines.end() }
            #expect(lines.status.count == 2)
            return try #require(lines.status.first?.broker)
        }
        #expect(Set(begun) == Set(addresses.map(\.description)))
    }
}
