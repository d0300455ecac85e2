import BelfryTerms
import Testing

@testable import ExtensionKeeping

/// Code that rings before it replies, which iOS would not let a hangup stop.
@Suite struct RingBeforeReplyTests {
    private let start = Instant(microseconds: 5_000_000)

    /// Whether each of these, asked for so many milliseconds after the start by notification 1, makes it a ring.
    private func rings(
        _ asked: [(what: AskedKind, milliseconds: Int64)], after before: (inout RingBeforeReply) -> Void = { _ in }
    ) -> [Bool] {
        var ring = RingBeforeReply()
        ring.handedOver(1)
        _ = ring.asked(CodeWord(.sound), by: 1, at: start)
        before(&ring)
        return asked.map { ring.asked(CodeWord($0.what), by: 1, at: start + .milliseconds($0.milliseconds)) }
    }

    @Test("a second signal a second later makes it a ring, once", arguments: [AskedKind.sound, .alert, .vibration])
    func secondSignal(what: AskedKind) {
        #expect(rings([(what, 999), (what, 1_000), (what, 2_000)]) == [false, true, false])
    }

    @Test("what is no signal, or comes after the reply, makes it no ring") func others() {
        #expect(rings([(.badge, 2_000), (.sound, 2_000)]) == [false, true])
        #expect(rings([(.sound, 2_000)]) { $0.replied(1) } == [false])
        #expect(rings([(.sound, 2_000)]) { $0.replied(2) } == [true])
        #expect(rings([(.sound, 2_000)]) { $0.handedOver(2) } == [false])
        #expect(rings([(.sound, 2_000), (.sound, 3_000)]) { $0.handedOver(1) } == [false, true])
    }
}
