import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
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
    }
}
