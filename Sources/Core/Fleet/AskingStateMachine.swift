public import BelfryDevices
public import BelfryTerms

/// Decides when a gateway asks a machine to take a push, over which line, and what becomes known of it.
///
/// A machine is asked until it says what became of the push, or is offline: without a word for ``Limits/patience``.
/// Time in which no broker is in reach does not count. A machine that is offline is not asked again until it says that
/// it is there.
public struct AskingStateMachine {
    /// How long is waited, and what may grow.
    public struct Limits: Hashable, Sendable {
        /// How long a machine has to take a question before it is asked again.
        public var takenWithin = TimeSpan.milliseconds(250)
        /// How long after its last word a machine that took a question is asked again.
        public var toldWithin = TimeSpan.seconds(2)
        /// `[Fleet] Patience=`: how long a machine may say nothing before it is offline, 1 s to 60 s.
        public var patience = TimeSpan.seconds(10)
        /// How long a machine may say nothing before what it has taken is gone: two of its words that it is there are
        /// missing then.
        public var presence = TimeSpan.seconds(75)
        /// How many pushes that were taken are followed; of more, what becomes of the oldest is not told.
        public var followedMax = 16_384
        /// From how many agents of a shared name on those are forgotten that say nothing more.
        public var agentsMax = 1_024

        /// The limits of a gateway.
        public init() {}
    }

    /// Which of a gateway's lines to its brokers.
    public typealias LineNumber = Int

    /// What a gateway learns of a push.
    public enum News: Hashable, Sendable {
        /// It was asked again, for that reason.
        case again(AskedAgain)
        /// The machine said so.
        case said(FleetSaying.Word)
        /// The machine that took it is no more: nothing else is said of it.
        case gone
    }

    /// What the driver has to do.
    public enum Effect: Hashable, Sendable {
        /// Ask the machine to take the push, over that line.
        case ask(UInt64, FleetName, LineNumber)
        /// Tell whose push it is.
        case tell(UInt64, News)
        /// Nothing more is told of the push.
        case forget(UInt64)
        /// The machine is there, and was offline or never heard before.
        case returned(FleetName)
        /// Two machines have this name.
        case twice(FleetName)
    }

    /// A push that was not settled yet, or is followed.
    private struct Flight {
        let machine: FleetName
        /// Over which line it was asked last.
        var line: LineNumber?
        /// Since when the machine says nothing of it.
        var quietSince: Instant
        /// When it is asked again, or given up.
        var due: Instant
        var isTaken = false
        /// Whether the last question found nobody who takes the machine's.
        var wasUnheard = false
        /// Whether it is settled, and only events are told.
        var isFollowed = false
        /// The last event that was told.
        var place: Int64 = 0
        /// The life of the machine that took it.
        var agent: UInt64?
    }

    /// What is known of a machine.
    private struct Machine {
        var heardAt: Instant?
        /// Since when it is heard in its present life.
        var since: Instant?
        /// Whether it has said so itself, and that was told.
        var isToldThere = false
        /// Whether many have its name, each with tokens of its own, and say so.
        var isShared = false
        /// Over which line it was heard first of the push that it took last. The next goes there first: that way is the
        /// shortest, and the other line may lead to a broker that stands still, so that each push of a device waited to
        /// be asked again.
        var provenLine: LineNumber?
        /// Why it is offline; nil if it is not, as far as is known.
        var absence: OfflineReason?
        /// The life that it was heard by last, and those before that.
        var agent: UInt64?
        var earlierAgents: [UInt64] = []
        /// When each of many was heard last that have its name.
        var heardByAgent: [UInt64: Instant] = [:]
        /// When it was seen last that there are two.
        var twiceAt: Instant?

        /// When it was heard last in the life `agent`, of one of many as long as that is known.
        func heardAt(inLife agent: UInt64) -> Instant? {
            isShared ? heardByAgent[agent] : self.agent == agent ? heardAt : nil
        }
    }

    private let limits: Limits
    private var flights: [UInt64: Flight] = [:]
    private var machines: [FleetName: Machine] = [:]
    /// The pushes that are followed, oldest first, and some that are over.
    private var followed: [UInt64] = []
    /// How many of them are not over.
    private var followedCount = 0
    private var lines: Set<LineNumber> = []
    private var cutOffAt: Instant?
    /// Never later than the first flight's ``Flight/due``.
    private var nextDue: Instant?

    /// A gateway that is cut off from all brokers at `now`.
    public init(limits: Limits = Limits(), at now: Instant) {
        self.limits = limits
        cutOffAt = now
    }

    /// When ``wake(at:)`` is to be called; nil while there is nothing to wait for.
    public var wakeAt: Instant? { lines.isEmpty ? nil : nextDue }

    /// A machine that was heard: since when in its present life, when last, and whether it is offline.
    public struct Heard: Hashable, Sendable {
        /// Which one.
        public let machine: FleetName
        /// Since when, and when last.
        public let (since, heardAt): (Instant, Instant)
        /// Whether it is offline.
        public let isAbsent: Bool
        /// How many pushes it was asked to take, and has not settled.
        public let waitingCount: Int
    }

