import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Testing

/// Ends of processes on the loop.
@Suite struct ProcessSourceTests {
    @Test func tellsHowAChildEnded() throws {
        let loop = try Loop()
        var ends: [String: ChildExit] = [:]
        let scripts = [
            "exit 0": ChildExit.exited(code: 0), "exit 7": .exited(code: 7), "kill -9 $$": .killed(signal: 9),
        ]
        for script in scripts.keys {
            let child = try ChildProcess(ChildCommand(path: "/bin/sh", arguments: ["-c", script]))
            try loop.onExit(of: child, description: script) { status in
                ends[script] = status
                if ends.count == scripts.count { loop.stop() }
            }
        }
        loop.run()
        #expect(ends == scripts)
    }

    @Test func tellsTheDeathOfAnyProcessAlsoIfItIsDeadAlready() throws {
        let loop = try Loop()
        let child = try ChildProcess(ChildCommand(path: "/bin/sleep", arguments: ["1000"]))
        let identity = try #require(ProcessIdentity(livingPID: child.pid))
        var isDead = false
        try loop.onDeath(of: identity, description: "sleeper") {
            isDead = true
            loop.stop()
        }
        loop.runUntilIdle()
        #expect(!isDead)
        try child.signal(SIGKILL)
        loop.run()
        // A zombie already: nobody has waited for it.
        #expect(isDead)
        #expect(!identity.isAlive)
        var isToldAgain = false
        try loop.onDeath(of: identity, description: "zombie") { isToldAgain = true }
        #expect(!isToldAgain)
        loop.runUntilIdle()
        #expect(isToldAgain)
    }

    @Test func aCancelledWatchTellsNothingAndTheProcessGoesOn() throws {
        let loop = try Loop()
        let child = try ChildProcess(ChildCommand(path: "/bin/sleep", arguments: ["1000"]))
        let identity = try #require(ProcessIdentity(livingPID: child.pid))
        let watch = try loop.onDeath(of: identity, description: "sleeper") { Issue.record("told although cancelled") }
        watch.cancel()
        watch.cancel()
        #expect(identity.isAlive)
        try child.signal(SIGKILL)
        try child.waitUntilExit()
        loop.runUntilIdle()
    }

    @Test func aLaterProcessOfTheSameNumberIsAnother() throws {
        let loop = try Loop()
        let own = ProcessIdentity.current
        let earlier = ProcessIdentity(pid: own.pid, startTicks: own.startTicks - 1)
        var isDead = false
        try loop.onDeath(of: earlier, description: "earlier") { isDead = true }
        loop.runUntilIdle()
        #expect(isDead)
    }
}
