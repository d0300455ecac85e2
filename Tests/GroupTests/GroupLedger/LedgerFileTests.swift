import BelfryAppGroup
import BelfryEventLoop
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
@testable import GroupLedger
import RingEar
import Support
import Testing

/// The ledger in a real file: R12, R13 and R15 where they meet the machine.
@Suite struct LedgerFileTests {
    let folder = TemporaryFolder()
    let loop: Loop
    let file: LedgerFile

    init() throws {
        loop = try Loop()
        let group = try #require(GroupName("group.belfry"))
        file = LedgerFile(
            state: StateDirectory(path: "\(folder.path)/state"), runtime: RuntimeDirectory(path: "\(folder.path)/run"),
            group: group)
    }

    private func admit(_ id: String, as owner: Owner, in other: LedgerFile? = nil) -> Admission? {
        let until = loop.now + .seconds(30)
        return (other ?? file).transactAndWait(on: loop) {
            $0.admit(RingRequest(key: CallKey(id)), until: until, secondCall: .soft, callsMax: 10, owner: owner)
        }.value
    }

    @Test("R13 a file that is missing shows no ledger; one that is broken shows who rings")
    func reading() {
        #expect(file.read() == nil)
        #expect(admit("a", as: Owner(.current)) == .ring(mode: .loud))
        #expect(file.read()?.rings.map(\.key) == [CallKey("a")])
        #expect(file.read()?.loudest?.owner == Owner(.current))
        folder.write(
            Array("no property list".utf8), to: "state/groups/group.belfry/Library/Preferences/group.belfry.plist")
        #expect(file.read()?.rings.map(\.key) == [CallKey("a")])
    }

    @Test("while a group file cannot be read nobody can tell which pictures missed calls are listed with")
    func listedPictures() {
        let state = StateDirectory(path: "\(folder.path)/state")
        let runtime = RuntimeDirectory(path: "\(folder.path)/run")
        #expect(admit("a", as: Owner(.current)) == .ring(mode: .loud))
        #expect(state.listedPictures(runtime: runtime) == [])
        folder.write(
            Array("no property list".utf8), to: "state/groups/group.belfry/Library/Preferences/group.belfry.plist")
        #expect(state.listedPictures(runtime: runtime) == nil)
    }

    @Test("R12 the owner of a dead process, or of another boot, does not live") func owners() throws {
        let own = Owner(.current)
        #expect(own.isAlive)
        #expect(!Owner(bootID: own.bootID, pid: own.pid, start: own.start + 1).isAlive)
        #expect(!Owner(bootID: "another", pid: own.pid, start: own.start).isAlive)
        #expect(!Owner(bootID: own.bootID, pid: .max, start: own.start).isAlive)
        #expect(!Owner(bootID: own.bootID, pid: own.pid, start: -1).isAlive)
        #expect(ProcessIdentity(own) == .current)
    }

