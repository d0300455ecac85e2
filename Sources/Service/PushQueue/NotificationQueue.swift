public import BelfryAppGroup
import BelfryDatabase
public import BelfryDevices
public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
public import DeviceRegistry
import Fleet
public import Forwarding
public import PushCarrier

/// Why there is no queue.
public struct QueueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, for people.
    public let description: String
}

/// What a request is answered with.
public enum QueueAnswer: Hashable, Sendable {
    /// It is on the disk, or was so before: 200.
    case accepted
    /// Too many wait for its token: 429.
    case tooManyRequests
    /// Too many wait: 503.
    case unavailable
    /// It cannot be kept: 500.
    case failed
}

/// Keeps what push servers send until a device has it (R19).
///
/// What comes in one turn of the loop is written in one transaction, or a few if it is much, and answered when it is on
/// the disk. What is accepted is handed over by a ``Carrier`` in the order that ``ForwardingStateMachine`` decides. It
/// is dropped from the disk as soon as a device took it, or a later push takes its place. What has expired is dropped
/// with the next push or soon, since it costs nothing to find it once more. The queue belongs to its loop's thread.
public final class NotificationQueue<Machine: EventLoop> {
    /// How long to wait before the next write after the disk took nothing.
    private static var retryDelay: TimeSpan { .seconds(1) }
    /// How long until what no device will take is dropped from the disk, if no push comes before. Not at once, since a
    /// server that waits for each answer would wait for that as well.
    static var tidyingDelay: TimeSpan { .milliseconds(10) }
    /// How often requests older than ten minutes are forgotten.
    private static var forgettingInterval: TimeSpan { .seconds(60) }
    /// How many pushes are written together at most. Well below the places of a token, one of which a push takes before
    /// it is written.
    static var writtenTogetherMax: Int { 512 }

    /// Called with what an operator should know.
    public var onWarning: (String) -> Void = { _ in }

    private let loop: Machine
    private let registry: TokenRegistry
    private let carrier: any Carrier
    private let wallClock: () -> WallTime
    private let store: QueueStore
    /// `code` of an accepted background push of priority 10, of which Apple's documentation says that it is an error.
    private static var backgroundPriorityCode: String { "background-priority" }
    private let log: PushLog
    private var machine: ForwardingStateMachine
    private var lastNumber: Int64 = 0

    /// What the next transaction writes, and the answers that wait for it.
    private var changes = QueueStore.Changes()
    private var answers: [(QueueAnswer) -> Void] = []
    private var echoes: [(QueueAnswer) -> Void] = []
    private var commit: (any ScheduledTimer)?
    /// Whether it has to be written at once.
    private var isPressing = false
    private var tidying: (any ScheduledTimer)?
    private var lastWriteAt: Instant

    /// What is being handed over.
    private var inFlight: [Int64: HandOver] = [:]
    /// Pushes that were written just now, so that they need not be read: their numbers follow one another.
    private var fresh: ArraySlice<QueueStore.Added> = []
    /// The ids of those that wait, for the log.
    private var apnsIDs: [Int64: String] = [:]
    private var effects: [ForwardingStateMachine.Effect] = []
    private var isPerforming = false
    private var wake: (timer: any ScheduledTimer, at: Instant)?
    private var changedDevices: [VirtualDevice] = []
    private var registryWatch: RegistryWatch?
    /// The last number of each minute: by it, requests older than ten minutes are forgotten.
    private var marks: [(at: Instant, number: Int64)] = []

    /// The queue below `state`. What waited there when the last process ended is handed over from the loop's next
    /// iteration on. A damaged file is set aside, with a warning. Its file has `fileBytesMax` at most.
    public init(
        state: StateDirectory, registry: TokenRegistry, carrier: any Carrier, on loop: Machine,
        wallClock: @escaping () -> WallTime = { WallTime(microseconds: wallTimeMicroseconds()) },
        limits: ForwardingStateMachine.Limits = ForwardingStateMachine.Limits(), fileBytesMax: Int = 2 << 30
    ) throws(QueueError) {
        self.loop = loop
        self.registry = registry
        self.carrier = carrier
        self.wallClock = wallClock
        machine = ForwardingStateMachine(limits: limits)
        lastWriteAt = loop.now
        do throws(SystemError) {
            log = try PushLog(state: state)
        } catch {
            throw QueueError(description: "the log of pushes cannot be written: \(error)")
        }
        do throws(DatabaseError) {
            store = try QueueStore(state: state, bytesMax: fileBytesMax)
        } catch {
            throw QueueError(
                description: error.kind == .busy
                    ? "another process has the queue of pushes" : "the queue of pushes cannot be opened: \(error)")
        }
        // Before it is read, so that no change is missed. If it cannot be watched, changes are seen with the next push.
        registryWatch = try? registry.watch(on: loop) { registry.look() }
        try restore()
        carrier.onReturn = { [weak self] whose in
            guard let self else { return }
            perform(machine.isBack(whose, at: now))
        }
        registry.onChange = { [weak self] in self?.changed($0) }
        loop.afterThis(description: "pushes that wait") { [weak self] in self?.begin() }
    }

