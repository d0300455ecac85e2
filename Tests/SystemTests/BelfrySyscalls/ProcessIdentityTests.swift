import BelfrySyscalls
import CBelfryLinux
import Glibc
import Support
import Testing

/// Who runs, who ran, and how a child ended.
@Suite struct ProcessIdentityTests {
    /// The program's name is any 15 bytes: this one imitates the fields that follow it.
    @Test func aNameWithParenthesesAndSpacesConfusesNobody() throws {
        let place = TemporaryFolder()
        let path = "\(place.path)/) Z 1 (a b"
        try copyProgram("/bin/sleep", to: path)
        let child = try ChildProcess(ChildCommand(path: path, arguments: ["1000"]))
        let identity = try #require(ProcessIdentity(livingPID: child.pid))
        #expect(identity.isAlive)
        #expect(identity.startTicks >= ProcessIdentity.current.startTicks)
        try child.signal(SIGKILL)
        #expect(try child.waitUntilExit() == .killed(signal: SIGKILL))
        #expect(!identity.isAlive)
    }

    @Test func aZombieIsDead() throws {
        let child = try ChildProcess(ChildCommand(path: "/bin/true"))
        let start = ProcessIdentity(livingPID: child.pid)
        var poll = pollfd(fd: child.pidDescriptor, events: Int16(POLLIN), revents: 0)
        #expect(unsafe Glibc.poll(&poll, 1, 10_000) == 1)
        #expect(ProcessIdentity(livingPID: child.pid) == nil)
        #expect(start?.isAlive != true)
        #expect(try child.reap() == .exited(code: 0))
    }

    @Test func thisProcessLivesAndAnotherStartOfItsNumberDoesNot() {
        let own = ProcessIdentity.current
        #expect(own.pid == getpid())
        #expect(own.isAlive)
        #expect(!ProcessIdentity(pid: own.pid, startTicks: own.startTicks + 1).isAlive)
        for pid: Int32 in [0, -1, .min, .max] { #expect(ProcessIdentity(livingPID: pid) == nil) }
    }

    @Test func aStoppedProcessIsNotBusyAndARunningOneIs() throws {
        // The first thread of this process only waits for its tests.
        #expect(ProcessIdentity.isBusy(pid: gettid()))
        let child = try ChildProcess(ChildCommand(path: "/bin/sh", arguments: ["-c", "kill -STOP $$"]))
        var information = unsafe siginfo_t()
        let waited = unsafe waitid(P_PID, id_t(child.pid), &information, Int32(WSTOPPED | WNOWAIT))
        #expect(waited == 0)
        #expect(!ProcessIdentity.isBusy(pid: child.pid) && ProcessIdentity.isStopped(pid: child.pid))
        #expect(!ProcessIdentity.isStopped(pid: gettid()) && !ProcessIdentity.isStopped(pid: 0))
        try child.signal(SIGKILL)
        try child.waitUntilExit()
        #expect(!ProcessIdentity.isBusy(pid: child.pid) && !ProcessIdentity.isStopped(pid: child.pid))
    }

    @Test func onlyTheProcessItselfHasADescriptor() throws {
        let own = ProcessIdentity.current
        #expect(try own.openDescriptor() != nil)
        #expect(try ProcessIdentity(pid: own.pid, startTicks: own.startTicks + 1).openDescriptor() == nil)
        #expect(ProcessIdentity(livingPID: 1) != nil)
        let child = try ChildProcess(ChildCommand(path: "/bin/true"))
        let identity = ProcessIdentity(pid: child.pid, startTicks: 1)
        try child.waitUntilExit()
        #expect(try identity.openDescriptor() == nil)
        #expect(try ProcessIdentity(pid: -1, startTicks: 1).openDescriptor() == nil)
    }

    @Test func theBootHasAnIdentifier() {
        #expect(bootID().utf8.count == 36)
        #expect(bootID() == bootID())
    }

    private func copyProgram(_ source: String, to target: String) throws {
        try ChildProcess(ChildCommand(path: "/bin/cp", arguments: [source, target])).waitUntilExit()
    }
}
