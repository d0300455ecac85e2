import BelfryTerms
import CallLedger
import GroupLedger
import Support

extension Plan {
    /// The plan of `seed`. If it `meets`, several want to end the same call within a millisecond, each in a way of its
    /// own, and nothing else happens.
    init(seed: UInt64, meets: Bool = false) {
        self.seed = seed
        var chance = Chance(random: SeededRandom(seed: seed))
        surroundings = chance.surroundings()
        let rings = surroundings.duration.microseconds
        let hasDesktop = surroundings.mutes.desktop != nil
        happenings =
            meets ? chance.meetings(rings: rings) : chance.happenings(rings: rings, hasDesktop: hasDesktop)
        if !meets { happenings += Self.incidents(seed: seed, rings: rings) }
        happenings.sort { $0.at < $1.at }
    }
}

/// Makes plans.
struct Chance {
    var random: SeededRandom
    /// What may go wrong in this run; many runs have few troubles, since these say most.
    private var allowsKills = false
    private(set) var allowsFreezes = false
    private(set) var allowsStrangers = false
    private var allowsMachine = false
    private(set) var allowsStorage = false
    private var groups = 1
    private var callsMost = 3

    init(random: SeededRandom) {
        self.random = random
        allowsKills = self.random.oneIn(3)
        allowsFreezes = self.random.oneIn(4)
        allowsStrangers = self.random.oneIn(4)
        allowsMachine = self.random.oneIn(7)
        allowsStorage = self.random.oneIn(4)
        groups = self.random.oneIn(6) ? 2 : 1
        callsMost = self.random.oneIn(60) ? 14 : 3
    }

    mutating func surroundings() -> Plan.Surroundings {
        var surroundings = Plan.Surroundings()
        surroundings.duration = .seconds(random.pick([2, 4, 6, 6, 30]))
        surroundings.interval = .milliseconds(random.pick([500, 1_000, 1_000, 3_000]))
        surroundings.budget = .milliseconds(
            random.pick([3_000, 5_000, 8_000, 30_000, 30_000, 30_000, 2_000, 2_500, 1_500, 750]))
        surroundings.secondCall = random.pick([.soft, .soft, .silent, .loud])
        surroundings.callsMax = random.pick([1, 2, 3, 8, 8, 100])
        surroundings.noticesLost = random.pick([0, 0, 5, 100])
        surroundings.isSoundDead = random.oneIn(10)
        if random.oneIn(3) { surroundings.mutes = mutes() }
        return surroundings
    }

    private mutating func mutes() -> PlayedMutes {
        var mutes = PlayedMutes()
        if random.oneIn(2) { mutes.quietHours = random.pick(PlayedMutes.QuietHours.allCases) }
        mutes.repeatedWithin = random.pick([.zero, .seconds(2), .seconds(180)])
        guard !random.oneIn(4) else { return mutes }
        var desktop = PlayedMutes.Desktop()
        desktop.speaksAfter = random.pick([nil, 0, time(0..<100), time(0..<300), time(0..<3_000)])
        desktop.isMuted = random.oneIn(3)
        desktop.vibrates = !random.oneIn(4)
        desktop.isByProfile = random.oneIn(3)
        mutes.desktop = desktop
        return mutes
    }

    mutating func happenings(rings duration: Int64, hasDesktop: Bool) -> [Happening] {
        var happenings: [Happening] = []
        // What goes wrong with one call costs least to find.
        let calls = random.oneIn(3) ? 1 : Int.random(in: 1...callsMost, using: &random)
        for call in 0..<calls { addCall(call, rings: duration, to: &happenings) }
        let others = Int.random(in: 0...3, using: &random)
        for _ in 0..<others { addOther(to: &happenings) }
        if hasDesktop {
            let changes = Int.random(in: 0...2, using: &random)
            for _ in 0..<changes {
                happenings.append(Happening(at: time(0..<10_000), what: .doNotDisturb(random.oneIn(2))))
            }
        }
        if random.oneIn(400) { answerMany(in: &happenings) }
        addScene(to: &happenings, rings: duration)
        return happenings
    }

