public import BelfryDevices
public import BelfryTerms

/// Decides which push is handed over next, and which are kept, replaced and dropped.
///
/// A device gets its pushes in the order of their acceptance, the next one once the one before was taken or refused;
/// many devices are served at once, and each machine by itself, so that none that is slow delays another (R20). A push
/// that a device cannot take now is kept if it may be, only the latest of each topic. The pushes behind it are still
/// tried in the same round. Kept pushes are tried again, in order, after 1, 2, 4 … 60 s, or as soon as the push socket
/// or the machine is back.
public struct ForwardingStateMachine {
    /// What may grow.
    public struct Limits: Hashable, Sendable {
        /// How many hand-overs to one machine may be unanswered at the same time.
        public var inFlightMax = 64
        /// How many to all other machines; those to this one are apart.
        public var inFlightElsewhereMax = 4_096
        /// How many pushes wait for one token.
        public var waitingForTokenMax = 1_000
        /// How many pushes wait in all.
        public var waitingMax = 200_000
        /// How many requests are remembered.
        public var rememberedMax = 1 << 18

        /// The limits of an endpoint.
        public init() {}
    }

    /// Whether a request is taken.
    public enum Admission: Hashable, Sendable {
        /// It has a place in the queue.
        case admitted
        /// It came before within ten minutes, and is answered as that one was (R19).
        case duplicate
        /// Too many wait for its token.
        case tooManyRequests
        /// Too many wait.
        case unavailable
    }

    /// How a hand-over ended.
    public enum Outcome: Hashable, Sendable {
        /// The worker took it, or no worker ever will.
        case settled
        /// No worker was there to take it.
        case offline
    }

    /// Why a push is dropped.
    public enum Discard: Hashable, Sendable {
        /// A later push of its topic took its place.
        case replaced
        /// It is past its expiration, or may not be kept at all.
        case expired
        /// Its token was removed.
        case unregistered
    }

    /// What the driver has to do.
    public enum Effect: Hashable, Sendable {
        /// Hand over the push.
        case start(Int64)
        /// Note that the push is kept.
        case store(Int64)
        /// Drop the push.
        case discard(Int64, Discard)
    }

    /// How long after a round that failed the next one begins; the last delay counts for all further ones.
    static let retryDelays: [TimeSpan] = [1, 2, 4, 8, 16, 32, 60].map { .seconds($0) }

    /// How long a request is remembered.
    public static let memorySpan = PushMemory<Void>.span

    /// What may grow.
    public let limits: Limits
    private(set) var devices: [String: DeviceQueue] = [:]
    private var deviceOfFlight: [Int64: String] = [:]
    private var machines: [FleetName?: MachineQueue] = [:]
    /// How many hand-overs to other machines are unanswered.
    private var inFlightElsewhere = 0
    /// Machines whose turn did not come since ``inFlightElsewhere`` was full, in the order in which they came.
    private var starved = Line<FleetName?>()
    private var waitingForToken: [DeviceToken: Int] = [:]
    /// How many pushes have a place.
    public private(set) var waitingCount = 0
    /// How many pushes each other machine has not settled: those that it is being given, and those kept for it.
    public var waitingByMachine: [FleetName: Int] {
        devices.values.reduce(into: [:]) { counts, device in
            guard let machine = device.machine, !device.entries.isEmpty else { return }
            counts[machine, default: 0] += device.entries.count
        }
    }
    private var memory: PushMemory<Void>
    /// Devices that are tried again. There is a line for each delay, so that each line is in order of time.
    private var retries: [Line<(at: Instant, device: String)>]

