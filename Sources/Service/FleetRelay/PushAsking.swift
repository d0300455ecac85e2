import BelfryDevices
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetLine

/// Has machines take the pushes of the endpoint beside this relay, and tells it what becomes of them.
final class PushAsking {
    /// Which connection of an endpoint.
    typealias Asker = Int64

    private struct Push {
        let asker: Asker
        /// What the endpoint calls it.
        let name: UInt64
        let machine: FleetName
        /// What the machine gets; empty once it is settled.
        var message: [UInt8]
    }

    private let gateway: FleetName
    private let lines: FleetLines
    private let loop: Loop
    private let tell: (RelayNews, Asker) -> Void
    private let tellAll: (RelayNews) -> Void
    private let warn: (String) -> Void
    private var machine: AskingStateMachine
    private var pushes: [UInt64: Push] = [:]
    /// Numbers of an earlier life are heard of for a while: those of this one are higher.
    private var lastNumber = UInt64(max(0, wallTimeMicroseconds()))
    private var timer: (any ScheduledTimer)?
    private var wakesAt: Instant?
    /// What machines say of themselves.
    private var introductions: [FleetName: FleetIntroduction] = [:]
    /// Of which machines it was told that there are two.
    private var toldTwice: Set<FleetName> = []

    /// The gateway `gateway`, which asks by `lines`. `tell` gets what one endpoint hears, `tellAll` what each does.
    init(
        gateway: FleetName, limits: AskingStateMachine.Limits, lines: FleetLines, on loop: Loop,
        tell: @escaping (RelayNews, Asker) -> Void, tellAll: @escaping (RelayNews) -> Void,
        warn: @escaping (String) -> Void
    ) {
        self.gateway = gateway
        self.lines = lines
        self.loop = loop
        self.tell = tell
        self.tellAll = tellAll
        self.warn = warn
        machine = AskingStateMachine(limits: limits, at: loop.now)
    }

    /// The machines that were heard.
    var heard: [AskingStateMachine.Heard] { machine.heard }

    func introduction(of machine: FleetName) -> FleetIntroduction { introductions[machine] ?? .none }

    /// Whether two machines are heard by that name.
    func isTwice(_ machine: FleetName) -> Bool { self.machine.isTwice(machine, at: loop.now) }

    func ask(_ machine: FleetName, toTake message: [UInt8], as name: UInt64, for asker: Asker) {
        lastNumber += 1
        pushes[lastNumber] = Push(asker: asker, name: name, machine: machine, message: message)
        perform(self.machine.ask(machine, toTake: lastNumber, at: loop.now))
    }

    /// The endpoint's connection is gone: it says anew what is not settled.
    func leave(_ asker: Asker) {
        for (number, push) in pushes where push.asker == asker {
            machine.leave(number)
            pushes[number] = nil
        }
    }

    func lineIsUp(_ line: FleetLines.Number) { perform(machine.lineIsUp(line, at: loop.now)) }

    func lineIsDown(_ line: FleetLines.Number) { perform(machine.lineIsDown(line, at: loop.now)) }

    func hear(_ saying: FleetSaying, of number: UInt64, by machine: FleetName, over line: FleetLines.Number) {
        perform(self.machine.hear(saying, of: number, by: machine, over: line, at: loop.now))
    }

    func hear(_ here: HereMessage, of machine: FleetName) {
        introductions[machine] = here.introduction
        perform(
            self.machine.hear(
                machine, agent: here.agent, isBack: here.isBack, isShared: here.isShared, at: loop.now))
    }

    /// A question over `line` has found nobody.
    func nobodyHears(_ number: UInt64, over line: FleetLines.Number) {
        machine.nobodyHears(number, over: line)
    }

    private func perform(_ effects: [AskingStateMachine.Effect]) {
        for effect in effects { perform(effect) }
        wait()
    }

    private func perform(_ effect: AskingStateMachine.Effect) {
        switch effect {
        case .ask(let number, let machine, let line):
            guard let push = pushes[number] else { return }
            // One that the line does not take is asked for again, as one that was lost.
            _ = lines.publish(
                FleetSubject.push(to: machine).text,
                reply: FleetSubject.said(by: machine, to: gateway, number: number).text, push.message, over: line)
        case .tell(let number, let news): tell(news, of: number)
        case .forget(let number):
            guard let push = pushes.removeValue(forKey: number) else { return }
            tell(.over(push.name), push.asker)
        case .returned(let machine): tellAll(.back(machine))
        case .twice(let machine):
            guard toldTwice.insert(machine).inserted else { return }
            warn("there are two machines by the credential of \(machine.text): both ring (twice)")
        }
    }

    private func tell(_ news: AskingStateMachine.News, of number: UInt64) {
        guard let push = pushes[number] else { return }
        switch news {
        case .again(let why): tell(.again(push.name, why), push.asker)
        case .gone: tell(.gone(push.name), push.asker)
        case .said(let word):
            if word == .received { pushes[number]?.message = [] }
            tell(.said(push.name, word), push.asker)
        }
    }

    /// The timer is set anew if it is to come at another time alone: words come ten to a push.
    private func wait() {
        guard machine.wakeAt != wakesAt else { return }
        wakesAt = machine.wakeAt
        timer?.cancel()
        timer = wakesAt.map { at in
            loop.schedule(at: at, description: "ask again") { [weak self] in
                guard let self else { return }
                wakesAt = nil
                perform(machine.wake(at: loop.now))
            }
        }
    }
}
