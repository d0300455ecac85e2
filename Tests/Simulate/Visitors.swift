import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger
import RingEar

/// What people and units start, as `belfry` and `belfry-worker --tidy` do it.
extension World {
    func start(_ command: Command, group: Int, _ fate: (step: Int, fate: PlayedProcess.Fate)? = nil) {
        let process = machine.spawn()
        process.onPark = { [oracle] in oracle.parks(group, $0) }
        meet(process, fate, name: "\(command)")
        process.perform { [self] in
            let visit = Visit(world: self, process: process, group: group)
            switch command {
            case .answer(let id): visit.end(id, as: .answer)
            case .decline(let id): visit.end(id, as: .decline)
            case .foreground(let life): visit.enterForeground(livesFor: life)
            case .background:
                visit.change { ledger in
                    ledger.enterBackground()
                } decided: { [oracle] _ in
                    oracle.entersBackground(group)
                }
            case .collect(let id):
                visit.change { ledger in
                    ledger.collectAnswers(id.map(CallKey.init))
                } decided: { [oracle] in
                    oracle.collects($0, to: id, group: group)
                }
            case .seen:
                visit.change { ledger in
                    ledger.clearMissed()
                } decided: { [oracle] in
                    oracle.clearsMissed($0, group: group)
                }
            case .tidy: visit.tidy()
            }
        }
    }
}

extension World {
    /// Somebody asks at the ear of `worker` for a call that it does not ring: it rings on (R8), and does not answer.
    func mistake(_ worker: PlayedWorker, asking ask: RingAsk) {
        let owner = worker.process.owner
        let ears = machine.node(at: "/run/rings")?.names.values.compactMap {
            $0.names["\(owner.pid)-\(owner.start).ear"]
        }
        guard let listener = ears?.first?.listener else { return }
        let client = PlayedSocket()
        guard listener.connect(client) == nil else { return }
        let message = RingMessage(group: groups[worker.push.group], call: CallKey("another"), ask: ask)
        _ = client.send(message.packet)
        machine.time.after(500_000) { [oracle] in
            oracle.demand(client.packets.isEmpty, "worker \(worker.number) answers for another call")
            client.close()
        }
    }
}

/// One command's process.
private final class Visit {
    private unowned let world: World
    private let process: PlayedProcess
    private let group: Int
    private let loop: PlayedLoop
    private let file: LedgerFile

    init(world: World, process: PlayedProcess, group: Int) {
        self.world = world
        self.process = process
        self.group = group
        loop = PlayedLoop(process)
        file = world.ledgerFile(of: group)
    }

    func end(_ id: String?, as end: PersonalEnd) {
        let begun = loop.now
        let couldWrite = world.canWriteFile(of: group)
        file.end(id.map(CallKey.init), as: end, on: loop) { [self] ending in
            let owner: Owner? = if case .over(let ended?) = ending { ended.call.owner } else { nil }
            let ringer = world.workers.first { $0.process.owner == owner }
            world.oracle.judgeAsker(process, since: begun, heardBy: ringer)
            switch ending {
            case .over(let ended):
                if ended == nil { world.oracle.findsNobody(id, by: process, group: group) }
                if let ended, ended.state == end.state, !couldWrite {
                    world.oracle.endsWithZero(of: ended, group: group)
                }
                world.oracle.isTold(ended, group: group)
                leave()
            case .due(let key, let change):
                self.change { ledger in
                    let rang = ledger.rings.contains { $0.key == key }
                    return (ended: change(&ledger), rang: rang)
                } decided: { [world, process, group] made in
                    world.oracle.ends(
                        key, as: Rules.End(end), made.ended != nil && made.rang, by: process, group: group)
                } told: { [world, group] made in
                    world.oracle.isTold(made.ended, group: group)
                }
            }
        }
    }

    func enterForeground(livesFor microseconds: Int64?) {
        var app: PlayedProcess?
        if let microseconds {
            let process = world.machine.spawn()
            app = process
            world.machine.time.after(microseconds) { process.end() }
        }
        let owner = app.map { Owner($0.identity) }
        change(telling: .foreground) {
            $0.enterForeground(owner: owner)
        } decided: { [world, process, group] _ in
            world.oracle.entersForeground(app, by: process, group: group)
        }
    }

