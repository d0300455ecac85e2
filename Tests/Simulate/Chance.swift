import BelfryTerms
import CallChannel
import CallLedger
import GroupLedger
import Support

extension Plan {
    /// The plan of `seed`. If it `meets`, several want to end the same call within a millisecond, each in a way of its
    /// own, and nothing else happens.
    init(seed: UInt64, meets: Bool = false) {
        self.seed = seed
        var chance = Chance(random: SeededRandom(seed: seed))
        chance.surround()
        if meets { chance.meet() } else { chance.happen() }
        (surroundings, happenings) = (chance.surroundings, chance.happenings.sorted { $0.at < $1.at })
    }
}

/// Makes plans.
private struct Chance {
    /// What may go wrong in a run: in every other one nothing, and the others have few troubles, since these say most.
    private enum Trouble: CaseIterable { case kills, freezes, strangers, machine, storage }

    private var random: SeededRandom
    private var troubles: Set<Trouble> = []
    private var groups = 1
    private(set) var surroundings = Plan.Surroundings()
    private(set) var happenings: [Happening] = []

    init(random: SeededRandom) {
        self.random = random
        groups = self.random.oneIn(6) ? 2 : 1
        guard self.random.oneIn(2) else { return }
        for _ in 0..<2 { troubles.insert(self.random.pick(Trouble.allCases)) }
    }

    private var duration: Int64 { surroundings.duration.microseconds }
    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func group() -> Int { number(0..<groups) }
    /// Some milliseconds.
    private mutating func time(_ range: Range<Int>) -> Int64 { Int64(number(range)) * 1_000 }

    private mutating func add(_ what: Happening.What, at instant: Int64, _ fate: PlayedProcess.Fate? = nil) {
        let step = number(random.oneIn(3) ? 0..<300 : 0..<90)
        happenings.append(Happening(at: max(0, instant), what: what, fate: fate.map { (step, $0) }))
    }

    mutating func surround() {
        surroundings.duration = .seconds(random.pick([2, 4, 6, 6, 30]))
        surroundings.interval = .milliseconds(random.pick([500, 1_000, 1_000, 3_000]))
        surroundings.budget = .milliseconds(
            random.pick([3_000, 5_000, 8_000, 30_000, 30_000, 30_000, 2_000, 2_500, 1_500, 750]))
        surroundings.secondCall = random.pick([.soft, .soft, .silent, .loud])
        surroundings.callsMax = random.pick([1, 2, 3, 8, 8, 20])
        surroundings.noticesLost = random.pick([0, 0, 5, 100])
        surroundings.isSoundDead = random.oneIn(10)
    }

    mutating func happen() {
        // What goes wrong with one call costs least to find.
        for call in 0..<(random.oneIn(3) ? 1 : number(1..<4)) { addCall(call) }
        for _ in 0..<number(0..<3) { addOther() }
        for trouble in Trouble.allCases where troubles.contains(trouble) {
            for _ in 0..<number(1..<3) { add(trouble) }
        }
        guard troubles.isEmpty, random.oneIn(200) else { return }
        // More calls are answered than answers are kept.
        for call in 0..<24 {
            let (begins, id) = (Int64(call) * 200_000, "many \(call)")
            add(.push(PlayedPush(kind: .request, group: 0, id: id)), at: begins)
            add(.chosen(.answer(), id, group: 0), at: begins + 100_000)
        }
    }

    mutating func meet() {
        for call in 0..<(random.oneIn(3) ? 2 : 1) {
            let (begins, id) = (time(0..<1_000), random.oneIn(5) ? "" : "\(call)")
            add(.push(PlayedPush(kind: .request, group: 0, id: id)), at: begins)
            // Perhaps as it begins, or as its time is up.
            let meet = begins + random.pick([time(0..<8), time(0..<2_000), duration - 1_000])
            let named = id.isEmpty ? nil : id
            var hangup = PlayedPush(kind: .hangup(random.pick(HangupReason.allCases)), group: 0, id: id)
            if random.oneIn(4) { hangup.sentAt = 3_600_000_000 }
            var all: [Happening.What] = [
                .push(hangup), .command(random.oneIn(2) ? .answer(named) : .decline(named), group: 0),
                .chosen(random.oneIn(2) ? .answer() : .decline, named, group: 0),
                .chosen(random.oneIn(2) ? .answer() : .decline, named, group: 0),
            ]
            if random.oneIn(4) { all.append(.command(.foreground(livesForMicroseconds: nil), group: 0)) }
            for what in all { add(what, at: meet + Int64(number(0..<1_000))) }
        }
    }

