import BelfrySyscalls
import CBelfryLinux
import Glibc
import Support
import Testing

/// Children and what they inherit.
@Suite struct ChildProcessTests {
    @Test func whatItGetsIsWhatWasSaid() throws {
        let script = "echo \"$ONLY|$HOME|$1\"; pwd; ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status"
        var command = ChildCommand(path: "/bin/sh", arguments: ["-c", script, "sh", "a b\"c"])
        command.environment = ["ONLY": "this", "PATH": "/bin:/usr/bin"]
        command.workingDirectory = "/usr"
        // Signals that this thread blocks and ignores are neither in the child.
        signal(SIGUSR2, SIG_IGN)
        try blockSignal(SIGUSR1)
        defer { try? unblockSignal(SIGUSR1) }
        let lines = try output(of: command)
        #expect(lines[0] == "this||a b\"c")
        #expect(lines[1] == "/usr")
        // 0, 1, 2 and the directory that ls itself reads.
        #expect(lines[2] == "4")
        // But for 32 and 33, which are glibc's own and cannot be changed.
        let masks = lines[3...].map { line in line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? .max
        }
        #expect(masks.map { $0 & ~0x1_8000_0000 } == [0, 0])
    }

    @Test func descriptorsMayBeSwappedAndMoved() throws {
        let first = try DescriptorPair.pipe()
        let second = try DescriptorPair.pipe()
        var command = ChildCommand(path: "/bin/sh", arguments: ["-c", "echo to1; echo to2 >&2; echo to7 >&7; cat"])
        command.streams = [
            0: .null, 1: .descriptor(second.writing.number), 2: .descriptor(first.writing.number),
            7: .descriptor(first.writing.number),
        ]
        #expect(try ChildProcess(command).waitUntilExit().isSuccess)
        #expect(read(second.reading.number) == "to1\n")
        #expect(read(first.reading.number) == "to2\nto7\n")
    }

    @Test func whatCannotBeStartedSaysWhy() throws {
        #expect(errno(of: ChildCommand(path: "/nowhere")) == ENOENT)
        #expect(errno(of: ChildCommand(path: "/etc/passwd")) == EACCES)
        #expect(errno(of: ChildCommand(path: "/bin/true", arguments: ["a\0b"])) == EINVAL)
        #expect(errno(of: ChildCommand(path: "/bin/true", environment: ["A": "b\0c"])) == EINVAL)
    }

    @Test func aForgottenChildIsKilledWithItsGroup() throws {
        let output = try DescriptorPair.pipe()
        var command = ChildCommand(path: "/bin/sh", arguments: ["-c", "sleep 1000 & echo $!; wait"])
        command.streams = [1: .descriptor(output.writing.number)]
        command.leadsGroup = true
        var child: ChildProcess? = try ChildProcess(command)
        let grandchild = try #require(Int32(read(output.reading.number).split(separator: "\n")[0]))
        let identity = try #require(ProcessIdentity(livingPID: grandchild))
        let leader = try #require(ProcessIdentity(livingPID: child?.pid ?? 0))
        child = nil
        #expect(!leader.isAlive)
        var poll = pollfd(fd: -1, events: Int16(POLLIN), revents: 0)
        if let descriptor = try identity.openDescriptor() {
            poll.fd = descriptor.number
            #expect(unsafe Glibc.poll(&poll, 1, 10_000) == 1)
        }
        #expect(!identity.isAlive)
    }

    @Test func aSignalToOneThatHasEndedIsNoFailure() throws {
        let child = try ChildProcess(ChildCommand(path: "/bin/sh", arguments: ["-c", "exit 3"]))
        #expect(try child.waitUntilExit() == .exited(code: 3))
        #expect(try child.waitUntilExit() == .exited(code: 3))
        try child.signal(SIGTERM)
    }

    @Test func ourOwnMistakesWithDescriptorsTrap() async {
        await #expect(processExitsWith: .failure) { try checked("fsync") { fsync(999) } }
        await #expect(processExitsWith: .failure) {
            let descriptor = OwnedDescriptor(owning: 999)
            descriptor.close()
        }
    }

    @Test func aForgottenDescriptorIsClosedAtTheEndOfItsScopeAndNotBefore() throws {
        let number: Int32
        do {
            let ends = try DescriptorPair.pipe()
            number = ends.reading.number
            #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
        }
        let own = try place()
        #expect(own >= 0)
        close(own)
        _ = number
    }

    private func place() throws -> Int32 { try checked("open") { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) } }

    private func errno(of command: ChildCommand) -> Int32? {
        do { _ = try ChildProcess(command) } catch { return error.errno }
        return nil
    }

    private func output(of command: ChildCommand) throws -> [String] {
        let ends = try DescriptorPair.pipe()
        var command = command
        command.streams[1] = .descriptor(ends.writing.number)
        #expect(try ChildProcess(command).waitUntilExit().isSuccess)
        return read(ends.reading.number).split(separator: "\n").map(String.init)
    }

    private func read(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }
}