    func change<Answer>(
        telling ask: RingAsk? = nil, _ change: @escaping (inout Ledger) -> Answer,
        decided: @escaping (Answer) -> Void, told: @escaping (Answer) -> Void = { _ in }
    ) {
        var isNothing = false
        file.transact(on: loop) { [process, world, group] ledger in
            let rings = ledger.rings
            let answer = change(&ledger)
            isNothing =
                world.directory(of: group) == nil && world.oracle.besideTheFiles.isEmpty && ledger.root.keys.isEmpty
            if process.isAlive {
                world.oracle.visits(process, group)
                decided(answer)
                world.oracle.compare(ledger, group: group)
            }
            return (rings: rings, answer: answer)
        } completion: { [self] transaction in
            if process.isAlive {
                world.oracle.visitIsOver(process, group)
                if isNothing { world.oracle.judgeNothingToRecord(process, transaction.outcome) }
                told(transaction.value.answer)
            }
            if let ask {
                file.ask(ask, of: nil, on: loop) { [self] _, _ in finish() }
            } else {
                if !transaction.outcome.isShown { file.wake(transaction.value.rings) }
                finish()
            }
        }
    }

    /// Takes over what dead workers left, and tells of their missed calls (R12).
    func tidy() {
        guard file.read() != nil else {
            file.folder.tidy { $0.isAlive }
            return leave()
        }
        file.transact(on: loop) { [process, world, group] ledger in
            if process.isAlive {
                world.oracle.visits(process, group)
                world.oracle.findsDeadRings(process, group)
                world.oracle.compare(ledger, group: group)
            }
            return ledger.unreported
        } completion: { [self] transaction in
            if process.isAlive { world.oracle.visitIsOver(process, group) }
            if case .unwritable(_, kept: false, _) = transaction.outcome {
                world.oracle.keepsNothing(group)
            } else {
                for call in transaction.value where process.step() {
                    world.oracle.told(of: call, by: process, group: group)
                }
            }
            takeOver(transaction.value)
        }
    }

    private func takeOver(_ calls: [Call]) {
        file.transact(on: loop) { [process, world, group] ledger in
            ledger.reported(calls)
            guard process.isAlive else { return }
            world.oracle.visits(process, group)
            world.oracle.takesDeadRings(group, owners: calls.compactMap(\.owner))
            world.oracle.compare(ledger, group: group)
        } completion: { [self] _ in
            if process.isAlive { world.oracle.visitIsOver(process, group) }
            file.finish(by: loop.now) { [self] in
                file.folder.tidy { $0.isAlive }
                leave()
            }
        }
    }

    private func finish() { file.finish(by: loop.now) { [self] in leave() } }

    private func leave() { if process.isAlive { process.end() } }
}

/// belfry-desktop, as far as it carries out what a person chooses: one process, whose ledger stays.
final class PlayedDesktop {
    private unowned let world: World
    private let process: PlayedProcess
    private let loop: PlayedLoop
    private var files: [Int: LedgerFile] = [:]

    init(world: World) {
        self.world = world
        process = world.machine.spawn()
        loop = PlayedLoop(process)
    }

    /// What it held goes.
    func release() { files = [:] }

    /// It stays when all is quiet, and waits for nothing then.
    func judgeRest() {
        guard process.isAlive else { return }
        let left = process.sources.filter { $0.value > 0 }
        world.oracle.demand(left.isEmpty, "the desktop is left with \(left)")
        let descriptors = process.descriptors
        world.oracle.demand(descriptors <= 3 * files.count, "the desktop is left with \(descriptors) descriptors")
    }

    func end(_ id: String?, as end: PersonalEnd, group: Int) {
        process.perform { [self] in
            let file = files[group] ?? world.ledgerFile(of: group)
            files[group] = file
            file.patience = LedgerFile.collectingPatience
            file.end(id.map(CallKey.init), as: end, on: loop) { [self] ending in
                switch ending {
                case .over(let ended):
                    if ended == nil { world.oracle.findsNobody(id, by: process, group: group) }
                    world.oracle.isTold(ended, group: group)
                case .due(let key, let change): self.change(file, key, as: end, group: group, change)
                }
            }
        }
    }

    private func change(
        _ file: LedgerFile, _ key: CallKey, as end: PersonalEnd, group: Int,
        _ change: @escaping (inout Ledger) -> EndedCall?
    ) {
        file.transact(on: loop) { [process, world] ledger in
            let rang = ledger.rings.contains { $0.key == key }
            let ended = change(&ledger)
            world.oracle.visits(process, group)
            world.oracle.ends(key, as: Rules.End(end), ended != nil && rang, by: process, group: group)
            world.oracle.compare(ledger, group: group)
            return ended
        } completion: { [process, world] transaction in
            world.oracle.visitIsOver(process, group)
            if !transaction.outcome.isShown, let ended = transaction.value { file.wake([ended.call]) }
            world.oracle.isTold(transaction.value, group: group)
        }
    }
}

