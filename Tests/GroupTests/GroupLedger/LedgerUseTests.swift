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

/// What callers of the ledger rely on, with a real file and real ears in virtual time: R7, R10, R12, R18 and R22.
@Suite struct LedgerUseTests {
    let folder = TemporaryFolder()
    let loop: PolledLoop
    let file: LedgerFile
    let group: GroupName
    let plist = "state/groups/group.belfry/Library/Preferences/group.belfry.plist"

    init() throws {
        // The ledger's own moments are of the real clock.
        loop = PolledLoop(at: Instant(microseconds: bootTimeMicroseconds()))
        group = try #require(GroupName("group.belfry"))
        file = LedgerFile(
            state: StateDirectory(path: "\(folder.path)/state"), runtime: RuntimeDirectory(path: "\(folder.path)/run"),
            group: group)
    }

    /// The ledger as another process has it open.
    private var other: LedgerFile {
        LedgerFile(
            state: StateDirectory(path: "\(folder.path)/state"), runtime: RuntimeDirectory(path: "\(folder.path)/run"),
            group: group)
    }

    @discardableResult
    private func admit(_ id: String, as owner: Owner = Owner(.current), rings: TimeSpan = .seconds(30)) -> Call? {
        let until = loop.now + rings
        file.transact(on: loop) {
            _ = $0.admit(
                RingRequest(key: CallKey(id)), until: until, secondCall: .soft, callsMax: 10, owner: owner)
        } completion: { _ in
        }
        return file.read()?.call(CallKey(id))
    }