    /// What becomes of a process.
    private mutating func fate() -> PlayedProcess.Fate? {
        if troubles.contains(.kills), random.oneIn(3) { return .killed }
        guard troubles.contains(.freezes), random.oneIn(4) else { return nil }
        let ranges = [20..<2_000, 2_000..<150_000, 150_000..<2_000_000, 2_000_000..<20_000_000]
        return .frozen(Int64(number(random.pick(ranges))))
    }

    private mutating func addCall(_ call: Int) {
        let begins = time(0..<5_000)
        var push = PlayedPush(kind: .request, group: group())
        push.id = random.oneIn(8) ? "" : random.oneIn(4) ? "0" : "\(call)"
        if random.oneIn(2) { push.sentAt = begins - (random.oneIn(4) ? time(0..<8_000) : 0) }
        if random.oneIn(40) { push.sentAt = begins + 3_600_000_000 }
        // Just stale, or just not.
        if random.oneIn(20) { push.sentAt = begins - duration + random.pick([-1, 0, 1]) }
        if random.oneIn(8) { push.expiration = random.oneIn(2) ? 0 : begins + time(-500..<2_000) }
        if random.oneIn(4) { push.duration = random.pick([1, 2, 3.5, 60]) }
        push.isVoIP = random.oneIn(8)
        if push.isVoIP { push.app = app() }
        push.isOther = push.app != nil && random.oneIn(2)
        if push.isOther {
            // What an app reports says nothing of these.
            (push.sentAt, push.duration) = (nil, nil)
            let at = TimeSpan(microseconds: time(0..<random.pick([800, 6_000])))
            if !random.oneIn(4) { push.app?.append((at, .ring(ReportedCaller()))) }
        }
        push.isMutable = !random.oneIn(20)
        push.isNamed = !random.oneIn(push.isVoIP ? 2 : 5)
        push.isIDStated = !push.isNamed || push.isOther
        push.hasText = !random.oneIn(push.isVoIP ? 2 : 30)
        push.hasTitle = !random.oneIn(4)
        push.level = random.pick([nil, .passive, .active, .timeSensitive, .timeSensitive, .critical])
        let picture = PlayedPicture.comes(afterMicroseconds: random.pick([5_000, 900_000]))
        let pictures = [picture, picture, .fails(afterMicroseconds: 20_000), .never]
        if random.oneIn(push.isVoIP ? 2 : 5) { push.picture = random.pick(pictures) }
        send(push, at: begins)
        guard !random.oneIn(4) else { return }
        // Perhaps just as its ring ends.
        let lasts = random.oneIn(8) ? max(0, duration + time(-120..<120)) : time(0..<8_000)
        var hangup = PlayedPush(kind: .hangup(random.pick(HangupReason.allCases + [.cancelled])), group: push.group)
        hangup.id = random.oneIn(15) ? "" : push.id
        if let sentAt = push.sentAt, !random.oneIn(6) { hangup.sentAt = sentAt + (random.oneIn(8) ? 0 : lasts) }
        if random.oneIn(30) { hangup.sentAt = begins + 3_600_000_000 }
        hangup.isMutable = !random.oneIn(12)
        hangup.isVoIP = random.oneIn(12)
        if hangup.isVoIP { hangup.app = app() }
        send(hangup, at: begins + lasts)
        // The same caller calls again.
        guard random.oneIn(3) else { return }
        let later = lasts + time(0..<4_000)
        push.sentAt = push.sentAt.map { $0 + later }
        send(push, at: begins + later)
    }

    /// A `belfry-calls` that is slow, silent, leaves, or says what makes no sense; nil for none.
    private mutating func app() -> ScriptedCalls.Script? {
        guard random.oneIn(2) else { return nil }
        var caller = ReportedCaller()
        caller.name = "reported"
        let words: [WorkerOrder?] = [
            .some(.none), .wait(app: "a"), .wait(app: "a"), .wait(app: "a"), .handed, .ring(nil), .ring(caller),
            .ring(caller), .caller(caller), .silent(CodeWord(.duplicate)), .silent(CodeWord(.busy)), .end(.answer),
            .silent(CodeWord(rawValue: "?")), .end(.decline), .end(.hangUp(.cancelled)), nil,
        ]
        var after = TimeSpan.zero
        return (0..<number(0..<6)).map { _ in
            after = after + TimeSpan(microseconds: time(0..<random.pick([5, 500, 3_000, 8_000])))
            return (after, random.pick(words))
        }
    }

    /// A push comes on time, late, twice or never.
    private mutating func send(_ push: PlayedPush, at instant: Int64) {
        for _ in 0..<random.pick([0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2]) {
            add(.push(push), at: instant + (random.oneIn(3) ? time(0..<4_000) : 0), fate())
        }
    }

