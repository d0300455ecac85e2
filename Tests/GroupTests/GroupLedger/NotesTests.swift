import BelfryAppGroup
import BelfryEventLoop
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import CallLedger
import Glibc
@testable import GroupLedger
import RingEar
import Support
import Testing

/// What lies beside a real file whose lock is held, or that cannot be written: R7, R12, R22.
@Suite struct NotesTests {
    let folder = TemporaryFolder()
    let loop: Loop
    let group: GroupName
    let file: LedgerFile

    init() throws {
        loop = try Loop()
        group = try #require(GroupName("group.belfry"))
        file = Self.file(in: folder.path, group)
    }

    /// The ledger as another process has it open.
    private var other: LedgerFile { Self.file(in: folder.path, group) }

    private static func file(in folder: String, _ group: GroupName) -> LedgerFile {
        LedgerFile(
            state: StateDirectory(path: "\(folder)/state"), runtime: RuntimeDirectory(path: "\(folder)/run"),
            group: group)
    }

    private func admit(_ id: String, in file: LedgerFile) -> LedgerTransaction<Admission>? {
        let until = loop.now + .seconds(30)
        var ended: LedgerTransaction<Admission>?
        file.transact(on: loop) {
            $0.admit(
                RingRequest(key: CallKey(id)), until: until, secondCall: .soft, callsMax: 10, owner: Owner(.current))
        } completion: {
            ended = $0
        }
        return ended
    }

    private func hangUp(_ id: String, in file: LedgerFile) -> LedgerOutcome? {
        var outcome: LedgerOutcome?
        file.transact(on: loop) {
            $0.hangUp(CallKey(id), reason: .busy, sentAt: nil)
        } completion: {
            outcome = $0.outcome
        }
        return outcome
    }

    /// The names of the notes.
    private var notes: [String] {
        guard let runtime = try? Directory.open(path: "\(folder.path)/run/rings", makes: false),
            let name = try? runtime.names(max: 9).first
        else { return [] }
        return ((try? runtime.openDirectory(name, makes: false).names(max: 99)) ?? []).sorted()
    }

    private func holdLock() throws -> FileLock {
        folder.makeFolder("state/groups/group.belfry/Library/Preferences")
        let preferences = try Directory.open(
            path: "\(folder.path)/state/groups/group.belfry/Library/Preferences", makes: false)
        guard let lock = try FileLock.tryTake("group.belfry.plist.lock", in: preferences) else {
            throw SystemError(errno: EWOULDBLOCK, call: "flock")
        }
        return lock
    }

    @Test("a ring leaves a note until it is over, and the end of a ring none") func undisturbed() throws {
        #expect(admit("a", in: file)?.outcome == .recorded([]))
        #expect(notes.count == 1 && notes[0].hasSuffix(".ring"))
        #expect(hangUp("a", in: other) == .recorded([]))
        #expect(notes.isEmpty)
    }

    @Test("R7 R10 with the lock held nobody waits: all know of rings and ends, and the file follows once it is free")
    func lockHeld() throws {
        let lock = try holdLock()
        #expect(admit("a", in: file)?.value == .ring(mode: .loud))
        #expect(admit("b", in: other)?.value == .ring(mode: .soft))
        #expect(admit("a", in: other)?.value == .silent(.duplicate, missed: false))
        #expect(hangUp("a", in: other) == .waiting([]))
        #expect(other.read()?.rings.map(\.key) == [CallKey("b")])
        #expect(admit("a", in: other)?.value == .silent(.hungUp, missed: false))
        // Whoever waits passes it over, and writes.
        #expect(other.file.snapshot().status == .missing && notes.contains { $0.hasSuffix(".owed") })
        _ = consume lock
        #expect(admit("c", in: other)?.outcome == .recorded([]))
        #expect(Set(Ledger(reading: other.file.snapshot()).rings.map(\.key)) == [CallKey("b"), CallKey("c")])
        #expect(notes.allSatisfy { $0.hasSuffix(".ring") })
        #expect(notes.count == 2)
    }

    private func end(_ id: String, in file: LedgerFile) -> LedgerOutcome? {
        var outcome: LedgerOutcome?
        var isAwaited = false
        let request = RingRequest(key: CallKey(id))
        file.transact(onOwnRing: { $0.settle(request, owner: Owner(.current), reason: .timeout) }, on: loop) {
            [loop] in
            outcome = $0.outcome
            if isAwaited { loop.stop() }
        }
        isAwaited = true
        if outcome == nil { loop.run() }
        return outcome
    }

