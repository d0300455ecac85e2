import BelfryTerms
import GroupLedger
import Support

/// What has to come together, and hardly ever does by chance.
extension Chance {
    mutating func addScene(to happenings: inout [Happening], rings duration: Int64) {
        if random.oneIn(30) { watch(&happenings) }
        if allowsStorage, random.oneIn(3) { hinderRecording(of: &happenings) }
        guard random.oneIn(14) else { return }
        var scenes: [(inout Chance, inout [Happening], Int64) -> Void] = []
        if allowsStorage {
            scenes += [
                { $0.bringsToFront(&$1, $2) }, { $0.followsSlowly(&$1, $2) }, { $0.runsOutOfDescriptors(&$1, $2) },
            ]
        }
        if allowsFreezes { scenes.append { $0.standsStillAtItsEnd(&$1, $2) } }
        if allowsStrangers { scenes.append { $0.breaksWhatIsListed(&$1, $2) } }
        if allowsStorage, allowsStrangers { scenes.append { $0.breaksWhatHasNoNotes(&$1, $2) } }
        guard !scenes.isEmpty else { return }
        random.pick(scenes)(&self, &happenings, duration)
    }

    private mutating func watch(_ happenings: inout [Happening]) {
        let watched = Happening.What.watched(group: group(), forMicroseconds: time(3_000..<16_000))
        happenings.append(Happening(at: time(0..<2_000), what: watched))
    }

    /// Just as something happens the file cannot be written, or somebody holds its lock.
    private mutating func hinderRecording(of happenings: inout [Happening]) {
        guard let one = happenings.randomElement(using: &random) else { return }
        let at = max(0, one.at + time(-400..<20))
        let length = time(20..<4_000)
        let isLocked = !random.oneIn(3)
        if isLocked {
            let held = Happening.What.lockHeld(
                group: one.what.group, forMicroseconds: length, isAtWork: random.oneIn(2))
            happenings.append(Happening(at: at, what: held))
        }
        if !isLocked || random.oneIn(4) {
            let trouble = random.oneIn(2) ? DiskTrouble(isFull: true) : DiskTrouble(isReadOnly: true)
            happenings.append(Happening(at: at, what: .disk(trouble, forMicroseconds: length)))
        }
    }

    private func request(_ id: String, picture: PlayedPicture? = nil) -> Happening.What {
        var push = PlayedPush(kind: .request, group: 0, id: id)
        push.picture = picture
        return .push(push)
    }

    private func hangup(_ id: String) -> Happening.What {
        .push(PlayedPush(kind: .hangup(.cancelled), group: 0, id: id))
    }

    private mutating func lock(for microseconds: Int64) -> Happening.What {
        .lockHeld(group: 0, forMicroseconds: microseconds, isAtWork: random.oneIn(2))
    }

    /// The app comes to the front in the very moment in which a call begins to ring, no ear hears and nobody can write
    /// the file.
    private mutating func bringsToFront(_ happenings: inout [Happening], _ rings: Int64) {
        let (at, length) = (time(500..<6_000), time(1_000..<4_000))
        happenings.append(Happening(at: at - 20_000, what: lock(for: length)))
        happenings.append(Happening(at: at - 20_000, what: .earsFull(forMicroseconds: length)))
        happenings.append(Happening(at: at, what: request("0")))
        let front = Happening.What.command(.foreground(livesForMicroseconds: nil), group: 0)
        happenings.append(Happening(at: at + .random(in: 0..<4_000, using: &random), what: front))
    }

    /// A request comes in the very moment in which the file follows, and stands still over it.
    private mutating func followsSlowly(_ happenings: inout [Happening], _ rings: Int64) {
        let (at, length) = (time(500..<6_000), time(60..<450))
        happenings.append(Happening(at: at - 20_000, what: lock(for: length)))
        happenings.append(Happening(at: at, what: hangup("followed")))
        let fate = (step: Int.random(in: 0..<30, using: &random), fate: PlayedProcess.Fate.frozen(time(20..<80)))
        happenings.append(Happening(at: at - 21_000 + length, what: request("followed"), fate: fate))
    }

    /// A worker that has no descriptor left changes the ledger, while what others have decided lies beside the file.
    private mutating func runsOutOfDescriptors(_ happenings: inout [Happening], _ rings: Int64) {
        let at = time(0..<3_000)
        happenings.append(Happening(at: at, what: request("0", picture: .comes(afterMicroseconds: 900_000))))
        happenings.append(Happening(at: at + 100_000, what: .shortOfDescriptors(0, left: 0)))
        happenings.append(Happening(at: at + 150_000, what: lock(for: time(900..<3_000))))
        happenings.append(Happening(at: at + time(200..<850), what: hangup("other")))
    }

    /// A person wants to end a ring whose worker stands still as the ring's time is up; another call rings on.
    private mutating func standsStillAtItsEnd(_ happenings: inout [Happening], _ rings: Int64) {
        let at = time(0..<2_000)
        happenings.append(Happening(at: at, what: request("0")))
        happenings.append(Happening(at: at + time(100..<1_000), what: request("behind")))
        happenings.append(Happening(at: at + rings - 300_000, what: .frozen(0, forMicroseconds: time(400..<3_000))))
        if random.oneIn(2) {
            happenings.append(Happening(at: at, what: .watched(group: 0, forMicroseconds: 12_000_000)))
        }
        let end = at + rings - time(0..<120)
        let what: Happening.What = random.oneIn(2) ? .command(.answer("0"), group: 0) : .chosen(.decline, "0", group: 0)
        if random.oneIn(2) { happenings.append(Happening(at: end, what: what)) }
    }

    /// A program writes the file in place while a missed call is listed there with its picture.
    private mutating func breaksWhatIsListed(_ happenings: inout [Happening], _ rings: Int64) {
        let at = time(0..<3_000)
        happenings.append(Happening(at: at, what: request("pictured", picture: .comes(afterMicroseconds: 5_000))))
        happenings.append(Happening(at: at + time(500..<3_000), what: hangup("pictured")))
        let breaks = Stranger.breaksFile(mendsAfterMicroseconds: time(1..<200))
        happenings.append(Happening(at: at + time(3_500..<9_000), what: .stranger(breaks, group: 0)))
    }

    /// The file is broken, and there was no room to lay anything beside it.
    private mutating func breaksWhatHasNoNotes(_ happenings: inout [Happening], _ rings: Int64) {
        let at = time(100..<2_000)
        happenings.append(Happening(at: at - 50_000, what: .memoryFull(forMicroseconds: 9_000_000)))
        happenings.append(Happening(at: at, what: request("0")))
        happenings.append(Happening(at: at + time(50..<1_000), what: request("behind")))
        let breaks = random.pick([Stranger.breaksFile(mendsAfterMicroseconds: nil), .removesFile])
        happenings.append(Happening(at: at + time(1_000..<2_500), what: .stranger(breaks, group: 0)))
    }
}