    /// Whether two machines have the name `machine`, each of which has said something of late.
    public func isTwice(_ machine: FleetName, at now: Instant) -> Bool {
        machines[machine]?.twiceAt.map { now - $0 < limits.presence } ?? false
    }

    /// The machines that were heard, by name.
    public var heard: [Heard] {
        let waiting = Dictionary(grouping: flights.values.lazy.filter { !$0.isFollowed }, by: \.machine)
        return machines.compactMap { name, machine in
            guard let since = machine.since, let heardAt = machine.heardAt else { return nil }
            return Heard(
                machine: name, since: since, heardAt: heardAt, isAbsent: machine.absence != nil,
                waitingCount: waiting[name]?.count ?? 0)
        }.sorted { $0.machine < $1.machine }
    }

    // MARK: What comes in

    /// Has `machine` take the push `number`, which no other push has had.
    public mutating func ask(_ machine: FleetName, toTake number: UInt64, at now: Instant) -> [Effect] {
        if !lines.isEmpty, let absence = machines[machine]?.absence {
            return [.tell(number, .said(.offline(absence, detail: Self.detail(absence)))), .forget(number)]
        }
        flights[number] = Flight(machine: machine, quietSince: now, due: now)
        return lines.isEmpty ? [] : ask(number, at: now)
    }

    /// A line is up: what was not taken over another is asked over this one.
    public mutating func lineIsUp(_ line: LineNumber, at now: Instant) -> [Effect] {
        lines.insert(line)
        guard let cutOffAt else { return [] }
        self.cutOffAt = nil
        var effects: [Effect] = []
        for number in flights.keys.sorted() {
            guard var flight = flights[number] else { continue }
            flight.quietSince = flight.quietSince + (now - max(cutOffAt, flight.quietSince))
            flights[number] = flight
            if !flight.isFollowed { effects += again(number, .lineDown, at: now) }
        }
        // Nobody could be heard meanwhile.
        machines = machines.mapValues { machine in
            var machine = machine
            machine.heardAt = now
            machine.heardByAgent = machine.heardByAgent.mapValues { _ in now }
            return machine
        }
        return effects
    }

    /// A line is down: what was not taken over it is asked over another.
    public mutating func lineIsDown(_ line: LineNumber, at now: Instant) -> [Effect] {
        guard lines.remove(line) != nil else { return [] }
        guard !lines.isEmpty else {
            cutOffAt = now
            return []
        }
        let lost = flights.filter { $0.value.line == line && !$0.value.isTaken && !$0.value.isFollowed }
        return lost.keys.sorted().flatMap { again($0, .lineDown, at: now) }
    }

    /// A machine has said something of a push, which came over `line`.
    public mutating func hear(
        _ saying: FleetSaying, of number: UInt64, by machine: FleetName, over line: LineNumber, at now: Instant
    ) -> [Effect] {
        var effects = note(machine, agent: saying.agent, at: now)
        // Of a push that was settled or forgotten, or of another machine's: nobody asked.
        guard var flight = flights[number], flight.machine == machine else { return effects }
        // By two lines each word comes twice, and no outcome after another.
        guard flight.isFollowed == saying.word.isAfterwards else { return effects }
        flight.agent = saying.agent
        flight.quietSince = now
        flight.wasUnheard = false
        flights[number] = flight
        switch saying.word {
        case .taken:
            if !flight.isTaken { machines[machine]?.provenLine = line }
            flights[number]?.isTaken = true
            wait(until: now + limits.toldWithin, for: number)
        case .received:
            effects.append(.tell(number, .said(.received)))
            effects += follow(number, at: now)
        case .rejected, .replaced, .offline:
            effects += end(number, .said(saying.word))
        case .event:
            guard saying.place > flight.place else { return effects }
            flights[number]?.place = saying.place
            effects.append(.tell(number, .said(saying.word)))
        case .over:
            effects += forget(number)
        }
        return effects
    }

    /// Nobody wants to know any more what becomes of the push `number`.
    public mutating func leave(_ number: UInt64) {
        if flights.removeValue(forKey: number)?.isFollowed == true { followedCount -= 1 }
    }

    /// A question over `line` has found nobody who takes the machine's.
    public mutating func nobodyHears(_ number: UInt64, over line: LineNumber) {
        if flights[number]?.line == line { flights[number]?.wasUnheard = true }
    }

    /// A machine has said that it is there, in its life `agent`, perhaps as one of many under a name that `isShared`,
    /// and perhaps that what it could not hand over `isBack`.
    public mutating func hear(
        _ machine: FleetName, agent: UInt64, isBack: Bool = false, isShared: Bool = false, at now: Instant
    ) -> [Effect] {
        let isNew = !(machines[machine]?.isToldThere ?? false)
        machines[machine, default: Machine()].isShared = isShared
        var effects = note(machine, agent: agent, at: now)
        machines[machine]?.isToldThere = true
        if isBack || isNew, !effects.contains(.returned(machine)) { effects.append(.returned(machine)) }
        return effects
    }

