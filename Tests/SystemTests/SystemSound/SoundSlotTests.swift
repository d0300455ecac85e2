import BelfrySyscalls
import Glibc
import Support
import Synchronization
@testable import SystemSound
import Testing

@Suite struct SoundSlotTests {
    let folder = TemporaryFolder()

    var notes: String { "\(folder.path)/belfry/sound-slots" }

    @Test func aPlaceWhoseNameWasRemovedIsNamedAgain() {
        var slot = SoundSlot(runtimeDirectory: folder.path)
        let isTaken = slot.take(loudSince: 1)
        #expect(isTaken)
        let note = "\(notes)/0.note"
        #expect(unsafe unlink(note) == 0)
        let isWanted = slot.isWantedByAnother(loudSince: 1)
        #expect(!isWanted)
        #expect(unsafe access(note, F_OK) == 0)
        slot.release()
        #expect(unsafe access(note, F_OK) == -1)
    }

    @Test func withoutARuntimeDirectoryNobodyIsTurnedAwayAndNothingIsMade() {
        for missing in ["\(folder.path)/absent", nil] {
            var slot = SoundSlot(runtimeDirectory: missing)
            let isTaken = slot.take(loudSince: 1)
            #expect(isTaken)
            let isWanted = slot.isWantedByAnother(loudSince: 1)
            #expect(!isWanted)
            slot.release()
        }
        #expect(unsafe access("\(folder.path)/absent", F_OK) == -1)
    }

    /// Rings, each of a living process of its own, the oldest first; they tick when the test says so.
    final class Rings {
        /// Since when ring 0 has been loud; each later ring is one microsecond newer.
        static let start: Int64 = 1_000_000
        private let path: String
        private var processes: [ChildProcess] = []
        private var slots: [Box] = []
        /// What each ring said last, `sounds` or `busy`, and how often that changed.
        private(set) var states: [String?] = []
        private(set) var changes = 0
        /// Rings that are soft.
        var soft: Set<Int> = []

        private final class Box: @unchecked Sendable {
            // Unchecked: each is touched by one thread at a time.
            var slot: SoundSlot
            init(_ slot: consuming SoundSlot) { self.slot = slot }
        }

        init(_ path: String) { self.path = path }

        /// A new ring; it has not ticked yet.
        @discardableResult
        func add(isSoft: Bool = false) throws -> Int {
            let process = try ChildProcess(ChildCommand(path: "/bin/sleep", arguments: ["600"]))
            let identity = try #require(ProcessIdentity(livingPID: process.pid))
            processes.append(process)
            slots.append(Box(SoundSlot(runtimeDirectory: path, process: identity)))
            states.append(nil)
            if isSoft { soft.insert(slots.count - 1) }
            return slots.count - 1
        }

        func tick(_ ring: Int) {
            let slot = slots[ring]
            let since = soft.contains(ring) ? 0 : Self.start + Int64(ring)
            if slot.slot.isWantedByAnother(loudSince: since) { slot.slot.release() }
            let state = slot.slot.take(loudSince: since) ? "sounds" : "busy"
            if states[ring] != state { changes += 1 }
            states[ring] = state
        }

        /// Lets `rings` tick for the first time, all at once.
        func tickTogether(_ rings: Range<Int>) {
            let start = StartingGun()
            let threads = rings.map { ring in
                let (slot, since) = (slots[ring], Self.start + Int64(ring))
                return PosixThread {
                    start.wait()
                    _ = slot.slot.take(loudSince: since)
                }
            }
            start.fire()
            for thread in threads { thread.join() }
        }

        func end(_ ring: Int) {
            slots[ring].slot.release()
            states[ring] = nil
        }

        /// Its process dies, and with it its lock; the note stays.
        func kill(_ ring: Int) throws {
            try processes[ring].signal(SIGKILL)
            try processes[ring].waitUntilExit()
            states[ring] = nil
        }

        var sounding: [Int] { states.indices.filter { states[$0] == "sounds" } }
    }

    @Test func R23_eightSoundAndTheOldestGivesWayToTheNinthForGood() throws {
        let rings = Rings(folder.path)
        for ring in 0..<8 {
            #expect(try rings.add() == ring)
            rings.tick(ring)
        }
        #expect(rings.sounding == Array(0..<8))
        let ninth = try rings.add()
        rings.tick(ninth)
        #expect(rings.sounding == Array(0..<8), "never nine at once")
        for ring in (0..<9).reversed() { rings.tick(ring) }
        #expect(rings.sounding == Array(1..<8))
        rings.tick(ninth)
        #expect(rings.sounding == Array(1..<9))
        let changes = rings.changes
        for _ in 0..<20 { for ring in 0..<9 { rings.tick(ring) } }
        #expect(rings.changes == changes, "nobody gives way twice")
        rings.end(4)
        for ring in 0..<9 { rings.tick(ring) }
        #expect(rings.sounding == [0, 1, 2, 3, 5, 6, 7, 8], "what is free is the oldest's again")
    }

    @Test func R23_ofManyRingsTheEightNewestSoundAndNothingGoesRound() throws {
        let rings = Rings(folder.path)
        for ring in 0..<24 {
            #expect(try rings.add() == ring)
            rings.tick(ring)
            #expect(rings.sounding.count <= 8)
        }
        for _ in 0..<4 {
            for ring in 0..<24 {
                rings.tick(ring)
                #expect(rings.sounding.count <= 8)
            }
        }
        #expect(rings.sounding == Array(16..<24))
        let changes = rings.changes
        for _ in 0..<10 { for ring in 0..<24 { rings.tick(ring) } }
        #expect(rings.changes == changes)
    }

