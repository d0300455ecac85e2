import BelfryDevices
import BelfryTerms
import Fleet
import Forwarding
import Support
import Testing

/// Two gateways, three machines and three brokers on a network that loses, doubles, delays and reorders, while all of
/// them die: both sides' state machines in virtual time, and what became of each push.
struct FleetWorld {
    /// What happens at a time.
    private enum Happening {
        case pushed(Int)
        case wake(gateway: Int, life: Int)
        case atMachine(Int, life: Int, push: Int, reply: String)
        case handedOver(Int, life: Int, push: Int)
        case atGateway(Int, life: Int, FleetSaying, number: UInt64, machine: Int, line: Int)
        case unheard(gateway: Int, life: Int, number: UInt64, line: Int)
        case here(machine: Int)
        case brokerDies(Int)
        case brokerLives(Int)
        case gatewayDies(Int)
        case machineDies(Int)
        case machineLives(Int)
        case lineMoves(gateway: Int, life: Int, line: Int, up: Bool)
        case retry(push: Int)
    }

    private struct Gateway {
        var life = 0
        var asking: AskingStateMachine
        /// The push that has that number in this life, and the other way round.
        var pushes: [UInt64: Int] = [:]
        var wakeAt: Instant?
    }

    private struct Machine {
        var life = 0
        var isUp = true
        /// When it was away last.
        var awayAt = Instant(microseconds: -100_000_000)
        var taking = TakingStateMachine()
        /// What lies here until its hand-over.
        var held: Set<Int> = []
    }

    /// What became of a push.
    struct Story: Hashable {
        let gateway: Int
        let machine: Int
        /// In which lives of its machine a worker got it.
        var deliveries: [Int] = []
        /// Whether its gateway knows that it was received.
        var isSettled = false
        var offlines: [OfflineReason] = []
    }

    private(set) var stories: [Story] = []
    /// Pushes whose machine was told offline though it was there for as long as a gateway's patience.
    private(set) var wrongOfflines: [Int] = []

    private var random: SeededRandom
    private var now = Instant(microseconds: 0)
    private var order = 0
    private var agenda: [(at: Instant, order: Int, what: Happening)] = []
    private var gateways: [Gateway]
    private var machines = [Machine](repeating: Machine(), count: 3)
    private var brokers = [true, true, true]
    private var digests: [PushDigest: Int] = [:]
    private let isKind: Bool

    /// A world of `seed`, with `count` pushes in `count` / 20 seconds. A kind one loses nothing, and nobody dies.
    init(seed: UInt64, count: Int, isKind: Bool = false) {
        random = SeededRandom(seed: seed)
        self.isKind = isKind
        gateways = (0..<2).map { _ in Gateway(asking: AskingStateMachine(at: Instant(microseconds: 0))) }
        for gateway in 0..<2 { for line in 0..<2 { linesOf(gateway, line, isUp: true) } }
        let length = count * 50_000
        for push in 0..<count {
            stories.append(Story(gateway: random.pick([0, 1]), machine: random.pick([0, 1, 2])))
            digests[Self.digest(push)] = push
            at(micro: Int.random(in: 0...length, using: &random), .pushed(push))
        }
        for machine in 0..<3 { at(micro: 0, .here(machine: machine)) }
        guard !isKind else { return }
        for _ in 0..<max(4, count / 100) {
            let (begin, span) = (
                Int.random(in: 0...length, using: &random), Int.random(in: 100_000...15_000_000, using: &random)
            )
            switch random.pick([0, 1, 2]) {
            case 0:
                let broker = random.pick([0, 1, 2])
                at(micro: begin, .brokerDies(broker))
                at(micro: begin + span, .brokerLives(broker))
            case 1: at(micro: begin, .gatewayDies(random.pick([0, 1])))
            default:
                let machine = random.pick([0, 1, 2])
                at(micro: begin, .machineDies(machine))
                at(micro: begin + span, .machineLives(machine))
            }
        }
        // At the end all is well.
        for broker in 0..<3 { at(micro: length + 20_000_000, .brokerLives(broker)) }
        for machine in 0..<3 { at(micro: length + 20_000_000, .machineLives(machine)) }
    }

    private static func push(_ push: Int) -> EndpointPush {
        EndpointPush(
            apnsID: "\(push)", token: DeviceToken(bytes: [UInt8](repeating: 7, count: 32))!, topic: "a.b",
            pushType: .voip, payload: [], acceptedAt: WallTime(microseconds: 0))
    }

    private static func digest(_ push: Int) -> PushDigest { PushDigest(Self.push(push)) }

