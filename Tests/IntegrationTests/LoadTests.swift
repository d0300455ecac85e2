import BelfryAppGroup
import BelfryProtocol
import BelfryTerms
import CallLedger
import Testing

extension IntegrationTests {
    @Suite("Many at once") struct Load {
        @Test("20 calls of one group ring, one of them loud, and one hangup without an id ends all") func group()
            throws
        {
            // However busy the machine is, all ring as the hangup comes.
            let phone = try Phone([
                "BELFRY_MAX_CALLS": "20", "BELFRY_EXPIRY_BUDGET": "120s", "BELFRY_RING_DURATION": "120s",
            ])
            let calls = try (0..<20).map { try phone.call("call-\($0)") }
            for call in calls { try call.wait(for: "delivered", within: 60_000) }
            let modes = calls.map { call in call.story.first { $0.hasPrefix("ringing") } ?? "none" }
            #expect(modes.count { $0 == "ringing loud" } >= 1)
            #expect(modes.allSatisfy { $0 == "ringing loud" || $0 == "ringing soft" })
            // The file follows.
            #expect(waitUntil(seconds: 60) { phone.ledger().rings.count == 20 })
            _ = try phone.push(Phone.payload(#""type": 2"#, "", group: nil)).story()
            for call in calls {
                // Who has the lock may be starved for longer than one waits for it.
                let story = call.story(within: 60_000).filter { $0 != "warning group-locked" }
                #expect(story.suffix(2) == ["ended hangup cancelled", "missed"])
            }
            // Nobody's end is lost, also if somebody wrote past a lock.
            #expect(
                waitUntil(seconds: 60) {
                    let ledger = phone.ledger()
                    return calls.indices.allSatisfy { ledger.call(CallKey("call-\($0)"))?.state == .hangup }
                })
        }

        @Test("100 rings at once, each its own group: all ring, eight may sound") func sound() throws {
            // However busy the machine is, the first still rings as the last has been told whether it sounds.
            let phone = try Phone([
                "BELFRY_SOUND": "ring", "BELFRY_EXPIRY_BUDGET": "120s", "BELFRY_RING_DURATION": "120s",
            ])
            let calls = try (0..<100).map { try phone.call("A", group: "group.\($0)") }
            for call in calls { try call.wait(for: "sound", within: 60_000) }
            for _ in 0..<2 { for call in calls { try call.wait(for: "tick") } }
            for number in calls.indices { try phone.hangUp("A", group: "group.\(number)").story() }
            for call in calls {
                #expect(call.story(within: 60_000).suffix(2) == ["ended hangup cancelled", "missed"])
            }
            let busy = calls.count { call in
                call.events.contains { event in
                    if case .sound(.unavailable, let detail) = event.body { detail.contains("busy") } else { false }
                }
            }
            #expect(busy >= 92)
        }

        @Test("R23: a ninth loud call sounds by its second tick, and the oldest of eight falls silent for good")
        func ninth() throws {
            // However busy the machine is, the first still rings as the ninth comes.
            let phone = try Phone([
                "BELFRY_SOUND": "ring", "BELFRY_EXPIRY_BUDGET": "120s", "BELFRY_RING_DURATION": "120s",
            ])
            let calls = try (0..<9).map { number in
                let call = try phone.call("A", group: "group.\(number)")
                while call.sounds.isEmpty, call.next() != nil {}
                return call
            }
            while calls[8].sounds.count < 2, calls[8].next() != nil {}
            while calls[0].sounds.count < 2, calls[0].next() != nil {}
            for _ in 0..<3 { for call in calls { try call.wait(for: "tick") } }
            for number in calls.indices { try phone.hangUp("A", group: "group.\(number)").story() }
            for call in calls {
                #expect(call.story(within: 60_000).suffix(2) == ["ended hangup cancelled", "missed"])
            }
            #expect(calls[0].sounds == ["playing", "busy"])
            for call in calls[1..<8] { #expect(call.sounds == ["playing"]) }
            #expect(calls[8].sounds == ["busy", "playing"])
            let isHeard = { (event: Event) in
                if case .sound(.playing, _) = event.body { true } else { false }
            }
            #expect(calls[8].events.prefix { !isHeard($0) }.count { $0.name == "tick" } <= 2)
        }
    }
}

extension Client {
    /// How the ring was heard: `playing`, or why it was not. On a busy machine a server may not answer in time, which
    /// is told, and the next tick asks again (R14).
    fileprivate var sounds: [String] {
        events.compactMap { event in
            guard case .sound(let state, let detail) = event.body, detail != "the sound server does not answer" else {
                return nil
            }
            return state == .playing ? state.rawValue : detail
        }
    }
}
