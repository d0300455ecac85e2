import BelfryProtocol
import BelfryTerms
import CallLedger
@testable import CallService
import Ringing
import Support
import Testing

/// Quiet hours, and what passes them: R21.
@Suite struct MuteTests {
    let phone = FakePhone()

    init() {
        phone.settings.quietHours = DayHours("22:00-07:00") ?? DayHours()
        phone.settings.repeatedWithin = .seconds(180)
        phone.file.minuteOfDay = 23 * 60
    }

    private func ringing(_ worker: FakePhone.Worker) -> [String] {
        worker.world.events.compactMap { event in
            guard case .ringing(let ringing) = event.body else { return nil }
            return ringing.mode.rawValue + (ringing.why.map { " \($0.rawValue)" } ?? "")
        }
    }

    @Test("R21 in quiet hours a call rings without sound, says why, and is missed as ever") func muted() throws {
        let call = try phone.call("A", #""handle": "+1""#)
        #expect(ringing(call) == ["silent quiet-hours"] && !call.world.isSounding)
        phone.loop.advance(by: .seconds(31))
        #expect(call.isFinished && phone.file.read().missedCalls.map(\.key.text) == ["A"])
        #expect(call.world.pulses.allSatisfy { $0 == .silent })
    }

    @Test("R21 outside of them it is heard") func outside() throws {
        phone.file.minuteOfDay = 7 * 60
        let call = try phone.call("A")
        #expect(ringing(call) == ["loud"] && call.world.isSounding)
    }

    @Test("R10 R21 a muted call is the loud one all the same: a second call is soft, or muted too") func second() throws
    {
        let first = try phone.call("A", #""handle": "+1""#)
        let second = try phone.call("B", #""handle": "+2""#)
        #expect(ringing(second) == ["silent quiet-hours"])
        _ = phone.file.change { $0.answer(CallKey("A")) }
        phone.loop.advance(by: .seconds(2))
        #expect(first.isFinished && ringing(second) == ["silent quiet-hours"])
    }

    @Test("R21 a caller who calls again soon is heard, by another id too; one without a handle is not")
    func repeated() throws {
        for handle in ["", #""handle": "+1""#] {
            let first = try phone.call("first \(handle.count)", handle)
            #expect(ringing(first) == ["silent quiet-hours"])
            _ = try phone.hangUp("first \(handle.count)")
            phone.loop.advance(by: .seconds(100))
            let again = try phone.call("again \(handle.count)", handle)
            #expect(ringing(again) == (handle.isEmpty ? ["silent quiet-hours"] : ["loud"]))
            _ = try phone.hangUp("again \(handle.count)")
            phone.loop.advance(by: .seconds(1))
        }
        phone.loop.advance(by: .seconds(180))
        #expect(ringing(try phone.call("late", #""handle": "+1""#)) == ["silent quiet-hours"])
    }

    @Test("R21 AllowRepeated=0 lets nobody pass") func neverRepeated() throws {
        phone.settings.repeatedWithin = .zero
        for id in ["A", "B"] {
            #expect(ringing(try phone.call(id, #""handle": "+1""#)) == ["silent quiet-hours"])
            _ = try phone.hangUp(id)
            phone.loop.advance(by: .seconds(1))
        }
    }

    @Test(
        "R21 a critical call is heard",
        arguments: [
            #""interruption-level": "critical""#, #""sound": {"name": "ring.wav", "critical": 1, "volume": 1.0}"#,
        ])
    func critical(more: String) throws {
        let aps = #""alert": {"title": "Ada", "body": "calls"}, "mutable-content": 1, "# + more
        let call = try phone.push(#""type": "call-request", "callId": "A""#, aps: aps)
        #expect(ringing(call) == ["loud"] && call.world.isSounding)
    }

    @Test("R21 what mutes a ring that is on may come and go, and passes over one that passes") func comesAndGoes()
        throws
    {
        for passes in [false, true] {
            let world = FakeWorld(file: FakeGroupFile(loop: phone.loop), pid: 7)
            let ring = try ring(in: world, passesMutes: passes)
            ring.begin(mode: .loud)
            ring.mute(.doNotDisturb, true)
            ring.mute(.quietHours, true)
            ring.mute(.doNotDisturb, false)
            ring.mute(.quietHours, false)
            let modes = world.events.compactMap { event -> String? in
                guard case .ringing(let ringing) = event.body else { return nil }
                return "\(ringing.mode) \(ringing.why?.rawValue ?? "")"
            }
            #expect(modes == (passes ? ["loud "] : ["loud ", "silent do-not-disturb", "loud "]))
        }
    }

    @Test(
        "R21 do-not-disturb mutes a loud ring from its start, and a later word changes the mode",
        arguments: [false, true])
    func doNotDisturb(passes: Bool) throws {
        phone.settings.quietHours = DayHours()
        let desktop = Desktop()
        let world = FakeWorld(file: FakeGroupFile(loop: phone.loop), pid: 7)
        let ring = try ring(in: world, hearing: desktop, passesMutes: passes)
        ring.begin(mode: .loud)
        #expect(world.events.isEmpty, "a loud ring hears the desktop first")
        desktop.word = DesktopWord(isMuted: true, vibrates: true)
        desktop.isMuted = true
        desktop.begin?()
        desktop.changed?(false)
        desktop.changed?(true)
        let told = world.events.compactMap { event -> String? in
            guard case .ringing(let ringing) = event.body else { return nil }
            return "\(ringing.mode) \(ringing.why?.rawValue ?? "-") \(ringing.vibrate)"
        }
        // What a desktop says that is muted and vibrates is so by a phone's profile, which is felt.
        let muted = "silent do-not-disturb true"
        #expect(told == (passes ? ["loud - true"] : [muted, "loud - true", muted]))
    }

    @Test("R21 a soft ring, which does not wait for the desktop, begins muted and felt if that has been said by then")
    func softAndMuted() throws {
        let world = FakeWorld(file: FakeGroupFile(loop: phone.loop), pid: 7)
        let desktop = Desktop()
        desktop.word = DesktopWord(isMuted: true, vibrates: true)
        desktop.isMuted = true
        let ring = try ring(in: world, hearing: desktop)
        ring.begin(mode: .soft)
        desktop.changed?(false)
        let told = world.events.compactMap { event -> String? in
            guard case .ringing(let ringing) = event.body else { return nil }
            return "\(ringing.mode) \(ringing.why?.rawValue ?? "-") \(ringing.vibrate)"
        }
        #expect(told == ["silent do-not-disturb true", "soft - false"])
    }

    private func silence(_ id: String) throws -> [RingAnswer] {
        var answers: [RingAnswer]?
        FakeWorld(file: phone.file, pid: 99).ask(.silence, of: CallKey(id)) { heard, _ in answers = heard }
        phone.loop.advance(by: .milliseconds(100))
        return try #require(answers)
    }

    @Test("R21 a ring that the person silences is silent at once, for all programs, and goes on: ticks, answer, missed")
    func silenced() throws {
        phone.settings.quietHours = DayHours()
        let first = try phone.call("A")
        let second = try phone.call("B")
        #expect(try silence("A").map(\.state) == [.ringing])
        #expect(ringing(first) == ["loud", "silent silenced"] && !first.world.isSounding)
        #expect(phone.file.read().rings(secondCall: .soft).map(\.mode) == [.silent, .soft])
        #expect(ringing(second) == ["soft"], "one ring only, and it stays the loud one to others")
        phone.loop.advance(by: .seconds(31))
        #expect(first.world.story.suffix(3).contains("ended timeout") && first.world.story.last == "missed")
        #expect(first.world.pulses.dropFirst().allSatisfy { $0 == .silent })
        #expect(first.world.story.contains("tick 29"))
        #expect(ringing(try phone.call("A")) == ["loud"], "the next ring of the same call is heard")
    }

    @Test("R21 a ring whose process does not hear is silenced in the ledger, where it finds that") func silencedLate()
        throws
    {
        phone.settings.quietHours = DayHours()
        let call = try phone.call("A")
        #expect(phone.file.change { $0.silence(CallKey("A")) }?.key == CallKey("A"))
        phone.loop.advance(by: .seconds(1))
        #expect(ringing(call) == ["loud", "silent silenced"] && !call.world.isSounding)
        #expect(phone.file.change { $0.silence(CallKey("B")) } == nil)
        _ = phone.file.change { $0.answer(CallKey("A")) }
        phone.loop.advance(by: .seconds(1))
        #expect(call.world.story.last == "ended answered")
    }

    @Test("R21 the person's silence counts over all that mutes or passes, and says so", arguments: [false, true])
    func silencedOverAll(passes: Bool) throws {
        let world = FakeWorld(file: FakeGroupFile(loop: phone.loop), pid: 7)
        let ring = try ring(in: world, passesMutes: passes)
        ring.begin(mode: .loud)
        ring.mute(.doNotDisturb, true)
        ring.asked(CallKey("A"), .silence) { _ in }
        ring.mute(.doNotDisturb, false)
        let modes = world.events.compactMap { event -> String? in
            guard case .ringing(let ringing) = event.body else { return nil }
            return "\(ringing.mode) \(ringing.why?.rawValue ?? "")"
        }
        let muted = passes ? [] : ["silent do-not-disturb"]
        #expect(modes == ["loud "] + muted + ["silent silenced"])
    }

    /// A ring of thirty seconds, which has not begun.
    private func ring(in world: FakeWorld, hearing desktop: Desktop? = nil, passesMutes: Bool = false) throws -> Ring {
        var parts = world.world
        parts.desktop = desktop
        let window = RingWindow.of(
            duration: .seconds(30), sentAt: nil, expiration: nil, start: phone.loop.now, wall: world.file.wall,
            deadline: phone.loop.now + .seconds(30))
        return Ring(
            world: parts, settings: phone.settings, request: RingRequest(key: CallKey("A")),
            window: try #require(window), passesMutes: passesMutes, ending: {}, over: { _ in })
    }
}

/// A desktop that says what the test has it say.
private final class Desktop: RingDesktop {
    private(set) var begin: (() -> Void)?
    private(set) var changed: ((Bool) -> Void)?
    var word = DesktopWord.none
    /// Whether it is muted, if it has said so before a ring begins.
    var isMuted: Bool?

    func beforeRing(_ begin: @escaping () -> Void) { self.begin = begin }

    func onMuted(_ changed: @escaping (Bool) -> Void) {
        self.changed = changed
        if let isMuted { changed(isMuted) }
    }
}