    /// A machine was heard, in its life `agent`.
    private mutating func note(_ machine: FleetName, agent: UInt64, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        var known = machines[machine] ?? Machine()
        if known.agent != agent, !known.isShared || known.since == nil { known.since = now }
        // Who says something of a push before it says that it is there may be one of many.
        if known.isToldThere, !known.isShared, let last = known.agent, last != agent {
            if known.earlierAgents.contains(agent) {
                known.twiceAt = now
                effects.append(.twice(machine))
            }
            known.earlierAgents = Array(([last] + known.earlierAgents).prefix(4))
        }
        if known.absence != nil { effects.append(.returned(machine)) }
        (known.heardAt, known.absence, known.agent) = (now, nil, agent)
        if known.isShared {
            known.heardByAgent[agent] = now
            if known.heardByAgent.count > limits.agentsMax {
                known.heardByAgent = known.heardByAgent.filter { now - $0.value < limits.presence }
            }
        }
        machines[machine] = known
        return effects
    }

    /// Time has passed.
    public mutating func wake(at now: Instant) -> [Effect] {
        guard !lines.isEmpty, let nextDue, nextDue <= now else { return [] }
        var effects: [Effect] = []
        for number in flights.filter({ $0.value.due <= now }).keys.sorted() {
            guard let flight = flights[number] else { continue }
            if flight.isFollowed {
                effects += lookAfter(number, flight, at: now)
            } else if now - flight.quietSince >= limits.patience {
                effects += giveUp(number, flight)
            } else {
                effects += again(number, flight.isTaken ? .untold : .untaken, at: now)
            }
        }
        self.nextDue = flights.values.lazy.map(\.due).min()
        return effects
    }
}

// What follows from it.
extension AskingStateMachine {
    private mutating func ask(_ number: UInt64, at now: Instant) -> [Effect] {
        guard let flight = flights[number], let line = nextLine(of: flight) else { return [] }
        flights[number]?.line = line
        let delay = flight.isTaken ? limits.toldWithin : limits.takenWithin
        wait(until: min(now + delay, flight.quietSince + limits.patience), for: number)
        return [.ask(number, flight.machine, line)]
    }

    private mutating func again(_ number: UInt64, _ why: AskedAgain, at now: Instant) -> [Effect] {
        guard let flight = flights[number] else { return [] }
        let isFirst = flight.line == nil
        // Who has taken it may have died since: it has to take it once more.
        flights[number]?.isTaken = false
        let asked = ask(number, at: now)
        return isFirst || asked.isEmpty ? asked : [.tell(number, .again(why))] + asked
    }

    /// The line after that it was asked over last, in turn; the proven one to begin with.
    private func nextLine(of flight: Flight) -> LineNumber? {
        let others = lines.sorted()
        guard let line = flight.line else {
            let proven = machines[flight.machine]?.provenLine
            return others.first { $0 == proven } ?? others.first
        }
        return others.first { $0 > line } ?? others.first
    }

    private mutating func giveUp(_ number: UInt64, _ flight: Flight) -> [Effect] {
        let why: OfflineReason = flight.wasUnheard ? .noMachine : .silent
        let isOneOfMany = why == .silent && machines[flight.machine]?.isShared ?? false
        // A machine that says something of other pushes is there.
        if !isOneOfMany, machines[flight.machine]?.heardAt.map({ $0 <= flight.quietSince }) ?? true {
            machines[flight.machine, default: Machine()].absence = why
        }
        return end(number, .said(.offline(why, detail: Self.detail(why))))
    }

    private mutating func follow(_ number: UInt64, at now: Instant) -> [Effect] {
        flights[number]?.isFollowed = true
        wait(until: now + limits.presence, for: number)
        followed.append(number)
        followedCount += 1
        // Those that are over stand in it until it is twice as long.
        if followed.count > limits.followedMax * 2 { followed.removeAll { flights[$0] == nil } }
        guard followedCount > limits.followedMax, let oldest = followed.firstIndex(where: { flights[$0] != nil })
        else { return [] }
        let number = followed[oldest]
        followed.removeFirst(oldest + 1)
        return forget(number)
    }

    /// What was taken goes on as long as its machine says that it is there, in the same life.
    private mutating func lookAfter(_ number: UInt64, _ flight: Flight, at now: Instant) -> [Effect] {
        var last = flight.quietSince
        if let agent = flight.agent, let heardAt = machines[flight.machine]?.heardAt(inLife: agent) {
            last = max(last, heardAt)
        }
        guard now - last >= limits.presence else {
            wait(until: last + limits.presence, for: number)
            return []
        }
        return end(number, .gone)
    }

    private mutating func end(_ number: UInt64, _ news: News) -> [Effect] { [.tell(number, news)] + forget(number) }

    private mutating func forget(_ number: UInt64) -> [Effect] {
        leave(number)
        return [.forget(number)]
    }

    private mutating func wait(until due: Instant, for number: UInt64) {
        flights[number]?.due = due
        nextDue = nextDue.map { min($0, due) } ?? due
    }

    private static func detail(_ why: OfflineReason) -> String {
        why == .noMachine ? "no broker knows the machine" : "the machine says nothing"
    }
}
