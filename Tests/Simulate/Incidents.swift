import BelfryTerms
import GroupLedger
import Support

/// What happens beside calls: to ears, to the file's lock, to its folder.
enum Incident {
    /// Programs come to a ringing worker's ear, so many microseconds after each other; perhaps that worker has no
    /// descriptor left.
    case visits([EarVisitor], everyMicroseconds: Int64, worker: Int, isShort: Bool)
    /// The next worker finds an ear of its own name, from an earlier boot, as it may be if the runtime folder is on the
    /// disk.
    case earLeft
    /// A worker's own process holds the lock of the group file, since something in it has forgotten it.
    case lockForgotten(worker: Int, forMicroseconds: Int64)
    /// `belfry group set`.
    case setsKey
    /// `belfry group watch`, which looks each second besides.
    case watched(forMicroseconds: Int64)
    /// An app asks for its group's container.
    case asksForContainer
    /// Somebody removes the file's folder with all that is in it.
    case folderRemoved
    /// A program writes the file twice at once, the second time so that nobody is told.
    case writtenThroughMapping

    /// Whether more may come to an ear than it can hear at once.
    var isCrowd: Bool { if case .visits(let visitors, _, _, _) = self { visitors.count > 16 } else { false } }

    /// Whether a worker may warn that the file's lock is held.
    var holdsLock: Bool { if case .lockForgotten = self { true } else { false } }

    /// Whether a worker may be unable to make what it needs.
    var isShortage: Bool { if case .visits(_, _, _, isShort: true) = self { true } else { false } }
}

extension Happening.What {
    /// Whether a program at work, or a worker's own process, keeps the lock of a group file for seconds.
    var isLockKept: Bool {
        switch self {
        case .lockHeld(_, _, let isAtWork): isAtWork
        case .incident(let incident, _): incident.holdsLock
        default: false
        }
    }
}

extension Plan {
    /// Whether another program holds the lock of a group file for a while.
    var mayLockBeHeld: Bool {
        happenings.contains { if case .lockHeld = $0.what { true } else { $0.what.isLockKept } }
    }

    /// Whether each ring can have an ear.
    var mayHaveEars: Bool {
        !happenings.contains {
            switch $0.what {
            case .memoryFull, .shortOfDescriptors: true
            case .incident(let incident, _): incident.isShortage
            default: false
            }
        }
    }

    /// Whether a group file may become one that cannot be used.
    var mayBreakFile: Bool {
        happenings.contains {
            switch $0.what {
            case .stranger(.makesLink, _), .stranger(.makesTooLarge, _), .stranger(.breaksFile, _): true
            default: false
            }
        }
    }

    /// The incidents of `seed`, which come in some runs only.
    static func incidents(seed: UInt64, rings duration: Int64) -> [Happening] {
        var chance = IncidentChance(random: SeededRandom(seed: seed &* 0x2545_F491_4F6C_DD1D &+ 11))
        return chance.happenings(rings: duration)
    }
}

/// Makes incidents.
private struct IncidentChance {
    var random: SeededRandom

    mutating func happenings(rings duration: Int64) -> [Happening] {
        guard random.oneIn(20) else { return [] }
        switch Int.random(in: 0..<13, using: &random) {
        case 0, 1, 2: return visits()
        case 3, 4: return earLeft()
        case 5: return lock()
        case 6: return secondRingBehindLock()
        case 7: return brokenAgainAndAgain()
        case 8: return nothingToRecord()
        case 9: return desktopOnALaterDay(rings: duration)
        case 10: return mapping()
        default: return watch()
        }
    }

    private mutating func time(_ range: Range<Int64>) -> Int64 { Int64.random(in: range, using: &random) * 1_000 }

    private func request(_ id: String, at instant: Int64, group: Int) -> Happening {
        Happening(at: instant, what: .push(PlayedPush(kind: .request, group: group, id: id)))
    }

