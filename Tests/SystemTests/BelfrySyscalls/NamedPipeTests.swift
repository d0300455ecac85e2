import BelfrySyscalls
import CBelfryLinux
import Glibc
import Support
import Testing

/// A named pipe that wakes who reads it.
@Suite struct NamedPipeTests {
    private let folder = TemporaryFolder()

    private func directory() throws -> Directory { try Directory.open(path: folder.path, makes: false) }

    private func kind(of name: String) -> UInt32? {
        var status = stat()
        return unsafe lstat("\(folder.path)/\(name)", &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    @Test func itAppearsUnderItsNameAndIsPokedByAByte() throws {
        let directory = try directory()
        let pipe = try directory.makePipe("ear", aside: "ear.new")
        #expect(kind(of: "ear") == S_IFIFO && kind(of: "ear.new") == nil)
        let pokes = [directory.pokePipe("ear"), directory.pokePipe("ear")]
        #expect(pokes == [true, true])
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(unsafe read(pipe.number, &bytes, bytes.count) == 2)
    }

    @Test func whoDoesNotReadIsNotThere() throws {
        let directory = try directory()
        _ = try directory.makePipe("ear", aside: "ear.new")
        let isHeard = directory.pokePipe("ear")
        #expect(!isHeard)
    }

    @Test func aFullPipeWakesItsReaderAllTheSame() throws {
        let directory = try directory()
        let pipe = try directory.makePipe("ear", aside: "ear.new")
        let filler = [UInt8](repeating: 0, count: 4_096)
        #expect(fcntl(pipe.number, F_SETFL, O_NONBLOCK) == 0)
        while unsafe write(pipe.number, filler, filler.count) > 0 {}
        let isHeard = directory.pokePipe("ear")
        #expect(isHeard)
    }

    @Test func aLinkInItsPlaceIsNotFollowed() throws {
        let victim = folder.write([], to: "victim")
        #expect(unsafe symlink(victim, "\(folder.path)/ear") == 0)
        _ = try directory().pokePipe("ear")
        var status = stat()
        #expect(unsafe stat(victim, &status) == 0 && status.st_size == 0)
    }
}