    /// How many pushes each other machine has not settled.
    public var waitingByMachine: [FleetName: Int] { machine.waitingByMachine }

    /// Keeps `push`, which is for `registration`, and calls `answer` once, as soon as it is on the disk or cannot be.
    public func submit(_ push: EndpointPush, for registration: Registration, _ answer: @escaping (QueueAnswer) -> Void)
    {
        guard push.pushType.hasReceiver else {
            note(push, .recorded, registration.deviceID, status: 200)
            return answer(.accepted)
        }
        let digest = PushDigest(push)
        switch machine.admit(digest, to: push.token, at: loop.now) {
        case .admitted:
            lastNumber += 1
            changes.added.append(
                QueueStore.Added(number: lastNumber, push: push, deviceID: registration.deviceID, digest: digest))
            answers.append(answer)
            if changes.added.count < Self.writtenTogetherMax { writeSoon() } else { finish() }
        case .duplicate:
            note(push, .duplicate, registration.deviceID, status: 200)
            // The first one may still be on its way to the disk: answer both together.
            guard !changes.added.isEmpty else { return answer(.accepted) }
            echoes.append(answer)
        case .tooManyRequests:
            let detail = "\(machine.limits.waitingForTokenMax) pushes wait for this device token"
            note(push, .refused, registration.deviceID, status: 429, code: "TooManyRequests", detail)
            answer(.tooManyRequests)
        case .unavailable:
            let detail = "\(machine.limits.waitingMax) pushes wait"
            note(push, .refused, registration.deviceID, status: 503, code: "ServiceUnavailable", detail)
            answer(.unavailable)
        }
    }

    /// Adds a line to the log.
    public func note(_ note: PushNote) {
        log.add(note)
        writeSoon()
    }

    /// Writes all that is to be written, and answers. What is being handed over goes on.
    public func finish() {
        commit?.cancel()
        isPressing = true
        write()
    }

    private var now: ForwardingTime { ForwardingTime(instant: loop.now, wall: wallClock()) }
}

// What is on the disk.
extension NotificationQueue {
    private func restore() throws(QueueError) {
        do throws(DatabaseError) {
            try read()
        } catch  where error.kind == .corrupt {
            machine = ForwardingStateMachine(limits: machine.limits)
            (apnsIDs, effects) = ([:], [])
            do throws(DatabaseError) {
                try store.replaceDamaged()
                try read()
            } catch {
                throw QueueError(description: "the queue of pushes is damaged: \(error)")
            }
            warnOfDamage()
        } catch {
            throw QueueError(description: "the queue of pushes cannot be read: \(error)")
        }
        if store.wasSetAside { warnOfDamage() }
    }

    private func read() throws(DatabaseError) {
        let now = now
        for (number, digest, at) in try store.remembered(max: machine.limits.rememberedMax) {
            let age = now.wall - at
            machine.restore(digest, age: age, at: now.instant)
            // Forgotten here: a process that lives for less than that forgets nothing while it runs.
            if lastNumber == 0 { changes.forgotten = number - 1 }
            if age > ForwardingStateMachine.memorySpan { changes.forgotten = number }
            lastNumber = max(lastNumber, number)
        }
        marks = [(now.instant, lastNumber)]
        for device in registry.all() where device.isOffline && device.removedAt == nil {
            _ = machine.setOff(true, device.id, at: now)
        }
        for (push, apnsID) in try store.waiting(onMachineOf: { registry.lastStanding(of: $0).machine }) {
            effects += machine.restore(push, at: now)
            apnsIDs[push.number] = apnsID
            lastNumber = max(lastNumber, push.number)
        }
    }

    private func begin() {
        perform(machine.wake(at: now))
    }

    private func writeSoon() {
        guard commit == nil else { return }
        // After all that is ready, so that one transaction takes what many connections sent.
        commit = loop.afterReady(description: "queue of pushes") { [weak self] in self?.write() }
    }

    private func tidySoon() {
        guard tidying == nil else { return }
        tidying = loop.schedule(at: loop.now + Self.tidyingDelay, description: "tidy the queue") { [weak self] in
            self?.tidy()
        }
    }

