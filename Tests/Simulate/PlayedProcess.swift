import BelfrySyscalls
import CallLedger
import Support

/// A process of the played machine.
final class PlayedProcess {
    /// What happens to a process as it makes a certain call: it is killed, or stands still for so many microseconds.
    enum Fate { case killed, frozen(Int64) }

    unowned let machine: Machine
    /// It, as what it writes names it.
    let owner: Owner
    private(set) var isAlive = true
    private(set) var isStopped = false
    /// Whether it computes, rather than waiting for something.
    var isAtWork = false
    /// When it went on last, in the simulation's time.
    private(set) var wentOn: Int64?
    /// Called as it ends, however it does; as it is killed, frozen and goes on; and as it stands still in the midst of
    /// what it does, with the call that it was about to make.
    var onEnd: () -> Void = {}
    var onFate: (String) -> Void = { _ in }
    var onPark: (String) -> Void = { _ in }
    var deathWatches: [PlayedWatch] = []
    /// How many timers and watches of each kind its loop has.
    var sources: [String: Int] = [:]
    /// How many descriptors it has open, and may have; nil if that is more than it ever needs.
    var descriptors = 0
    private(set) var descriptorsMax: Int?
    /// How late its timers fire, as long as it runs.
    let latency: Int64
    var random: SeededRandom

    private var stepsLeft = 0
    private var fate: Fate?
    private var waiting: [() -> Void] = []
    private var strand: Strand?

    init(machine: Machine, owner: Owner, seed: UInt64) {
        (self.machine, self.owner) = (machine, owner)
        random = SeededRandom(seed: seed)
        latency = random.oneIn(8) ? 0 : Int64.random(in: 0..<2_000, using: &random)
    }

    var pid: Int32 { Int32(owner.pid) }
    var identity: ProcessIdentity { ProcessIdentity(pid: pid, startTicks: UInt64(owner.start)) }

    /// Lets `fate` happen as it makes its call number `step` from here.
    func meets(_ fate: Fate, atStep step: Int) { (self.fate, stepsLeft) = (fate, step) }

    /// A call with an effect: false if the process is dead, and so nothing comes of the call.
    func step(_ call: StaticString = #function) -> Bool {
        guard isAlive else { return false }
        guard let fate else { return true }
        guard stepsLeft == 0 else {
            stepsLeft -= 1
            return true
        }
        self.fate = nil
        switch fate {
        case .killed: kill()
        case .frozen(let microseconds):
            guard let strand, strand.isRunning else { return true }
            onPark("\(call)")
            stop(for: microseconds)
            strand.park()
        }
        return isAlive
    }

    /// Runs `action` as this process; later if it is stopped, never if it is dead.
    func perform(_ action: @escaping () -> Void) {
        guard isAlive else { return }
        guard !isStopped else { return waiting.append(action) }
        guard case .frozen? = fate else { return asThis(action) }
        let strand = strand ?? Strand(machine: machine)
        self.strand = strand
        asThis { strand.run(action) }
    }

    private func asThis(_ action: () -> Void) {
        let caller = machine.current
        machine.current = self
        action()
        machine.current = caller
    }

    var hasRoomForDescriptor: Bool { descriptorsMax.map { descriptors < $0 } ?? true }

    /// From now on it may open so many descriptors more, and no others.
    func isShortOfDescriptors(left: Int) {
        guard isAlive else { return }
        descriptorsMax = descriptors + left
        onFate("has room for \(left) descriptors")
    }

    /// It stands still, wherever it is.
    func stop(for microseconds: Int64) {
        guard isAlive, !isStopped else { return }
        isStopped = true
        onFate("stands still for \(microseconds) µs")
        machine.time.after(microseconds) { [self] in goOn() }
    }

    private func goOn() {
        guard isAlive, isStopped else { return }
        isStopped = false
        wentOn = machine.time.now
        onFate("goes on")
        if let strand, strand.isParked { asThis { strand.goOn() } }
        let actions = waiting
        waiting = []
        actions.forEach(perform)
    }

    func kill() {
        guard isAlive else { return }
        onFate("is killed")
        end()
    }

    /// It ends; what of it is still under way has no effect any more.
    func end() {
        guard isAlive else { return }
        isAlive = false
        waiting = []
        machine.ended(self)
        onEnd()
        if let strand, strand.isParked { asThis { strand.goOn() } }
    }

    /// Nothing more happens.
    func retire() {
        (onEnd, onFate, onPark) = ({}, { _ in }, { _ in })
        end()
        strand?.end()
        deathWatches = []
    }

    /// How many microseconds pass until it hears of something.
    func reaction() -> Int64 { Int64.random(in: 50..<1_500, using: &random) }
}