    mutating func meetings(rings duration: Int64) -> [Happening] {
        var happenings: [Happening] = []
        for call in 0..<(random.oneIn(3) ? 2 : 1) {
            let begins = time(0..<1_000)
            let id = random.oneIn(5) ? "" : "\(call)"
            happenings.append(Happening(at: begins, what: .push(PlayedPush(kind: .request, group: 0, id: id))))
            // Perhaps as it begins, or as its time is up.
            let meet = begins + random.pick([time(0..<8), time(0..<2_000), duration - 1_000])
            let named = id.isEmpty ? nil : id
            let hangup = PlayedPush(kind: .hangup(random.pick(HangupReason.allCases)), group: 0, id: id)
            var all: [Happening.What] = [
                .push(hangup), .command(random.oneIn(2) ? .answer(named) : .decline(named), group: 0),
                .chosen(random.oneIn(2) ? .answer : .decline, named, group: 0),
                .chosen(random.oneIn(2) ? .answer : .decline, named, group: 0),
            ]
            if random.oneIn(4) { all.append(.command(.foreground(livesForMicroseconds: nil), group: 0)) }
            for what in all {
                happenings.append(Happening(at: meet + .random(in: 0..<1_000, using: &random), what: what))
            }
        }
        return happenings
    }

    /// More calls are answered than answers are kept.
    private mutating func answerMany(in happenings: inout [Happening]) {
        for call in 0..<24 {
            let (begins, id) = (Int64(call) * 200_000, "many \(call)")
            happenings.append(Happening(at: begins, what: .push(PlayedPush(kind: .request, group: 0, id: id))))
            happenings.append(Happening(at: begins + 100_000, what: .chosen(.answer, id, group: 0)))
        }
    }

    mutating func time(_ range: Range<Int64>) -> Int64 { Int64.random(in: range, using: &random) * 1_000 }

    mutating func group() -> Int { Int.random(in: 0..<groups, using: &random) }

    /// What becomes of a process.
    private mutating func fate() -> (Int, PlayedProcess.Fate)? {
        let step = random.oneIn(3) ? Int.random(in: 0..<300, using: &random) : .random(in: 0..<90, using: &random)
        if allowsKills, random.oneIn(5) { return (step, .killed) }
        guard allowsFreezes, random.oneIn(4) else { return nil }
        let length = random.pick([0, 1, 2, 3])
        let microseconds: Int64 =
            switch length {
            case 0: .random(in: 20..<2_000, using: &random)
            case 1: .random(in: 2_000..<150_000, using: &random)
            case 2: .random(in: 150_000..<2_000_000, using: &random)
            default: .random(in: 2_000_000..<20_000_000, using: &random)
            }
        return (step, .frozen(microseconds))
    }

    private mutating func addCall(_ call: Int, rings duration: Int64, to happenings: inout [Happening]) {
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
        push.isMutable = !random.oneIn(20)
        push.isNamed = !random.oneIn(push.isVoIP ? 2 : 5)
        push.isLong = random.oneIn(20)
        push.isSoundCritical = random.oneIn(20)
        if random.oneIn(push.isVoIP ? 2 : 30) { push.text = .missing }
        push.hasTitle = !random.oneIn(4)
        push.level = random.pick([nil, .passive, .active, .timeSensitive, .timeSensitive, .critical])
        if random.oneIn(push.isVoIP ? 2 : 5) {
            push.picture = random.pick([
                .comes(afterMicroseconds: 5_000), .comes(afterMicroseconds: 900_000),
                .fails(afterMicroseconds: 20_000), .never,
            ])
        }
        send(push, at: begins, to: &happenings)
        guard !random.oneIn(4) else { return }
        let lasts = time(0..<8_000)
        let reason = random.pick(HangupReason.allCases + [.cancelled, .cancelled])
        var hangup = PlayedPush(kind: .hangup(reason), group: push.group)
        hangup.id = random.oneIn(15) ? "" : push.id
        if let sentAt = push.sentAt, !random.oneIn(6) { hangup.sentAt = sentAt + (random.oneIn(8) ? 0 : lasts) }
        if random.oneIn(30) { hangup.sentAt = begins + 3_600_000_000 }
        hangup.isMutable = !random.oneIn(12)
        hangup.isVoIP = random.oneIn(12)
        send(hangup, at: begins + lasts, to: &happenings)
        // The same caller calls again.
        guard random.oneIn(3) else { return }
        var again = push
        let later = lasts + time(0..<4_000)
        if let sentAt = push.sentAt { again.sentAt = sentAt + later }
        send(again, at: begins + later, to: &happenings)
    }