    @Test("R7 what came while the lock was held is in the file once it is passed over, not what was decided before")
    func passedOver() throws {
        let lock = try holdLock()
        #expect(admit("a", in: file)?.outcome == .waiting([]))
        #expect(end("a", in: file) == .waiting([]))
        file.finish(by: loop.now + .seconds(2)) { [loop] in loop.stop() }
        loop.run()
        let written = Ledger(reading: other.file.snapshot())
        #expect(written.call(CallKey("a"))?.state == .timeout && written.root["keyStartCallTime"] == nil)
        #expect(notes.isEmpty)
        _ = consume lock
    }

    @Test("R22 an end that cannot be written is told as that") func unwritableEnd() throws {
        #expect(admit("a", in: file)?.outcome == .recorded([]))
        try checked("chmod") { unsafe chmod("\(folder.path)/state", 0o777) }
        guard case .unwritable? = end("a", in: other) else {
            Issue.record("written to a directory that others may write to")
            return
        }
        try checked("chmod") { unsafe chmod("\(folder.path)/state", 0o700) }
    }

    @Test("R22 what a file that cannot be written lacks is tried again a second later, and told of") func unwritable()
        throws
    {
        folder.makeFolder("state")
        try checked("chmod") { unsafe chmod("\(folder.path)/state", 0o777) }
        var told: [LedgerOutcome] = []
        file.onRecorded = { told.append($0) }
        guard case .unwritable(let error, kept: true, [])? = admit("a", in: file)?.outcome else {
            Issue.record("written to a directory that others may write to")
            return
        }
        #expect(error.errno == EPERM && other.read()?.rings.map(\.key) == [CallKey("a")])
        file.recordWhatIsOwed(on: loop)
        #expect(told.isEmpty, "within a second")
        try checked("chmod") { unsafe chmod("\(folder.path)/state", 0o700) }
        let end = loop.now + LedgerFile.recordingInterval
        _ = loop.schedule(at: end, description: "a tick") { [file, loop] in
            file.recordWhatIsOwed(on: loop)
            loop.stop()
        }
        loop.run()
        #expect(told == [.recorded([])])
        #expect(Ledger(reading: other.file.snapshot()).rings.map(\.key) == [CallKey("a")])
        file.recordWhatIsOwed(on: loop)
        #expect(told == [.recorded([])], "nothing is owed any more")
    }

    @Test("R13 a half written file makes nobody write it anew: the file has who rings, as far as is known")
    func halfWritten() throws {
        #expect(admit("a", in: file)?.outcome == .recorded([]))
        let watch = file.watch(on: loop) { _ in }
        loop.runUntilIdle()
        folder.write(Array("{".utf8), to: "state/groups/group.belfry/Library/Preferences/group.belfry.plist")
        watch.look()
        loop.runUntilIdle()
        #expect(notes.count == 1 && notes[0].hasSuffix(".ring"))
        watch.cancel()
    }