    /// A queue in which nothing waits.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        memory = PushMemory(digestsMax: limits.rememberedMax)
        retries = Self.retryDelays.map { _ in Line() }
    }

    /// Whether a push to `token` is taken. It is then remembered and has a place, until the caller calls
    /// ``accept(_:at:)`` or ``withdraw(_:to:)``.
    public mutating func admit(_ digest: PushDigest, to token: DeviceToken, at now: Instant) -> Admission {
        if memory.value(of: digest, at: now) != nil { return .duplicate }
        guard waitingForToken[token, default: 0] < limits.waitingForTokenMax else { return .tooManyRequests }
        guard waitingCount < limits.waitingMax else { return .unavailable }
        takePlace(token)
        memory.remember(digest, (), at: now)
        return .admitted
    }

    /// Takes back an admission: the push could not be kept, and the server was answered so.
    public mutating func withdraw(_ digest: PushDigest, to token: DeviceToken) {
        memory.withdraw(digest)
        givePlace(token)
    }

    /// Queues a push that was admitted and is safe on the disk.
    public mutating func accept(_ push: WaitingPush, at now: ForwardingTime) -> [Effect] {
        var effects = queue(push, at: now)
        fill(push.machine, &effects, at: now)
        return effects
    }

    /// Queues a push that waited when the last process ended, as it is read from the disk in the order of acceptance;
    /// ``wake(at:)`` then begins. Devices that are off have to be set off before.
    public mutating func restore(_ push: WaitingPush, at now: ForwardingTime) -> [Effect] {
        takePlace(push.token)
        return queue(push, at: now)
    }

    /// Remembers a request that came `age` ago, before this process.
    public mutating func restore(_ digest: PushDigest, age: TimeSpan, at now: Instant) {
        guard age <= Self.memorySpan else { return }
        memory.remember(digest, (), at: now - max(age, .zero))
    }

    /// The hand-over of `number` ended in `outcome`.
    public mutating func carried(_ number: Int64, _ outcome: Outcome, at now: ForwardingTime) -> [Effect] {
        guard let device = deviceOfFlight.removeValue(forKey: number) else { return [] }
        var effects: [Effect] = []
        var wasTaken: DeviceToken?
        let machine = devices[device]?.machine
        machines[machine]?.inFlightCount -= 1
        if machine != nil { inFlightElsewhere -= 1 }
        change(device) { queue in
            queue.inFlight = nil
            guard let push = queue.entries.first(where: { $0.push.number == number })?.push else { return [] }
            switch outcome {
            case .settled:
                wasTaken = queue.remove(number)?.token
                queue.failedRounds = 0
                queue.retryAt = nil
                // The older pushes of its topic are outdated now.
                return queue.removeOlder(than: number, of: push.topic).map { .drop($0, .replaced) }
            case .offline: return Self.keep(push, in: &queue, at: now.wall)
            }
        }.forEach { settlePlace($0, &effects) }
        // A push that was taken makes no change that would give its place back.
        if let wasTaken { givePlace(wasTaken) }
        endRound(of: device, at: now.instant)
        fillFreed(by: machine, &effects, at: now)
        return effects
    }

    /// Whether the push `number`, which is handed over, was kept before for a device that was offline.
    public func isKept(_ number: Int64) -> Bool {
        guard let device = deviceOfFlight[number], let queue = devices[device] else { return false }
        return queue.entries.first { $0.push.number == number }?.isStored ?? false
    }

    /// The device `device` was switched off, or on again.
    public mutating func setOff(_ isOff: Bool, _ device: String, at now: ForwardingTime) -> [Effect] {
        guard devices[device]?.isOff ?? false != isOff else { return [] }
        var effects: [Effect] = []
        change(device) { queue in
            queue.isOff = isOff
            queue.failedRounds = 0
            queue.makeAllDue()
            guard isOff else { return [] }
            let waiting = queue.entries.map(\.push).filter { $0.number != queue.inFlight }
            return waiting.flatMap { Self.keep($0, in: &queue, at: now.wall) }
        }.forEach { settlePlace($0, &effects) }
        fill(devices[device]?.machine, &effects, at: now)
        return effects
    }

    /// The tokens of `device` were removed: every push that waits for it is dropped.
    public mutating func remove(_ device: String, at now: ForwardingTime) -> [Effect] {
        var effects: [Effect] = []
        change(device) { queue in
            // A push that comes late must be tried: then it turns out that its token was removed.
            queue.isOff = false
            let waiting = queue.entries.map(\.push).filter { $0.number != queue.inFlight }
            return waiting.compactMap { queue.remove($0.number).map { .drop($0, .unregistered) } }
        }.forEach { settlePlace($0, &effects) }
        return effects
    }

    /// `machine` is there again, or, where it is nil, this machine's push socket: every push that is kept for its
    /// devices is tried now.
    public mutating func isBack(_ machine: FleetName?, at now: ForwardingTime) -> [Effect] {
        // A push that is under way may have found nobody, but its failure is not here yet.
        let waiting = devices.filter {
            $0.value.machine == machine && ($0.value.retryAt != nil || $0.value.inFlight != nil)
        }
        for device in waiting.keys {
            _ = change(device) { queue in
                queue.failedRounds = 0
                queue.makeAllDue()
                return []
            }
        }
        return wake(at: now)
    }

    /// Begins everything that is due.
    public mutating func wake(at now: ForwardingTime) -> [Effect] {
        for index in retries.indices {
            while let first = retries[index].first, first.at <= now.instant {
                _ = retries[index].popFirst()
                // An entry stays in the line when its retry is called off or set again, so it may be outdated.
                guard devices[first.device]?.retryAt == first.at else { continue }
                _ = change(first.device) { queue in
                    queue.makeAllDue()
                    return []
                }
            }
        }
        var effects: [Effect] = []
        for machine in machines.keys.filter({ machines[$0]?.hasReady == true }) { fill(machine, &effects, at: now) }
        return effects
    }

    /// When ``wake(at:)`` is due; nil if nothing is kept.
    public mutating func nextWake() -> Instant? {
        var wake: Instant?
        for index in retries.indices {
            while let first = retries[index].first {
                if devices[first.device]?.retryAt == first.at {
                    wake = wake.map { min($0, first.at) } ?? first.at
                    break
                }
                _ = retries[index].popFirst()
            }
        }
        return wake
    }

    private mutating func queue(_ push: WaitingPush, at now: ForwardingTime) -> [Effect] {
        var effects: [Effect] = []
        change(push.deviceID) { queue in
            queue.append(push)
            return queue.isOff ? Self.keep(push, in: &queue, at: now.wall) : []
        }.forEach { settlePlace($0, &effects) }
        return effects
    }

    /// What happened to a push in its queue.
    private enum Change {
        case drop(WaitingPush, Discard)
        case store(WaitingPush)
    }

    /// Keeps `push` for a device that cannot take it, instead of older ones of its topic, or drops it.
    private static func keep(_ push: WaitingPush, in queue: inout DeviceQueue, at now: WallTime) -> [Change] {
        guard push.mayBeKept(at: now) else { return queue.remove(push.number).map { [.drop($0, .expired)] } ?? [] }
        guard !queue.hasNewer(than: push, toKeepAt: now) else {
            return queue.remove(push.number).map { [.drop($0, .replaced)] } ?? []
        }
        let older = queue.removeOlder(than: push.number, of: push.topic)
        return older.map { .drop($0, .replaced) } + (queue.store(push.number) ? [.store(push)] : [])
    }

    /// Changes the queue of `device`, and moves it to the line where it then belongs.
    private mutating func change(_ device: String, _ body: (inout DeviceQueue) -> [Change]) -> [Change] {
        let (changes, newRank, isForgettable) = Self.change(&devices[device, default: DeviceQueue()], body)
        if let newRank { machines[devices[device]?.machine, default: MachineQueue()].append(device, newRank) }
        if isForgettable { devices[device] = nil }
        return changes
    }

    private static func change(
        _ queue: inout DeviceQueue, _ body: (inout DeviceQueue) -> [Change]
    ) -> (changes: [Change], newRank: APNsPriority?, isForgettable: Bool) {
        let changes = body(&queue)
        guard let rank = queue.wantedRank, queue.rank.map({ $0 < rank }) ?? true else {
            return (changes, nil, queue.isForgettable)
        }
        queue.rank = rank
        return (changes, rank, queue.isForgettable)
    }

    private mutating func settlePlace(_ change: Change, _ effects: inout [Effect]) {
        switch change {
        case .store(let push): effects.append(.store(push.number))
        case .drop(let push, let why):
            givePlace(push.token)
            effects.append(.discard(push.number, why))
        }
    }

    private mutating func takePlace(_ token: DeviceToken) {
        waitingForToken[token, default: 0] += 1
        waitingCount += 1
    }

    private mutating func givePlace(_ token: DeviceToken) {
        let left = waitingForToken[token, default: 0] - 1
        waitingForToken[token] = left > 0 ? left : nil
        waitingCount -= 1
    }

    /// If nothing of `device` is due any more and something is kept, it is tried again later.
    private mutating func endRound(of device: String, at now: Instant) {
        guard var queue = devices[device], queue.inFlight == nil, !queue.isOff, queue.next == nil,
            !queue.entries.isEmpty, queue.retryAt == nil
        else { return }
        let index = min(queue.failedRounds, Self.retryDelays.count - 1)
        let at = now + Self.retryDelays[index]
        queue.failedRounds += 1
        queue.retryAt = at
        devices[device] = queue
        retries[index].append((at, device))
    }

    /// Begins hand-overs to `machine`, the most urgent first, as long as there is room for them.
    private mutating func fill(_ machine: FleetName?, _ effects: inout [Effect], at now: ForwardingTime) {
        while machines[machine, default: MachineQueue()].inFlightCount < limits.inFlightMax {
            guard machine == nil || inFlightElsewhere < limits.inFlightElsewhereMax else {
                starve(machine)
                break
            }
            guard let device = takeReady(of: machine) else { break }
            guard var queue = devices[device], let entry = queue.next else { continue }
            if entry.wasTried || entry.push.wasStored, !entry.push.mayBeKept(at: now.wall) {
                change(device) { queue in
                    queue.remove(entry.push.number).map { [.drop($0, .expired)] } ?? []
                }.forEach { settlePlace($0, &effects) }
                // This may have been the last push of its round.
                endRound(of: device, at: now.instant)
                continue
            }
            queue.inFlight = entry.push.number
            devices[device] = queue
            deviceOfFlight[entry.push.number] = device
            machines[machine]?.inFlightCount += 1
            if machine != nil { inFlightElsewhere += 1 }
            effects.append(.start(entry.push.number))
        }
        if machines[machine]?.isForgettable == true { machines[machine] = nil }
    }

    /// Begins what a hand-over to `machine` made room for: those first that wait longest for a place among all.
    private mutating func fillFreed(by machine: FleetName?, _ effects: inout [Effect], at now: ForwardingTime) {
        guard machine != nil, starved.first != nil else { return fill(machine, &effects, at: now) }
        starve(machine)
        while inFlightElsewhere < limits.inFlightElsewhereMax, let next = starved.popFirst() {
            machines[next]?.isStarved = false
            fill(next, &effects, at: now)
        }
    }

    /// `machine` waits for a hand-over to another one to end.
    private mutating func starve(_ machine: FleetName?) {
        guard let queue = machines[machine], queue.hasReady, !queue.isStarved else { return }
        machines[machine]?.isStarved = true
        starved.append(machine)
    }

    /// The device of `machine` whose turn it is; nil if none has anything to hand over.
    private mutating func takeReady(of machine: FleetName?) -> String? {
        while let (device, rank) = machines[machine]?.popFirst() {
            // The device may stand in a better line by now, or have nothing left to hand over.
            guard devices[device]?.rank == rank else { continue }
            devices[device]?.rank = nil
            if devices[device]?.wantedRank != nil { return device }
        }
        return nil
    }
}
