import BelfryProtocol
import BelfryTerms
import CallLedger
@testable import CallService
import Support
import Testing

/// What keeps a machine awake that is not there.
final class FakeWakefulness: RingWakefulness {
    private(set) var isHeld = false
    /// How often it was held.
    private(set) var count = 0

    func hold() {
        if !isHeld { count += 1 }
        isHeld = true
    }

    func release() { isHeld = false }
}

@Suite("The machine stays awake while a call rings loud") struct WakefulnessTests {
    let phone = FakePhone()

    @Test("from its first tick to its silence, and asked for once") func held() throws {
        let call = try phone.call("A")
        #expect(call.world.wakefulness.isHeld)
        phone.loop.advance(by: .seconds(5))
        #expect(call.world.wakefulness.isHeld && call.world.wakefulness.count == 1)
        _ = try phone.hangUp("A")
        phone.loop.advance(by: .seconds(1))
        #expect(!call.world.wakefulness.isHeld)
    }

    @Test("a soft call lets it sleep, until it is the loud one") func soft() throws {
        _ = try phone.call("A")
        let second = try phone.call("B")
        #expect(!second.world.wakefulness.isHeld)
        _ = try phone.hangUp("A")
        phone.loop.advance(by: .seconds(2))
        #expect(second.world.wakefulness.isHeld)
    }

    @Test("a ring that is silenced lets it sleep") func silenced() throws {
        let call = try phone.call("A")
        phone.file.say(.silence, of: CallKey("A"), toEarOf: call.world.owner.pid) { _ in }
        phone.loop.advance(by: .seconds(1))
        #expect(!call.isFinished && !call.world.wakefulness.isHeld)
    }
}
