import BelfryTerms
import Fleet
import Support
import Testing

/// Where lines go, and when.
@Suite struct LineStateMachineTests {
    /// Brokers that are played, each at an address of its own or at several.
    private struct Played {
        var machine: LineStateMachine
        var random = SeededRandom(seed: 1)
        var now = Instant(microseconds: 1_000_000)
        var effects: [LineStateMachine.Effect] = []

        init(_ count: Int) {
            machine = LineStateMachine(
                to: (0..<count).map { BrokerAddress(host: "broker-\($0)")! }, at: Instant(microseconds: 1_000_000))
            heed(.tick)
        }

        mutating func heed(_ input: LineStateMachine.Input) {
            effects = machine.heed(input, at: now, random: &random)
        }

        /// Moves on to when it wants to be woken; how long that was.
        mutating func wake() -> TimeSpan {
            let start = now
            guard let wake = machine.wake else { return .longest }
            now = max(now, wake)
            heed(.tick)
            return now - start
        }

        var line: [LineStateMachine.Line] { machine.lines }

        /// The brokers that it has begun to connect to, by line.
        var connected: [Int: String] {
            effects.reduce(into: [:]) { if case .connect(let line, let broker) = $1 { $0[line.number] = broker.host } }
        }
    }

    @Test("one broker has one line, more have two, at different ones", arguments: [1, 2, 3, 5])
    func begin(_ count: Int) {
        let played = Played(count)
        #expect(played.connected == (count == 1 ? [0: "broker-0"] : [0: "broker-0", 1: "broker-1"]))
        #expect(played.machine.wake == nil)
    }

    @Test("an address that is named twice is one broker")
    func namedTwice() {
        let address = BrokerAddress(host: "a")!
        #expect(LineStateMachine(to: [address, address], at: Instant(microseconds: 0)).lines.count == 1)
    }

    @Test("it is tried after 0.1, 0.2, 0.4 s and so on up to 4, half of each by chance")
    func delays() {
        var played = Played(1)
        for full in [100, 200, 400, 800, 1_600, 3_200, 4_000, 4_000] as [Int64] {
            played.heed(.down(played.line[0]))
            #expect(played.effects.isEmpty)
            let waited = played.wake()
            #expect(waited >= .milliseconds(full / 2) && waited <= .milliseconds(full))
            #expect(played.connected == [0: "broker-0"])
        }
        // A line that was up for a while begins again, one that ended at once does not.
        played.heed(.up(played.line[0], serverID: "A"))
        played.heed(.down(played.line[0]))
        #expect(played.wake() >= .milliseconds(2_000))
        played.heed(.up(played.line[0], serverID: "A"))
        played.now = played.now + .seconds(15)
        played.heed(.down(played.line[0]))
        #expect(played.wake() <= .milliseconds(100))
    }

    @Test("the waits of many are not the same")
    func spread() {
        var played = Played(1)
        let waits = (0..<50).map { _ in
            played.heed(.down(played.line[0]))
            return played.wake()
        }
        #expect(Set(waits.suffix(40)).count > 35)
    }

    @Test("a line goes on to the third broker, and not to the other line's")
    func third() {
        var played = Played(3)
        played.heed(.up(played.line[0], serverID: "A"))
        played.heed(.up(played.line[1], serverID: "B"))
        played.heed(.down(played.line[1]))
        _ = played.wake()
        #expect(played.connected == [1: "broker-2"])
        played.heed(.down(played.line[1]))
        _ = played.wake()
        #expect(played.connected == [1: "broker-1"])
        #expect(played.machine.serverID(of: played.line[0]) == "A")
    }

    @Test("of two lines at one broker the later moves on at once, and looks again after a while")
    func doubles() {
        var played = Played(3)
        let (first, second) = (played.line[0], played.line[1])
        played.heed(.up(first, serverID: "A"))
        played.heed(.up(second, serverID: "A"))
        #expect(played.effects == [.end(second), .connect(second, BrokerAddress(host: "broker-2")!)])
        played.heed(.up(second, serverID: "A"))
        #expect(played.effects == [.end(second)])
        let waited = played.wake()
        #expect(waited >= .milliseconds(7_500) && waited <= .seconds(15))
        #expect(played.connected == [1: "broker-1"])
        played.heed(.up(second, serverID: "B"))
        #expect(played.effects.isEmpty && played.machine.serverID(of: second) == "B")
    }

    @Test("one that waits as a double is there at once when the other line ends")
    func spare() {
        var played = Played(2)
        let (first, second) = (played.line[0], played.line[1])
        played.heed(.up(first, serverID: "A"))
        played.heed(.up(second, serverID: "A"))
        #expect(played.effects == [.end(second)])
        played.heed(.down(first))
        #expect(played.connected == [1: "broker-1"])
        played.heed(.up(second, serverID: "A"))
        #expect(played.effects.isEmpty)
    }

    @Test("a refused credential is tried after minutes, and said once until a line is up")
    func denied() {
        var played = Played(1)
        played.heed(.denied(played.line[0]))
        #expect(played.effects == [.sayDenied(played.line[0])])
        let first = played.wake()
        #expect(first >= .seconds(60) && first <= .seconds(120))
        played.heed(.denied(played.line[0]))
        #expect(played.effects.isEmpty)
        let second = played.wake()
        #expect(second >= .seconds(150) && second <= .seconds(300))
        played.heed(.up(played.line[0], serverID: "A"))
        played.heed(.denied(played.line[0]))
        #expect(played.effects == [.sayDenied(played.line[0])])
        var two = Played(2)
        two.heed(.denied(two.line[1]))
        two.heed(.denied(two.line[0]))
        #expect(two.effects.isEmpty)
    }

    @Test("a line that no gateway answers moves to a broker that has no line, if there is one")
    func unanswered() {
        var three = Played(3)
        three.heed(.up(three.line[0], serverID: "A"))
        three.heed(.up(three.line[1], serverID: "B"))
        three.heed(.unanswered(three.line[0]))
        #expect(three.effects == [.end(three.line[0]), .connect(three.line[0], BrokerAddress(host: "broker-2")!)])
        three.heed(.unanswered(three.line[0]))
        #expect(three.effects.isEmpty)
        var two = Played(2)
        two.heed(.up(two.line[0], serverID: "A"))
        two.heed(.up(two.line[1], serverID: "B"))
        two.heed(.unanswered(two.line[0]))
        #expect(two.effects.isEmpty)
    }

    @Test("whatever happens, no two lines stay at one broker, and a line that is not up is tried", arguments: 0..<200)
    func anything(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let count = Int.random(in: 1...4, using: &random)
        var played = Played(count)
        var connecting = Set(played.connected.keys)
        for _ in 0..<300 {
            let line = random.pick(played.line)
            if connecting.remove(line.number) != nil {
                let server = "\(Int.random(in: 0..<count, using: &random))"
                played.heed(random.pick([.up(line, serverID: server), .down(line), .denied(line)]))
            } else if played.machine.serverID(of: line) != nil {
                played.heed(random.pick([.down(line), .unanswered(line), .tick]))
            } else {
                _ = played.wake()
            }
            for number in played.connected.keys { #expect(connecting.insert(number).inserted) }
            let servers = played.line.compactMap { played.machine.serverID(of: $0) }
            #expect(Set(servers).count == servers.count)
            #expect(played.machine.wake != nil || connecting.count + servers.count == played.line.count)
        }
    }
}
