import BelfryAppGroup
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger

/// What programs of the machine do with a group's file and its folder, and whom they hold up.
extension World {
    private func groupFile(_ group: Int) -> GroupFile {
        GroupFile(state: StateDirectory(path: statePath(of: group)), group: groups[group])
    }

    /// Something in the process of a worker takes the lock, and forgets it.
    func forgetLock(_ group: Int, for microseconds: Int64, worker number: Int) {
        let living = workers.filter { $0.isAlive && $0.push.group == group }
        guard !living.isEmpty else { return }
        hold(group, for: microseconds, by: living[number % living.count].process)
    }

    /// `belfry group set`.
    func setKey(group: Int) {
        let process = machine.spawn()
        process.perform { [self] in
            let (file, loop) = (groupFile(group), PlayedLoop(process))
            let begun = loop.now
            file.transact(on: loop) { edit in
                edit.root["ours"] = .integer(begun.microseconds)
            } completion: { [oracle] transaction in
                oracle.judgeSetting(process, begun.microseconds, transaction.outcome, since: begun, group: group)
                process.end()
            }
        }
    }

    func askForContainer(_ group: Int) {
        let process = machine.spawn()
        process.perform { [self] in
            let path = try? StateDirectory(path: statePath(of: group)).makeContainer(of: groups[group])
            let isThere = path.flatMap(machine.node)?.kind == .directory
            oracle.demand(isThere || !oracle.isFileSound, "a group has no container")
            process.end()
        }
    }

    /// A program that knows nothing of Belfry replaces the file, and at once changes it in place, through a mapping: in
    /// the same tick of the kernel's clock, and to the same size.
    func writeThroughMapping(_ group: Int) {
        let name = "\(groups[group].text).plist"
        guard let directory = directory(of: group), let bytes = directory.names[name]?.bytes,
            var root = try? PropertyListDictionary.parse(bytes)
        else { return }
        oracle.isVisited(by: .setsForeground(.no), group: group)
        (root["enterToForground"], root["theirs"]) = (.bool(false), .string("1"))
        let file = machine.make(.file, in: directory)
        file.bytes = root.serializedXML()
        machine.set(name, in: directory, to: file)
        machine.time.after(3_000) { [self] in
            guard directory.names[name] === file, file.modified == machine.kernelTime else { return }
            // Its word is a letter shorter.
            (root["enterToForground"], root["theirs"]) = (.bool(true), .string("22"))
            file.bytes = root.serializedXML()
            oracle.isFlaggedSilently(group: group)
        }
    }

    func removeFolder(_ group: Int) {
        guard let folder = directory(of: group) else { return }
        oracle.folderIsRemoved(group)
        for name in folder.names.keys.sorted() { machine.set(name, in: folder, to: nil) }
        guard let library = machine.node(at: "\(statePath(of: group))/groups/\(groups[group].text)/Library") else {
            return
        }
        machine.set("Preferences", in: library, to: nil)
    }

    func watch(_ group: Int, for microseconds: Int64) {
        let process = machine.spawn()
        let watcher = FileWatcher(process, group: group)
        fileWatchers.append(watcher)
        machine.time.after(microseconds) { [self] in
            process.perform { watcher.leave() }
            fileWatchers.removeAll { $0 === watcher }
        }
        process.perform { [self] in
            let couldWatch = watcher.begin(groupFile(group)) { [unowned self] in directory(of: group) }
            oracle.demand(
                couldWatch == (directory(of: group) != nil), "\(process.pid) watches a folder: \(couldWatch)")
        }
    }
}

/// A program that watches a group file, and looks each second besides.
final class FileWatcher {
    let process: PlayedProcess
    let group: Int
    /// What the file says, as far as it was told.
    private(set) var root: PropertyListDictionary?
    /// The folder that it looked into last.
    private(set) var folder: PlayedNode?
    private let loop: PlayedLoop
    private var watch: GroupWatch?

    init(_ process: PlayedProcess, group: Int) {
        self.process = process
        self.group = group
        loop = PlayedLoop(process)
    }

