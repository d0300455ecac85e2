import BelfryTerms
import CallLedger
import GroupLedger

/// `belfry watch`, as far as it shows who rings.
final class PlayedWatcher {
    private unowned let world: World
    private let group: Int
    private let process: PlayedProcess
    private let loop: PlayedLoop
    private var watch: LedgerWatch?
    /// Who rings, and since when, by what it shows.
    private(set) var shown: [String: Instant] = [:]

    init(world: World, group: Int) {
        self.world = world
        self.group = group
        process = world.machine.spawn()
        loop = PlayedLoop(process)
    }

    /// Watches for so many microseconds.
    func start(for microseconds: Int64) {
        process.perform { [self] in
            watch = world.ledgerFile(of: group).watch(on: loop) { [self] ledger in
                shown = Dictionary(ledger.rings.map { ($0.key.text, $0.since) }, uniquingKeysWith: max)
                watch?.expectEnds(of: ledger.rings)
            }
            lookOften()
        }
        judgeOften()
        world.machine.time.after(microseconds) { [self] in end() }
    }

    /// What it held goes.
    func release() { watch = nil }

    private func lookOften() {
        _ = loop.schedule(at: loop.now + .seconds(1), description: "look again") { [self] in
            watch?.look()
            lookOften()
        }
    }

    private func end() {
        process.perform { [self] in
            watch?.cancel()
            watch = nil
            process.end()
        }
    }

    private func judgeOften() {
        world.machine.time.after(Self.judgedEvery) { [self] in
            guard process.isAlive else { return }
            world.oracle.judge(self, of: group, isWatching)
            judgeOften()
        }
    }

    private func isWatching() -> Bool { process.isAlive && world.oracle.isPunctual(process) }

    private static let judgedEvery: Int64 = 500_000
}

/// docs/operations.md: `belfry watch` shows who rings, live.
extension Oracle {
    /// `watcher` shows all that rings, and nothing else, for no longer than it takes to look again; and that a ring's
    /// process is gone, or its time is up, at once.
    func judge(_ watcher: PlayedWatcher, of group: Int, _ isWatching: @escaping () -> Bool) {
        guard isSure[group], isWatching() else { return }
        let time = world.machine.time
        let rings = rules[group].rings(now: now)
        for (key, entry) in rings where watcher.shown[key] == nil {
            time.after(1_000_000 + Self.slack) { [self] in
                guard isSure[group], isWatching(), let known = rules[group].entries[key], known.order == entry.order,
                    rules[group].isRinging(known, now: now)
                else { return }
                demand(watcher.shown[key] != nil, "whoever watches does not see that “\(key)” rings")
            }
        }
        for (key, since) in watcher.shown where !rings.contains(where: { $0.key == key }) {
            let entry = rules[group].entries[key]
            // Whom a stranger has hung up rings until he sees that.
            if entry?.isUnseen ?? false { continue }
            let isOver = entry.map { $0.since == since && ($0.end == nil || $0.end == .missed) } ?? false
            time.after((isOver ? 0 : 1_000_000) + Self.slack) { [self] in
                guard isSure[group], isWatching(), rules[group].entries[key]?.order == entry?.order else { return }
                demand(watcher.shown[key] == nil, "whoever watches still sees “\(key)” ring")
            }
        }
        note("watched")
    }
}
