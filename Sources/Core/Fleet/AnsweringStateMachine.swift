public import BelfryDevices
public import BelfryTerms

/// What a gateway does for the machines that ask it about their devices: it writes what they want over what its mirror
/// knows, and tries again where another gateway was faster.
public struct AnsweringStateMachine {
    /// How long is waited, and what may grow.
    public struct Limits: Hashable, Sendable {
        /// After how long a question is refused that nobody could answer.
        public var patience = TimeSpan.seconds(5)
        /// After how long something is written again of which nothing was heard, or that another was in the place of.
        public var betweenTries = TimeSpan.milliseconds(500)
        /// How many questions are in flight at most.
        public var questionsMax = 1_024

        /// The limits of a gateway.
        public init() {}
    }

    /// Which question, a number of the driver's.
    public typealias QuestionNumber = UInt64
    /// Which write, from 1.
    public typealias WriteNumber = UInt64

    /// What the driver has to do.
    public enum Effect: Hashable, Sendable {
        /// Write the entry at the key, if the bucket has that key at the number `over`.
        case write(WriteNumber, DeviceKey, DeviceEntry, over: UInt64)
        /// Make certain, by a fence, that the mirror knows all devices.
        case fence(QuestionNumber)
        /// Answer the question.
        case answer(QuestionNumber, DeviceAnswer)
    }

    /// What is to become of one device.
    private enum Wish {
        /// The machine's words, and the tokens that it is to have.
        case add(DeviceQuestion.Addition, alert: DeviceToken, voip: DeviceToken, at: WallTime)
        case announce(DeviceEntry)
        case remove(at: WallTime)
        case setOffline(Bool)
    }

    /// How far it is.
    private enum Progress {
        case due
        case writing(WriteNumber, DeviceEntry, over: UInt64, until: Instant)
        /// It is looked at again once the mirror has another number than that, or at that time.
        case waiting(over: UInt64, until: Instant)
        case fencing
        case done(DeviceEntry)
        case refused(DeviceRefusal)
    }

    private struct Step {
        let key: DeviceKey
        let wish: Wish
        var progress = Progress.due
        var isCertain = false

        var isOver: Bool {
            switch progress {
            case .done, .refused: true
            case .due, .writing, .waiting, .fencing: false
            }
        }

        var wakeAt: Instant? {
            switch progress {
            case .writing(_, _, _, let until), .waiting(_, let until): until
            case .due, .fencing, .done, .refused: nil
            }
        }

        /// Whether a machine's device is on its way into the bucket that was not there before.
        var adds: Bool {
            guard case .writing(_, _, over: 0, _) = progress else { return false }
            return true
        }
    }

    private struct Question {
        let until: Instant
        let isAnnouncement: Bool
        var steps: [Step]

        var wakeAt: Instant { steps.compactMap(\.wakeAt).reduce(until, min) }
    }

    private let limits: Limits
    private let makeToken: () -> DeviceToken
    private var questions: [QuestionNumber: Question] = [:]
    /// Whose each write is.
    private var writers: [WriteNumber: (question: QuestionNumber, step: Int)] = [:]
    private var lastWrite: WriteNumber = 0

    /// Nothing was asked; `makeToken` makes the tokens of new devices.
    public init(limits: Limits = Limits(), makeToken: @escaping () -> DeviceToken) {
        (self.limits, self.makeToken) = (limits, makeToken)
    }

    /// When ``look(at:_:)`` is to be called; nil while there is nothing to wait for.
    public var wakeAt: Instant? { questions.values.lazy.map(\.wakeAt).min() }

    /// The machine asks; `mirror` is what the gateway knows.
    public mutating func ask(
        _ number: QuestionNumber, _ question: DeviceQuestion, of machine: FleetName, at now: Instant, _ wall: WallTime,
        _ mirror: MirrorStateMachine
    ) -> [Effect] {
        if mirror.standing == .unread { return [Self.refusal(number, .unavailable)] }
        if case .list(let after) = question {
            let (devices, isAll) = mirror.devices(of: machine, after: after, max: NamedDevice.perMessageMax)
            return [.answer(number, .devices(devices, isAll: isAll))]
        }
        guard questions.count < limits.questionsMax else { return [Self.refusal(number, .unavailable)] }
        questions[number] = Question(
            until: now + limits.patience, isAnnouncement: question.isAnnouncement,
            steps: steps(question, of: machine, at: wall))
        return goOn(number, at: now, mirror)
    }

