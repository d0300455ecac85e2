import BelfryTerms
@testable import CallLedger
import Testing

/// What must outlive a power cut: an answer for the app to collect, and a missed call. R11, R12.
@Suite struct DurabilityTests {
    let file = GroupFile()

    /// Whether what `change` does to the file has to outlive a power cut.
    private func isDurable(_ change: (inout Ledger) -> Void) -> Bool {
        file.change {
            change(&$0)
            return $0.isDurable
        }
    }

    private func admit(_ id: String, until: Instant?) -> Bool {
        let owner = file.process(1)
        return isDurable {
            _ = $0.admit(
                GroupFile.request(id, sentAt: nil), until: until, secondCall: .soft, callsMax: 9, owner: owner)
        }
    }

    private func settle(_ id: String, _ reason: EndReason) -> Bool {
        let owner = file.process(1)
        return isDurable { _ = $0.settle(GroupFile.request(id, sentAt: nil), owner: owner, reason: reason) }
    }

    @Test("a ring, a hangup and a decline need not: whoever calls will know") func notDurable() {
        #expect(!admit("a", until: file.now + .seconds(30)))
        #expect(!isDurable { _ = $0.hangUp(CallKey("a"), reason: .answeredElsewhere, sentAt: nil) })
        #expect(!settle("a", .hangup))
        file.request("b")
        #expect(!isDurable { _ = $0.decline(CallKey("b")) } && !settle("b", .declined))
    }

    @Test("R11 an answer and each kind of missed call must") func durable() {
        file.request("a")
        #expect(isDurable { _ = $0.answer(CallKey("a")) })
        file.request("b")
        #expect(settle("b", .timeout))
        file.hangUp("overtaken")
        #expect(admit("overtaken", until: file.now + .seconds(30)))
        #expect(admit("stale", until: nil))
    }

    @Test("R12 so must the missed call of a killed worker, as whoever opens the file records it") func killed() {
        file.request("a")
        file.dead.insert(file.process(1))
        #expect(isDurable { _ in })
        #expect(!isDurable { _ in })
    }
}