    @Test("R13 a change waits for who writes the file in place") func writtenInPlace() throws {
        #expect(admit("a", in: other)?.outcome == .recorded([]))
        let whole = other.file.snapshot().root.serializedXML()
        let path = "state/groups/group.belfry/Library/Preferences/group.belfry.plist"
        folder.write(Array(whole.prefix(20)), to: path)
        let hand = HandLoop(at: try #require(other.file.snapshot().modifiedAt))
        var outcome: LedgerOutcome?
        file.transact(on: hand) {
            $0.hangUp(CallKey("b"), reason: .busy, sentAt: nil)
        } completion: {
            outcome = $0.outcome
        }
        hand.advance(by: .milliseconds(30))
        #expect(outcome == nil)
        folder.write(whole, to: path)
        hand.advance(by: .milliseconds(10))
        #expect(outcome == .recorded([]))
    }

    @Test("whoever has nothing else to do tries again while others pass the lock on among themselves")
    func finishing() throws {
        let lock = try holdLock()
        let hand = HandLoop(at: loop.now)
        file.transact(on: hand) {
            $0.hangUp(CallKey("a"), reason: .busy, sentAt: nil)
        } completion: { _ in
        }
        var finished = 0
        file.finish(by: hand.now + .seconds(3)) { finished += 1 }
        let path = "state/groups/group.belfry/Library/Preferences/group.belfry.plist"
        for number in 1...4 {
            // Its holder gets things done.
            let text = "<plist><dict><key>n</key><integer>\(number)</integer></dict></plist>"
            folder.write(Array((text + String(repeating: " ", count: number)).utf8), to: path)
            hand.advance(by: .milliseconds(300))
        }
        #expect(finished == 0 && notes.contains { $0.hasSuffix(".owed") })
        _ = consume lock
        hand.advance(by: .milliseconds(100))
        #expect(finished == 1 && notes.isEmpty)
        #expect(Ledger(reading: other.file.snapshot()).call(CallKey("a"))?.state == .hangup)
        let again = try holdLock()
        file.transact(on: hand) {
            $0.hangUp(CallKey("b"), reason: .busy, sentAt: nil)
        } completion: { _ in
        }
        _ = consume again
        hand.advance(by: .milliseconds(100))
        #expect(finished == 1 && notes.isEmpty)
    }

    @Test("whoever ends waits for what is not decided yet, since somebody else decides")
    func finishingUndecided() throws {
        let hand = HandLoop(at: loop.now)
        let decider = other
        try decider.folder.open(makes: true)
        var lock = try decider.folder.tryLock()
        let isHeld = lock != nil
        #expect(isHeld)
        file.transact(on: hand) {
            $0.hangUp(CallKey("a"), reason: .busy, sentAt: nil)
        } completion: { _ in
        }
        var finished = 0
        file.finish(by: hand.now) { finished += 1 }
        hand.advance(by: .milliseconds(10))
        #expect(finished == 0)
        lock = nil
        hand.advance(by: .milliseconds(10))
        #expect(finished == 1)
        #expect(Ledger(reading: other.file.snapshot()).call(CallKey("a"))?.state == .hangup)
    }

    @Test("notes that are laid within one tick of the kernel are all read") func quickNotes() throws {
        let lock = try holdLock()
        let reader = other
        let writer = other
        try writer.folder.open(makes: true)
        let rings = try Directory.open(path: "\(folder.path)/run/rings", makes: false)
        let folderPath = "\(rings.path)/\(try rings.names(max: 9).first ?? "")"
        for number in 1...9 {
            #expect(hangUp("\(number)", in: writer) == .waiting([]))
            // As young as within the same tick, however long the test is held up.
            let time = timespec(tv_sec: time(nil) + 3600, tv_nsec: 0)
            try checked("utimensat") { unsafe utimensat(AT_FDCWD, folderPath, [time, time], 0) }
            #expect(reader.read()?.call(CallKey("\(number)"))?.state == .hangup)
        }
        _ = consume lock
    }

    @Test("without a runtime folder the file has to do, and this process knows what it could not write")
    func noRuntime()
        throws
    {
        folder.write([], to: "run")
        #expect(admit("a", in: file)?.outcome == .recorded([]))
        #expect(other.read()?.rings.map(\.key) == [CallKey("a")])
        let lock = try holdLock()
        #expect(admit("b", in: file)?.outcome == .waiting([]))
        #expect(file.read()?.rings.count == 2 && other.read()?.rings.count == 1)
        _ = consume lock
        file.recordWhatIsOwed(on: loop)
        file.finish(by: loop.now) { [loop] in loop.stop() }
        loop.run()
        #expect(other.read()?.rings.count == 2)
        let again = try holdLock()
        file.recordWhatIsOwed(on: loop)
        var isFinished = false
        file.finish(by: loop.now) { isFinished = true }
        #expect(isFinished, "the file has it")
        _ = consume again
    }

    @Test("a note that is too large for anybody to read is not laid, and this process knows what it says")
    func tooLarge() throws {
        let lock = try holdLock()
        #expect(!file.isKnownHereAlone)
        let names = (0..<500).map { "\($0)" + String(repeating: "&", count: 120) }
        file.transact(on: loop) { ledger in
            for name in names { _ = ledger.hangUp(CallKey(name), reason: .busy, sentAt: nil) }
        } completion: {
            #expect($0.outcome == .waiting([]))
        }
        #expect(file.isKnownHereAlone && notes.isEmpty && file.read()?.calls.count == 500)
        _ = consume lock
    }

    @Test("another process that was stopped as it decided holds up nobody for longer than 100 ms") func decisionHeld()
        throws
    {
        #expect(admit("a", in: file)?.outcome == .recorded([]))
        try other.folder.open(makes: true)
        let lock = try file.folder.tryLock()
        let begun = loop.now
        var value: Admission?
        let until = loop.now + .seconds(30)
        value =
            other.transactAndWait(on: loop) {
                $0.admit(
                    RingRequest(key: CallKey("b")), until: until, secondCall: .soft, callsMax: 10,
                    owner: Owner(.current))
            }.value
        #expect(value == .ring(mode: .soft) && loop.now - begun >= LedgerFile.decisionPatience)
        _ = consume lock
    }

    @Test("R12 R18 what lies there and makes no sense is passed over, and removed once its writer is gone")
    func leftovers() throws {
        #expect(admit("a", in: file)?.outcome == .recorded([]))
        let place = try #require(
            try? Directory.open(path: "\(folder.path)/run/rings", makes: false).names(max: 9).first)
        let dead = ["1-99999999-1.owed", "2-99999999-1.unfinished", "3-99999999-1.ring"]
        let own = "\(ProcessIdentity.current.pid)-\(ProcessIdentity.current.startTicks)"
        let alive = ["4-\(own).owed", "5-\(own).unfinished", "6-\(own).ring"]
        for name in dead + alive + ["nonsense", "9-9.owed", ".owed"] {
            folder.write(Array("no property list".utf8), to: "run/rings/\(place)/\(name)")
        }
        #expect(other.read()?.rings.map(\.key) == [CallKey("a")])
        #expect(hangUp("a", in: other) == .recorded([]))
        #expect(notes.filter { dead.contains($0) }.isEmpty)
        #expect(notes.contains("nonsense") && Set(notes).isSuperset(of: alive))
    }