    /// What was written the bucket has.
    public mutating func written(_ write: WriteNumber, at now: Instant, _ mirror: MirrorStateMachine) -> [Effect] {
        guard let (number, step) = writers.removeValue(forKey: write),
            case .writing(write, let entry, _, _)? = questions[number]?.steps[step].progress
        else { return [] }
        questions[number]?.steps[step].progress = .done(entry)
        return goOn(number, at: now, mirror)
    }

    /// It was not written, or nobody knows: the mirror will tell.
    public mutating func fail(_ write: WriteNumber, at now: Instant) {
        guard let (number, step) = writers.removeValue(forKey: write),
            case .writing(write, _, let over, _)? = questions[number]?.steps[step].progress
        else { return }
        questions[number]?.steps[step].progress = .waiting(over: over, until: now + limits.betweenTries)
    }

    /// What a fence has said.
    public mutating func fenced(
        _ number: QuestionNumber, isCertain: Bool, at now: Instant, _ mirror: MirrorStateMachine
    ) -> [Effect] {
        guard case .fencing? = questions[number]?.steps.first?.progress else { return [] }
        questions[number]?.steps[0].progress = isCertain ? .due : .refused(.unavailable)
        questions[number]?.steps[0].isCertain = isCertain
        return goOn(number, at: now, mirror)
    }

    /// Time has passed, or the mirror has something new.
    public mutating func look(at now: Instant, _ mirror: MirrorStateMachine) -> [Effect] {
        questions.keys.sorted().flatMap { number -> [Effect] in
            guard let question = questions[number] else { return [] }
            if question.until <= now { return end(number, Self.refusal(number, .unavailable)) }
            for (index, step) in question.steps.enumerated() {
                switch step.progress {
                case .writing(let write, _, _, let until) where until <= now:
                    writers[write] = nil
                    questions[number]?.steps[index].progress = .due
                case .waiting(let over, let until)
                where until <= now || (mirror.entry(step.key)?.sequence ?? 0) != over:
                    questions[number]?.steps[index].progress = .due
                case .due, .writing, .waiting, .fencing, .done, .refused: break
                }
            }
            return goOn(number, at: now, mirror)
        }
    }
}

// What follows from it.
extension AnsweringStateMachine {
    private func steps(_ question: DeviceQuestion, of machine: FleetName, at wall: WallTime) -> [Step] {
        func steps(_ id: String, _ wish: Wish) -> [Step] {
            DeviceKey(machine, id).map { [Step(key: $0, wish: wish)] } ?? []
        }
        return switch question {
        case .add(let addition):
            steps(addition.id, .add(addition, alert: makeToken(), voip: makeToken(), at: wall))
        case .remove(let id): steps(id, .remove(at: wall))
        case .online(let id): steps(id, .setOffline(false))
        case .offline(let id): steps(id, .setOffline(true))
        case .announce(let devices): devices.flatMap { steps($0.id, .announce($0.entry.asFirst)) }
        case .list: []
        }
    }

    private mutating func goOn(
        _ number: QuestionNumber, at now: Instant, _ mirror: MirrorStateMachine
    ) -> [Effect] {
        guard let count = questions[number]?.steps.count else { return [] }
        var effects: [Effect] = []
        for index in 0..<count {
            guard let step = questions[number]?.steps[index], case .due = step.progress else { continue }
            let progress = next(step, at: now, mirror)
            questions[number]?.steps[index].progress = progress
            switch progress {
            case .writing(let write, let entry, let over, _):
                writers[write] = (number, index)
                effects.append(.write(write, step.key, entry, over: over))
            case .fencing: effects.append(.fence(number))
            case .due, .waiting, .done, .refused: break
            }
        }
        guard let question = questions[number], question.steps.allSatisfy(\.isOver) else { return effects }
        return effects + end(number, Self.answer(number, question))
    }

