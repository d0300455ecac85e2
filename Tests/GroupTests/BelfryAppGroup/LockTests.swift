import BelfryAppGroup
import BelfryEventLoop
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// Waiting for the lock, in virtual time.
@Suite struct LockTests {
    let place: Place
    let loop = HandLoop()

    init() throws {
        place = try Place()
        try place.makeDirectories()
    }

    @Test func aHeldLockIsTriedAgainAfter1And2And4And8And16Milliseconds() throws {
        let holder = try lock()
        let start = loop.now
        var isDone = false
        place.file().transact(on: loop) {
            $0.root["n"] = .integer(1)
        } completion: { _ in
            isDone = true
        }
        var gaps: [Int64] = []
        var last = start
        while let next = loop.earliest, gaps.count < 7 {
            loop.advance(to: next)
            gaps.append((next - last).microseconds / 1_000)
            last = next
        }
        #expect(gaps == [1, 2, 4, 8, 16, 16, 16])
        #expect(!isDone)
        _ = consume holder
        loop.advance(by: .milliseconds(16))
        #expect(isDone)
    }

    @Test func patienceEndsAfterHalfASecondWithoutAnyChange() throws {
        let holder = try lock()
        let change = WaitingChange(of: place.file(), on: loop) { $0.root["n"] = .integer(1) }
        loop.advance(by: .milliseconds(499))
        #expect(change.ended == nil)
        loop.advance(by: .milliseconds(1))
        let transaction = try #require(change.ended)
        #expect(transaction.waited == .milliseconds(500))
        #expect(transaction.outcome == .written)
        #expect(transaction.warnings.map(\.code) == [.groupLocked])
        guard case .locked(let pid, _)? = transaction.warnings.first else { throw Unexpected(what: "no warning") }
        #expect(pid == getpid())
        _ = consume holder
    }

    @Test func aBusyLockIsNotBrokenAndPatienceHasAnEnd() throws {
        let holder = try lock()
        let change = WaitingChange(of: place.file(), on: loop) { $0.root["n"] = .integer(1) }
        let start = loop.now
        var number = 0
        while change.ended == nil, number < 100 {
            number += 1
            // Its holder gets things done.
            try place.write(Place.example + String(repeating: " ", count: number))
            loop.advance(by: .milliseconds(400))
        }
        let transaction = try #require(change.ended)
        #expect(transaction.waited == .seconds(1))
        #expect(loop.now - start < .milliseconds(1_300))
        guard case .failed(let error) = transaction.outcome else { throw Unexpected(what: "a broken lock") }
        #expect(error.errno == EWOULDBLOCK)
        #expect(transaction.warnings.isEmpty, "its holders are at work")
        #expect(place.file().snapshot().root["n"] == nil)
        #expect(place.file().snapshot().root["theirs"] == .real(3))
        _ = consume holder
    }

    @Test func aChangeThatOthersAreAlwaysAheadOfIsMadeFourTimesAndThenWritten() throws {
        var count = 0
        let transaction = change(place.file(), on: loop) { [place] edit in
            count += 1
            do {
                try place.write(Place.example + String(repeating: " ", count: count))
            } catch {
                Issue.record("\(error)")
            }
            edit.root["n"] = .integer(Int64(count))
        }
        #expect(transaction.outcome == .written && count == 4)
        #expect(place.file().snapshot().root["n"] == .integer(4))
    }

    @Test func transactionsOfOneFileRunInOrder() throws {
        let file = place.file()
        let holder = try lock()
        var order: [Int] = []
        for number in 1...3 {
            file.transact(on: loop) { edit in
                order.append(number)
                edit.root["last"] = .integer(Int64(number))
            } completion: { _ in
                order.append(number * 10)
            }
        }
        loop.advance(by: .milliseconds(50))
        #expect(order.isEmpty)
        _ = consume holder
        loop.advance(by: .milliseconds(16))
        #expect(order == [1, 10, 2, 20, 3, 30])
        #expect(place.file().snapshot().root["last"] == .integer(3))
        #expect(loop.pending.isEmpty)
    }

    @Test func whatHasBecomeNeedlessIsNotWaitedFor() throws {
        let holder = try lock()
        var isNeedless = false
        var ended: GroupTransaction<Void>??
        place.file().transact(on: loop, unless: { isNeedless }, { $0.root["n"] = .integer(1) }) { ended = .some($0) }
        loop.advance(by: .milliseconds(10))
        #expect(ended == nil)
        isNeedless = true
        loop.advance(by: .milliseconds(16))
        guard case .some(nil) = ended else { throw Unexpected(what: "a needless change") }
        #expect(place.file().snapshot().root["n"] == nil && loop.pending.isEmpty)
        _ = consume holder
    }

    @Test func aChangeIsMadeEvenIfNobodyKeepsTheFile() throws {
        let holder = try lock()
        var isDone = false
        do {
            place.file().transact(on: loop) {
                $0.root["n"] = .integer(1)
            } completion: { _ in
                isDone = true
            }
        }
        _ = consume holder
        loop.advance(by: .milliseconds(1))
        #expect(isDone)
        #expect(place.file().snapshot().root["n"] == .integer(1))
    }

    @Test func aLockFileThatIsReplacedIsNotTheLockAnyMore() throws {
        let holder = try lock()
        try checked("unlink") { unsafe unlink(place.lockPath) }
        #expect(change(place.file(), on: loop) { $0.root["n"] = .integer(1) }.outcome == .written)
        _ = consume holder
    }

    @Test func withoutALockFileTheChangeIsWrittenWithAWarning() throws {
        _ = unsafe unlink(place.lockPath)
        try checked("mkdir") { unsafe mkdir(place.lockPath, 0o700) }
        let transaction = change(place.file(), on: loop) { $0.root["n"] = .integer(1) }
        #expect(transaction.outcome == .written)
        #expect(transaction.warnings.map(\.code) == [.groupLocked])
    }

    private func lock() throws -> FileLock {
        let directory = try Directory.open(path: place.preferencesPath, makes: false)
        guard let lock = try FileLock.tryTake("group.test.plist.lock", in: directory) else {
            throw Unexpected(what: "the lock is held")
        }
        return lock
    }
}