    @Test("R12 what could not be read at first is not what makes no sense, and counts with the next look but one")
    func unreadableAtFirst() throws {
        #expect(admit("a", in: file)?.outcome == .recorded([]))
        let lock = try holdLock()
        #expect(hangUp("a", in: other) == .waiting([]))
        let rings = try Directory.open(path: "\(folder.path)/run/rings", makes: false)
        let place = try rings.openDirectory(try #require(try rings.names(max: 9).first), makes: false)
        let hangup = try #require(notes.first { $0.hasSuffix(".owed") })
        try place.rename(hangup, to: "\(hangup.prefix { $0 != "-" })-99999999-1.owed")
        // What was changed long ago is not listed again.
        let long = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        try checked("utimensat") { unsafe utimensat(AT_FDCWD, place.path, long, 0) }
        _ = withFailingReads { file.read() }
        _ = consume lock
        #expect(file.read()?.rings.map(\.key) == [CallKey("a")])
        file.transact(on: loop, { _ in }, completion: { #expect($0.outcome == .recorded([])) })
        #expect(file.read()?.rings == [] && other.read()?.rings == [])
    }

    @Test("R12 what a process left that died once the file had it, but before it said so, goes with the next look")
    func killedBeforeItSaidSo() throws {
        #expect(admit("a", in: file)?.outcome == .recorded([]))
        let rings = try Directory.open(path: "\(folder.path)/run/rings", makes: false)
        let place = try #require(try rings.names(max: 9).first)
        let note = try #require(try rings.openDirectory(place, makes: false).read(notes[0], bytesMax: 9_999))
        #expect(hangUp("a", in: other) == .recorded([]))
        folder.write(note.bytes, to: "run/rings/\(place)/1-99999999-1.owed")
        #expect(notes.count == 1)
        let lock = try holdLock()
        var left: [Call]?
        other.transact(on: loop, \.rings) { left = $0.value }
        #expect(left == [] && notes.isEmpty)
        _ = consume lock
    }

    @Test("R7 what lies beside the file is shown with a file that cannot be read") func withBroken()
        throws
    {
        #expect(admit("a", in: file)?.outcome == .recorded([]))
        var shown: [Int] = []
        let watch = file.watch(on: loop) { shown.append($0.rings.count) }
        loop.runUntilIdle()
        let lock = try holdLock()
        #expect(hangUp("a", in: other) == .waiting([]))
        folder.write(Array("{".utf8), to: "state/groups/group.belfry/Library/Preferences/group.belfry.plist")
        loop.runUntilIdle()
        #expect(shown.first == 1 && shown.last == 0)
        watch.cancel()
        _ = consume lock
    }
}
