import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger
import RingEar
import Support

/// What people and units start, as `belfry` and `belfry-worker --tidy` do it.
extension World {
    func start(_ command: Command, group: Int, _ fate: (step: Int, fate: PlayedProcess.Fate)? = nil) {
        let process = machine.spawn()
        process.onPark = { [unowned self] in parks(group, $0) }
        meet(process, fate, name: "\(command)")
        process.perform { [self] in
            let visit = Visit(ledgerFile(of: group), of: process, group, world: self)
            switch command {
            case .answer(let id): visit.end(id, as: .answer())
            case .decline(let id): visit.end(id, as: .decline)
            case .foreground(let life): visit.enterForeground(livesFor: life)
            case .background:
                visit.change(
                    { $0.enterBackground() }, decided: { [oracle] in oracle.models[group].enterBackground() })
            case .tidy: visit.tidy()
            }
        }
    }

    /// On the desktop something is chosen: belfry-desktop is one process, whose ledgers stay.
    func choose(_ id: String?, as end: PersonalEnd, group: Int) {
        desktop.perform { [self] in
            let file = desktopFiles[group] ?? ledgerFile(of: group)
            desktopFiles[group] = file
            file.patience = LedgerFile.collectingPatience
            Visit(file, of: desktop, group, world: self, isToStay: true).end(id, as: end)
        }
    }

    /// Somebody asks at the ear of `worker` for a call that it does not ring: it rings on (R8), and does not answer.
    func mistake(_ worker: PlayedWorker, asking ask: RingAsk) {
        let client = PlayedSocket()
        guard let ear = machine.ear(of: worker.process), ear.connect(client) == nil else { return }
        _ = client.send(RingMessage(group: groups[worker.push.group], call: CallKey("another"), ask: ask).packet)
        machine.time.after(500_000) { [oracle] in
            oracle.demand(client.packets.isEmpty, "worker \(worker.number) answers for another call")
            client.close()
        }
    }
}

/// One thing that is asked of a ledger.
private final class Visit {
    private unowned let world: World
    private let process: PlayedProcess
    private let group: Int
    private let loop: PlayedLoop
    private let file: LedgerFile
    /// Whether its process goes on after it.
    private let isToStay: Bool

    init(_ file: LedgerFile, of process: PlayedProcess, _ group: Int, world: World, isToStay: Bool = false) {
        (self.file, self.process, self.group, self.world, self.isToStay) = (file, process, group, world, isToStay)
        loop = PlayedLoop(process)
        file.onDecided = { [process, unowned world] ledger, _ in
            if process.isAlive { world.oracle.decided(ledger, group: group) }
        }
    }

    private var oracle: Oracle { world.oracle }

    func end(_ id: String?, as end: PersonalEnd) {
        let begun = loop.now
        let key = id.map(CallKey.init) ?? file.read()?.loudest?.key
        if let key { oracle.wanted[group].insert(Wanted(key.text, end.state)) }
        file.end(id.map(CallKey.init), as: end, on: loop) { [self] ended, _ in
            oracle.demand(
                loop.now - begun <= .milliseconds(105) || !oracle.isUndisturbed, "\(process.pid) waits for an ear")
            if process.isAlive {
                if ended == nil { oracle.findsNobody(key, group: group) }
                oracle.isTold(ended, group: group)
            }
            leave()
        }
    }

    func enterForeground(livesFor microseconds: Int64?) {
        let app = microseconds.map { microseconds in
            let app = world.machine.spawn()
            world.machine.time.after(microseconds) { app.end() }
            return app
        }
        change(telling: .foreground) {
            $0.enterForeground(owner: app.map { Owner($0.identity) })
        } decided: { [self] in
            oracle.entersForeground(app, group: group)
        }
    }

    func change(
        telling ask: RingAsk? = nil, _ change: @escaping (inout Ledger) -> Void, decided: @escaping () -> Void
    ) {
        file.transact(on: loop) { [self] ledger in
            change(&ledger)
            if process.isAlive { decided() }
        } completion: { [self] _ in
            if let ask { return file.ask(ask, of: nil, on: loop) { [self] _, _ in leave() } }
            leave()
        }
    }

    /// Takes over what dead workers left, and tells of their missed calls (R12).
    func tidy() {
        guard file.read() != nil else { return tidyFolder() }
        file.transact(on: loop) {
            $0.unreported
        } completion: { [self] transaction in
            if case .unwritable(_, kept: false, _) = transaction.outcome {
                oracle.mayComeBack[group] = true
            } else {
                for call in transaction.value where process.step() { oracle.told(of: call, group: group) }
            }
            file.transact(on: loop) {
                $0.reported(transaction.value)
            } completion: { [self] _ in
                file.finish(by: loop.now) { [self] in tidyFolder() }
            }
        }
    }

    private func tidyFolder() {
        file.folder.tidy { $0.isAlive }
        if process.isAlive { process.end() }
    }

    private func leave() {
        guard !isToStay else { return }
        file.finish(by: loop.now) { [self] in if process.isAlive { process.end() } }
    }
}
