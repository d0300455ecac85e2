import BelfryAppGroup
import BelfryEventLoop
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// Many processes at one file.
@Suite(.serialized) struct ManyProcessesTests {
    let place: Place

    init() throws { place = try Place() }

    @Test func manyWritersLoseNoUpdateAndReadersNeverSeeHalfAFile() throws {
        let (writerCount, incrementCount) = (8, 200)
        try place.write(Place.example)
        let file = place.file()
        let writers = try (0..<writerCount).map { _ in try GroupProcess("increment", place, count: incrementCount) }
        var (last, seenCount, runningCount) = (Int64(0), 0, writerCount)
        while runningCount > 0 {
            runningCount = try writers.filter { try $0.child.reap() == nil }.count
            let snapshot = file.snapshot()
            #expect(snapshot.status == .read)
            #expect(snapshot.root["theirs"] == .real(3))
            // There is none before the first is written.
            let number = if case .integer(let number)? = snapshot.root["n"] { number } else { last }
            #expect(number >= last)
            if number != last { seenCount += 1 }
            last = number
        }
        for writer in writers {
            let said = try writer.rest()
            #expect(said == [])
            #expect(writer.child.exitStatus?.isSuccess == true)
        }
        #expect(file.snapshot().root["n"] == .integer(Int64(writerCount * incrementCount)))
        #expect(seenCount > 10)
        #expect(try place.names("groups/group.test/tmp") == [])
    }

    /// SIGXFSZ kills the writer in the middle of its temporary file.
    @Test func aKilledWriterLeavesTheFileAsItWasAndItsRemainsAreTidied() throws {
        try place.write(Place.example)
        let before = place.file().snapshot().root
        let killed = try GroupProcess("increment", place, limits: ["--fsize=100", "--core=0"])
        #expect(try killed.child.waitUntilExit() == .killed(signal: SIGXFSZ))
        #expect(try place.names("groups/group.test/tmp").count == 1)
        #expect(place.file().snapshot().root == before)
        #expect(change(place.file(), on: HandLoop()) { $0.root["next"] = .bool(true) }.outcome == .written)
        #expect(try place.names("groups/group.test/tmp") == [])
    }

    @Test func theRemainsOfALivingWriterAreLeftToIt() throws {
        try place.makeDirectories()
        let own = ProcessIdentity.current
        let parent = try #require(ProcessIdentity(livingPID: getppid()))
        let tmp = "\(place.path)/groups/group.test/tmp"
        let names = [
            "group.test.plist.\(parent.pid)-\(parent.startTicks)", "group.test.plist.\(own.pid)-\(own.startTicks - 1)",
            "a stranger's", "group.test.plist.x-1", "group.test.plist.1",
        ]
        for name in names { close(unsafe open("\(tmp)/\(name)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) }
        #expect(change(place.file(), on: HandLoop()) { $0.root["next"] = .bool(true) }.outcome == .written)
        #expect(Set(try place.names("groups/group.test/tmp")) == Set(names).subtracting([names[1]]))
    }

    /// R14: no space is one event, never a lost call. A limit stands for the full disk.
    @Test func aFullDiskFailsTheWriteAndLeavesNothingBehind() throws {
        try place.write(Place.example)
        let before = place.file().snapshot().root
        let squeezed = try GroupProcess("squeeze", place, limits: ["--fsize=100"])
        let lines = try squeezed.rest()
        #expect(lines.count == 1)
        #expect(lines.first?.contains("failed") == true)
        #expect(try squeezed.child.waitUntilExit().isSuccess)
        #expect(place.file().snapshot().root == before)
        #expect(try place.names("groups/group.test/tmp") == [])
    }

    @Test func whereNothingCanBeWrittenTheChangeIsMadeAllTheSame() throws {
        try place.write(Place.example)
        let temporaries = "\(place.path)/groups/group.test/tmp"
        try checked("rmdir") { unsafe rmdir(temporaries) }
        close(unsafe open(temporaries, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        var changeCount = 0
        let transaction = change(place.file(), on: HandLoop()) { edit in
            changeCount += 1
            #expect(edit.root["theirs"] == .real(3))
            edit.root["n"] = .integer(1)
        }
        guard case .failed(let error) = transaction.outcome else { throw Unexpected(what: "\(transaction.outcome)") }
        #expect(error.errno == ENOTDIR)
        #expect(changeCount == 1)
        #expect(place.file().snapshot().root["n"] == nil)
    }

    @Test func aFileThatOutgrowsTheLimitIsNotWritten() throws {
        let file = place.file()
        let transaction = change(file, on: HandLoop()) {
            $0.root["big"] = .data([UInt8](repeating: 0, count: GroupFile.bytesMax))
        }
        guard case .failed(let error) = transaction.outcome else { throw Unexpected(what: "\(transaction.outcome)") }
        #expect(error.errno == EFBIG)
        #expect(file.snapshot().status == .missing)
    }

    @Test func theLockOfAHolderAtWorkIsNotBroken() throws {
        try place.write(Place.example)
        let holder = try GroupProcess("work", place)
        #expect(try holder.line() == "held")
        let loop = HandLoop()
        let change = WaitingChange(of: place.file(), on: loop) { $0.root["n"] = .integer(5) }
        loop.advance(by: .seconds(1))
        let transaction = try #require(change.ended)
        guard case .failed(let error) = transaction.outcome else { throw Unexpected(what: "\(transaction.outcome)") }
        #expect(error.errno == EWOULDBLOCK)
        #expect(transaction.warnings.map(\.detail).joined().hasSuffix("and is at work"))
    }

    @Test func aProcessThatHoldsTheLockItselfDoesNotWaitForItself() throws {
        try place.write(Place.example)
        #expect(try GroupProcess("own", place).line() == "written")
    }

    @Test func aStoppedHolderDelaysAWriterHalfASecondAndIsNamed() throws {
        try place.write(Place.example)
        let holder = try GroupProcess("hold", place)
        #expect(try holder.line() == "held")
        try holder.child.signal(SIGSTOP)
        while ProcessIdentity.isBusy(pid: holder.child.pid) { sched_yield() }
        let loop = HandLoop()
        let change = WaitingChange(of: place.file(), on: loop) { $0.root["n"] = .integer(5) }
        loop.advance(by: .milliseconds(499))
        #expect(change.ended == nil)
        loop.advance(by: .milliseconds(1))
        let transaction = try #require(change.ended)
        #expect(transaction.outcome == .written)
        #expect(transaction.waited == .milliseconds(500))
        guard case .locked(let pid, let detail)? = transaction.warnings.first else {
            throw Unexpected(what: "\(transaction.warnings)")
        }
        #expect(pid == holder.child.pid)
        #expect(detail.contains("process \(holder.child.pid)"))
        #expect(place.file().snapshot().root["n"] == .integer(5))
        #expect(place.file().snapshot().root["theirs"] == .real(3))
    }
}

/// What a test did not expect.
struct Unexpected: Error {
    let what: String
}