/// Programs that know nothing of Belfry, and take no lock.
extension World {
    func comes(_ stranger: Stranger, group: Int) {
        guard let directory = directory(of: group) else { return }
        oracle.isVisited(by: stranger, group: group)
        let name = "\(groups[group].text).plist"
        let bytes = directory.names[name]?.bytes
        switch stranger {
        case .addsKey: rewrite(directory, name) { $0["theirs"] = .integer(7) }
        case .writesOldCopy(let microseconds):
            machine.time.after(microseconds) { [self] in
                guard let bytes, let directory = self.directory(of: group) else { return }
                replace(directory, name, bytes)
                oracle.ringsAreLost(from: group)
            }
        case .removesStart: rewrite(directory, name) { $0["keyStartCallTime"] = nil }
        case .zeroesStart: rewrite(directory, name) { $0["keyStartCallTime"] = .integer(0) }
        case .setsState(let state):
            rewrite(directory, name) {
                rewriteCalls(in: &$0) { if $0["state"] == .string("ringing") { $0["state"] = .string(state) } }
            }
        case .deletesCalls:
            rewrite(directory, name) { $0["calls"] = nil }
            oracle.ringsAreLost(from: group)
        case .forgesCall:
            rewrite(directory, name) { root in
                var calls = root["calls"]?.dictionaryValue ?? [:]
                calls["forged"] = .dictionary([
                    "state": .string("ringing"), "until": .integer(.max), "pid": .integer(1),
                ])
                root["calls"] = .dictionary(calls)
            }
        case .forges(let forgery):
            rewrite(directory, name) { change(&$0, by: forgery) }
            if forgery == .flagInNewerFile { directory.names[name]?.modified += 3_600_000_000 }
        case .setsForeground(let flag): rewrite(directory, name) { $0["enterToForground"] = flag.value }
        case .removesFile:
            machine.set(name, in: directory, to: nil)
            oracle.ringsAreLost(from: group)
        case .breaksFile(let mendsAfter):
            guard let node = directory.names[name] else { return }
            node.bytes = Array(node.bytes.prefix(node.bytes.count / 2))
            node.modified = machine.kernelTime
            machine.notify(directory)
            guard let mendsAfter, let bytes else { return }
            removesPictures(listedIn: bytes, of: group)
            machine.time.after(mendsAfter) { [machine] in
                node.bytes = bytes
                node.modified = machine.kernelTime
                machine.notify(directory)
            }
        case .makesTooLarge: replace(directory, name, [UInt8](repeating: 32, count: 1 << 20 + 1))
        case .leavesNonsense(let ending, let isParsed): layNonsense(ending, isParsed: isParsed)
        case .makesLink: machine.set(name, in: directory, to: machine.make(.link, in: directory))
        }
    }

    private func rewrite(_ directory: PlayedNode, _ name: String, _ change: (inout PropertyListDictionary) -> Void) {
        let bytes = directory.names[name]?.bytes ?? []
        var root = (try? PropertyListDictionary.parse(bytes)) ?? [:]
        change(&root)
        replace(directory, name, root.serializedXML())
    }

    func rewriteCalls(
        in root: inout PropertyListDictionary, _ change: (inout PropertyListDictionary) -> Void
    ) {
        guard var calls = root["calls"]?.dictionaryValue else { return }
        for key in calls.keys {
            guard var call = calls[key]?.dictionaryValue else { continue }
            change(&call)
            calls[key] = .dictionary(call)
        }
        root["calls"] = .dictionary(calls)
    }

    private func replace(_ directory: PlayedNode, _ name: String, _ bytes: [UInt8]) {
        let node = machine.make(.file, in: directory)
        node.bytes = bytes
        machine.set(name, in: directory, to: node)
    }
}

extension ForegroundFlag {
    fileprivate var value: PropertyListValue {
        switch self {
        case .yes: .bool(true)
        case .no: .bool(false)
        case .one: .integer(1)
        case .many: .integer(2)
        case .zero: .integer(0)
        }
    }
}

extension Rules.End {
    fileprivate init(_ end: PersonalEnd) {
        switch end {
        case .answer: self = .answered
        case .decline: self = .declined
        }
    }
}