    /// A push comes on time, late, twice or never.
    private mutating func send(_ push: PlayedPush, at instant: Int64, to happenings: inout [Happening]) {
        guard !random.oneIn(25) else { return }
        let copies = random.oneIn(5) ? 2 : 1
        for _ in 0..<copies {
            let delay = random.oneIn(3) ? time(0..<4_000) : 0
            happenings.append(Happening(at: instant + delay, what: .push(push), fate: fate()))
        }
    }

    /// What else happens, apart from calls.
    private enum Other: CaseIterable {
        case killed, frozen, terminated, shortOfDescriptors, stranger, machine, lockHeld, storage, alert, command
        case chosen, askedForAnother
    }

    private mutating func addOther(to happenings: inout [Happening]) {
        let isAllowed: [Other: Bool] = [
            .killed: allowsKills, .frozen: allowsFreezes, .stranger: allowsStrangers, .machine: allowsMachine,
            .lockHeld: allowsStorage, .storage: allowsStorage, .shortOfDescriptors: allowsStorage,
        ]
        let more: [Other] =
            [.command, .command, .alert] + (allowsStrangers ? [.stranger, .stranger] : [])
        let others = Other.allCases.filter { isAllowed[$0] ?? true } + more
        let worker = Int.random(in: 0..<8, using: &random)
        let what: Happening.What =
            switch random.pick(others) {
            case .killed: .killed(worker)
            case .frozen: .frozen(worker, forMicroseconds: time(1..<9_000))
            case .terminated: .terminated(worker)
            case .shortOfDescriptors: .shortOfDescriptors(worker, left: .random(in: 0..<4, using: &random))
            case .askedForAnother:
                .askedForAnother(
                    worker, random.pick([.answer, .decline, .foreground, .hangUp(.cancelled, sentAt: nil)]))
            case .stranger: .stranger(stranger(), group: group())
            case .machine: machineTrouble()
            case .lockHeld: .lockHeld(group: group(), forMicroseconds: time(10..<6_000), isAtWork: random.oneIn(3))
            case .storage: storageTrouble()
            case .alert: .push(alert())
            case .command: .command(command(), group: group())
            case .chosen: .chosen(random.oneIn(2) ? .answer : .decline, random.oneIn(3) ? nil : "0", group: group())
            }
        var happening = Happening(at: time(0..<10_000), what: what)
        if case .push = what, random.oneIn(3) {
            happenings.append(Happening(at: happening.at + time(0..<3_000), what: .terminated(worker)))
        }
        if case .command = what { happening.fate = fate() }
        happenings.append(happening)
    }

    private mutating func alert() -> PlayedPush {
        var alert = PlayedPush(kind: .alert, group: group())
        alert.isMutable = !random.oneIn(8)
        alert.isBackground = random.oneIn(12)
        if random.oneIn(2) { alert.text = random.pick(AlertText.allCases) }
        if random.oneIn(8) { alert.expiration = random.oneIn(3) ? 0 : time(-500..<12_000) }
        if !random.oneIn(4) { alert.code = code() }
        return alert
    }