    private func tidy() {
        tidying = nil
        guard !changes.isEmpty else { return }
        // While pushes come, the next write takes it along.
        guard loop.now >= lastWriteAt + Self.tidyingDelay else { return tidySoon() }
        isPressing = true
        writeSoon()
    }

    private func write() {
        commit = nil
        defer { log.write() }
        forgetOld()
        guard !changes.isEmpty else { return }
        guard isPressing || !changes.added.isEmpty else { return tidySoon() }
        isPressing = false
        lastWriteAt = loop.now
        let written = changes
        let (answers, echoes) = (answers, echoes)
        changes = QueueStore.Changes()
        (self.answers, self.echoes) = ([], [])
        if let error = save(written) { return refuse(written, answers + echoes, error) }
        for added in written.added {
            apnsIDs[added.number] = added.push.apnsID
            note(added.push, .accepted, added.deviceID, status: 200)
        }
        for answer in answers { answer(.accepted) }
        for answer in echoes { answer(.accepted) }
        guard !written.added.isEmpty else { return }
        // Later, so that the answers are sent first.
        loop.afterThis(description: "new pushes") { [weak self] in self?.accept(written.added) }
    }

    private func accept(_ written: [QueueStore.Added]) {
        let now = now
        for added in written {
            let push = WaitingPush(
                number: added.number, added.push, deviceID: added.deviceID,
                machine: registry.lastStanding(of: added.push.token).machine)
            effects += machine.accept(push, at: now)
        }
        fresh = written[...]
        perform([])
        fresh = []
    }

    /// Why `written` is not on the disk now; nil if it is.
    private func save(_ written: QueueStore.Changes) -> DatabaseError? {
        do throws(DatabaseError) {
            do throws(DatabaseError) {
                try store.write(written)
            } catch  where error.kind == .corrupt {
                try store.replaceDamaged()
                warnOfDamage()
                try store.write(written)
            }
            return nil
        } catch {
            onWarning("pushes cannot be kept: \(error)")
            return error
        }
    }

    /// Nothing was written: answers the servers so, and writes later what was settled.
    private func refuse(
        _ unwritten: QueueStore.Changes, _ answers: [(QueueAnswer) -> Void], _ error: DatabaseError
    ) {
        let detail = "it cannot be kept: \(error)"
        for added in unwritten.added {
            machine.withdraw(added.digest, to: added.push.token)
            note(added.push, .refused, added.deviceID, status: 500, code: "InternalServerError", detail)
        }
        changes.settled = unwritten.settled + changes.settled
        changes.stored = unwritten.stored + changes.stored
        changes.forgotten = changes.forgotten ?? unwritten.forgotten
        for answer in answers { answer(.failed) }
        commit?.cancel()
        commit = loop.schedule(at: loop.now + Self.retryDelay, description: "queue of pushes") { [weak self] in
            self?.isPressing = true
            self?.write()
        }
    }

    private func forgetOld() {
        let now = loop.now
        guard let last = marks.last, now - last.at >= Self.forgettingInterval else { return }
        marks.append((now, lastNumber))
        guard let index = marks.lastIndex(where: { now - $0.at > ForwardingStateMachine.memorySpan }) else { return }
        changes.forgotten = marks[index].number
        marks.removeSubrange(...index)
    }

    private func warnOfDamage() {
        // Later, when the owner has set onWarning.
        loop.afterThis(description: "damaged queue") { [weak self] in
            self?.onWarning("the queue of pushes was damaged, and set aside: what waited in it is lost")
        }
    }
}

// What is handed over.
extension NotificationQueue {
    private func perform(_ more: [ForwardingStateMachine.Effect]) {
        effects += more
        // A carrier may report while an effect is performed: the loop below takes up what it adds.
        guard !isPerforming else { return }
        isPerforming = true
        while !effects.isEmpty {
            let batch = effects
            effects = []
            for effect in batch { perform(effect) }
        }
        isPerforming = false
        setWake()
    }

    private func perform(_ effect: ForwardingStateMachine.Effect) {
        switch effect {
        case .start(let number): start(number)
        case .store(let number):
            changes.stored.append(number)
            note(number, .stored)
        case .discard(let number, let why):
            switch why {
            case .replaced:
                settle(number, .replaced)
                // At once: the process after this one, too, must find the later push alone.
                isPressing = true
            case .expired: settle(number, .expired)
            case .unregistered: settle(number, .unregistered)
            }
        }
    }