    private mutating func next(_ step: Step, at now: Instant, _ mirror: MirrorStateMachine) -> Progress {
        let known = mirror.entry(step.key)
        let wanted: DeviceEntry
        switch step.wish {
        case .add(let addition, let alert, let voip, let time):
            // It was asked before, and has become this.
            if let known {
                return known.sequence == nil ? write(known.entry.asFirst, over: 0, now) : .done(known.entry)
            }
            var entry = DeviceEntry(
                bundleID: addition.bundleID, appGroup: addition.appGroup, environment: addition.environment,
                callPayload: addition.callPayload, alertToken: alert, voipToken: voip, addedAt: time)
            entry.isShared = addition.isShared
            wanted = entry
        case .announce(let entry):
            if mirror.isClaimed(entry, by: step.key) { return .refused(.claimed) }
            if let known {
                guard known.entry.hasTokens(of: entry) else { return .refused(.claimed) }
                if known.entry.removedAt != nil, entry.removedAt == nil { return .refused(.unknownDevice) }
                return known.sequence == nil ? write(known.entry.asFirst, over: 0, now) : .done(known.entry)
            }
            wanted = entry
        case .remove(let time):
            guard let known else { return step.isCertain ? .refused(.unknownDevice) : .fencing }
            guard known.entry.removedAt == nil else { return .done(known.entry) }
            var entry = known.entry
            entry.removedAt = time
            return write(entry, known, now)
        case .setOffline(let isOffline):
            guard let known else { return step.isCertain ? .refused(.unknownDevice) : .fencing }
            guard known.entry.removedAt == nil else { return .refused(.unknownDevice) }
            guard known.entry.isOffline != isOffline else { return .done(known.entry) }
            var entry = known.entry
            entry.isOffline = isOffline
            return write(entry, known, now)
        }
        let added = questions.values.reduce(0) { count, question in
            count + question.steps.count { $0.adds && $0.key.machine == step.key.machine }
        }
        if let refusal = mirror.refusal(of: step.key.machine, beside: added) { return .refused(refusal) }
        return write(wanted, over: 0, now)
    }

    private mutating func write(
        _ entry: DeviceEntry, _ known: (entry: DeviceEntry, sequence: UInt64?), _ now: Instant
    ) -> Progress {
        guard let sequence = known.sequence else { return write(entry.asFirst, over: 0, now) }
        return write(entry.replacing(known.entry, at: sequence), over: sequence, now)
    }

    private mutating func write(_ entry: DeviceEntry, over sequence: UInt64, _ now: Instant) -> Progress {
        lastWrite += 1
        return .writing(lastWrite, entry, over: sequence, until: now + limits.betweenTries * 2)
    }

    private mutating func end(_ number: QuestionNumber, _ answer: Effect) -> [Effect] {
        for case .writing(let write, _, _, _)? in questions[number]?.steps.map(\.progress) ?? [] {
            writers[write] = nil
        }
        questions[number] = nil
        return [answer]
    }

    private static func answer(_ number: QuestionNumber, _ question: Question) -> Effect {
        var exceptions: [DeviceAnswer.Exception] = []
        var devices: [NamedDevice] = []
        for step in question.steps {
            switch step.progress {
            case .done(let entry):
                guard case .add = step.wish else { continue }
                devices += NamedDevice(step.key.device, entry).map { [$0] } ?? []
            case .refused(let reason):
                guard question.isAnnouncement else { return refusal(number, reason) }
                exceptions += DeviceAnswer.Exception(step.key.device, reason).map { [$0] } ?? []
            case .due, .writing, .waiting, .fencing: preconditionFailure("an answer before all is done")
            }
        }
        return .answer(number, devices.isEmpty ? .done(except: exceptions) : .devices(devices, isAll: true))
    }

    private static func refusal(_ number: QuestionNumber, _ reason: DeviceRefusal) -> Effect {
        let detail =
            switch reason {
            case .machineFull: "the machine has as many devices as it may have"
            case .fleetFull: "the fleet has as many devices as it may have"
            case .claimed: "another device has that token, or that name, since before"
            case .unknownDevice: "the machine has no such device in use"
            case .malformed: "the gateway does not understand it"
            case .unavailable: "the registry of devices cannot be reached now"
            }
        return .answer(number, .refused(reason, detail: detail))
    }
}

extension DeviceQuestion {
    fileprivate var isAnnouncement: Bool {
        switch self {
        case .announce: true
        case .add, .remove, .online, .offline, .list: false
        }
    }
}
