import BelfryAppGroup
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

    @Test func aFileThatIsBeingWrittenInPlaceIsGivenTime() throws {
        try place.write("<plist><dict><key>theirs</key>")
        let (file, loop) = (place.file(), try Loop())
        _ = loop.schedule(at: loop.now + .milliseconds(30), description: "stranger goes on") {
            do { try place.write(Place.example) } catch { Issue.record(error) }
        }
        let transaction = file.transactAndWait(on: loop) { $0.root["n"] = .integer(1) }
        #expect(transaction.warnings.isEmpty)
        #expect(transaction.outcome == .written)
        #expect(place.file().snapshot().root["theirs"] == .real(3))
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
