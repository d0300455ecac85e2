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

    /// All that ended is forgotten.
    func judgeOblivion() {
        for group in world.usedGroups {
            guard let ledger = world.ledger(of: group) else { continue }
            demand(ledger.calls.isEmpty, "\(ledger.calls.map(\.key.text)) are never forgotten")
        }
    }

    /// What lies beside the file.
    private func judgeMemory(_ group: Int) {
        let left = world.machine.node(at: "/run/rings")?.names.values.flatMap { $0.names.keys } ?? []
        demand(left.isEmpty, "\(left.sorted()) are left in memory")
        let container = world.machine.node(at: "/state/groups/\(world.groups[group].text)")
        let temporaries = container?.names["tmp"]?.names.keys.count ?? 0
        demand(temporaries <= 1, "\(temporaries) files are left over from writing")
    }
}
