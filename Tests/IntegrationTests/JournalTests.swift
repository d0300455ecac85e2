import BelfryProtocol
import Glibc
import Testing

extension IntegrationTests {
    @Suite("The journal") struct Journal {
        private func entries(of call: String) throws -> String {
            try run("/usr/bin/journalctl", ["--user", "--output=cat", "BELFRY_CALL=\(call)"]).output
        }

        @Test("tells one call's story, without a tick") func story() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "3s"])
            let id = "journal-\(UInt32.random(in: .min ... .max))"
            _ = try phone.call(id).story()
            #expect(try waitUntil { try entries(of: id).contains("missed") })
            let told = try entries(of: id)
            for word in ["received", "rings loud", "delivered", "ended after", "missed"] {
                #expect(told.contains(word))
            }
            #expect(!told.contains("tick"))
            #expect(!told.contains("Ada"))
        }

        @Test("R14: stopped while a call rings, it delays nothing") func stopped() throws {
            let phone = try Phone(["BELFRY_RING_DURATION": "3s", "BELFRY_RING_INTERVAL": "200ms"])
            kill(Surroundings.journal, SIGSTOP)
            defer { kill(Surroundings.journal, SIGCONT) }
            let call = try phone.call("A")
            #expect(call.story().suffix(2) == ["ended timeout", "missed"])
            #expect(call.ticks.count >= 7, "of fourteen")
        }
    }
}
