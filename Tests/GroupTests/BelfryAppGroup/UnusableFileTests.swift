@testable import BelfryAppGroup
import BelfryEventLoop
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// Files and directories that cannot be used as they are (R13, S2).
@Suite struct UnusableFileTests {
    let place: Place

    init() throws {
        place = try Place()
        try place.makeDirectories()
    }

    @Test(arguments: ["no property list", "", "<plist><dict><key>a</key>", "<plist><string>x</string></plist>"])
    func R13_aCorruptFileIsSetAsideAndTheChangeIsWritten(text: String) throws {
        try place.write(text)
        try place.age(bySeconds: 60)
        let file = place.file()
        let found = file.snapshot()
        guard case .unreadable = found.status else { throw Unexpected(what: "\(found.status)") }
        #expect(found.root.count == 0)
        let transaction = change(file, on: try Loop()) { edit in
            #expect(edit.root.count == 0)
            edit.root["n"] = .integer(1)
        }
        #expect(transaction.outcome == .written)
        guard case .corrupt(let keptAs, let detail)? = transaction.warnings.first else {
            throw Unexpected(what: "\(transaction.warnings)")
        }
        #expect(transaction.warnings.first?.code == .groupCorrupt)
        #expect(detail.contains(keptAs))
        #expect(keptAs == "group.test.plist.corrupt")
        #expect(try place.text(of: keptAs) == text)
        #expect(place.file().snapshot().root.keys == ["n"])
    }

    @Test func aBoundedNumberOfCorruptFilesIsKeptTheNewestAmongThem() throws {
        let (file, loop) = (place.file(), try Loop())
        for number in 1...12 {
            try place.write("corrupt \(number)")
            try place.age(bySeconds: 1_000 - number)
            #expect(change(file, on: loop) { $0.root["n"] = .integer(1) }.outcome == .written)
        }
        let kept = try place.names(Place.preferences).filter { $0.contains(".corrupt") }
        #expect(kept.count == 8)
        let texts = try Set(kept.map { try place.text(of: $0) })
        #expect(texts == Set((5...12).map { "corrupt \($0)" }))
    }