    private func hangUp(_ id: String, in file: LedgerFile, _ told: @escaping (LedgerOutcome) -> Void = { _ in }) {
        file.transact(on: loop) {
            _ = $0.hangUp(CallKey(id), reason: .busy, sentAt: nil)
        } completion: {
            told($0.outcome)
        }
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

    /// Where the notes are.
    private func place() throws -> String {
        let rings = try Directory.open(path: "\(folder.path)/run/rings", makes: false)
        return "run/rings/\(try #require(try rings.names(max: 9).first))"
    }

    /// The names of the notes.
    private var notes: [String] {
        guard let place = try? place() else { return [] }
        let names = try? Directory.open(path: "\(folder.path)/\(place)", makes: false).names(max: 99)
        return (names ?? []).filter { !$0.hasSuffix(".ear") }
    }

    @Test("R7 what is asked of one call reaches its ring alone, what is asked of all reaches all, and all is said so")
    func asking() throws {
        admit("a")
        admit("b")
        var heard: [String] = []
        let ear = try Ear(of: Owner(.current), in: other.folder)
        try ear.listen(on: loop) { message, answer in
            heard.append("\(message.call.text) \(message.ask)")
            guard message.call.text == "a" else { return answer(nil) }
            answer(RingAnswer(key: message.call, state: .answered, isRecorded: true))
        }
        var told: [(states: [CallState], all: Bool)] = []
        for key in [CallKey("a"), nil, CallKey("c")] {
            file.ask(.answer(), of: key, on: loop) { told.append(($0.map(\.state), $1)) }
            loop.advance(by: .milliseconds(100))
        }
        #expect(heard == ["a", "a", "b"].map { "\($0) \(RingAsk.answer())" })
        #expect(told.map(\.states) == [[.answered], [.answered], []] && told.map(\.all) == [true, false, true])
        ear.close()
    }

    @Test("R7 R10 a change that the file cannot show at once wakes the other processes that ring, each once")
    func waking() throws {
        let parent = Owner(try #require(ProcessIdentity(livingPID: getppid())))
        for id in ["a", "b"] { admit(id, as: parent) }
        admit("c")
        var heard: [String] = []
        let ears = try [parent, Owner(.current)].map { owner in
            let ear = try Ear(of: owner, in: other.folder)
            try ear.listen(on: loop) { message, answer in
                heard.append("\(owner == parent ? "parent" : "own"): \(message.ask)")
                answer(nil)
            }
            return ear
        }
        func heardOnce(_ change: () -> Void) -> [String] {
            heard = []
            change()
            loop.settle()
            return heard
        }
        #expect(heardOnce { hangUp("a", in: file) } == [], "the file shows it")
        let lock = try holdLock()
        #expect(heardOnce { hangUp("b", in: file) } == ["parent: look"])
        admit("d", as: parent)
        let ended = heardOnce { file.transact(onOwnRing: { $0.answer(CallKey("c")) }, on: loop) { _ in } }
        #expect(ended == ["parent: look"])
        for ear in ears { ear.close() }
        _ = consume lock
    }

    @Test("R7 what each decision makes of the ledger is said before others find it, and whose it was") func decisions()
        throws
    {
        var decided: [(states: [CallState], isOwn: Bool, found: Int?)] = []
        file.onDecided = { [other] ledger, isOwn in
            decided.append((ledger.calls.map(\.state), isOwn, other.read()?.calls.count))
        }
        admit("a")
        file.transact(onOwnRing: { $0.answer(CallKey("a")) }, on: loop) { _ in }
        #expect(decided.map(\.states) == [[.ringing], [.answered]] && decided.map(\.isOwn) == [false, true])
        #expect(decided.map(\.found) == [nil, 1])
    }

    @Test("changes that wait for another process's decision are made in their order, each once") func order() throws {
        try other.folder.open(makes: true)
        try file.folder.open(makes: true)
        let lock = try file.folder.tryLock()
        var made: [Int] = []
        for number in 1...3 {
            file.transact(on: loop) { _ in
                made.append(number)
            } completion: { _ in
            }
        }
        loop.advance(by: .milliseconds(2))
        #expect(made == [])
        _ = consume lock
        loop.advance(by: .milliseconds(1))
        #expect(made == [1, 2, 3])
    }

    @Test("R22 the command line is told what became of a file whose lock it waited for") func waits() throws {
        let lock = try holdLock()
        var decided: [LedgerOutcome] = []
        let ended = file.transactAndWait(
            on: loop, { $0.hangUp(CallKey("a"), reason: .busy, sentAt: nil) }, decided: { decided.append($0.outcome) })
        #expect(decided == [.waiting([])])
        guard case .recorded(let warnings) = ended.outcome else {
            Issue.record("not recorded: \(ended.outcome)")
            return
        }
        #expect(!warnings.isEmpty, "the lock was passed over")
        _ = consume lock
    }

    @Test("R7 who waits for the lock waits no more once another has taken his change along") func takenAlong() throws {
        let lock = try holdLock()
        var told: [LedgerOutcome] = []
        file.onRecorded = { told.append($0) }
        hangUp("a", in: file)
        _ = consume lock
        hangUp("b", in: other)
        let again = try holdLock()
        loop.advance(by: .milliseconds(20))
        #expect(told == [.recorded([])])
        _ = consume again
    }

    @Test("R7 the end of a ring is known to all though its folder was removed and the file is locked") func noFolder()
        throws
    {
        admit("a")
        let lock = try holdLock()
        TemporaryFolder.remove("\(folder.path)/run")
        let request = RingRequest(key: CallKey("a"))
        file.transact(onOwnRing: { $0.settle(request, owner: Owner(.current), reason: .timeout) }, on: loop) { _ in }
        #expect(other.read()?.call(CallKey("a"))?.state == .timeout)
        _ = consume lock
    }

    @Test("R18 a ring that another program has written away is owed again once its process looks, and is written again")
    func writtenAway() throws {
        admit("a")
        let watch = file.watch(on: loop) { _ in }
        loop.settle()
        #expect(notes.allSatisfy { $0.hasSuffix(".ring") } && notes.count == 1)
        folder.write(Array("<plist><dict><key>n</key><integer>1</integer></dict></plist>".utf8), to: plist)
        watch.look()
        #expect(notes.allSatisfy { $0.hasSuffix(".lost") } && notes.count == 1)
        file.recordWhatIsOwed(on: loop)
        #expect(notes.allSatisfy { $0.hasSuffix(".ring") } && notes.count == 1)
        let written = other.file.snapshot()
        #expect(Ledger(reading: written).rings.map(\.key) == [CallKey("a")] && written.root["n"] == .integer(1))
        watch.cancel()
    }

    @Test("a watch of a group that has neither file nor notes shows nothing") func nothing() {
        let watch = file.watch(on: loop) { _ in Issue.record("shown") }
        loop.settle()
        watch.look()
        watch.cancel()
    }

    @Test("R10 of several rings the first end is shown, and none once the watch has ended") func firstEnd() throws {
        let rings = try [admit("a", rings: .seconds(5)), admit("b", rings: .seconds(1))].map { try #require($0) }
        var shown = 0
        let watch = file.watch(on: loop) { _ in shown += 1 }
        loop.settle()
        #expect(shown == 1)
        watch.expectEnds(of: rings)
        loop.advance(by: .milliseconds(999))
        #expect(shown == 1)
        loop.advance(by: .milliseconds(1))
        #expect(shown == 2)
        watch.cancel()
        watch.expectEnds(of: rings)
        hangUp("a", in: other)
        watch.look()
        loop.advance(by: .seconds(9))
        #expect(shown == 2)
    }

    @Test("R17 a watch that has ended wakes its process for nothing more") func ended() throws {
        let ring = try #require(admit("a"))
        let before = loop.pending
        file.watch(on: loop) { _ in Issue.record("shown") }.cancel()
        #expect(loop.pending == before, "it had yet to begin")
        let watch = file.watch(on: loop) { _ in }
        loop.settle()
        watch.expectEnds(of: [ring])
        #expect(loop.pending.count == before.count + 1)
        watch.cancel()
        watch.expectEnds(of: [ring])
        #expect(loop.pending == before, "it waited for the ring's end")
    }

    @Test("a look shows nothing again if neither file nor notes have changed, however young they are") func sameNotes()
        throws
    {
        admit("a")
        admit("b")
        let rings = try Directory.open(path: "\(folder.path)/run/rings", makes: false)
        let folderPath = "\(rings.path)/\(try rings.names(max: 9).first ?? "")"
        let young = timespec(tv_sec: time(nil) + 3_600, tv_nsec: 0)
        try checked("utimensat") { unsafe utimensat(AT_FDCWD, folderPath, [young, young], 0) }
        var shown = 0
        let watch = other.watch(on: loop) { _ in shown += 1 }
        loop.settle()
        for _ in 0..<3 { watch.look() }
        #expect(shown == 1)
        watch.cancel()
    }

    @Test("R12 a ring whose process has a number that none can have is over") func impossibleOwner() {
        admit("a", as: Owner(bootID: Owner(.current).bootID, pid: .max, start: 1))
        #expect(file.read()?.rings.isEmpty == true)
    }

    @Test("R22 what lies beside the file is recorded as soon as others let it be, what cannot be written is not")
    func outcomes() {
        let unwritable = LedgerOutcome.unwritable(SystemError(errno: ENOSPC, call: "write"), kept: true, [])
        let all: [LedgerOutcome] = [.recorded([]), .waiting([]), unwritable]
        #expect(all.map(\.isRecorded) == [true, true, false])
        #expect(all.map(\.isVisibleInFile) == [true, false, false])
    }

    @Test("R18 what makes no sense is no ring that was written away") func nonsense() throws {
        admit("a")
        let rings = try Directory.open(path: "\(folder.path)/run/rings", makes: false)
        let place = try #require(try rings.names(max: 9).first)
        let name = "6-\(ProcessIdentity.current.pid)-\(ProcessIdentity.current.startTicks).ring"
        folder.write(Array("no property list".utf8), to: "run/rings/\(place)/\(name)")
        let watch = file.watch(on: loop) { _ in }
        loop.settle()
        watch.look()
        #expect(notes.contains(name))
        watch.cancel()
    }

    @Test("R7 a note that takes another one's place is news, though there are as many as before") func replacedNote()
        throws
    {
        let lock = try holdLock()
        let writer = other
        let until = loop.now + .seconds(30)
        writer.transact(on: loop) {
            _ = $0.admit(
                RingRequest(key: CallKey("a")), until: until, secondCall: .soft, callsMax: 10, owner: Owner(.current))
        } completion: { _ in
        }
        var shown: [Int] = []
        let watch = file.watch(on: loop) { shown.append($0.rings.count) }
        loop.settle()
        #expect(shown == [1] && notes.count == 1)
        hangUp("a", in: writer)
        #expect(notes.count == 1)
        watch.look()
        #expect(shown == [1, 0])
        watch.cancel()
        _ = consume lock
    }

    @Test("a decision waits 100 ms for another, a collecting one a second; a file that failed is tried a second later")
    func limits() {
        #expect(LedgerFile.decisionPatience == .milliseconds(100))
        #expect(LedgerFile.collectingPatience == .seconds(1) && LedgerFile.recordingInterval == .seconds(1))
    }

    @Test("R7 what comes while the lock is waited for goes with it, and all is told of once") func oneRecording() throws
    {
        let lock = try holdLock()
        var told: [LedgerOutcome] = []
        file.onRecorded = { told.append($0) }
        for id in ["a", "b"] { hangUp(id, in: file) }
        file.recordWhatIsOwed(on: loop)
        #expect(told == [])
        _ = consume lock
        loop.advance(by: .milliseconds(20))
        #expect(told == [.recorded([])] && Ledger(reading: other.file.snapshot()).calls.count == 2)
    }

    @Test("R7 what changes nothing waits for nobody") func unchanged() throws {
        admit("a")
        let lock = try holdLock()
        var outcome: LedgerOutcome?
        file.transact(on: loop, { _ in }, completion: { outcome = $0.outcome })
        #expect(outcome == .recorded([]))
        _ = consume lock
    }

    @Test("R7 an answer waits for the app as long as its process was told, whoever gives it") func answersWait() throws
    {
        for id in ["a", "b"] { admit(id) }
        file.answersWait = .seconds(7)
        file.transact(on: loop, { $0.answer(CallKey("a")) }, completion: { _ in })
        file.transact(onOwnRing: { $0.answer(CallKey("b")) }, on: loop) { _ in }
        let answers = other.file.snapshot().root["pendingAccept"]?.arrayValue ?? []
        let ends = answers.compactMap { $0.dictionaryValue?["until"]?.boundedInteger(in: 0...Int64.max) }
        #expect(ends.count == 2 && ends.allSatisfy { $0 <= bootTimeMicroseconds() + 7_000_000 })
    }

    @Test("R22 who leaves does not try again what cannot be written") func hopeless() throws {
        let lock = try holdLock()
        var told: [LedgerOutcome] = []
        file.onRecorded = { told.append($0) }
        hangUp("a", in: file)
        var isFinished = false
        file.finish(by: loop.now + .seconds(3)) { isFinished = true }
        folder.write([], to: "state/groups/group.belfry/tmp")
        _ = consume lock
        loop.advance(by: .milliseconds(20))
        #expect(told.map(\.isRecorded) == [false] && isFinished)
    }

    @Test("R22 of a file that could not be written nobody says that it only waits for its lock")
    func hopelessBehindLock() throws {
        folder.makeFolder("state/groups/group.belfry")
        folder.write([], to: "state/groups/group.belfry/tmp")
        var told: [LedgerOutcome] = []
        hangUp("a", in: file) { told.append($0) }
        let lock = try holdLock()
        hangUp("b", in: file) { told.append($0) }
        hangUp("c", in: file) { told.append($0) }
        #expect(told.map(\.isRecorded) == [false, false, false])
        _ = consume lock
    }

    @Test("R22 what can lie nowhere is said to be known to its process alone") func nowhere() {
        folder.write([], to: "run")
        folder.makeFolder("state/groups/group.belfry")
        folder.write([], to: "state/groups/group.belfry/tmp")
        var told: [LedgerOutcome] = []
        hangUp("a", in: file) { told.append($0) }
        guard case .unwritable(_, kept: false, [])? = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(file.isKnownHereAlone && file.read()?.call(CallKey("a"))?.state == .hangup)
    }

    @Test("without a runtime folder a process remembers what it did only until the file has it, and its rings")
    func remembered() throws {
        folder.write([], to: "run")
        hangUp("a", in: file)
        try checked("unlink") { unsafe unlink(file.file.path) }
        #expect(file.read() == nil)
        admit("b")
        try checked("unlink") { unsafe unlink(file.file.path) }
        #expect(file.read()?.rings.map(\.key) == [CallKey("b")])
    }

    @Test("R8 a look before the watch has begun shows what is there: one at whose ear a hangup asks has to know it")
    func early() {
        hangUp("a", in: other)
        var shown: [CallState?] = []
        let watch = file.watch(on: loop) { shown.append($0.call(CallKey("a"))?.state) }
        #expect(shown == [])
        watch.look()
        #expect(shown == [.hangup])
        watch.cancel()
        watch.look()
        loop.settle()
        #expect(shown == [.hangup])
    }

    @Test("R7 what another process had laid is recorded if the notes' folder is gone, and does not come back")
    func folderGone() throws {
        let lock = try holdLock()
        hangUp("a", in: other)
        hangUp("b", in: file)
        let place = "\(folder.path)/\(try place())"
        let name = try #require(notes.min())
        try checked("rename") { unsafe rename("\(place)/\(name)", "\(place)/7-99999999-1.owed") }
        #expect(file.read()?.calls.count == 2)
        TemporaryFolder.remove(place)
        #expect(file.read()?.calls.map(\.key) == [CallKey("b")])
        _ = consume lock
    }

    @Test("R18 a ring that was written away is owed again by its own process alone") func writtenAwayElsewhere() throws
    {
        admit("a")
        let place = "\(folder.path)/\(try place())"
        try checked("rename") { unsafe rename("\(place)/\(notes[0])", "\(place)/7-99999999-1.ring") }
        let watch = other.watch(on: loop) { _ in }
        loop.settle()
        folder.write(Array("<plist><dict><key>n</key><integer>1</integer></dict></plist>".utf8), to: plist)
        watch.look()
        #expect(notes == ["7-99999999-1.ring"])
        watch.cancel()
    }

    @Test("R15 a note of a call that is forgotten goes, though the file is locked") func forgotten() throws {
        hangUp("a", in: file)
        let now = Instant(microseconds: bootTimeMicroseconds()) - .seconds(3_600)
        let wall = WallTime(microseconds: wallTimeMicroseconds() - 3_600_000_000)
        let moment = Moment(now: now, wall: wall, bootID: Owner(.current).bootID, fileModified: now) { _ in false }
        let before = Ledger(reading: PropertyListDictionary(), with: [], at: moment)
        var after = before
        _ = after.hangUp(CallKey("old"), reason: .busy, sentAt: nil)
        let note = try #require(LedgerNote(from: before, to: after))
        let name = "\(try place())/1-99999999-1.owed"
        folder.write(note.root.serializedXML(), to: name)
        let lock = try holdLock()
        hangUp("b", in: file)
        #expect(notes.count == 1 && !notes[0].hasPrefix("1-"))
        _ = consume lock
    }

    @Test("R10 of several expectations of an end the last counts") func lastExpectation() throws {
        let rings = try [admit("a", rings: .seconds(5)), admit("b", rings: .seconds(1))].map { try #require($0) }
        var shown = 0
        let watch = file.watch(on: loop) { _ in shown += 1 }
        loop.settle()
        for ring in rings.reversed() { watch.expectEnds(of: [ring]) }
        loop.advance(by: .milliseconds(4_999))
        #expect(shown == 1)
        loop.advance(by: .milliseconds(1))
        #expect(shown == 2)
        watch.cancel()
    }
}
