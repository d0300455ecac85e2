import BelfryTerms
import CallLedger

/// What comes of programs that know nothing of Belfry: of those that keep to docs/protocol.md the oracle knows it.
extension Oracle {
    func isVisited(by stranger: Stranger, group: Int) {
        note("stranger")
        visitsCount += 1
        switch stranger {
        case .addsKey where isFileSound: return
        case .leavesNonsense: return
        case .setsForeground(let flag) where isFileSound && !(flag.isSet && rules[group].isFlagStamped):
            return isFlagged(flag.isSet, group: group)
        case .forges(let forgery) where follows(forgery, group: group): return
        case .removesStart where isFollowed(group), .zeroesStart where isFollowed(group):
            return isEndedByStranger(as: .hangup(.cancelled), group: group)
        case .deletesCalls where isFollowed(group): return loses(file: false, group: group)
        case .removesFile where isFollowed(group): return loses(file: true, group: group)
        case .setsState("nonsense") where isFollowed(group):
            rules[group].areRingsHidden = true
            return
        case .setsState(let state) where isFollowed(group):
            let ends: [String: Rules.End] = ["answered": .answered, "declined": .declined]
            if let end = ends[state] { return isEndedByStranger(as: end, group: group) }
        default: break
        }
        mayComeBack[group] = true
        unsettle(group, "\(stranger)")
    }

    /// Whether the file shows all that was decided, and each of its rings is on and will be for a while: then it is
    /// known what comes of a change that a stranger makes.
    func isFollowed(_ group: Int) -> Bool {
        let lasts = world.plan.surroundings.interval + TimeSpan(microseconds: 3 * Self.slack)
        let isQuiet = world.workers.allSatisfy { worker in
            guard worker.isAlive, worker.push.group == group, worker.push.kind.isOfCalls else { return true }
            guard let window = worker.account.window, worker.account.isRinging, worker.account.pending == nil else {
                return false
            }
            let entry = rules[group].entries[worker.push.id]
            // Who has not looked since another stranger ended its ring need not see that any more.
            let isOver = entry?.worker === worker && entry?.end != nil
            return !isOver && worker.account.cause == nil && isPunctual(worker)
                && now - window.start > .milliseconds(100) && window.end - now > lasts
        }
        let isShown = !rules[group].areRingsHidden || rules[group].rings(now: now).isEmpty
        return isSure[group] && isFileSound && isQuiet && isShown && pending.isEmpty
            && !besideTheFiles.contains { $0.hasSuffix(".owed") || $0.hasSuffix(".lost") }
            && rules[group].entries.values.allSatisfy {
                !$0.isUnseen && ($0.end != nil || rules[group].isRinging($0, now: now))
            }
    }

    private func loses(file: Bool, group: Int) {
        rules[group].lose(file: file, now: now)
        for worker in world.workers where worker.push.group == group { worker.account.hangup = nil }
    }

    private func isEndedByStranger(as end: Rules.End, group: Int) {
        let since = now
        expectSilence(of: "", in: group) { $0.entries[$1]?.endedAt == since }
        rules[group].endByStranger(as: end, now: now)
        note("stranger ends rings")
    }

    /// Something else ends the ring of `worker`, or its process, which need not have seen yet that a stranger has.
    func crossesStranger(_ worker: PlayedWorker) {
        let entry = rules[worker.push.group].entries[worker.push.id]
        guard entry?.worker === worker, entry?.isUnseen ?? false else { return }
        unsettle(worker.push.group, "a stranger was there before, and nobody has seen it")
    }

    /// A program that knows nothing of Belfry says whether the app is in front.
    func isFlagged(_ isInFront: Bool, group: Int) {
        rules[group].setForegroundFlag(isInFront, now: now)
        let since = now
        if isInFront { expectSilence(of: "", in: group) { rules, _ in rules.isInFront && rules.frontSince == since } }
        note("app in front, by its flag")
    }
}
