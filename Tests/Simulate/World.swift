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
    /// More than any run needs; one that has more runs in circles.
    private static let eventsMax = 30_000

    let plan: Plan
    let machine: Machine
    let story: Story
    private(set) lazy var oracle = Oracle(world: self)
    private(set) var workers: [PlayedWorker] = []
    private var watchers: [PlayedWatcher] = []
    private lazy var desktop = PlayedDesktop(world: self)
    /// Two groups of one state directory, or one of each of two.
    let groups: [GroupName]
    private let statePaths: [String]
    /// Whether the desktop is told to disturb nobody.
    private(set) var isDoNotDisturbOn = false
    var groupsWithOldEar: Set<Int> = []
    var fileWatchers: [FileWatcher] = []
    private var random: SeededRandom

    init(_ plan: Plan, tells: Bool = false) {
        self.plan = plan
        machine = Machine(seed: plan.seed &* 31 &+ 7)
        random = SeededRandom(seed: plan.seed &* 17 &+ 3)
        story = Story(machine: machine, tells: tells)
        isDoNotDisturbOn = plan.surroundings.mutes.desktop?.isMuted ?? false
        let isOfTwoDirectories = plan.seed % 4 == 0
        groups = ["group.one", isOfTwoDirectories ? "group.one" : "group.two"].compactMap(GroupName.init)
        statePaths = isOfTwoDirectories ? ["/state/0", "/state/1"] : ["/state", "/state"]
        for name in ["0", "1"] where isOfTwoDirectories {
            machine.set(name, in: machine.state, to: machine.make(.directory, in: machine.state))
        }
        machine.state.flushNames()
        machine.noticesLost = plan.surroundings.noticesLost
        machine.onSetAside = { [unowned self] in oracle.isSetAside($0) }
        machine.onRename = { [unowned self] in oracle.isRenamed(to: $0, in: $1) }
        // Elsewhere nobody waits for that.
        if plan.mayLockBeHeld { machine.onFileWritten = { [unowned self] in oracle.isWritten(in: $0) } }
        machine.onRead = { [unowned self] in oracle.reads($0, timesUntilNow: $1) }
    }

    /// Runs the plan to its end, and says what went wrong first.
    func run() -> String? {
        machine.play { [self] in
            for happening in plan.happenings {
                machine.time.at(happening.at) { [self] in begin(happening) }
            }
            rest("runs in circles")
            // Who was killed is settled by the unit, which systemd starts again and again.
            for group in usedGroups { start(.tidy, group: group) }
            rest("tidying runs in circles")
            oracle.judgeRest()
            desktop.judgeRest()
            machine.time.skip(untilForgotten)
            for group in usedGroups { start(.background, group: group) }
            rest("forgetting runs in circles")
            oracle.judgeOblivion()
            ringOnceMore()
            retire()
        }
        return oracle.mistake
    }

    /// How long anything is remembered that there is now. What an earlier boot left may be ahead of this one's clock by
    /// as much again.
    private var untilForgotten: Int64 { Rules.memory.microseconds * (machine.boots > 1 ? 2 : 1) + 10_000_000 }

    /// Nothing more happens: what is left is given back to the machine while that is played.
    private func retire() {
        machine.retire()
        for worker in workers { worker.release() }
        desktop.release()
        for watcher in watchers { watcher.release() }
    }

    /// Whatever went on in a group that nobody could follow, or in which writers died: on the next morning a call rings
    /// in it as ever.
    private func ringOnceMore() {
        let groups = usedGroups.filter {
            !oracle.isSure[$0] || oracle.temporaries(of: $0) > 0 || oracle.rules[$0].isFlagUnowned
        }
        guard !groups.isEmpty else { return }
        oracle.reboots()
        machine.reboot(isSudden: false, offFor: 60_000_000)
        oracle.beginsAnew()
        oracle.note("one more call")
        for group in groups { arrive(PlayedPush(kind: .request, group: group, id: "0"), nil) }
        rest("the last call runs in circles")
        oracle.judgeRest()
        for group in groups { oracle.demand(oracle.temporaries(of: group) == 0, "what writers left is never removed") }
    }

    private func rest(_ mistake: String) {
        let happened = machine.time.run(eventsMax: Self.eventsMax)
        oracle.demand(happened < Self.eventsMax, mistake)
    }

    /// The groups that anything happens to.
    var usedGroups: Range<Int> { 0..<(plan.happenings.map(\.what.group).max() ?? 0) + 1 }

    func ledgerFile(of group: Int) -> LedgerFile {
        LedgerFile(
            state: StateDirectory(path: statePath(of: group)), runtime: RuntimeDirectory(path: "/run"),
            group: groups[group])
    }

    /// The state directory of `group`: two may share the runtime directory.
    func statePath(of group: Int) -> String { statePaths[group] }

    /// What the wall clock said `microseconds` after the beginning, had nobody set it.
    func wallTime(_ microseconds: Int64) -> WallTime { WallTime(microseconds: Machine.wallAtStart + microseconds) }

    // MARK: What happens

    private func begin(_ happening: Happening) {
        story.tell("\(happening.what)")
        switch happening.what {
        case .push(let push): arrive(push, happening.fate)
        case .command(let command, let group): start(command, group: group, happening.fate)
        case .chosen(let end, let id, let group): desktop.end(id, as: end, group: group)
        case .stranger(let stranger, let group): comes(stranger, group: group)
        case .killed(let number): living(number)?.process.kill()
        case .frozen(let number, let microseconds):
            living(number).map(oracle.crossesStranger)
            living(number)?.process.stop(for: microseconds)
        case .terminated(let number): living(number)?.terminate()
        case .askedForAnother(let number, let ask): living(number).map { mistake($0, asking: ask) }
        case .shortOfDescriptors(let number, let left): living(number).map { isShortOfDescriptors($0, left: left) }
        case .clockSet(let microseconds):
            oracle.clockIsSet()
            machine.wallOffset += microseconds
        case .doNotDisturb(let isOn):
            isDoNotDisturbOn = isOn
            for worker in workers where worker.isAlive { worker.desktop?.changes() }
        case .suspended(let microseconds):
            for worker in workers { oracle.crossesStranger(worker) }
            oracle.everybodyStoodStill()
            machine.time.skip(microseconds)
        case .rebooted(let isSudden, let microseconds):
            let kept = isSudden ? oracle.durable() : [:]
            oracle.reboots()
            machine.reboot(isSudden: isSudden, offFor: microseconds)
            oracle.judgePowerCut(kept)
        case .disk(let trouble, let microseconds):
            machine.disk = trouble
            machine.time.after(microseconds) { [machine] in machine.disk = DiskTrouble() }
        case .memoryFull(let microseconds):
            oracle.memoryIsFull()
            machine.isMemoryFull = true
            machine.time.after(microseconds) { [machine] in machine.isMemoryFull = false }
        case .earsFull(let microseconds):
            machine.areEarsFull = true
            machine.time.after(microseconds) { [machine] in machine.areEarsFull = false }
        case .watched(let group, let microseconds):
            let watcher = PlayedWatcher(world: self, group: group)
            watchers.append(watcher)
            watcher.start(for: microseconds)
        case .lockHeld(let group, let microseconds, let isAtWork):
            let holder = machine.spawn()
            holder.isAtWork = isAtWork
            hold(group, for: microseconds, by: holder)
        case .incident(let incident, let group): begin(incident, group: group)
        }
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
            oracle.isGone(worker)
            // What is still under way in it has to come to its end.
            machine.time.after(0) { worker.release() }
            guard !worker.account.hasLeft || worker.leavesUnrecorded else { return }
            // systemd starts the tidying unit for a worker that was killed, or ended with 74.
            machine.time.after(.random(in: 5_000..<1_500_000, using: &random)) { [self] in
                start(.tidy, group: push.group)
            }
        }
        oracle.begins(worker)
        if groupsWithOldEar.remove(push.group) != nil { layOldEar(of: worker) }
        worker.start()
    }

    func isShortOfDescriptors(_ worker: PlayedWorker, left: Int) {
        oracle.isShort(worker)
        worker.process.isShortOfDescriptors(left: left)
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

    /// Whether the disk takes what is written, or somebody keeps that from being known by holding the file's lock.
    func canWriteFile(of group: Int) -> Bool {
        let lock = directory(of: group)?.names["\(groups[group].text).plist.lock"]?.lock
        return lock != nil || !machine.disk.isFull && !machine.disk.isReadOnly
    }

    /// The directory of the group file, if there is one yet.
    func directory(of group: Int) -> PlayedNode? {
        machine.node(at: "\(statePath(of: group))/groups/\(groups[group].text)/Library/Preferences")
    }
}