    /// Hands the push `number` over. If it cannot be read now, or its token is not known now, it waits as for a device
    /// that is offline (R20).
    private func start(_ number: Int64) {
        let found: EndpointPush?
        do throws(DatabaseError) {
            found = if let fresh = freshPush(number) { fresh } else { try store.push(number) }
        } catch {
            return keep(number, .unreadable, "\(error)")
        }
        guard let push = found else {
            settle(number, .lost)
            return perform(machine.carried(number, .settled, at: now))
        }
        let registration: Registration
        switch registry.standing(of: push.token) {
        case .registered(let found): registration = found
        case .removed:
            settle(number, .unregistered)
            return perform(machine.carried(number, .settled, at: now))
        // Nothing is dropped on doubt: a token that is not known now may be known later.
        case .unknown: return keep(number, .unknownToken, nil)
        }
        let handOver = HandOver(push: push, registration: registration, isKept: machine.isKept(number))
        inFlight[number] = handOver
        note(number, .handedOver, machine: registration.machine?.text)
        carrier.carry(handOver) { [weak self] in self?.heard($0, of: number, handOver) }
    }

    private func freshPush(_ number: Int64) -> EndpointPush? {
        guard let first = fresh.first?.number, number >= first, number - first < fresh.count else { return nil }
        return fresh[fresh.startIndex + Int(number - first)].push
    }

    private func heard(_ news: CarrierNews, of number: Int64, _ handOver: HandOver) {
        switch news {
        case .event(let event, let code):
            var line = PushNote(at: wallClock(), apnsID: handOver.push.apnsID, step: .event)
            (line.deviceID, line.event, line.code) = (handOver.registration.deviceID, event, code)
            note(line)
        case .askedAgain(let why): note(number, .askedAgain, code: why.rawValue)
        case .gone:
            var line = PushNote(at: wallClock(), apnsID: handOver.push.apnsID, step: .gone)
            line.deviceID = handOver.registration.deviceID
            note(line)
        case .over: break
        case .received: end(number, .received)
        case .replaced: end(number, .replaced)
        case .rejected(let reason, let detail): end(number, .rejected, code: reason, detail: detail)
        case .offline(let reason, let detail):
            guard inFlight.removeValue(forKey: number) != nil else { return }
            keep(number, reason, detail)
        }
    }

    /// No device took it: it is tried again, if it may be kept.
    private func keep(_ number: Int64, _ reason: OfflineReason, _ detail: String?) {
        note(number, .offline, code: reason.rawValue, detail: detail)
        perform(machine.carried(number, .offline, at: now))
    }

    private func end(_ number: Int64, _ step: PushStep, code: String? = nil, detail: String? = nil) {
        guard inFlight.removeValue(forKey: number) != nil else { return }
        settle(number, step, code: code, detail: detail)
        // At once: a device that took it must not get it again.
        isPressing = true
        perform(machine.carried(number, .settled, at: now))
    }

    private func settle(_ number: Int64, _ step: PushStep, code: String? = nil, detail: String? = nil) {
        note(number, step, code: code, detail: detail)
        changes.settled.append(number)
        apnsIDs[number] = nil
    }

    private func setWake() {
        let due = machine.nextWake()
        guard due != wake?.at else { return }
        wake?.timer.cancel()
        wake = due.map { due in
            let timer = loop.schedule(at: due, description: "push again") { [weak self] in
                guard let self else { return }
                wake = nil
                perform(machine.wake(at: now))
            }
            return (timer, due)
        }
    }

    private func changed(_ device: VirtualDevice) {
        // This may come in the middle of a hand-over, so look after this turn.
        changedDevices.append(device)
        guard changedDevices.count == 1 else { return }
        loop.afterThis(description: "devices") { [weak self] in self?.heedDevices() }
    }

    private func heedDevices() {
        let devices = changedDevices
        changedDevices = []
        for device in devices {
            if device.removedAt != nil {
                perform(machine.remove(device.id, at: now))
            } else {
                perform(machine.setOff(device.isOffline, device.id, at: now))
            }
        }
    }

    private func note(
        _ number: Int64, _ step: PushStep, machine: String? = nil, code: String? = nil, detail: String? = nil
    ) {
        guard let apnsID = apnsIDs[number] else { return }
        var line = PushNote(at: wallClock(), apnsID: apnsID, step: step)
        (line.machine, line.code, line.detail) = (machine, code, detail)
        note(line)
    }

    private func note(
        _ push: EndpointPush, _ step: PushStep, _ deviceID: String, status: Int, code: String? = nil,
        _ detail: String? = nil
    ) {
        var line = PushNote(at: push.acceptedAt, apnsID: push.apnsID, step: step)
        (line.deviceID, line.topic, line.pushType) = (deviceID, push.topic, push.pushType)
        (line.status, line.code, line.detail) = (status, code, detail)
        if step == .accepted, push.pushType.isError(push.priority) { line.code = Self.backgroundPriorityCode }
        note(line)
    }
}
