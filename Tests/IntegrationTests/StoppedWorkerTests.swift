import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("A worker that stands still") struct StoppedWorker {
        /// What an ear is waited for, and what the start of a program may take beside it.
        private static let answerMicroseconds: Range<Int64> = 100_000..<400_000

        @Test("R7: its ear holds belfry answer for 100 ms, and it ends as answered when it goes on") func answered()
            throws
        {
            let phone = try Phone(["BELFRY_SOUND": "ring"])
            let recording = Recording()
            let call = try phone.call("A")
            try call.wait(for: "delivered")
            #expect(recording.waitUntilHeard())
            let worker = try #require(phone.worker(of: "A"))
            kill(worker, SIGSTOP)
            defer { kill(worker, SIGCONT) }

            let asked = bootTimeMicroseconds()
            let answer = try phone.belfry("answer")
            #expect(Self.answerMicroseconds.contains(bootTimeMicroseconds() - asked))
            #expect(answer.status.isSuccess, "\(answer.errors)")
            #expect(phone.ledger().call(.init("A"))?.state == .answered)

            kill(worker, SIGCONT)
            #expect(call.story().last == "ended answered")
            #expect(Recording.waitUntilSilent())
        }

        @Test("its call that is declined elsewhere is shown no longer, and its end is told once") func shown() throws {
            let server = try StubServer()
            let folder = TemporaryFolder()
            let hook = folder.write(Array("#!/bin/sh\necho >>'\(folder.path)/told'\n".utf8), to: "hook")
            unsafe chmod(hook, 0o755)
            let phone = try Phone(["BELFRY_ON_DECLINE": hook], hasDesktop: true)
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            let worker = try #require(phone.worker(of: "A"))
            kill(worker, SIGSTOP)
            defer { kill(worker, SIGCONT) }
            #expect(try phone.belfry("decline").status.isSuccess)
            #expect(try server.shows { $0.isEmpty })
            #expect(waitUntil { size(of: "\(folder.path)/told") == 1 })
            kill(worker, SIGCONT)
            #expect(call.story().last == "ended declined")
            #expect(try server.shows { $0.isEmpty })
            // Whatever the worker says now is no news.
            let next = try phone.call("B")
            try next.waitForNotification(.shown)
            #expect(size(of: "\(folder.path)/told") == 1)
        }
    }
}
