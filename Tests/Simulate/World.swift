import BelfryAppGroup
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger
import RingEar
import Support

/// One run of a plan: the machine that is played, and who is on it.
final class World {
    let plan: Plan
    let machine: Machine
    let story: Story
    private(set) lazy var oracle = Oracle(world: self)
    private(set) var workers: [PlayedWorker] = []
    /// belfry-desktop, and its ledgers.
    private(set) lazy var desktop = machine.spawn()
    var desktopFiles: [Int: LedgerFile] = [:]
    let groups = ["group.one", "group.two"].compactMap(GroupName.init)
    private var random: SeededRandom

    init(_ plan: Plan, tells: Bool = false) {
        self.plan = plan
        machine = Machine(seed: plan.seed &* 31 &+ 7)
        random = SeededRandom(seed: plan.seed &* 17 &+ 3)
        story = Story(machine: machine, tells: tells)
        machine.noticesLost = plan.surroundings.noticesLost
        machine.onSetAside = { [unowned self] in oracle.isSetAside($0) }
        machine.onRename = { [unowned self] in oracle.isRenamed(to: $0, in: $1) }
        machine.onPacket = { [unowned self] process, packet in
            guard let worker = workers.first(where: { $0.process === process }) else { return }
            if let message = RingMessage(packet), message.group == groups[worker.push.group] {
                if !worker.push.isHangup { oracle.asked(worker, message.call, message.ask) }
            } else if let answer = RingAnswer(packet), !worker.push.isHangup {
                oracle.answers(worker, answer)
            }
        }
    }

    /// Runs the plan to its end, and says what went wrong first.
    func run() -> String? {
        machine.play { [self] in
            for happening in plan.happenings { machine.time.at(happening.at) { [self] in begin(happening) } }
            rest("runs in circles")
            // Who was killed is settled by the unit, which systemd starts again and again.
            for group in usedGroups { start(.tidy, group: group) }
            rest("tidying runs in circles")
            oracle.judgeRest()
            let left = desktop.isAlive ? desktop.sources.filter { $0.value > 0 } : [:]
            oracle.demand(
                left.isEmpty && desktop.descriptors <= 3 * desktopFiles.count, "the desktop is left with \(left)")
            // What an earlier boot left may be ahead of this one's clock by as much again.
            machine.time.skip(Model.memory.microseconds * (machine.boots > 1 ? 2 : 1) + 10_000_000)
            for group in usedGroups { start(.background, group: group) }
            rest("forgetting runs in circles")
            oracle.judgeOblivion()
            if !plan.isUndisturbed { ringOnceMore() }
            // Nothing more happens: what is left is given back to the machine while that is played.
            machine.retire()
            for worker in workers { worker.release() }
            desktopFiles = [:]
        }
        return oracle.mistake
    }

    /// Whatever went on: on the next morning a call rings as ever.
    private func ringOnceMore() {
        machine.reboot(isSudden: false, offFor: 60_000_000)
        machine.wallOffset = 0
        for group in usedGroups { arrive(PlayedPush(kind: .request, group: group, id: "morning"), nil) }
        rest("the last call runs in circles")
        oracle.judgeRest()
        oracle.note("one more call")
        for worker in workers.suffix(usedGroups.count) {
            oracle.demand(worker.account.beganAt != nil && worker.account.missed == 1, worker, "does not ring as ever")
        }
    }

    private func rest(_ mistake: String) {
        oracle.demand(machine.time.run(eventsMax: 30_000) < 30_000, mistake)
    }

    /// The groups that anything happens to.
    var usedGroups: Range<Int> { 0..<(plan.happenings.map(\.what.group).max() ?? 0) + 1 }

    func ledgerFile(of group: Int) -> LedgerFile {
        let (state, runtime) = (StateDirectory(path: "/state"), RuntimeDirectory(path: "/run"))
        return LedgerFile(state: state, runtime: runtime, group: groups[group])
    }

    /// What the wall clock said `microseconds` after the beginning, had nobody set it.
    func wallTime(_ microseconds: Int64) -> WallTime { WallTime(microseconds: Machine.wallAtStart + microseconds) }

