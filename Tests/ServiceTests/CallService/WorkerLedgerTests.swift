import BelfryAppGroup
import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import CallLedger
import CallService
import Glibc
import GroupLedger
import RingEar
import Support
import Testing

@Suite("R14: each trouble with the group file is one event") struct WorkerLedgerTests {
    let folder = TemporaryFolder()

    /// The warnings told while the file is changed three times.
    func warnings(state path: String) throws -> [WarningCode] {
        let loop = try Loop()
        var told: [WarningCode] = []
        let tell: (Event.Body) -> Void = { body in
            if case .warning(let code, _) = body, let known = code.known { told.append(known) }
        }
        let group = try #require(GroupName("group.belfry"))
        let file = LedgerFile(
            state: StateDirectory(path: path), runtime: RuntimeDirectory(path: "\(folder.path)/run"), group: group)
        let ledger = WorkerLedger(loop: loop, file: file, report: tell)
        var changes = 0
        for number in 1...3 {
            ledger.transact {
                $0.hangUp(CallKey("\(number)"), reason: .cancelled, sentAt: nil)
            } done: { _, _ in
                changes += 1
            }
        }
        #expect(changes == 3)
        return told
    }

    @Test func aFileThatCannotBeWritten() throws {
        #expect(try warnings(state: folder.write([], to: "file")) == [.groupUnwritable])
    }

    @Test func itIsToldBeforeWhatFollowsFromTheChange() throws {
        let loop = try Loop()
        var told: [String] = []
        let group = try #require(GroupName("group.belfry"))
        let file = LedgerFile(
            state: StateDirectory(path: folder.write([], to: "file")),
            runtime: RuntimeDirectory(path: "\(folder.path)/run"), group: group)
        let ledger = WorkerLedger(loop: loop, file: file) { _ in told.append("warning") }
        ledger.transact {
            $0.hangUp(CallKey("a"), reason: .cancelled, sentAt: nil)
        } done: { _, _ in
            told.append("done")
        }
        #expect(told == ["warning", "done"])
    }

    @Test("what is neither in the file nor beside it is known to this process alone") func known() throws {
        let loop = try Loop()
        let group = try #require(GroupName("group.belfry"))
        let runtime = RuntimeDirectory(path: folder.write([], to: "run"))
        for (state, isKnownHereAlone) in [("\(folder.path)/state", false), (folder.write([], to: "file"), true)] {
            let file = LedgerFile(state: StateDirectory(path: state), runtime: runtime, group: group)
            let ledger = WorkerLedger(loop: loop, file: file) { _ in }
            ledger.transact {
                $0.hangUp(CallKey("a"), reason: .cancelled, sentAt: nil)
            } done: { _, _ in
            }
            #expect(ledger.isKnownHereAlone == isKnownHereAlone)
        }
    }

    @Test func aLockThatCannotBeMade() throws {
        folder.makeFolder("state/groups/group.belfry/Library/Preferences/group.belfry.plist.lock")
        #expect(try warnings(state: "\(folder.path)/state") == [.groupLocked])
    }

    @Test func aFileThatIsBrokenAsWell() throws {
        let place = "state/groups/group.belfry/Library/Preferences"
        folder.makeFolder(place)
        let path = folder.write(Array("{".utf8), to: "\(place)/group.belfry.plist")
        let old = timespec(tv_sec: time(nil) - 60, tv_nsec: 0)
        try checked("utimensat") { unsafe utimensat(AT_FDCWD, path, [old, old], 0) }
        folder.write([], to: "state/groups/group.belfry/tmp")
        #expect(try warnings(state: "\(folder.path)/state") == [.groupUnwritable, .groupCorrupt])
    }

    @Test("a lock that its server keeps is no news; one that another process keeps is", arguments: [true, false])
    func lockOfServer(isServer: Bool) throws {
        let place = folder.makeFolder("state/groups/group.belfry/Library/Preferences")
        let preferences = try Directory.open(path: place, makes: false)
        guard let holder = try FileLock.tryTake("group.belfry.plist.lock", in: preferences) else {
            throw SystemError(errno: EBUSY, call: "flock", subject: place)
        }
        let loop = try Loop()
        var told: [Event.Body] = []
        let group = try #require(GroupName("group.belfry"))
        let file = LedgerFile(
            state: StateDirectory(path: "\(folder.path)/state"),
            runtime: RuntimeDirectory(path: "\(folder.path)/run"), group: group)
        // The lock is this process's.
        let ledger = WorkerLedger(loop: loop, file: file, server: isServer ? getpid() : 1) { told.append($0) }
        ledger.transact {
            $0.hangUp(CallKey("a"), reason: .cancelled, sentAt: nil)
        } done: { _, _ in
        }
        ledger.finish { loop.stop() }
        loop.run()
        let codes = told.map { if case .warning(let code, _) = $0 { "\(code)" } else { "" } }
        #expect(codes == (isServer ? [] : ["group-locked"]))
        _ = consume holder
    }

    @Test func nothing() throws {
        #expect(try warnings(state: "\(folder.path)/state") == [])
    }

