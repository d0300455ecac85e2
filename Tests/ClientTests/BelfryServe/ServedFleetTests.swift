import BelfrySyscalls
import Glibc
import Support
import Testing

/// `belfry serve --fleet` as it is struck.
@Suite(.timeLimit(.minutes(2))) struct ServedFleetTests {
    private let place = TemporaryFolder()

    /// Which of the two processes of `belfry serve` are killed.
    private static let victims = [["guard"], ["server"], ["guard", "server"]]

    private func words(of pid: Int32) -> String {
        String(decoding: readKernelFile("/proc/\(pid)/cmdline") ?? [], as: UTF8.self).replacing("\0", with: " ")
    }

    @Test("an agent ends with its belfry serve, whichever of its two processes is killed, or both", arguments: victims)
    func killed(which: [String]) throws {
        let fleet = try PlayedFleet()
        let run = try ProgramRun(
            testedProgram("belfry"),
            ["serve", "--fleet", fleet.credential("ci", "--shared"), "--", "/bin/sh", "-c", "echo here; sleep 600"],
            environment: [
                "TMPDIR": place.path, "XDG_RUNTIME_DIR": nil, "BELFRY_SOCKET": nil, "BELFRY_SOUND": "none",
            ])
        #expect(run.line() == "here")
        let server = try #require(childProcesses(of: run.child.pid).first)
        let pid = try #require(childProcesses(of: server).first { words(of: $0).hasSuffix("belfry-fleet agent ") })
        let agent = try #require(ProcessIdentity(livingPID: pid))
        let struck = which.map { $0 == "guard" ? run.child.pid : server }
        // None has time to see that the other one is gone.
        for process in struck { kill(process, SIGSTOP) }
        for process in struck { kill(process, SIGKILL) }
        _ = try run.child.waitUntilExit()
        let end = bootTimeMicroseconds() + 20_000_000
        while ProcessIdentity(livingPID: pid) == agent, bootTimeMicroseconds() < end { poll(nil, 0, 5) }
        #expect(ProcessIdentity(livingPID: pid) != agent)
        withExtendedLifetime(fleet) {}
    }
}