    @Test func R23_ringsThatBeginTogetherAskForDifferentPlaces() throws {
        for _ in 0..<20 {
            let folder = TemporaryFolder()
            let rings = Rings(folder.path)
            for ring in 0..<14 { #expect(try rings.add() == ring) }
            for ring in 0..<8 { rings.tick(ring) }
            rings.tickTogether(8..<14)
            for ring in 0..<14 { rings.tick(ring) }
            #expect(rings.sounding == Array(6..<14))
        }
    }

    @Test func R23_softRingsGiveWayFirstAndTakeNothingFromLoudOnes() throws {
        let rings = Rings(folder.path)
        for ring in 0..<8 {
            #expect(try rings.add(isSoft: ring >= 4) == ring)
            rings.tick(ring)
        }
        let soft = try rings.add(isSoft: true)
        for _ in 0..<3 { for ring in [soft] + Array(0..<8) { rings.tick(ring) } }
        #expect(rings.sounding == Array(0..<8))
        let loud = try rings.add()
        for _ in 0..<2 { for ring in [loud] + Array(0..<9) { rings.tick(ring) } }
        #expect(rings.sounding == [0, 1, 2, 3, 5, 6, 7, loud])
        // A ring that becomes loud is as new as one that begins.
        rings.soft.remove(soft)
        for _ in 0..<2 { for ring in [soft, loud] + Array(0..<8) { rings.tick(ring) } }
        #expect(rings.sounding == [0, 1, 2, 3, 6, 7, soft, loud])
    }

    @Test func R23_whoDiesOrEndsBeforeItsTurnCostsNobodyAPlace() throws {
        let rings = Rings(folder.path)
        for ring in 0..<8 {
            #expect(try rings.add() == ring)
            rings.tick(ring)
        }
        let killed = try rings.add()
        rings.tick(killed)
        try rings.kill(killed)
        let ended = try rings.add()
        rings.tick(ended)
        rings.end(ended)
        for _ in 0..<3 { for ring in 0..<8 { rings.tick(ring) } }
        #expect(rings.sounding == Array(0..<8) && rings.changes == 8 + 2)
    }

    @Test func R23_aPlaceIsKeptForWhomItsHolderGaveItUp() throws {
        let rings = Rings(folder.path)
        for ring in 0..<9 {
            #expect(try rings.add() == ring)
            rings.tick(ring)
        }
        rings.tick(0)
        // Older than the ninth, and first to look.
        #expect(rings.states[0] == "busy")
        rings.tick(0)
        #expect(rings.states[0] == "busy")
        rings.tick(8)
        #expect(rings.sounding == Array(1..<9))
    }

    @Test func R18_notesThatAreNoneTrapNobody() throws {
        let rings = Rings(folder.path)
        for ring in 0..<8 {
            #expect(try rings.add() == ring)
            rings.tick(ring)
        }
        let hostile: [[UInt8]] = [
            [], Array("x y z".utf8), Array("9223372036854775807 1 1".utf8), Array("-9223372036854775808 -1 0".utf8),
            Array("99999999999999999999 1 1\n".utf8), Array("5 4294967296 1".utf8), [0xFF, 0, 0x20, 0x20],
            Array(repeating: UInt8(ascii: "1"), count: SoundSlot.noteBytesMax + 1),
        ]
        for (number, bytes) in hostile.enumerated() {
            folder.write(bytes, to: "belfry/sound-slots/\(number).note")
        }
        let ninth = try rings.add()
        for _ in 0..<3 { for ring in 0..<9 { rings.tick(ring) } }
        #expect(rings.sounding.count == 8 && rings.states[ninth] == "sounds")
        #expect(unsafe unlink("\(notes)/3.note") == 0)
        #expect(unsafe mkdir("\(notes)/3.note", 0o700) == 0)
        for _ in 0..<3 { for ring in 0..<9 { rings.tick(ring) } }
        #expect(rings.sounding.count == 8)
    }

    @Test func whereNothingCanBeCountedNobodyIsTurnedAway() {
        for path in [nil, "", "relative", "\(folder.path)/none"] {
            var slot = SoundSlot(runtimeDirectory: path)
            let takes = slot.take(loudSince: 1)
            #expect(takes && !slot.isWantedByAnother(loudSince: 1))
        }
    }

    @Test func S2_aDirectoryThatOthersWriteIsNotUsed() {
        let belfry = folder.makeFolder("belfry")
        #expect(unsafe chmod(belfry, 0o777) == 0)
        var slot = SoundSlot(runtimeDirectory: folder.path)
        let takes = slot.take(loudSince: 1)
        #expect(takes)
        #expect(unsafe access("\(belfry)/sound-slots", F_OK) != 0)
    }

    @Test func S2_linksAreNotFollowed() {
        let elsewhere = TemporaryFolder()
        folder.makeFolder("belfry")
        #expect(unsafe symlink(elsewhere.path, "\(folder.path)/belfry/sound-slots") == 0)
        var slot = SoundSlot(runtimeDirectory: folder.path)
        let takes = slot.take(loudSince: 1)
        #expect(takes)
        #expect(unsafe access("\(elsewhere.path)/0", F_OK) != 0)
    }
}

/// Lets threads begin at the same moment.
private final class StartingGun: Sendable {
    private let isFired = Atomic(false)

    func wait() {
        // Spinning, since what is to be caught lasts microseconds.
        while !isFired.load(ordering: .acquiring) {}
    }

    func fire() { isFired.store(true, ordering: .releasing) }
}