    private mutating func code() -> PlayedCode {
        var code = PlayedCode()
        if random.oneIn(5) { code.admitsAfter = random.oneIn(3) ? nil : time(1..<4_000) }
        if code.admitsAfter ?? 1 > 0 ? random.oneIn(3) : random.oneIn(20) { code.refuses = true }
        if random.oneIn(6) { code.waits = random.pick([time(1..<2_000), time(2_000..<60_000), 200_000_000]) }
        let replies = random.pick([0, 1, 1, 1, 2])
        for _ in 0..<replies { code.replies.append(reply(within: random.pick([1, 2_000, 32_000]))) }
        if random.oneIn(6) { code.diesAfter = time(0..<12_000) }
        if random.oneIn(2) { code.onNotice = reply(within: 1_500) }
        if random.oneIn(2) { code.onStop = reply(within: 1_500) }
        // One that says too late whether it takes it is still there then.
        if random.oneIn(3) || code.admitsAfter ?? 0 > 0 { code.lingers = time(0..<3_000) }
        return code
    }

    private mutating func reply(within milliseconds: Int64) -> PlayedCode.Reply {
        let content: PlayedCode.Content =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: .withoutText
            case 1, 2:
                .attaching(
                    PlayedAttachment(
                        file: random.pick(PlayedAttachment.files), type: random.pick(PlayedAttachment.types)))
            default: .changed
            }
        let after = milliseconds == 1 ? Int64.random(in: 0...1, using: &random) : time(0..<milliseconds)
        return PlayedCode.Reply(after: after, content: content)
    }

    private mutating func command() -> Command {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: .answer(random.oneIn(2) ? nil : "0")
        case 2, 3: .decline(random.oneIn(2) ? nil : "1")
        case 4: .foreground(livesForMicroseconds: nil)
        case 5: .foreground(livesForMicroseconds: time(100..<8_000))
        case 6: .background
        case 7: .collect(random.oneIn(2) ? nil : "0")
        case 8: .seen
        default: .tidy
        }
    }

    private mutating func stranger() -> Stranger {
        switch Int.random(in: 0..<23, using: &random) {
        case 0: .addsKey
        case 1, 2: .writesOldCopy(afterMicroseconds: time(0..<6_000))
        case 3: .removesStart
        case 4: .zeroesStart
        case 5, 6: .setsState(random.pick(["answered", "declined", "hangup", "nonsense"]))
        case 7: .deletesCalls
        case 8: .forgesCall
        case 9, 10: .setsForeground(random.pick(ForegroundFlag.allCases))
        case 11: .removesFile
        case 12: .breaksFile(mendsAfterMicroseconds: nil)
        case 13: .breaksFile(mendsAfterMicroseconds: time(1..<200))
        case 14: .makesTooLarge
        case 15: .leavesNonsense(ending: random.pick(["owed", "ring", "unfinished"]), isParsed: random.oneIn(2))
        case 16..<22: .forges(random.pick(Forgery.allCases))
        default: .makesLink
        }
    }

    private mutating func machineTrouble() -> Happening.What {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .clockSet(byMicroseconds: random.pick([-1, 1]) * time(1..<4_000_000))
        case 1: .suspended(forMicroseconds: time(10..<40_000))
        case 2: .rebooted(isSudden: false, offForMicroseconds: time(2_000..<60_000))
        default: .rebooted(isSudden: true, offForMicroseconds: time(2_000..<60_000))
        }
    }

    private mutating func storageTrouble() -> Happening.What {
        let length = time(10..<9_000)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return .disk(DiskTrouble(isFull: true), forMicroseconds: length)
        case 1: return .disk(DiskTrouble(isReadOnly: true), forMicroseconds: length)
        case 2: return .disk(DiskTrouble(failsFlushing: true), forMicroseconds: length)
        case 3: return .memoryFull(forMicroseconds: length)
        default: return .earsFull(forMicroseconds: length)
        }
    }
}
