public import BelfryDevices
public import BelfryEventLoop
public import BelfrySyscalls
import BelfryTerms
public import DeviceRegistry
import Fleet
public import FleetLine
import Forwarding
public import PushCarrier

/// A machine of a fleet: takes the pushes that gateways send it through the brokers, hands them to its workers, and has
/// gateways write down its devices.
///
/// It writes no file for a push. Its lines are up as long as a broker is in reach.
public final class MachineAgent {
    /// Called with what the journal gets: neither tokens nor payloads are in it.
    public var onTold: (String) -> Void = { _ in }

    /// How many messages were dropped since they made no sense, or came from where they may not.
    private var droppedCount = 0
    private let since = WallTime(microseconds: wallTimeMicroseconds())
    /// The gateways that have answered.
    private var gateways: [FleetName: FleetStatus.Peer] = [:]
    /// There are no more in any fleet.
    private static let gatewaysMax = 64

    private let machine: FleetName
    private let version: String
    private let isShared: Bool
    private let lines: FleetLines
    private let loop: Loop
    /// Made up for this life, so that it is told from those before, and from another machine by the same credential.
    private let life = UInt64.random(in: 1 ... .max)
    private var taking: PushTaking?
    private var presence: MachinePresence?
    private var devices: MachineDevices?
    private var socket: AgentSocket?

    /// The machine `machine`, of that `version` of Belfry, by `lines` that hear what
    /// ``FleetSubject/heard(byMachine:)`` says. Pushes are handed over by `carrier`, to devices of `registry`. One
    /// whose name `isShared` is one of many, and answers for its own tokens alone.
    public init(
        machine: FleetName, version: String, isShared: Bool = false, lines: FleetLines, registry: TokenRegistry,
        carrier: SocketCarrier, on loop: Loop
    ) {
        (self.machine, self.version) = (machine, version)
        self.isShared = isShared
        self.lines = lines
        self.loop = loop
        taking = PushTaking(
            registry: registry, isShared: isShared, carrier: carrier, on: loop,
            clocksDiffer: { [unowned self] in gateways.count > 1 }, say: { [unowned self] in say($0, $1, $2, $3) })
        // Answers to questions of earlier lives have other numbers.
        presence = MachinePresence(countingFrom: life >> 1, on: loop) { [unowned self] in sayHere($0, isBack: $1) }
        let asking = DeviceAsking(
            countingFrom: life >> 1 &+ 1 << 62, on: loop, lines: { lines.up.sorted() },
            send: { message, number, line in
                lines.publish(
                    FleetSubject.device(of: machine).text,
                    reply: FleetSubject.answer(to: machine, number: number).text, message, over: line)
            })
        devices = MachineDevices(registry: registry, isShared: isShared, asking: asking, on: loop) {
            [unowned self] in onTold($0)
        }
        carrier.onReturn = { [weak self] _ in self?.presence?.isBack() }
        lines.onUp = { [weak self] in self?.lineIsUp($0) }
        lines.onDown = { [weak self] in self?.presence?.lineIsDown($0) }
        lines.onMessage = { [weak self] in self?.hear($0, by: $1) }
        lines.onTold = { [weak self] in self?.onTold($0) }
    }

    /// Serves commands that ask for devices at `listener`, a socket that stays its owner's.
    public func serve(_ listener: Int32) throws(SystemError) {
        socket = try AgentSocket(listener, on: loop, status: { [unowned self] in status }) { [unowned self] in
            devices?.perform($0, $1)
        }
    }

    private func lineIsUp(_ line: FleetLines.Number) {
        presence?.lineIsUp(line)
        devices?.lineIsUp()
    }

    private func hear(_ message: LineMessage, by line: FleetLines.Number) {
        guard message.kind == .published else { return }
        switch FleetSubject(message.subject) {
        case .push(to: machine): hear(push: message, by: line)
        case .answer(to: machine, let number): hear(answer: message, number, by: line)
        default: droppedCount += 1
        }
    }

    private func hear(push message: LineMessage, by line: FleetLines.Number) {
        // Where nobody's answer may go, nobody asked.
        guard let reply = message.reply, case .said(by: machine, _, _) = FleetSubject(reply),
            let push = try? FleetPush(bytes: message.bytes)
        else {
            droppedCount += 1
            return
        }
        taking?.ask(for: push, replyingTo: reply, by: line)
    }

    private func hear(answer message: LineMessage, _ number: UInt64, by line: FleetLines.Number) {
        if devices?.heard(number, message.bytes) == true { return }
        guard let answer = try? HereAnswer(bytes: message.bytes) else {
            // Each gateway answers what is asked of devices, and the first one is heeded.
            if (try? DeviceAnswer.read(message.bytes)) == nil { droppedCount += 1 }
            return
        }
        note(answer)
        presence?.answered(number, by: line)
        devices?.gatewayIsThere()
    }

    private func note(_ answer: HereAnswer) {
        let now = WallTime(microseconds: wallTimeMicroseconds())
        guard gateways[answer.gateway] != nil || gateways.count < Self.gatewaysMax else { return }
        gateways[answer.gateway] = FleetStatus.Peer(
            name: answer.gateway, since: gateways[answer.gateway]?.since ?? now, heardAt: now,
            clockSeconds: (answer.time - now).microseconds / 1_000_000, introduction: answer.introduction,
            isTwice: answer.isTwice)
    }

    private var status: FleetStatus {
        FleetStatus(
            name: machine, since: since, lines: lines.status, standing: nil,
            peers: gateways.values.sorted { $0.name < $1.name }, waitingCount: taking?.waitingCount ?? 0,
            droppedCount: droppedCount)
    }

    private func say(_ word: FleetSaying.Word, _ place: Int64, _ reply: String, _ line: FleetLines.Number?) {
        let bytes = FleetSaying(word, by: life, place: place).bytes
        for line in line.map({ [$0] }) ?? lines.up.sorted() { _ = lines.publish(reply, bytes, over: line) }
    }

    private func sayHere(_ effect: PresenceStateMachine.Effect, isBack: Bool) {
        switch effect {
        case .say(let line, let number):
            _ = lines.publish(
                FleetSubject.here(machine).text, reply: FleetSubject.answer(to: machine, number: number).text,
                HereMessage(
                    agent: life, isBack: isBack, isShared: isShared, devices: devices?.living ?? [],
                    introduction: lines.introduction(version: version)
                ).bytes, over: line)
        case .unanswered(let line): lines.unanswered(line)
        }
    }
}