    private func begin(_ happening: Happening) {
        story.tell("\(happening.what)")
        switch happening.what {
        case .push(let push): arrive(push, happening.fate)
        case .command(let command, let group): start(command, group: group, happening.fate)
        case .chosen(let end, let id, let group): choose(id, as: end, group: group)
        case .stranger(let stranger, let group): comes(stranger, group: group)
        case .killed(let number): living(number)?.process.kill()
        case .frozen(let number, let microseconds): living(number)?.process.stop(for: microseconds)
        case .terminated(let number): living(number)?.terminate()
        case .askedForAnother(let number, let ask): living(number).map { mistake($0, asking: ask) }
        case .shortOfDescriptors(let number, let left): living(number)?.process.isShortOfDescriptors(left: left)
        case .clockSet(let microseconds): machine.wallOffset += microseconds
        case .suspended(let microseconds):
            oracle.stillAt = machine.time.now + microseconds
            machine.time.skip(microseconds)
        case .rebooted(let isSudden, let microseconds):
            oracle.judgePowerCut { machine.reboot(isSudden: isSudden, offFor: microseconds) }
        case .shortage(let shortage, let microseconds):
            machine.shortages.append(shortage)
            machine.time.after(microseconds) { [machine] in machine.shortages.removeAll { $0 == shortage } }
        case .lockHeld(let group, let microseconds, let holder):
            let worker = workers.first { $0.isAlive && $0.push.group == group }
            let process = holder == .worker ? worker?.process : machine.spawn()
            process?.isAtWork = holder == .atWork
            if let process { hold(group, for: microseconds, by: process) }
        }
    }

    /// A process stands still in the midst of what it does, about to make `call`.
    func parks(_ group: Int, _ call: String) {
        story.tell("a process stands still before \(call)")
        if call == "the rename of the file" { oracle.mayComeBack[group] = true }
    }

    private func living(_ number: Int) -> PlayedWorker? {
        let living = workers.filter(\.isAlive)
        return living.isEmpty ? nil : living[number % living.count]
    }

    private func arrive(_ push: PlayedPush, _ fate: (step: Int, fate: PlayedProcess.Fate)?) {
        let worker = PlayedWorker(push, number: workers.count, world: self)
        workers.append(worker)
        meet(worker.process, fate, name: "worker \(worker.number)")
        worker.process.onEnd = { [unowned self, unowned worker] in
            (worker.account.isHeard, worker.account.diedAt) = (false, machine.bootTime)
            // What is still under way in it has to come to its end.
            machine.time.after(0) { worker.release() }
            guard !worker.account.hasLeft || worker.leavesUnrecorded else { return }
            // systemd starts the tidying unit for a worker that was killed, or ended with 74.
            machine.time.after(.random(in: 5_000..<1_500_000, using: &random)) { [self] in
                start(.tidy, group: push.group)
            }
        }
        worker.process.onPark = { [unowned self] in parks(push.group, $0) }
        worker.start()
    }

    func meet(_ process: PlayedProcess, _ fate: (step: Int, fate: PlayedProcess.Fate)?, name: String) {
        process.onFate = { [story] in story.tell("\(name) \($0)") }
        if let fate { process.meets(fate.fate, atStep: fate.step) }
    }

    /// `process` holds the lock of the group file.
    func hold(_ group: Int, for microseconds: Int64, by process: PlayedProcess) {
        guard let directory = directory(of: group) else { return }
        let name = "\(groups[group].text).plist.lock"
        let node = directory.names[name] ?? machine.make(.file, in: directory)
        if directory.names[name] == nil { machine.set(name, in: directory, to: node) }
        guard node.lock == nil else { return }
        let number = machine.number(OpenFile(node, process: process))
        node.lock = machine.files[number]
        machine.time.after(microseconds) { [machine] in machine.close(number) }
    }

    /// What the ledger of `group` says, to whoever reads it without changing anything.
    func ledger(of group: Int) -> Ledger? {
        var ledger: Ledger?
        machine.spawn().perform { [self] in ledger = ledgerFile(of: group).read() }
        return ledger
    }

    /// What the group file says to a program that knows nothing of Belfry; nil if it cannot be read.
    func fileOnDisk(of group: Int) -> PropertyListDictionary? {
        let name = "\(groups[group].text).plist"
        guard let file = directory(of: group)?.names[name], file.kind == .file else { return nil }
        return try? PropertyListDictionary.parse(file.bytes)
    }

    /// The names of notes and ears, of whatever group.
    var besideTheFiles: [String] { machine.node(at: "/run/rings")?.names.values.flatMap { $0.names.keys } ?? [] }

    /// The directory of the group file, if there is one yet.
    func directory(of group: Int) -> PlayedNode? {
        machine.node(at: "/state/groups/\(groups[group].text)/Library/Preferences")
    }
}
