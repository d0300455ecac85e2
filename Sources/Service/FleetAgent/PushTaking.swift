import BelfryDevices
import BelfryEventLoop
import BelfryTerms
import DeviceRegistry
import Fleet
import FleetLine
import Forwarding
import PushCarrier

/// Takes the pushes that gateways ask this machine to take, each once, hands them to its workers, and says what becomes
/// of them.
final class PushTaking {
    /// Says something of a push to whom it is for: by that line, by all of them if there is none.
    typealias Say = (FleetSaying.Word, _ place: Int64, _ reply: String, _ line: FleetLines.Number?) -> Void

    private let loop: Loop
    private let registry: TokenRegistry
    private let isShared: Bool
    private let carrier: SocketCarrier
    private let say: Say
    private let clocksDiffer: () -> Bool
    private var machine = TakingStateMachine()
    private var held: [PushDigest: EndpointPush] = [:]
    private var effects: [TakingStateMachine.Effect] = []
    private var isPerforming = false
    /// By which line the question came that is looked at.
    private var line: FleetLines.Number?

    /// Where the machine's name `isShared`, others answer for the tokens that `registry` does not have.
    /// Whether several gateways say when they accepted a push, `clocksDiffer` tells.
    init(
        registry: TokenRegistry, isShared: Bool, carrier: SocketCarrier, on loop: Loop,
        clocksDiffer: @escaping () -> Bool, say: @escaping Say
    ) {
        self.clocksDiffer = clocksDiffer
        self.loop = loop
        self.registry = registry
        self.isShared = isShared
        self.carrier = carrier
        self.say = say
    }

    /// How many pushes wait for a worker.
    var waitingCount: Int { machine.waitingCount }

    /// A gateway asks for `push`, by `line`.
    func ask(for push: FleetPush, replyingTo reply: String, by line: FleetLines.Number) {
        if isShared {
            guard case .registered = registry.standing(of: push.push.token) else { return }
        }
        let question = TakingStateMachine.Question(push)
        held[question.digest] = push.push
        self.line = line
        perform(machine.ask(for: question, replyingTo: reply, at: loop.now))
        self.line = nil
    }

    private func perform(_ more: [TakingStateMachine.Effect]) {
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
    }

    private func perform(_ effect: TakingStateMachine.Effect) {
        switch effect {
        case .handOver(let digest): if let push = held.removeValue(forKey: digest) { handOver(push, digest) }
        case .drop(let digest): held[digest] = nil
        case .say(let word, let place, let reply):
            // That it was taken is said where it was asked, what became of it wherever it may be heard: a line may be
            // dead by now.
            say(word, place, reply, word == .taken ? line : nil)
        }
    }

    private func handOver(_ push: EndpointPush, _ digest: PushDigest) {
        guard case .registered(let registration) = registry.standing(of: push.token) else {
            let detail = "this machine has no device with the token"
            return perform(machine.end(digest, by: .offline(.unknownToken, detail: detail), at: loop.now))
        }
        // A hangup that came by another gateway is for its call, whichever of them was accepted first (R8).
        let until = clocksDiffer() ? push.acceptedAt + TimeSpan.seconds(FleetStatus.clockSecondsMax) : nil
        carrier.carry(HandOver(push: push, registration: registration, acceptedUntil: until)) { [weak self] in
            self?.heard($0, of: digest)
        }
    }

    private func heard(_ news: CarrierNews, of digest: PushDigest) {
        let now = loop.now
        switch news {
        case .received: perform(machine.end(digest, by: .received, at: now))
        case .rejected(let reason, let detail):
            perform(machine.end(digest, by: .rejected(reason: reason, detail: detail), at: now))
        case .offline(let reason, let detail):
            perform(machine.end(digest, by: .offline(reason, detail: detail), at: now))
        case .event(let event, let code): perform(machine.event(.event(event, code: code), of: digest, at: now))
        case .over: perform(machine.event(.over, of: digest, at: now))
        // Of pushes by a relay alone.
        case .replaced, .askedAgain, .gone: break
        }
    }
}
