import Glibc
import Support
import Testing

@testable import BelfrySyscalls

/// What is read of the files that the kernel makes up.
@Suite struct ProcessFilesTests {
    private func line(name: String = "belfry", state: Character = "S", start: String = "987654 ") -> [UInt8] {
        let between = (4...21).map(String.init).joined(separator: " ")
        return Array("4711 (\(name)) \(state) \(between) \(start)".utf8)
    }

    @Test(arguments: [("S", true, false, false), ("R", true, true, false), ("D", true, true, false)])
    func aProcessThatLives(state: Character, isAlive: Bool, isBusy: Bool, isStopped: Bool) throws {
        let status = try #require(ProcessStatus(line: line(state: state)))
        #expect((status.isAlive, status.isBusy, status.isStopped) == (isAlive, isBusy, isStopped))
    }

    @Test(
        arguments: [
            ("T", true, true), ("t", true, true), ("Z", false, false), ("X", false, false), ("x", false, false),
        ])
    func oneThatDoesNothing(state: Character, isAlive: Bool, isStopped: Bool) throws {
        let status = try #require(ProcessStatus(line: line(state: state)))
        #expect((status.isAlive, status.isBusy, status.isStopped) == (isAlive, false, isStopped))
    }

    @Test(arguments: ["5", "10", "987654", "18446744073709551615"])
    func itsStartIsField22(start: String) {
        #expect(ProcessStatus(line: line(start: "\(start) 23 24"))?.startTicks == UInt64(start))
    }

    @Test(arguments: ["x ", "x)", ") Z 1 ", "()", ""])
    func anyNameIsPassedOver(name: String) {
        let status = ProcessStatus(line: line(name: name))
        #expect(status?.startTicks == 987_654 && status?.isAlive == true)
    }

    @Test(arguments: ["987654", "98a654 ", "98/654 ", "98:654 ", "-1 ", " ", ""])
    func aStartThatIsCutOffOrNoNumberIsNone(start: String) {
        #expect(ProcessStatus(line: line(start: start)) == nil)
    }

    @Test(arguments: ["", "4711", "4711 (belfry)", "4711 (belfry) S", ")"])
    func aLineThatIsCutOffIsNone(line: String) { #expect(ProcessStatus(line: Array(line.utf8)) == nil) }

    private func memory(_ lines: String...) -> [Int64]? {
        anonymousMemory(inStatus: Array(lines.joined(separator: "\n").utf8)).map { [$0.now, $0.peak] }
    }

    @Test func memoryOfItsOwnIsWhatLiesInNoFile() {
        let own = ["Name:\tbelfry", "Threads:\t3", "VmHWM:\t    4096 kB", "RssAnon:\t    1024 kB"]
        let status = (own + ["RssFile:\t     512 kB", "RssShmem:\t     256 kB", ""]).joined(separator: "\n")
        #expect(memory(status) == [1_024 << 10, (4_096 - 512 - 256) << 10])
        #expect(memory(own.joined(separator: "\n")) == [1_024 << 10, 4_096 << 10])
        #expect(memory("VmHWM:\t1000 kB", "RssAnon:\t900 kB", "RssFile:\t500 kB") == [900 << 10, 900 << 10])
        #expect(memory("VmHWM:\t1000 kB") == nil && memory("RssAnon:\t1000 kB") == nil && memory("") == nil)
        #expect(memory("VmHWM:\tmuch kB", "RssAnon:\t1 kB") == nil)
    }

    @Test func thisProcessHasSomeMemory() throws {
        let memory = try #require(anonymousMemory(ofPID: getpid()))
        #expect(memory.now > 1 << 20 && memory.peak >= memory.now)
        #expect(anonymousMemory(ofPID: .max) == nil)
    }

    @Test func aLineIsReadOnceAndWhatCannotBeReadHasNone() throws {
        errno = EINTR
        let line = try #require(readKernelLine("/proc/self/stat"))
        #expect(String(decoding: line, as: UTF8.self).hasPrefix("\(getpid()) ("))
        #expect(readKernelLine("/proc/self") == nil && readKernelLine("/proc/self/nothing") == nil)
    }

    @Test func aLinkLeadsSomewhereAndWhatIsNoneNowhere() {
        #expect(linkTarget("/proc/self/root") == "/")
        #expect(linkTarget("/proc/self/stat") == nil && linkTarget("/proc/self/nothing") == nil)
    }

    @Test func aKernelFileIsReadToItsEndAndUpToAMebibyte() {
        let folder = TemporaryFolder()
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
        let short = folder.write(bytes, to: "short")
        let long = folder.write([UInt8](repeating: 7, count: 3 << 19), to: "long")
        errno = EINTR
        #expect(readKernelFile(short) == bytes)
        errno = EINTR
        #expect(readKernelFile(long)?.count == 1 << 20)
        #expect(readKernelFile(folder.path) == nil && readKernelFile("\(folder.path)/none") == nil)
    }

    @Test func theRunningProgramKnowsWhereItIs() throws {
        let path = unsafe realpath("/proc/self/exe", nil)
        defer { unsafe free(path) }
        let program = try unsafe String(cString: #require(path))
        #expect(runningProgramPath() == program)
        #expect(programBeside("belfry") == program[...(program.lastIndex(of: "/") ?? program.startIndex)] + "belfry")
    }
}