    /// Whether the folder can be watched.
    func begin(_ file: GroupFile, folder: @escaping () -> PlayedNode?) -> Bool {
        let (watch, failure) = file.watch(on: loop) { [weak self] in self?.take($0) }
        self.watch = watch
        take(file.snapshot())
        self.folder = failure == nil ? folder() : nil
        lookOften(folder)
        return failure == nil
    }

    private func take(_ snapshot: GroupSnapshot) {
        if snapshot.status == .read { root = snapshot.root }
    }

    private func lookOften(_ folder: @escaping () -> PlayedNode?) {
        _ = loop.schedule(at: loop.now + .seconds(1), description: "look again") { [weak self] in
            guard let self else { return }
            watch?.look()
            self.folder = folder()
            lookOften(folder)
        }
    }

    func leave() {
        watch?.cancel()
        watch = nil
        process.end()
    }
}

/// The group file, as its users find it: R13, docs/operations.md and docs/protocol.md.
extension Oracle {
    /// `name` in `directory` is about to get another file.
    func isRenamed(to name: String, in directory: PlayedNode) {
        guard name.hasSuffix(".plist") else { return judgeKept(name, in: directory) }
        let holder = directory.names["\(name).lock"]?.lock?.process
        demand(!(holder?.isAtWork ?? false), "the lock of \(holder?.pid ?? 0) is broken, who is at work")
        if mayBreakFile, let old = directory.names[name] { judgeLoss(of: old) }
        let time = world.machine.time
        replacedAt[ObjectIdentifier(directory)] = time.now
        for watcher in world.fileWatchers {
            let isPrompt = world.plan.surroundings.noticesLost == 0 && watcher.folder === directory
            let delay = Self.slack + (isPrompt ? 0 : 1_000_000)
            time.after(delay) { [self] in
                if !isPrompt || world.directory(of: watcher.group) === directory { judge(watcher, after: delay) }
            }
        }
    }

    /// R13: what cannot be used is set aside before there is another file.
    private func judgeLoss(of old: PlayedNode) {
        let isOld = world.machine.kernelTime - old.modified > 100_000
        guard isOld, world.machine.current?.wentOn != world.machine.time.now else { return }
        let isUsable =
            old.kind == .file && old.bytes.count <= 1 << 20 && (try? PropertyListDictionary.parse(old.bytes)) != nil
        demand(isUsable, "a file that cannot be used is not set aside")
    }

    /// R13: what is set aside has the next name, or takes the place of the oldest.
    private func judgeKept(_ name: String, in directory: PlayedNode) {
        // Who stood still over it has looked long before.
        guard let end = name.firstRange(of: ".corrupt"), world.machine.current?.wentOn != world.machine.time.now else {
            return
        }
        let names = (1...8).map { name[..<end.upperBound] + ($0 == 1 ? "" : "-\($0)") }
        if let next = names.first(where: { directory.names[String($0)] == nil }) {
            return demand(name == next, "\(name) is set aside in place of \(next)")
        }
        note("set aside over the oldest")
        let kept = names.compactMap { directory.names[String($0)] }
        guard let given = directory.names[name] else { return demand(false, "\(name) is set aside beside eight") }
        demand(kept.allSatisfy { given.modified <= $0.modified }, "\(name) is not the oldest that was set aside")
    }

    /// R13: what was changed just now may be in the midst of being written, and is set aside only if that goes on.
    func judgeHaste(_ file: PlayedNode) {
        let mayHaveWaited = world.plan.happenings.contains { happening in
            switch happening.what {
            case .clockSet, .rebooted, .lockHeld, .frozen, .incident: true
            default: if case .frozen? = happening.fate?.fate { true } else { false }
            }
        }
        guard !mayHaveWaited, let current = world.machine.current, isPunctual(current) else { return }
        let now = world.machine.time.now
        let isWrittenOften =
            world.plan.happenings.count {
                if case .stranger = $0.what { (now - 800_000...now).contains($0.at) } else { false }
            } > 1
        let isOld = world.machine.kernelTime - file.modified >= 96_000
        demand(isOld || isWrittenOften, "a file that was just changed is set aside")
    }

    /// Somebody finds nobody whose call he could end.
    func findsNobody(_ id: String?, by process: PlayedProcess, group: Int) {
        guard isSure[group], isPunctual(process) else { return }
        let rings = rules[group].rings(now: now).map(\.key).filter { id == nil || $0 == id }
        demand(rings.isEmpty, "nobody finds that \(rings) ring")
    }

