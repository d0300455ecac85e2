import BelfryEventLoop
import BelfryTerms
import Fleet
import FleetLine

/// Says to the gateways that this machine is there, by each line, and moves the lines by which none answers.
final class MachinePresence {
    private let loop: Loop
    private let perform: (PresenceStateMachine.Effect, _ isBack: Bool) -> Void
    private var machine: PresenceStateMachine
    private var random = SystemRandomNumberGenerator()
    private var timer: (any ScheduledTimer)?

    init(
        countingFrom number: UInt64, on loop: Loop,
        _ perform: @escaping (PresenceStateMachine.Effect, _ isBack: Bool) -> Void
    ) {
        self.loop = loop
        self.perform = perform
        machine = PresenceStateMachine(countingFrom: number)
    }

    func lineIsUp(_ line: FleetLines.Number) { perform(machine.lineIsUp(line, at: loop.now, random: &random)) }

    func lineIsDown(_ line: FleetLines.Number) {
        machine.lineIsDown(line)
        wait()
    }

    func answered(_ number: UInt64, by line: FleetLines.Number) {
        machine.answered(number, by: line)
        wait()
    }

    /// What could not be handed over can be now.
    func isBack() { perform(machine.sayNow(at: loop.now, random: &random), isBack: true) }

    private func perform(_ effects: [PresenceStateMachine.Effect], isBack: Bool = false) {
        for effect in effects { perform(effect, isBack) }
        wait()
    }

    private func wait() {
        timer?.cancel()
        timer = machine.wakeAt.map { at in
            loop.schedule(at: at, description: "here") { [weak self] in
                guard let self else { return }
                perform(machine.wake(at: loop.now, random: &random))
            }
        }
    }
}
