import BelfryAppGroup
import BelfryEventLoop
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// Reading and changing the group file in one process.
@Suite struct GroupFileTests {
    let place: Place

    init() throws { place = try Place() }

    @Test func namesOfGroupsAreSafeFileNames() {
        for name in ["a", "group.belfry", "0", "A-b.C", String(repeating: "x", count: 128)] {
            #expect(GroupName(name)?.text == name)
        }
        for name in ["", ".", "..", "-a", ".a", "a/b", "a b", "ä", "a\0", "a_b", String(repeating: "x", count: 129)] {
            #expect(GroupName(name) == nil, "\(name)")
        }
    }

    @Test func theStateDirectoryFollowsTheEnvironment() {
        #expect(StateDirectory(environment: ["BELFRY_STATE_DIRECTORY": "/s", "HOME": "/h"])?.path == "/s")
        #expect(StateDirectory(environment: ["XDG_STATE_HOME": "/x", "HOME": "/h"])?.path == "/x/belfry")
        #expect(StateDirectory(environment: ["XDG_STATE_HOME": "x", "HOME": "/h"])?.path == "/h/.local/state/belfry")
        #expect(
            StateDirectory(environment: ["BELFRY_STATE_DIRECTORY": "", "HOME": "/h"])?.path == "/h/.local/state/belfry")
        #expect(StateDirectory(environment: [:]) == nil)
    }

    @Test func aMissingFileIsMissingAndReadingMakesNothing() throws {
        let file = place.file()
        let snapshot = file.snapshot()
        #expect(snapshot.status == .missing)
        #expect(snapshot.root.count == 0)
        #expect(try place.names("") == [])
    }

    @Test func aTransactionWritesAndTheNextReadsIt() throws {
        let (file, other, loop) = (place.file(), place.file(), HandLoop())
        var completed = false
        file.transact(on: loop) { edit -> Int in
            #expect(edit.found.status == .missing)
            edit.root["key"] = .integer(1)
            return 7
        } completion: { transaction in
            #expect(transaction.value == 7)
            #expect(transaction.outcome == .written)
            #expect(transaction.warnings.isEmpty)
            completed = true
        }
        #expect(completed, "an uncontended transaction completes before it returns")
        #expect(loop.pending.isEmpty)
        #expect(other.snapshot().root["key"] == .integer(1))
        #expect(other.snapshot().status == .read)
        #expect(file.snapshot().root == other.snapshot().root)
        #expect(file.path.hasSuffix("/groups/group.test/Library/Preferences/group.test.plist"))
        // Nothing but the file and its lock is left beside it.
        #expect(Set(try place.names(Place.preferences)) == ["group.test.plist", "group.test.plist.lock"])
        #expect(try place.names("groups/group.test/tmp") == [])
    }

    @Test func unchangedIsNotWritten() throws {
        let (file, loop) = (place.file(), HandLoop())
        #expect(change(file, on: loop) { $0.root["a"] = .bool(true) }.outcome == .written)
        let before = file.snapshot().identity
        #expect(change(file, on: loop) { $0.root["a"] = .bool(true) }.outcome == .unchanged)
        #expect(file.snapshot().identity == before)
        #expect(change(place.file("other"), on: loop) { _ in }.outcome == .unchanged)
    }

    @Test func keysThatAreNotOursSurviveWithTheirTypes() throws {
        let (file, loop) = (place.file(), HandLoop())
        try place.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>real</key><real>3</real><key>big</key><integer>18446744073709551615</integer>
            <key>date</key><date>2001-01-01T00:00:10Z</date><key>data</key><data>AQID</data><key>off</key><false/>
            <key>list</key><array><integer>-1</integer><string>&lt;</string></array></dict></plist>
            """
        )
        let before = file.snapshot().root
        #expect(before.count == 6)
        #expect(change(file, on: loop) { $0.root["ours"] = .string("x") }.outcome == .written)
        var after = place.file().snapshot().root
        #expect(after["real"] == .real(3))
        #expect(after["big"] == .unsigned(.max))
        #expect(after["date"] == .date(10))
        #expect(after["data"] == .data([1, 2, 3]))
        #expect(after["off"] == .bool(false))
        after["ours"] = nil
        #expect(after == before)
    }

    @Test func aChangeMadeInsideAChangeRunsAfterIt() throws {
        let (file, loop) = (place.file(), HandLoop())
        var order: [String] = []
        file.transact(on: loop) { edit in
            order.append("outer begins")
            file.transact(on: loop) { inner in
                order.append("inner")
                #expect(inner.root["outer"] == .bool(true))
                inner.root["inner"] = .bool(true)
            } completion: { _ in
                order.append("inner completed")
            }
            edit.root["outer"] = .bool(true)
            order.append("outer ends")
        } completion: { _ in
            order.append("outer completed")
        }
        #expect(order == ["outer begins", "outer ends", "outer completed", "inner", "inner completed"])
        #expect(place.file().snapshot().root["inner"] == .bool(true))
    }

    @Test func aSnapshotCostsNothingWhereNothingChangedAndSeesEveryReplacement() throws {
        let (reader, writer, loop) = (place.file(), place.file(), HandLoop())
        // Faster than the kernel's clock ticks, with sizes that stay the same and inodes that come back.
        for number in 100..<600 {
            #expect(change(writer, on: loop) { $0.root["n"] = .integer(Int64(number)) }.outcome == .written)
            #expect(reader.snapshot().root["n"] == .integer(Int64(number)))
        }
        let revision = reader.snapshot().revision
        #expect(reader.snapshot().revision == revision)
    }

    @Test func whatIsWrittenTwiceWithinOneTickOfTheKernelIsReadTwice() throws {
        let (file, loop) = (place.file(), try Loop())
        // Dated ahead, since a file is young for no longer than the test may be held up.
        func write(_ number: Int) throws {
            try place.write(number: number)
            try place.age(bySeconds: -3600)
        }
        try write(1)
        var seen: [PropertyListValue?] = []
        let (watch, _) = file.watch(on: loop) { seen.append($0.root["n"]) }
        loop.runUntilIdle()
        for number in 2...4 {
            try write(number)
            if number > 2 { watch.look() }
            #expect(file.snapshot().root["n"] == .integer(Int64(number)))
        }
        #expect(seen == [.integer(3), .integer(4)])
        watch.cancel()
    }

    @Test func aVersionThatWasYoungerThanATickOfTheKernelWhenItWasReadIsReadAgain() throws {
        let file = place.file()
        var wasYoung = false
        while !wasYoung {
            try place.write(number: 1)
            let modified = try place.modified()
            #expect(file.snapshot().root["n"] == .integer(1))
            // Who was held up for longer has read an older one, and tries again.
            let age = wallTimeMicroseconds() - Int64(modified.tv_sec * 1_000_000 + modified.tv_nsec / 1_000)
            wasYoung = age < 20_000
            try place.write(number: 2)
            try place.date(modified)
            #expect(!wasYoung || file.snapshot().root["n"] == .integer(2))
        }
    }

    @Test func whatIsToOutliveAPowerCutIsFlushedAndNothingElseIs() throws {
        let file = place.file()
        #expect(change(file, on: HandLoop()) { $0.root["n"] = .integer(1) }.outcome == .written)
        let outcomes = [true, false].map { isDurable in
            withFailingFlush {
                change(file, on: HandLoop()) {
                    $0.root["n"] = .integer(2)
                    $0.isDurable = isDurable
                }.outcome
            }
        }
        guard case .failed(let error) = outcomes[0] else { throw Unexpected(what: "\(outcomes)") }
        #expect(error.errno == EIO && outcomes[1] == .written)
    }

    /// Whoever has written it may have died before that was flushed.
    @Test func whatIsToOutliveAPowerCutIsFlushedAlsoIfTheFileSaysItAlready() throws {
        let file = place.file()
        #expect(change(file, on: HandLoop()) { $0.root["n"] = .integer(1) }.outcome == .written)
        let outcome = withFailingFlush { change(file, on: HandLoop()) { $0.isDurable = true }.outcome }
        guard case .failed(let error) = outcome else { throw Unexpected(what: "\(outcome)") }
        #expect(error.errno == EIO)
        #expect(change(file, on: HandLoop()) { $0.isDurable = true }.outcome == .written)
    }

    @Test func whenItWasWrittenIsToldOnTheBootClock() throws {
        let (file, loop) = (place.file(), try Loop())
        let before = loop.now
        #expect(change(file, on: loop) { $0.root["a"] = .bool(true) }.outcome == .written)
        let modifiedAt = try #require(file.snapshot().modifiedAt)
        #expect(abs((modifiedAt - before).microseconds) < 5_000_000)
        // A file of 1970 is older than this boot.
        var times = [timespec(), timespec()]
        _ = unsafe utimensat(AT_FDCWD, file.path, &times, 0)
        #expect(try #require(file.snapshot().modifiedAt) < Instant(microseconds: 0))
    }

    @Test func aRemovedDirectoryIsMadeAgain() throws {
        let (file, loop) = (place.file(), HandLoop())
        #expect(change(file, on: loop) { $0.root["a"] = .bool(true) }.outcome == .written)
        try place.removeEverything()
        #expect(file.snapshot().status == .missing)
        #expect(change(file, on: loop) { $0.root["b"] = .bool(true) }.outcome == .written)
        #expect(place.file().snapshot().root.keys == ["b"])
    }

    @Test(arguments: [1, 2])
    func aDirectoryThatIsRemovedDuringAChangeIsMadeAgainOnce(times: Int) throws {
        let (file, loop) = (place.file(), HandLoop())
        #expect(change(file, on: loop) { $0.root["a"] = .bool(true) }.outcome == .written)
        var runs = 0
        let transaction = change(file, on: loop) { [place] edit in
            runs += 1
            if runs <= times { #expect(throws: Never.self) { try place.removeEverything() } }
            edit.root["b"] = .bool(true)
        }
        #expect(transaction.warnings.isEmpty)
        guard case .failed(let error) = transaction.outcome else {
            #expect(times == 1)
            return #expect(place.file().snapshot().root.keys == ["b"])
        }
        #expect(times == 2 && error.errno == ENOENT && runs == 2)
    }

    @Test func theCommandLineWaitsForItsTransaction() throws {
        let (file, loop) = (place.file(), try Loop())
        let transaction = file.transactAndWait(on: loop) { edit in
            edit.root["a"] = .bool(true)
            edit.isDurable = true
            return "done"
        }
        #expect(transaction.value == "done")
        #expect(transaction.outcome == .written)
    }

    @Test func aChangeThatSaysNothingOfAPowerCutIsNotFlushed() throws {
        let file = place.file()
        let outcome = withFailingFlush { change(file, on: HandLoop()) { $0.root["n"] = .integer(1) }.outcome }
        #expect(outcome == .written)
    }

    @Test func aGroupsContainerIsMadeAndFoundAgain() throws {
        let state = StateDirectory(path: "\(place.path)/state")
        let group = try #require(GroupName("group.made"))
        #expect(try state.groups() == [])
        for _ in 0..<2 {
            let path = try state.makeContainer(of: group)
            #expect(unsafe access(path, F_OK) == 0)
            #expect(path.hasSuffix("/groups/group.made"))
        }
        #expect(try state.groups() == [group])
    }

    @Test func whatItWroteItselfIsReadToItsWriter() throws {
        let file = place.file()
        #expect(change(file, on: HandLoop()) { $0.root["n"] = .integer(1) }.outcome == .written)
        #expect(file.snapshot().status == .read && file.snapshot().root["n"] == .integer(1))
    }
}