    /// The app has come to the front by a write of which the kernel tells nobody: that is found with the next tick.
    func isFlaggedSilently(group: Int) {
        guard isSure[group], isFileSound, !rules[group].isFlagStamped else {
            return isVisited(by: .setsForeground(.yes), group: group)
        }
        let (since, begun) = (now, world.machine.time.now)
        let rings = rules[group].rings(now: now).compactMap(\.entry.worker)
        rules[group].setForegroundFlag(true, now: now)
        let tick = world.plan.surroundings.interval.microseconds
        for worker in rings {
            world.machine.time.after(tick + Self.slack) { [self] in
                guard worker.account.isHeard, !isExcused(worker, since: begun), isSure[group],
                    rules[group].isInFront, rules[group].frontSince == since
                else { return }
                demand(false, "worker \(worker.number) does not see that the app is in front")
            }
        }
        note("app in front, by a mapping")
    }

    /// Whoever watches the file knows what it says.
    private func judge(_ watcher: FileWatcher, after delay: Int64) {
        // Who stood still over replacing the file has written it before.
        guard watcher.process.isAlive, isPunctual(watcher.process), let directory = world.directory(of: watcher.group),
            world.machine.time.now - replacedAt[ObjectIdentifier(directory), default: 0] >= delay,
            let file = directory.names["\(world.groups[watcher.group].text).plist"],
            let age = age(of: file), age >= delay - 4_000,
            let root = try? PropertyListDictionary.parse(file.bytes)
        else { return }
        note("change seen")
        demand(watcher.root == root, "\(watcher.process.pid) does not see a change of the file")
    }

    /// How long `file` is as it is, in microseconds; nil if its time is of another clock than the one that counts now.
    private func age(of file: PlayedNode) -> Int64? {
        let isClockSet = world.plan.happenings.contains { if case .clockSet = $0.what { true } else { false } }
        return isClockSet ? nil : world.machine.kernelTime - file.modified
    }

    /// Whoever sets a key is not held up for long, and has set it if that is said.
    func judgeSetting(
        _ process: PlayedProcess, _ value: Int64, _ outcome: GroupOutcome, since: Instant, group: Int
    ) {
        guard isPunctual(process) else { return }
        // For the lock, and for a file that somebody may be writing.
        let waited = now - since
        demand(waited <= .milliseconds(1_510), "\(process.pid) waits \(waited.seconds) s for the group file")
        guard case .written = outcome else { return }
        note("key set")
        demand(world.fileOnDisk(of: group)?["ours"] == .integer(value), "\(process.pid) sets a key that is not there")
    }

    /// A worker warns that the file's lock is held: it says by whom, and has written the file if that was allowed.
    func judgeLockWarning(_ worker: PlayedWorker, _ detail: String) {
        let name = "\(world.groups[worker.push.group].text).plist"
        guard isPunctual(worker), let directory = world.directory(of: worker.push.group),
            let holder = directory.names["\(name).lock"]?.lock?.process
        else { return }
        demand(detail.contains("\(holder.pid)"), "worker \(worker.number) does not say that \(holder.pid) has the lock")
        guard holder === worker.process, let file = directory.names[name] else { return }
        // Others have written meanwhile, and it has waited for them too.
        let isDiskSound = !world.plan.happenings.contains { if case .disk = $0.what { true } else { false } }
        guard isDiskSound, let age = age(of: file), age > 1_100_000 else { return }
        let owed = "\(worker.process.owner.pid)-\(worker.process.owner.start).owed"
        demand(
            !besideTheFiles.contains { $0.hasSuffix(owed) }, "worker \(worker.number) waits for a lock of its own")
    }

    func folderIsRemoved(_ group: Int) {
        mayComeBack[group] = true
        visitsCount += 1
        unsettle(group, "the folder of the file is removed")
    }

    /// A command that had nothing to change, since there is nothing yet: nothing that cannot be written keeps it.
    func judgeNothingToRecord(_ process: PlayedProcess, _ outcome: LedgerOutcome) {
        note("nothing to record")
        demand(outcome.isShown, "\(process.pid) fails to record what is nothing")
    }
}