    private mutating func at(micro: Int, _ what: Happening) {
        order += 1
        let entry = (at: Instant(microseconds: Int64(micro)), order: order, what: what)
        // The agenda is a heap: the earliest is its first.
        agenda.append(entry)
        var index = agenda.count - 1
        while index > 0, isBefore(agenda[index], agenda[(index - 1) / 2]) {
            agenda.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func after(_ micro: Int, _ what: Happening) { at(micro: Int(now.microseconds) + micro, what) }

    private func isBefore(
        _ a: (at: Instant, order: Int, what: Happening), _ b: (at: Instant, order: Int, what: Happening)
    ) -> Bool {
        (a.at.microseconds, a.order) < (b.at.microseconds, b.order)
    }

    private mutating func popNext() -> (at: Instant, order: Int, what: Happening)? {
        guard let first = agenda.first else { return nil }
        let last = agenda.removeLast()
        guard !agenda.isEmpty else { return first }
        agenda[0] = last
        var index = 0
        while true {
            let children = [2 * index + 1, 2 * index + 2].filter { $0 < agenda.count }
            guard let least = children.min(by: { isBefore(agenda[$0], agenda[$1]) }),
                isBefore(agenda[least], agenda[index])
            else { return first }
            agenda.swapAt(least, index)
            index = least
        }
    }

    /// Runs until all is settled, or for an hour after the last push.
    mutating func run() {
        let end = Instant(microseconds: Int64(stories.count) * 50_000 + 3_600_000_000)
        while let next = popNext(), next.at <= end {
            now = next.at
            happen(next.what)
            if stories.allSatisfy(\.isSettled), now.microseconds > Int64(stories.count) * 50_000 + 21_000_000 { return }
        }
    }

    // MARK: What happens

    private mutating func happen(_ what: Happening) {
        switch what {
        case .pushed(let push), .retry(let push): ask(push)
        case .wake(let gateway, let life):
            guard gateways[gateway].life == life else { return }
            gateways[gateway].wakeAt = nil
            perform(gateways[gateway].asking.wake(at: now), gateway)
        case .atMachine(let machine, let life, let push, let reply): arrive(machine, life, push, reply)
        case .handedOver(let machine, let life, let push):
            guard machines[machine].life == life, machines[machine].isUp else { return }
            stories[push].deliveries.append(life)
            perform(machines[machine].taking.end(Self.digest(push), by: .received, at: now), machine)
        case .atGateway(let gateway, let life, let saying, let number, let machine, let line):
            guard gateways[gateway].life == life, let name = FleetName("m\(machine)") else { return }
            perform(gateways[gateway].asking.hear(saying, of: number, by: name, over: line, at: now), gateway)
        case .unheard(let gateway, let life, let number, let line):
            guard gateways[gateway].life == life else { return }
            gateways[gateway].asking.nobodyHears(number, over: line)
        case .here(let machine): here(machine)
        case .brokerDies(let broker): setBroker(broker, isUp: false)
        case .brokerLives(let broker): setBroker(broker, isUp: true)
        case .gatewayDies(let gateway): die(gateway)
        case .machineDies(let machine):
            machines[machine].isUp = false
            machines[machine].life += 1
            machines[machine].taking = TakingStateMachine()
            machines[machine].held = []
        case .machineLives(let machine):
            machines[machine].awayAt = machines[machine].isUp ? machines[machine].awayAt : now
            machines[machine].isUp = true
            here(machine)
        case .lineMoves(let gateway, let life, let line, let isUp):
            guard gateways[gateway].life == life else { return }
            linesOf(gateway, line, isUp: isUp)
        }
    }

    private mutating func ask(_ push: Int) {
        let story = stories[push]
        guard !story.isSettled, let name = FleetName("m\(story.machine)") else { return }
        let gateway = story.gateway
        let number = UInt64(gateways[gateway].life) << 32 | UInt64(order)
        gateways[gateway].pushes[number] = push
        order += 1
        perform(gateways[gateway].asking.ask(name, toTake: number, at: now), gateway)
    }

    private mutating func arrive(_ machine: Int, _ life: Int, _ push: Int, _ reply: String) {
        guard machines[machine].life == life, machines[machine].isUp else { return }
        machines[machine].held.insert(push)
        let question = TakingStateMachine.Question(FleetPush(Self.push(push)))
        perform(machines[machine].taking.ask(for: question, replyingTo: reply, at: now), machine)
    }

    private mutating func here(_ machine: Int) {
        guard machines[machine].isUp, let name = FleetName("m\(machine)") else { return }
        for gateway in 0..<2 where brokers.contains(true) {
            perform(gateways[gateway].asking.hear(name, agent: UInt64(machines[machine].life), at: now), gateway)
        }
        after(30_000_000, .here(machine: machine))
    }

    /// A gateway starts anew: what was not settled is asked again, as its queue on the disk has it.
    private mutating func die(_ gateway: Int) {
        gateways[gateway].life += 1
        let asked = Set(gateways[gateway].pushes.values)
        gateways[gateway].pushes = [:]
        gateways[gateway].wakeAt = nil
        gateways[gateway].asking = AskingStateMachine(at: now)
        for line in 0..<2 where brokers[broker(of: gateway, line)] { linesOf(gateway, line, isUp: true) }
        for push in asked.sorted() where !stories[push].isSettled { after(1_000, .retry(push: push)) }
    }

    // MARK: Lines

    /// A gateway's first line ends at one broker, its second at another.
    private func broker(of gateway: Int, _ line: Int) -> Int { (gateway + line) % 3 }

    private mutating func setBroker(_ broker: Int, isUp: Bool) {
        guard brokers[broker] != isUp else { return }
        brokers[broker] = isUp
        for gateway in 0..<2 {
            for line in 0..<2 where self.broker(of: gateway, line) == broker {
                // A dead broker is noticed after a while.
                let delay = Int.random(in: 1_000...4_000_000, using: &random)
                after(delay, .lineMoves(gateway: gateway, life: gateways[gateway].life, line: line, up: isUp))
            }
        }
    }

    private mutating func linesOf(_ gateway: Int, _ line: Int, isUp: Bool) {
        guard isUp == brokers[broker(of: gateway, line)] else { return }
        let effects =
            isUp
            ? gateways[gateway].asking.lineIsUp(line, at: now) : gateways[gateway].asking.lineIsDown(line, at: now)
        perform(effects, gateway)
    }

    /// How often a message arrives, and after how long each time.
    private mutating func delays() -> [Int] {
        if isKind { return [500] }
        let count = random.oneIn(20) ? 0 : random.oneIn(3) ? 1 : 2
        return (0..<count).map { _ in
            random.oneIn(50)
                ? Int.random(in: 100_000...3_000_000, using: &random) : Int.random(in: 100...5_000, using: &random)
        }
    }

    // MARK: Effects

    private mutating func perform(_ effects: [AskingStateMachine.Effect], _ gateway: Int) {
        for effect in effects {
            switch effect {
            case .ask(let number, _, let line): send(number, line, gateway)
            case .tell(let number, .said(.received)):
                guard let push = gateways[gateway].pushes[number] else { continue }
                stories[push].isSettled = true
            case .tell(let number, .said(.offline(let why, _))):
                guard let push = gateways[gateway].pushes[number] else { continue }
                stories[push].offlines.append(why)
                let machine = machines[stories[push].machine]
                if machine.isUp, now - machine.awayAt > .seconds(11) { wrongOfflines.append(push) }
                // The queue tries it again.
                after(1_000_000, .retry(push: push))
            case .tell, .twice, .returned: break
            case .forget(let number): gateways[gateway].pushes[number] = nil
            }
        }
        guard let wakeAt = gateways[gateway].asking.wakeAt, gateways[gateway].wakeAt.map({ wakeAt < $0 }) ?? true
        else { return }
        gateways[gateway].wakeAt = wakeAt
        at(micro: Int(max(wakeAt, now).microseconds), .wake(gateway: gateway, life: gateways[gateway].life))
    }

    private mutating func send(_ number: UInt64, _ line: Int, _ gateway: Int) {
        guard let push = gateways[gateway].pushes[number], brokers[broker(of: gateway, line)] else { return }
        let (life, machine) = (gateways[gateway].life, stories[push].machine)
        guard machines[machine].isUp else {
            return after(500, .unheard(gateway: gateway, life: life, number: number, line: line))
        }
        for delay in delays() {
            after(
                delay,
                .atMachine(
                    machine, life: machines[machine].life, push: push, reply: "\(gateway) \(life) \(number)"))
        }
    }

    private mutating func perform(_ effects: [TakingStateMachine.Effect], _ machine: Int) {
        for effect in effects {
            switch effect {
            case .handOver(let digest):
                guard let push = digests[digest], machines[machine].held.remove(push) != nil else {
                    Issue.record("a push is handed over that is not there")
                    continue
                }
                let span = random.oneIn(20) ? 3_000_000 : 5_000
                after(span, .handedOver(machine, life: machines[machine].life, push: push))
            case .drop(let digest): if let push = digests[digest] { machines[machine].held.remove(push) }
            case .say(let word, let place, let reply):
                let words = reply.split(separator: " ").compactMap { UInt64($0) }
                guard brokers.contains(true), words.count == 3 else { continue }
                let saying = FleetSaying(word, by: UInt64(machines[machine].life), place: place)
                for (line, delay) in delays().enumerated() {
                    let (gateway, life, number) = (Int(words[0]), Int(words[1]), words[2])
                    after(delay, .atGateway(gateway, life: life, saying, number: number, machine: machine, line: line))
                }
            }
        }
    }
}
