import BelfryDevices
import BelfryTerms
import Fleet
import Forwarding
import Testing

/// A machine's answers to its gateways.
@Suite struct TakingTests {
    typealias Effect = TakingStateMachine.Effect
    private let now = Instant(microseconds: 1_000_000)

    private func push(_ number: Int, at second: Int64 = 0, token: UInt8 = 1, topic: String = "a.b") -> EndpointPush {
        EndpointPush(
            apnsID: "\(number)", token: DeviceToken(bytes: [UInt8](repeating: token, count: 32))!, topic: topic,
            pushType: .voip, payload: [], acceptedAt: WallTime(microseconds: second * 1_000_000))
    }

    private func digest(_ number: Int) -> PushDigest { PushDigest(push(number)) }

    private func question(_ number: Int) -> TakingStateMachine.Question {
        TakingStateMachine.Question(FleetPush(push(number)))
    }

    private func isHandedOver(_ effects: [Effect]) -> Bool {
        effects.contains { if case .handOver = $0 { true } else { false } }
    }

    @Test("a push is handed over once, whoever asks for it and how often; each asker hears its outcome")
    func once() {
        var machine = TakingStateMachine()
        let one = digest(1)
        #expect(
            machine.ask(for: question(1), replyingTo: "a.1", at: now)
                == [.say(.taken, place: 0, to: "a.1"), .handOver(one)])
        // By the other line, which is no other question, and after a while.
        #expect(machine.ask(for: question(1), replyingTo: "a.1", at: now + .milliseconds(99)) == [.drop(one)])
        for (asker, after) in [("a.1", TimeSpan.milliseconds(100)), ("b.1", .milliseconds(101))] {
            #expect(
                machine.ask(for: question(1), replyingTo: asker, at: now + after)
                    == [.drop(one), .say(.taken, place: 0, to: asker)])
        }
        #expect(
            machine.end(one, by: .received, at: now)
                == [.say(.received, place: 0, to: "a.1"), .say(.received, place: 0, to: "b.1")])
        let ringing = FleetSaying.Word.event("ringing", code: nil)
        #expect(machine.event(ringing, of: one, at: now) == [.say(ringing, place: 1, to: "b.1")])
        // Asked again: the outcome itself, and the newest asker hears what comes.
        #expect(
            machine.ask(for: question(1), replyingTo: "a.1", at: now)
                == [.drop(one), .say(.received, place: 0, to: "a.1")])
        #expect(machine.event(ringing, of: one, at: now) == [.say(ringing, place: 2, to: "a.1")])
        #expect(machine.event(.over, of: one, at: now) == [.say(.over, place: 0, to: "a.1")])
        #expect(machine.event(ringing, of: one, at: now).isEmpty && machine.event(.over, of: one, at: now).isEmpty)
        #expect(machine.ask(for: question(1), replyingTo: "c", at: now).last == .say(.over, place: 0, to: "c"))
    }

    @Test("what was rejected is remembered, for ten minutes; what was offline is tried again")
    func outcomes() {
        var machine = TakingStateMachine()
        let rejected = FleetSaying.Word.rejected(reason: "NotJSON", detail: "")
        _ = machine.ask(for: question(1), replyingTo: "a", at: now)
        _ = machine.end(digest(1), by: rejected, at: now)
        let last = now + .seconds(600)
        #expect(machine.ask(for: question(1), replyingTo: "b", at: last).last == .say(rejected, place: 0, to: "b"))
        #expect(isHandedOver(machine.ask(for: question(1), replyingTo: "b", at: last + .seconds(1))))
        let offline = FleetSaying.Word.offline(.busy, detail: "")
        _ = machine.ask(for: question(2), replyingTo: "a", at: now)
        #expect(machine.end(digest(2), by: offline, at: now) == [.say(offline, place: 0, to: "a")])
        #expect(isHandedOver(machine.ask(for: question(2), replyingTo: "a", at: now)))
        #expect(machine.end(digest(9), by: .received, at: now).isEmpty)
        #expect(machine.event(.event("ringing", code: nil), of: digest(2), at: now).isEmpty)
    }

    @Test("64 at once; 1,024 wait, in order; the next is overloaded, and nothing of it is kept")
    func limits() {
        var machine = TakingStateMachine()
        let first = (0..<64).map { machine.ask(for: question($0), replyingTo: "a", at: now) }
        #expect(first.allSatisfy(isHandedOver))
        let waiting = (64..<1_088).map { machine.ask(for: question($0), replyingTo: "a", at: now) }
        #expect(!waiting.contains(where: isHandedOver))
        #expect(waiting.allSatisfy { $0 == [.say(.taken, place: 0, to: "a")] })
        let next = machine.ask(for: question(2_000), replyingTo: "a", at: now)
        guard case .say(.offline(.overloaded, _), _, "a")? = next.last, next.first == .drop(digest(2_000)) else {
            Issue.record("\(next)")
            return
        }
        #expect(machine.end(digest(5), by: .received, at: now).last == .handOver(digest(64)))
        #expect(machine.end(digest(6), by: .offline(.busy, detail: ""), at: now).last == .handOver(digest(65)))
        #expect(machine.ask(for: question(2_000), replyingTo: "a", at: now) == [.say(.taken, place: 0, to: "a")])
    }

    @Test("65,536 are remembered, and a gateway of many lives is answered in its last ones")
    func memory() {
        var limits = TakingStateMachine.Limits()
        limits.rememberedMax = 2
        var machine = TakingStateMachine(limits: limits)
        for number in 0..<3 {
            _ = machine.ask(for: question(number), replyingTo: "a", at: now)
            _ = machine.end(digest(number), by: .received, at: now)
        }
        #expect(isHandedOver(machine.ask(for: question(0), replyingTo: "a", at: now)))
        for life in 1...6 { _ = machine.ask(for: question(0), replyingTo: "a.\(life)", at: now) }
        #expect(machine.end(digest(0), by: .received, at: now).count == 4)
        #expect(TakingStateMachine.Limits().rememberedMax == 65_536)
    }

    @Test("one that was kept is replaced if a later one of its token and topic was taken")
    func kept() {
        func question(_ number: Int, at second: Int64, token: UInt8 = 1, topic: String = "a.b", isKept: Bool)
            -> TakingStateMachine.Question
        {
            let push = push(number, at: second, token: token, topic: topic)
            return TakingStateMachine.Question(FleetPush(push, isKept: isKept))
        }
        var machine = TakingStateMachine()
        let newer = question(1, at: 10, isKept: false)
        _ = machine.ask(for: newer, replyingTo: "a", at: now)
        #expect(isHandedOver(machine.ask(for: question(2, at: 5, isKept: true), replyingTo: "a", at: now)), "untaken")
        _ = machine.end(newer.digest, by: .received, at: now)
        let old = question(3, at: 9, isKept: true)
        #expect(
            machine.ask(for: old, replyingTo: "a", at: now)
                == [.drop(old.digest), .say(.replaced, place: 0, to: "a")])
        let late = question(4, at: 9, isKept: false)
        for other in [
            late, question(5, at: 10, isKept: true),
            question(6, at: 9, token: 2, isKept: true), question(7, at: 9, topic: "a.c", isKept: true),
        ] { #expect(isHandedOver(machine.ask(for: other, replyingTo: "a", at: now))) }
        _ = machine.end(late.digest, by: .received, at: now)
        let older = question(8, at: 9, isKept: true)
        #expect(
            machine.ask(for: older, replyingTo: "a", at: now).last == .say(.replaced, place: 0, to: "a"),
            "what was taken late is not the newest")
    }
}