    @Test func aLockThatCannotBeMadeIsNotToldOfWhereNothingCanBeWritten() throws {
        folder.makeFolder("state/groups/group.belfry/Library/Preferences/group.belfry.plist.lock")
        folder.write([], to: "state/groups/group.belfry/tmp")
        #expect(try warnings(state: "\(folder.path)/state") == [.groupUnwritable])
    }
}

@Suite("A worker's view of the real file") struct WorkerWatchTests {
    let folder = TemporaryFolder()
    let loop: Loop
    let ledger: WorkerLedger

    init() throws {
        loop = try Loop()
        ledger = WorkerLedger(loop: loop, file: Self.file(in: folder)) { Issue.record("\($0)") }
    }

    private static func file(in folder: TemporaryFolder) -> LedgerFile {
        guard let group = GroupName("group.belfry") else { preconditionFailure("no group's name") }
        return LedgerFile(
            state: StateDirectory(path: "\(folder.path)/state"), runtime: RuntimeDirectory(path: "\(folder.path)/run"),
            group: group)
    }

    /// Admits a ring of `owner` as another process does.
    private func admit(_ id: String, as owner: Owner) {
        let until = loop.now + .seconds(30)
        Self.file(in: folder).transact(on: loop) {
            $0.admit(RingRequest(key: CallKey(id)), until: until, secondCall: .soft, callsMax: 9, owner: owner)
        } completion: {
            #expect($0.outcome == .recorded([]))
        }
    }

    @Test("R7 a look shows what no wake-up told of, and none is shown once the watch has ended") func looks() {
        var shown: [[String]] = []
        ledger.watch { shown.append($0.rings.map(\.key.text)) }
        admit("a", as: ledger.owner)
        loop.runUntilIdle()
        #expect(shown.last == ["a"])
        admit("b", as: ledger.owner)
        // Before the loop could tell of it.
        ledger.lookAgain()
        #expect(shown.last == ["a", "b"])
        ledger.stopWatching()
        let count = shown.count
        admit("c", as: ledger.owner)
        ledger.lookAgain()
        loop.runUntilIdle()
        #expect(shown.count == count)
    }

    @Test("R12 the death of the process that rings an older call is shown at once") func death() throws {
        let silent = try DescriptorPair.pipe()
        let child = try ChildProcess(
            ChildCommand(path: "/bin/cat", streams: [0: .descriptor(silent.reading.number), 1: .null]))
        admit("a", as: Owner(try #require(ProcessIdentity(livingPID: child.pid))))
        var shown: [Int] = []
        let begun = loop.now
        ledger.watch { [loop] in
            shown.append($0.rings.count)
            if shown.count == 2 { loop.stop() }
        }
        loop.runUntilIdle()
        ledger.expectEnd(of: Self.file(in: folder).read()?.call(CallKey("a")))
        try child.signal(9)
        loop.run()
        #expect(shown == [1, 0] && loop.now - begun < .seconds(25), "its time is not up yet")
        ledger.stopWatching()
        _ = silent.writing.number
    }

    @Test("an ear that is closed before it began to listen hears nothing") func closedEar() {
        admit("a", as: ledger.owner)
        ledger.listen { _, _, _ in Issue.record("heard") }
        ledger.stopListening()
        loop.runUntilIdle()
        var heard: [RingAnswer]?
        ledger.carryOut(.decline, of: CallKey("a")) { answers, _ in
            heard = answers
        } else: { _ in
        } done: { [loop] _, _ in
            loop.stop()
        }
        if heard == nil { loop.run() }
        #expect(heard == [])
    }

    @Test("who has nothing else to do waits two seconds for a lock that others pass on among themselves, and leaves")
    func finishingPatience() throws {
        let path = "\(folder.path)/state/groups/group.belfry/Library/Preferences"
        folder.makeFolder("state/groups/group.belfry/Library/Preferences")
        let lock = try FileLock.tryTake("group.belfry.plist.lock", in: Directory.open(path: path, makes: false))
        let loop = PolledLoop(at: loop.now)
        let waiting = WorkerLedger(loop: loop, file: Self.file(in: folder)) { Issue.record("\($0)") }
        waiting.transact {
            $0.hangUp(CallKey("a"), reason: .busy, sentAt: nil)
        } done: { _, outcome in
            #expect(outcome == .waiting([]))
        }
        var isFinished: [Bool] = []
        var hasLeft = false
        waiting.finish { hasLeft = true }
        for number in 1...8 {
            // Its holder gets things done.
            let text = "<plist><dict><key>n</key><integer>\(number)</integer></dict></plist>"
            let bytes = Array((text + String(repeating: " ", count: number)).utf8)
            folder.write(bytes, to: "state/groups/group.belfry/Library/Preferences/group.belfry.plist")
            loop.advance(by: .milliseconds(300))
            isFinished.append(hasLeft)
        }
        #expect(isFinished == [false, false, false, false, false, false, true, true])
        _ = consume lock
    }

    @Test("who has nothing to write leaves at once") func finish() {
        var isFinished = false
        ledger.finish { isFinished = true }
        #expect(isFinished)
    }
}
