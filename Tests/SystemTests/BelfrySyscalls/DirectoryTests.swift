import BelfrySyscalls
import CBelfryLinux
import Glibc
import Support
import Testing

/// Directories of ours and the files in them.
@Suite final class DirectoryTests {
    let place: TemporaryFolder
    let directory: Directory

    init() throws {
        place = TemporaryFolder()
        directory = try Directory.open(path: place.path, makes: false)
    }

    @Test func missingDirectoriesAreMadeForTheirOwnerAlone() throws {
        umask(0)
        defer { umask(0o022) }
        let made = try Directory.open(path: "\(place.path)/a/b/c", makes: true)
        let inner = try made.openDirectory("d", makes: true)
        for path in ["\(place.path)/a", "\(place.path)/a/b/c", inner.path] {
            var status = stat()
            try checked("stat") { unsafe stat(path, &status) }
            #expect(status.st_mode & 0o7777 == 0o700, "\(path)")
        }
        let error = #expect(throws: SystemError.self) {
            _ = try Directory.open(path: "\(place.path)/x", makes: false).path
        }
        #expect(error?.errno == ENOENT)
    }

    @Test func S2_whatIsReadIsARegularFileOfBoundedSize() throws {
        #expect(try directory.read("none", bytesMax: 10) == nil)
        let bytes: [UInt8] = Array("0123456789".utf8)
        try write(bytes, "ten")
        let content = try directory.read("ten", bytesMax: 10)
        #expect(content?.bytes == bytes)
        #expect(content?.identity == (try directory.identity(of: "ten")))
        #expect(error { _ = try directory.read("ten", bytesMax: 9) } == EFBIG)
        try checked("symlink") { unsafe symlink("ten", "\(place.path)/link") }
        #expect(error { _ = try directory.read("link", bytesMax: 10) } == ELOOP)
        try checked("mkfifo") { unsafe mkfifo("\(place.path)/pipe", 0o600) }
        #expect(error { _ = try directory.read("pipe", bytesMax: 10) } == EINVAL)
        #expect(error { _ = try directory.read(".", bytesMax: 10) } == EINVAL)
    }

    @Test(arguments: [false, true]) func aFileIsReplacedWhole(isDurable: Bool) throws {
        let first = try replace("file", [1, 2, 3], isDurable: isDurable)
        #expect(try directory.identity(of: "file") == first)
        let second = try replace("file", Array(repeating: 9, count: 300_000), isDurable: isDurable)
        #expect(second != first)
        #expect(try directory.read("file", bytesMax: 1 << 20)?.bytes.count == 300_000)
        #expect(try directory.names(max: 10) == ["file"])
        var status = stat()
        try checked("stat") { unsafe stat("\(place.path)/file", &status) }
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func whatIsToOutliveAPowerCutIsFlushedBeforeItHasItsName() throws {
        try replace("file", [1], isDurable: false)
        #expect(withFailingFlush { self.error { try self.replace("file", [2], isDurable: true) } } == EIO)
        #expect(try directory.read("file", bytesMax: 10)?.bytes == [1])
        #expect(try directory.names(max: 10) == ["file"])
        #expect(withFailingFlush { self.error { try self.replace("file", [3], isDurable: false) } } == nil)
        #expect(try directory.read("file", bytesMax: 10)?.bytes == [3])
    }

    @Test func theDirectoryIsFlushedOnceTheNewFileHasItsName() throws {
        try replace("file", [1], isDurable: false)
        let folder = directory.descriptor.number
        #expect(withFailingFlush(of: folder) { self.error { try self.replace("file", [2], isDurable: true) } } == EIO)
        #expect(try directory.read("file", bytesMax: 10)?.bytes == [2])
        #expect(withFailingFlush(of: folder) { self.error { try self.replace("file", [3], isDurable: false) } } == nil)
    }

    @Test func whereTheRenameFailsTheTemporaryFileIsGone() throws {
        try checked("mkdir") { unsafe mkdir("\(place.path)/file", 0o700) }
        #expect(error { try replace("file", [1]) } == EISDIR)
        #expect(try directory.names(max: 10) == ["file"])
    }

    @Test func aTemporaryNameThatIsTakenIsNeverWrittenThrough() throws {
        try write([7], "victim")
        try checked("symlink") { unsafe symlink("victim", "\(place.path)/temporary") }
        #expect(error { try replace("file", [1]) } == EEXIST)
        #expect(try directory.read("victim", bytesMax: 10)?.bytes == [7])
    }

    @Test func identitiesTellVersionsApartAndDatesNeverTrap() throws {
        let first = try replace("file", [1])
        let second = try replace("file", [1])
        #expect(!first.isSameFile(as: second) || first != second)
        for seconds in [Int.min, Int.max, 0, -1] {
            var times = [timespec(), timespec()]
            times[1].tv_sec = seconds
            // Whatever of it the file system takes.
            _ = unsafe utimensat(AT_FDCWD, "\(place.path)/file", times, 0)
            _ = try directory.identity(of: "file")?.modifiedMicroseconds
        }
    }

    @Test func removingWhatIsMissingIsNoFailureAndARemovedDirectoryIsSeen() throws {
        try directory.remove("none")
        let inner = try directory.openDirectory("inner", makes: true)
        #expect(try !inner.isRemoved())
        try checked("rmdir") { unsafe rmdir(inner.path) }
        #expect(try inner.isRemoved())
    }

    @discardableResult
    private func replace(_ name: String, _ bytes: [UInt8], isDurable: Bool = false) throws(SystemError) -> FileIdentity
    {
        try directory.replace(name, with: bytes, temporaryName: "temporary", in: directory, isDurable: isDurable)
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        let file = try checked("open") { unsafe open("\(place.path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
        defer { close(file) }
        try checked("write") { unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) } }
    }

    private func error(_ body: () throws -> Void) -> Int32? {
        do { try body() } catch { return (error as? SystemError)?.errno }
        return nil
    }
}