    private mutating func visits() -> [Happening] {
        let begins = time(0..<4_000)
        let comes = begins + time(150..<1_500)
        let isShort = random.oneIn(3)
        var visitors: [EarVisitor] = []
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where !isShort: visitors = [EarVisitor](repeating: .silent, count: 70)
        case 1 where !isShort: visitors = [EarVisitor](repeating: .silent, count: 12)
        default:
            let count = Int.random(in: 1...4, using: &random)
            for _ in 0..<count { visitors.append(random.pick(EarVisitor.allCases)) }
        }
        let gap = visitors.count > 4 ? 0 : time(0..<300)
        let worker = Int.random(in: 0..<8, using: &random)
        var all = [
            request("visited", at: begins, group: 0),
            Happening(
                at: comes,
                what: .incident(
                    .visits(visitors, everyMicroseconds: gap, worker: worker, isShort: isShort), group: 0)),
        ]
        if visitors.count > 16 { all.append(Happening(at: comes + time(0..<100), what: command(.decline(nil), 0))) }
        return all
    }

    private func command(_ command: Command, _ group: Int) -> Happening.What { .command(command, group: group) }

    private mutating func earLeft() -> [Happening] {
        let begins = time(0..<4_000)
        return [
            Happening(at: begins, what: .incident(.earLeft, group: 0)),
            request("deaf", at: begins + time(1..<100), group: 0),
            Happening(at: begins + time(1_000..<3_000), what: command(.decline("deaf"), 0)),
        ]
    }

    private mutating func lock() -> [Happening] {
        let begins = time(0..<4_000)
        let isAtWork = random.oneIn(2)
        let worker = isAtWork ? 0 : Int.random(in: 0..<8, using: &random)
        let length = isAtWork ? time(1_200..<4_000) : time(2_000..<4_000)
        var push = PlayedPush(kind: .request, group: 0, id: "locked")
        // What its worker has to write down then.
        if !isAtWork { push.picture = .comes(afterMicroseconds: 900_000) }
        let taken: Happening.What =
            isAtWork
            ? .lockHeld(group: 0, forMicroseconds: length, isAtWork: true)
            : .incident(.lockForgotten(worker: worker, forMicroseconds: length), group: 0)
        let first = [Happening(at: begins, what: .push(push)), Happening(at: begins + time(50..<500), what: taken)]
        guard isAtWork else { return first }
        return first + [
            Happening(at: begins + time(500..<900), what: .incident(.setsKey, group: 0)),
            Happening(at: begins + time(600..<2_000), what: command(.decline("locked"), 0)),
            request("behind the lock", at: begins + time(600..<2_000), group: 0),
        ]
    }

    private mutating func secondRingBehindLock() -> [Happening] {
        let begins = time(0..<4_000)
        let held = begins + time(400..<600)
        return [
            request("first", at: begins, group: 1), request("second", at: begins + time(20..<200), group: 1),
            Happening(at: held, what: .lockHeld(group: 1, forMicroseconds: time(700..<3_000), isAtWork: false)),
            Happening(at: held + time(1..<400), what: command(random.oneIn(2) ? .decline(nil) : .answer(nil), 1)),
        ]
    }

    /// More files are set aside than are kept.
    private mutating func brokenAgainAndAgain() -> [Happening] {
        var all: [Happening] = [request("broken", at: 0, group: 1)]
        for number in 1...Int64(random.pick([7, 11])) {
            let at = number * 400_000
            all.append(Happening(at: at, what: .stranger(.makesLink, group: 1)))
            all.append(Happening(at: at + time(101..<300), what: command(random.oneIn(2) ? .background : .seen, 1)))
        }
        return all
    }

    private mutating func nothingToRecord() -> [Happening] {
        let begins = time(0..<4_000)
        let trouble = random.oneIn(2) ? DiskTrouble(isFull: true) : DiskTrouble(isReadOnly: true)
        var all = [Happening(at: begins, what: .disk(trouble, forMicroseconds: time(1_000..<3_000)))]
        for _ in 0..<2 {
            let what = random.pick([Command.collect(nil), .seen])
            all.append(Happening(at: begins + time(10..<900), what: command(what, 1)))
        }
        let watched = Incident.watched(forMicroseconds: 500_000)
        all.append(Happening(at: begins + time(10..<900), what: .incident(watched, group: 1)))
        return all
    }

    /// The desktop has carried something out, all is quiet for a while, and then the disk is full.
    private mutating func desktopOnALaterDay(rings duration: Int64) -> [Happening] {
        let later = 6_000_000 + duration + time(0..<3_000)
        return [
            request("one", at: 0, group: 1),
            Happening(at: time(200..<1_000), what: .chosen(.decline, nil, group: 1)),
            Happening(at: later, what: .disk(DiskTrouble(isFull: true), forMicroseconds: 3_000_000)),
            request("anew", at: later + 1_000, group: 1),
            Happening(at: later + time(200..<1_500), what: .chosen(.decline, nil, group: 1)),
        ]
    }

    private mutating func mapping() -> [Happening] {
        let begins = time(0..<4_000)
        // As a tick of the kernel's clock begins.
        let writes = begins / 4_000 * 4_000 + 4_000 * Int64.random(in: 60..<400, using: &random)
        return [
            request("mapped", at: begins, group: 1),
            Happening(at: writes, what: .incident(.writtenThroughMapping, group: 1)),
        ]
    }

    private mutating func watch() -> [Happening] {
        let begins = time(0..<4_000)
        var all = [
            Happening(at: begins, what: .incident(.watched(forMicroseconds: time(6_000..<9_000)), group: 0)),
            Happening(at: begins + time(0..<800), what: .incident(.setsKey, group: 0)),
            Happening(at: begins + time(1_000..<5_000), what: .incident(.setsKey, group: 0)),
            Happening(at: time(0..<9_000), what: .incident(.asksForContainer, group: 0)),
        ]
        if !random.oneIn(3) {
            let removed = begins + time(800..<2_500)
            all.append(Happening(at: removed, what: .incident(.folderRemoved, group: 0)))
            // Perhaps it is there again before anybody has looked.
            let returns = removed + (random.oneIn(2) ? 0 : time(10..<400))
            all.append(Happening(at: returns, what: .incident(.setsKey, group: 0)))
            all.append(Happening(at: removed + time(1_500..<3_000), what: .incident(.setsKey, group: 0)))
        }
        return all
    }
}

extension World {
    func begin(_ incident: Incident, group: Int) {
        switch incident {
        case .visits(let visitors, let gap, let number, let isShort):
            comeToEar(visitors, every: gap, worker: number, isShort: isShort)
        case .earLeft: groupsWithOldEar.insert(group)
        case .lockForgotten(let worker, let microseconds): forgetLock(group, for: microseconds, worker: worker)
        case .setsKey: setKey(group: group)
        case .watched(let microseconds): watch(group, for: microseconds)
        case .asksForContainer: askForContainer(group)
        case .folderRemoved: removeFolder(group)
        case .writtenThroughMapping: writeThroughMapping(group)
        }
    }
}

/// After what happens to the machine the oracle cannot tell what is decided.
extension Oracle {
    /// What was sent before may count as sent later from here on.
    func clockIsSet() { for group in rules.indices { unsettle(group, "the clock is set") } }

    func memoryIsFull() {
        for group in rules.indices {
            unsettle(group, "memory is full")
            mayComeBack[group] = true
        }
    }

    func isShort(_ worker: PlayedWorker) {
        note("short of descriptors")
        unsettle(worker.push.group, "worker \(worker.number) is short of descriptors")
    }
}