    /// What else happens, apart from calls, and nothing goes wrong.
    private mutating func addOther() {
        let (at, worker) = (time(0..<10_000), number(0..<8))
        switch number(0..<9) {
        case 0, 1, 2: add(.command(command(), group: group()), at: at, fate())
        case 3, 4:
            add(.push(alert()), at: at)
            if random.oneIn(3) { add(.terminated(worker), at: at + time(0..<3_000)) }
        case 5: add(.terminated(worker), at: at)
        case 6: add(.chosen(random.pick([.answer(), .decline]), random.pick([nil, "0"]), group: group()), at: at)
        case 7:
            let flag = Stranger.setsForeground(random.pick(ForegroundFlag.allCases))
            add(.stranger(random.pick([.addsKey, .writesThroughMapping, flag, flag, flag]), group: group()), at: at)
        default:
            let asks: [RingAsk] = [.answer(), .decline, .foreground, .hangUp(.cancelled, sentAt: nil)]
            add(.askedForAnother(worker, random.pick(asks)), at: at)
        }
    }

    private mutating func alert() -> PlayedPush {
        var alert = PlayedPush(kind: .alert, group: group())
        alert.isMutable = !random.oneIn(8)
        alert.isBackground = random.oneIn(12)
        alert.hasText = !random.oneIn(6)
        if random.oneIn(8) { alert.expiration = random.oneIn(3) ? 0 : time(-500..<12_000) }
        guard !random.oneIn(4) else { return alert }
        alert.code = PlayedCode(hasText: !random.oneIn(6))
        alert.code?.repliesAfter = random.pick([nil, 0, 1, time(0..<2_000), time(0..<32_000)])
        alert.code?.repliesToStopAfter = random.oneIn(2) ? nil : time(0..<1_500)
        if random.oneIn(6) { alert.code?.diesAfter = time(0..<12_000) }
        return alert
    }

    private mutating func command() -> Command {
        switch number(0..<8) {
        case 0, 1: .answer(random.pick([nil, "0"]))
        case 2, 3: .decline(random.pick([nil, "1"]))
        case 4: .foreground(livesForMicroseconds: nil)
        case 5: .foreground(livesForMicroseconds: time(100..<8_000))
        case 6: .background
        default: .tidy
        }
    }

    private mutating func add(_ trouble: Trouble) {
        // Perhaps just as something happens.
        let one = random.oneIn(2) ? happenings.randomElement(using: &random) : nil
        let (at, worker) = (one.map { $0.at + time(-400..<20) } ?? time(0..<10_000), number(0..<8))
        switch trouble {
        case .kills: add(random.oneIn(2) ? .killed(worker) : .command(command(), group: group()), at: at, fate())
        case .freezes:
            // Perhaps as a ring's time is up.
            add(.frozen(worker, forMicroseconds: time(1..<9_000)), at: at + random.pick([0, duration]))
        case .strangers: add(.stranger(stranger(), group: group()), at: at)
        case .machine:
            let off = time(2_000..<60_000)
            let ways: [Happening.What] = [
                .clockSet(byMicroseconds: random.pick([-1, 1]) * time(1..<4_000_000)),
                .suspended(forMicroseconds: time(10..<40_000)), .rebooted(isSudden: false, offForMicroseconds: off),
                .rebooted(isSudden: true, offForMicroseconds: off),
            ]
            add(random.pick(ways), at: at)
        case .storage:
            let shortages: [Shortage] = [.diskFull, .diskReadOnly, .diskFailsFlushing, .memoryFull, .earsFull]
            let holders: [LockHolder] = [.stopped, .stopped, .atWork, .worker]
            let (length, left) = (time(10..<9_000), number(0..<4))
            let locked = Happening.What.lockHeld(group: group(), forMicroseconds: length, by: random.pick(holders))
            let lacking = Happening.What.shortage(random.pick(shortages), forMicroseconds: length)
            let ways = [.shortOfDescriptors(worker, left: left), locked, locked, locked, lacking, lacking, lacking]
            add(random.pick(ways), at: at)
        }
    }

    private mutating func stranger() -> Stranger {
        let strangers: [Stranger] = [
            .writesOldCopy(afterMicroseconds: time(0..<6_000)), .removesStart,
            .setsState(random.pick(["answered", "declined", "hangup", "nonsense"])), .deletesCalls, .forgesEnd,
            .forgesRing(isOfOtherBoot: random.oneIn(2)), .forgesTime(random.pick(["sentAt", "hangupSentAt"])),
            .setsForeground(random.pick(ForegroundFlag.allCases)), .removesFile, .removesFolder,
            .breaksFile(mendsAfterMicroseconds: random.oneIn(2) ? nil : time(1..<200)), .makesTooLarge, .makesLink,
        ]
        return random.pick(strangers)
    }
}