    @Test("R12 the watch shows the ledger as it is, each change, and the death of an owner") func watching() throws {
        let child = try ChildProcess(ChildCommand(path: "/bin/cat", streams: [0: .descriptor(try pipe()), 1: .null]))
        let other = Owner(try #require(ProcessIdentity(livingPID: child.pid)))
        #expect(admit("a", as: other) == .ring(mode: .loud))
        var shown: [[CallKey]] = []
        var wanted = 0
        let watch = file.watch(on: loop) { [loop] ledger in
            shown.append(ledger.rings.map(\.key))
            if shown.count == wanted { loop.stop() }
        }
        wanted = 1
        loop.run()
        #expect(shown == [[CallKey("a")]])
        let ring = try #require(file.read()?.call(CallKey("a")))
        watch.expectEnds(of: [ring])
        watch.expectEnds(of: [ring])
        wanted = 2
        try child.signal(9)
        loop.run()
        #expect(shown == [[CallKey("a")], []])
        #expect(loop.now < ring.until, "by its death, not by its time")
        loop.runUntilIdle()
        #expect(shown.count == 2, "asked for twice, told once")
        wanted = 3
        #expect(admit("b", as: Owner(.current)) == .ring(mode: .loud))
        loop.run()
        #expect(shown.last == [CallKey("b")])
        watch.cancel()
        watch.cancel()
        _ = admit("c", as: Owner(.current))
        loop.runUntilIdle()
        #expect(shown.count == 3)
    }

    @Test("R12 a death that is no longer expected shows nothing, one that is expected again is shown once")
    func expectedAgain() throws {
        let children = try (0..<2).map { _ in
            try ChildProcess(ChildCommand(path: "/bin/cat", streams: [0: .descriptor(try pipe()), 1: .null]))
        }
        for (number, child) in children.enumerated() {
            _ = admit("\(number)", as: Owner(try #require(ProcessIdentity(livingPID: child.pid))))
        }
        let rings = try #require(file.read()?.rings)
        var shown = 0
        let watch = file.watch(on: loop) { _ in shown += 1 }
        loop.runUntilIdle()
        for expected in [rings, [], [rings[1]]] { watch.expectEnds(of: expected) }
        for (child, count) in zip(children, [1, 2]) {
            try child.signal(9)
            _ = try child.waitUntilExit()
            loop.runUntilIdle()
            #expect(shown == count)
        }
        watch.cancel()
    }

    @Test("a watch that is cancelled before it began shows nothing") func cancelled() {
        _ = admit("a", as: Owner(.current))
        let watch = file.watch(on: loop) { _ in Issue.record("shown") }
        watch.cancel()
        loop.runUntilIdle()
    }

    @Test("who is told that the file cannot be watched may end the watch, and is shown nothing then")
    func cancelledAsItBegins() {
        folder.write([], to: "state")
        file.transact(on: loop) {
            _ = $0.hangUp(CallKey("a"), reason: .busy, sentAt: nil)
        } completion: { _ in
        }
        var (shown, failures) = (0, 0)
        var watches: [LedgerWatch] = []
        for isCancelled in [false, true] {
            watches.append(
                file.watch(on: loop) { _ in
                    failures += 1
                    if isCancelled { watches[1].cancel() }
                } changed: { _ in
                    shown += 1
                })
        }
        loop.runUntilIdle()
        #expect(failures == 2 && shown == 1)
        watches[0].cancel()
    }

    @Test("R13 R18 a file that cannot be read for a moment hangs up nothing") func unreadable() throws {
        _ = admit("a", as: Owner(.current))
        var rings: [CallKey] = []
        let watch = file.watch(on: loop) { rings = $0.rings.map(\.key) }
        loop.runUntilIdle()
        #expect(rings == [CallKey("a")])
        folder.write(Array("{".utf8), to: "state/groups/group.belfry/Library/Preferences/group.belfry.plist")
        watch.look()
        loop.runUntilIdle()
        #expect(rings == [CallKey("a")])
        watch.cancel()
    }

    @Test(
        "R10 the watch shows the ledger again when a ring's time is up, though nobody writes so",
        .timeLimit(.minutes(10)))
    func timeIsUp() throws {
        let until = loop.now + .milliseconds(50)
        _ = file.transactAndWait(on: loop) {
            $0.admit(
                RingRequest(key: CallKey("a")), until: until, secondCall: .soft, callsMax: 10, owner: Owner(.current))
        }
        let ring = try #require(file.read()?.call(CallKey("a")))
        var shown: [Int] = []
        let watch = file.watch(on: loop) { [loop] ledger in
            shown.append(ledger.rings.count)
            if ledger.rings.isEmpty { loop.stop() }
        }
        // Of a process that was held up for so long the first look may come when the ring is over.
        _ = loop.schedule(at: loop.now, description: "whoever waits for it") { watch.expectEnds(of: [ring]) }
        loop.run()
        #expect(shown == [1, 0] || shown == [0])
        #expect(loop.now >= until)
        watch.cancel()
        watch.expectEnds(of: [])
        loop.runUntilIdle()
    }

    @Test("R10 and when a process ends that an answered call goes on in, or was over before", .timeLimit(.minutes(10)))
    func holderDies() throws {
        let child = try ChildProcess(ChildCommand(path: "/bin/sleep", arguments: ["600"]))
        let holder = Owner(try #require(ProcessIdentity(livingPID: child.pid)))
        _ = file.transactAndWait(on: loop) { [loop] in
            let owner = Owner(.current)
            _ = $0.admit(
                RingRequest(key: CallKey("a")), until: loop.now + .seconds(30), secondCall: .soft, callsMax: 10,
                owner: owner)
            return $0.answer(CallKey("a"), heldBy: holder)
        }
        let active = try #require(file.read()?.activeCalls)
        #expect(active.map(\.holders) == [[holder]])
        var shown: [Int] = []
        let watch = file.watch(on: loop) { [loop] ledger in
            shown.append(ledger.activeCalls.count)
            if ledger.activeCalls.isEmpty { loop.stop() }
        }
        loop.runUntilIdle()
        watch.expectEnds(of: active)
        try child.signal(SIGKILL)
        loop.run()
        #expect(shown == [1, 0])
        watch.cancel()
        _ = try child.waitUntilExit()
    }

    @Test("R13 a file that is gone, half written or empty for a moment hangs up nobody, though no note says who rings")
    func withoutNotes() throws {
        folder.write([], to: "run")
        _ = admit("a", as: Owner(.current))
        let group = try #require(GroupName("group.belfry"))
        let other = LedgerFile(
            state: StateDirectory(path: "\(folder.path)/state"), runtime: RuntimeDirectory(path: "\(folder.path)/run"),
            group: group)
        var rings: [CallKey] = []
        let watch = other.watch(on: loop) { rings = $0.rings.map(\.key) }
        loop.runUntilIdle()
        for text in ["{", ""] {
            folder.write(Array(text.utf8), to: "state/groups/group.belfry/Library/Preferences/group.belfry.plist")
            watch.look()
            loop.runUntilIdle()
            #expect(rings == [CallKey("a")])
        }
        try checked("unlink") { unsafe unlink(other.file.path) }
        watch.look()
        loop.runUntilIdle()
        #expect(rings == [CallKey("a")])
        watch.cancel()
    }

    @Test(
        "R8 hangups by the hundred are remembered beside the file, or in it if there is no room beside",
        arguments: [false, true])
    func manyEnds(isBarred: Bool) throws {
        let place = "state/groups/group.belfry/Library/Preferences/group.belfry.plist"
        if isBarred { folder.makeFolder("\(place).ends") }
        let hangUps = (0..<100).map(String.init)
        for id in hangUps {
            file.transact(on: loop) {
                _ = $0.hangUp(CallKey(id), reason: .cancelled, sentAt: nil)
            } completion: { _ in
            }
        }
        let calls = try #require(file.read()).calls.count
        #expect(isBarred ? calls == 100 : (16...32).contains(calls))
        for id in hangUps { #expect(admit(id, as: Owner(.current)) == .silent(.hungUp, missed: true)) }
        #expect(admit("new", as: Owner(.current)) == .ring(mode: .loud))
    }

    @Test("a missed call is flushed to the disk, a hangup is not") func durable() throws {
        #expect(admit("a", as: Owner(.current)) == .ring(mode: .loud))
        let changes: [(inout Ledger) -> Void] = [
            { _ = $0.hangUp(CallKey("a"), reason: .cancelled, sentAt: nil) },
            { _ = $0.settle(RingRequest(key: CallKey("a")), owner: Owner(.current), reason: .hangup) },
        ]
        let outcomes = withFailingFlush {
            changes.map { outcome(of: $0) }
        }
        #expect(outcomes.first == .recorded([]))
        guard case .unwritable(let error, kept: true, [])? = outcomes.last else {
            Issue.record("not flushed: \(outcomes)")
            return
        }
        #expect(error.errno == EIO)
    }

    @Test("R12 a missed call whose writer died before it was flushed is flushed by who opens the ledger next")
    func flushedAfterAll() throws {
        #expect(admit("a", as: Owner(.current)) == .ring(mode: .loud))
        let settle = { (ledger: inout Ledger) in
            _ = ledger.settle(RingRequest(key: CallKey("a")), owner: Owner(.current), reason: .timeout)
        }
        let open = { (ledger: inout Ledger) in }
        let outcomes = withFailingFlush { [settle, open].map { outcome(of: $0) } }
        #expect(outcomes.allSatisfy { $0?.isRecorded == false })
        let root = try #require(file.read()).root
        folder.write(root.serializedXML(), to: "state/groups/group.belfry/Library/Preferences/group.belfry.plist")
        #expect(withFailingFlush { outcome(of: open) }?.isRecorded == false)
        #expect(outcome(of: open) == .recorded([]))
        #expect(withFailingFlush { outcome(of: open) } == .recorded([]))
    }

    private func outcome(of change: @escaping (inout Ledger) -> Void) -> LedgerOutcome? {
        var outcome: LedgerOutcome?
        file.transact(on: HandLoop(at: loop.now), change) { outcome = $0.outcome }
        return outcome
    }

    /// The reading end of a pipe that nobody writes to and this process keeps open.
    private func pipe() throws -> Int32 {
        let pair = try DescriptorPair.pipe()
        _ = pair.writing.release()
        return pair.reading.release()
    }
}