    /// The file, whose writer has just begun to write it in place; in virtual time that stands at its last change.
    private func halfWritten() throws -> (file: GroupFile, loop: HandLoop) {
        try place.write("<plist><dict><key>theirs</key>")
        let file = place.file()
        return (file, HandLoop(at: try #require(file.snapshot().modifiedAt)))
    }

    @Test func aFileThatIsBeingWrittenInPlaceIsGivenTime() throws {
        let (file, loop) = try halfWritten()
        let change = WaitingChange(of: file, on: loop) { $0.root["n"] = .integer(1) }
        loop.advance(by: .milliseconds(30))
        #expect(change.ended == nil)
        try place.write(Place.example)
        loop.advance(by: GroupFile.writtenInPlaceInterval)
        let transaction = try #require(change.ended)
        #expect(transaction.warnings.isEmpty)
        #expect(transaction.outcome == .written)
        #expect(place.file().snapshot().root["theirs"] == .real(3))
    }

    @Test func R13_whoeverWritesInPlaceAllTheTimeKeepsACallFromNothingForLong() throws {
        let (file, loop) = try halfWritten()
        let found = file.snapshot()
        let begun = loop.now
        func next(at now: Instant, since begun: Instant) -> Instant? {
            file.nextReading(of: found, since: begun, now: now)
        }
        let limit = begun + .milliseconds(50)
        #expect(next(at: limit, since: begun) == limit + GroupFile.writtenInPlaceInterval)
        #expect(next(at: limit, since: limit - GroupFile.writtenInPlaceTimeMax) == nil)
        let justBefore = limit - GroupFile.writtenInPlaceTimeMax + TimeSpan(microseconds: 1)
        #expect(next(at: limit, since: justBefore) != nil)
        #expect(GroupFile.writtenInPlaceTimeMax == .milliseconds(500))
    }

    @Test func R13_aFileThatNobodyHasChangedForATenthOfASecondIsNotBeingWritten() throws {
        let (file, loop) = try halfWritten()
        let found = file.snapshot()
        // Telling when it was changed takes two clocks, one after the other.
        let late = loop.now + .seconds(5)
        #expect(file.nextReading(of: found, since: late, now: late) == nil)
        #expect(GroupFile.writtenInPlaceTime == .milliseconds(100))
        try place.write(Place.example)
        #expect(file.nextReading(of: file.snapshot(), since: loop.now, now: loop.now) == nil)
    }

    @Test func R13_aFileOfTheFutureIsNotBeingWrittenSinceTheClockWasSetBack() throws {
        try place.write("corrupt")
        try place.age(bySeconds: -60)
        let transaction = change(place.file(), on: HandLoop(at: Instant(microseconds: bootTimeMicroseconds()))) {
            $0.root["n"] = .integer(1)
        }
        #expect(transaction.outcome == .written && transaction.warnings.map(\.code) == [.groupCorrupt])
    }

    @Test func R13_whatHasReplacedTheCorruptFileIsNotSetAside() throws {
        try place.write("corrupt")
        let opened = try GroupDirectories.open(
            state: StateDirectory(path: place.path), group: try #require(GroupName("group.test")), makes: false)
        guard let directories = opened else { throw Unexpected(what: "no directories") }
        let corrupt = try #require(try directories.preferences.identity(of: "group.test.plist"))
        try checked("unlink") { unsafe unlink(place.filePath) }
        try place.write(Place.example)
        #expect(try directories.setAside("group.test.plist", if: corrupt) == nil)
        #expect(try place.text(of: "group.test.plist") == Place.example)
    }

    @Test func whatWouldBeLargerThanAFileMayBeIsNotWritten() throws {
        try place.write(Place.example)
        let tags: PropertyListDictionary = ["large": .string("x"), "theirs": .real(3)]
        let largest = GroupFile.bytesMax - tags.serializedXML().count + 1
        func outcome(_ count: Int) -> GroupOutcome {
            let text = String(repeating: "x", count: count)
            return change(place.file(), on: HandLoop()) { $0.root["large"] = .string(text) }.outcome
        }
        guard case .failed(let error) = outcome(largest + 1) else { throw Unexpected(what: "written") }
        #expect(error.errno == EFBIG)
        #expect(try place.text(of: "group.test.plist") == Place.example)
        #expect(outcome(largest) == .written)
    }

    @Test func whatNoReaderWouldTakeIsNotWritten() throws {
        func outcome(_ value: PropertyListValue) -> GroupOutcome {
            change(place.file(), on: HandLoop()) { $0.root = ["list": value] }.outcome
        }
        func nested(_ depth: Int) -> PropertyListValue { depth == 0 ? .bool(true) : .array([nested(depth - 1)]) }
        let most = PropertyListLimits.valuesMax - 2
        for value in [
            .array(Array(repeating: .bool(true), count: most + 1)),
            nested(PropertyListLimits.depthMax),
        ] as [PropertyListValue] {
            try place.write(Place.example)
            guard case .failed(let error) = outcome(value) else { throw Unexpected(what: "written") }
            #expect(error.errno == EFBIG)
            #expect(try place.text(of: "group.test.plist") == Place.example)
        }
        for value in [
            .array(Array(repeating: .bool(true), count: most)), nested(PropertyListLimits.depthMax - 1),
        ] as [PropertyListValue] {
            #expect(outcome(value) == .written)
            #expect(place.file().snapshot().status == .read)
        }
    }

    @Test func ofAFileThatStaysOverTheLimitTheLatestVersionCounts() throws {
        try place.write(Place.example)
        try checked("truncate") { unsafe truncate(place.filePath, off_t(GroupFile.bytesMax + 1)) }
        let file = place.file()
        let ages = try [60, 30].map { seconds in
            try place.age(bySeconds: seconds)
            let modifiedAt = try #require(file.snapshot().modifiedAt)
            return Instant(microseconds: bootTimeMicroseconds()) - modifiedAt
        }
        #expect(ages[0] > .seconds(55) && ages[1] < .seconds(55))
    }

    @Test func aFileOverTheLimitIsSetAside() throws {
        try place.write(Place.example)
        try checked("truncate") { unsafe truncate(place.filePath, off_t(GroupFile.bytesMax + 1)) }
        try place.age(bySeconds: 60)
        let transaction = change(place.file(), on: try Loop()) { $0.root["n"] = .integer(1) }
        #expect(transaction.outcome == .written)
        #expect(transaction.warnings.map(\.code) == [.groupCorrupt])
        #expect(transaction.warnings.first?.detail.contains("1048576") == true)
    }

    @Test func R13_aFileThatCouldNotBeOpenedForAMomentIsNotSetAside() throws {
        let file = place.file()
        #expect(file.snapshot().status == .missing)
        try place.write(Place.example)
        try place.age(bySeconds: 60)
        let status = withForbiddenFiles { file.snapshot().status }
        guard case .unreadable = status else { throw Unexpected(what: "\(status)") }
        let transaction = change(file, on: HandLoop()) { $0.root["n"] = .integer(1) }
        #expect(transaction.outcome == .written && transaction.warnings.isEmpty)
        #expect(place.file().snapshot().root["theirs"] == .real(3))
    }

    @Test func R13_aGoodFileThatTheDiskDoesNotGiveIsNotSetAside() throws {
        try place.write(Place.example)
        try place.age(bySeconds: 60)
        let transaction = withFailingReads {
            change(place.file(), on: HandLoop()) { $0.root["n"] = .integer(1) }
        }
        guard case .failed(let error) = transaction.outcome else { throw Unexpected(what: "\(transaction.outcome)") }
        #expect(error.errno == EIO && transaction.warnings.isEmpty)
        #expect(try place.text(of: "group.test.plist") == Place.example)
    }

    @Test(arguments: ["link", "directory", "pipe"])
    func whatIsNoRegularFileIsNeverFollowedOrWaitedForButSetAside(kind: String) throws {
        let path = place.filePath
        switch kind {
        case "link": try checked("symlink") { unsafe symlink("/etc/passwd", path) }
        case "directory": try checked("mkdir") { unsafe mkdir(path, 0o700) }
        default: try checked("mkfifo") { unsafe mkfifo(path, 0o600) }
        }
        let file = place.file()
        guard case .unreadable = file.snapshot().status else { throw Unexpected(what: "\(file.snapshot().status)") }
        let transaction = file.transactAndWait(on: try Loop()) { $0.root["n"] = .integer(1) }
        #expect(transaction.outcome == .written)
        #expect(transaction.warnings.map(\.code) == [.groupCorrupt])
        #expect(place.file().snapshot().root.keys == ["n"])
    }

    @Test(arguments: ["groups", "groups/group.test", "groups/group.test/Library", Place.preferences])
    func aDirectoryThatIsALinkIsRefused(name: String) throws {
        let path = "\(place.path)/\(name)"
        try checked("rename") { unsafe rename(path, "\(place.path)/moved") }
        try checked("symlink") { unsafe symlink("\(place.path)/moved", path) }
        try expectRefusal([ELOOP, ENOTDIR])
    }

    @Test(arguments: ["", "groups", "groups/group.test", Place.preferences])
    func aDirectoryThatOthersMayWriteToIsRefused(name: String) throws {
        for mode: mode_t in [0o770, 0o702] {
            try checked("chmod") { unsafe chmod("\(place.path)/\(name)", mode) }
            try expectRefusal([EPERM])
        }
    }

    @Test func aDirectoryOfSomebodyElseIsRefused() throws {
        // As root a directory given away, else one of root's.
        let path = geteuid() == 0 ? place.path : "/usr"
        if geteuid() == 0 { try checked("chown") { unsafe chown(path, 65_534, 65_534) } }
        let file = GroupFile(state: StateDirectory(path: path), group: try #require(GroupName("group.test")))
        try expectRefusal([EPERM], of: file)
    }

    private func expectRefusal(_ errnos: [Int32], of file: GroupFile? = nil) throws {
        let file = file ?? place.file()
        guard case .unreadable = file.snapshot().status else { throw Unexpected(what: "\(file.snapshot().status)") }
        var changeCount = 0
        let transaction = change(file, on: HandLoop()) { edit in
            changeCount += 1
            edit.root["n"] = .integer(1)
        }
        guard case .failed(let error) = transaction.outcome else { throw Unexpected(what: "\(transaction.outcome)") }
        #expect(errnos.contains(error.errno), "\(error)")
        #expect(changeCount == 1)
    }
}
