import BelfryPropertyList
import BelfryTerms
import CallLedger

/// What must be so when all is quiet: nothing stuck, nothing growing.
extension Oracle {
    /// Everybody has left, and the dead are told of.
    func judgeRest() {
        for worker in world.workers { demand(!worker.isAlive, "worker \(worker.number) never leaves") }
        judgeToldByTidiers()
        judgeAgreement()
        for group in world.usedGroups {
            guard let ledger = world.ledger(of: group) else { continue }
            demand(ledger.rings.isEmpty, "\(ledger.rings.map(\.key.text)) ring and nobody lives")
            demand(ledger.root["keyStartCallTime"] == nil, "keyStartCallTime is stuck")
            demand(!ledger.hasDeadRing, "a dead ring is stuck")
            judgeMemory(group)
        }
    }

    /// One outcome for everyone: for who rang, and for all who asked.
    func judgeAgreement() {
        for (worker, state) in told where isSure[worker.push.group] {
            guard let reason = worker.account.endedAs else { continue }
            demand(
                reason.rawValue == state.rawValue,
                "worker \(worker.number) ended as \(reason), and somebody was told \(state)")
        }
    }

    /// All that ended is forgotten.
    func judgeOblivion() {
        for group in world.usedGroups {
            guard let ledger = world.ledger(of: group) else { continue }
            demand(ledger.calls.isEmpty, "\(ledger.calls.map(\.key.text)) are never forgotten")
        }
    }

    /// The names of notes and ears, of whatever group.
    var besideTheFiles: [String] {
        world.machine.node(at: "/run/rings")?.names.values.flatMap { $0.names.keys } ?? []
    }

    /// What lies beside the file.
    private func judgeMemory(_ group: Int) {
        // Where there is no file, nobody takes anything along.
        let isComplete = world.usedGroups.allSatisfy { world.fileOnDisk(of: $0) != nil }
        let left = besideTheFiles.filter { isComplete || !World.isNonsense($0) }
        demand(left.isEmpty, "\(left.sorted()) are left in memory")
        // Who writes for the first time removes what the dead left.
        let killed = world.machine.processes.count { $0.isKilled }
        demand(
            temporaries(of: group) <= max(1, killed), "\(temporaries(of: group)) files are left over from writing")
    }

    /// How many files that were yet to be the group's lie beside it: of writers that are gone, as far as their names
    /// tell, since a process of this boot may have the number and the start of one of another.
    func temporaries(of group: Int) -> Int {
        let path = "\(world.statePath(of: group))/groups/\(world.groups[group].text)/tmp"
        let living = world.machine.processes.filter(\.isAlive).map { ".\($0.owner.pid)-\($0.owner.start)" }
        let names = world.machine.node(at: path).map { Array($0.names.keys) } ?? []
        return names.count { !living.contains(where: $0.hasSuffix) }
    }

    // MARK: What is no rule of calls

    /// R8, R11: the answers that wait and the missed calls of each group whose decisions are known, by their ids: they
    /// outlive a power cut, unless their writer has just died over them.
    func durable() -> [Int: Set<String>] {
        var kept: [Int: Set<String>] = [:]
        for group in world.usedGroups where isSure[group] {
            // Whoever tidies up is there in less.
            let hasJustDied = diedDeciding[group].map { world.machine.time.now - $0 < 3_000_000 } ?? false
            if !hasJustDied { kept[group] = entries(of: group) }
        }
        return kept
    }

    /// The power was cut, after which `kept` must still be there.
    func judgePowerCut(_ kept: [Int: Set<String>]) {
        for (group, entries) in kept {
            let lost = entries.subtracting(self.entries(of: group))
            demand(lost.isEmpty, "a power cut takes \(lost.sorted())")
        }
    }

    private func entries(of group: Int) -> Set<String> {
        guard let root = world.fileOnDisk(of: group) else { return [] }
        let entries = ["pendingAccept", "missedCalls"].flatMap { key in
            (root[key]?.arrayValue ?? []).compactMap { entry in
                entry.dictionaryValue?["callId"]?.stringValue.map { "\($0) in \(key)" }
            }
        }
        return Set(entries)
    }

    /// Who looks or waits reads each version of a file a few times at most, as long as nothing is wrong with it.
    func reads(_ process: PlayedProcess, timesUntilNow count: Int) {
        guard count > 3, isSure.allSatisfy(\.self), isPunctual(process) else { return }
        // Who finds the lock kept tries again each second, and what makes no sense may make some later.
        let isKeptOut = world.workers.contains { $0.process === process && $0.account.warnings[.groupLocked] != nil }
        let isExcused = world.plan.happenings.contains {
            if case .stranger(.leavesNonsense, _) = $0.what { return true }
            return count <= 8 && (isKeptOut || $0.what.isLockKept)
        }
        demand(isExcused, "\(process.pid) reads the same for the \(count)th time")
    }

    /// R13: only what cannot be used is set aside.
    func isSetAside(_ file: PlayedNode) {
        note("set aside")
        judgeHaste(file)
        let isOld = world.machine.kernelTime - file.modified > 100_000
        let hasJustGoneOn = world.machine.current?.wentOn == world.machine.time.now
        guard file.kind == .file, isOld, !hasJustGoneOn, file.bytes.count <= 1 << 20 else { return }
        demand((try? PropertyListDictionary.parse(file.bytes)) == nil, "a good file is set aside")
    }
}
