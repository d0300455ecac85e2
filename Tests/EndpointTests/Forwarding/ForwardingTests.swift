import BelfryDevices
import BelfryTerms
import Testing

@testable import Forwarding

/// Pushes and time as a test moves them.
struct Played {
    var machine: ForwardingStateMachine
    var instant = Instant(microseconds: 1_000_000_000)
    var wall = WallTime(microseconds: 1_800_000_000_000_000)
    private var number: Int64 = 0
    private var tokens: [String: DeviceToken] = [:]

    init(_ limits: ForwardingStateMachine.Limits = ForwardingStateMachine.Limits()) {
        machine = ForwardingStateMachine(limits: limits)
    }

    var now: ForwardingTime { ForwardingTime(instant: instant, wall: wall) }

    mutating func advance(_ span: TimeSpan) {
        instant = instant + span
        wall = wall + span
    }

    mutating func token(_ device: String) -> DeviceToken {
        let token = tokens[device] ?? .random()
        tokens[device] = token
        return token
    }

    /// Seconds from now, or 0 for "try once"; nil if none is stated.
    mutating func push(
        to device: String, topic: String = "app", priority: APNsPriority = .immediate, expiresIn seconds: Int64? = nil,
        once: Bool = false, id: String = randomUUID()
    ) -> EndpointPush {
        let expiration = once ? WallTime(microseconds: 0) : seconds.map { wall + .seconds($0) }
        return EndpointPush(
            apnsID: id, token: token(device), topic: topic, pushType: .alert, priority: priority,
            expiration: expiration, payload: Array("{}".utf8), acceptedAt: wall)
    }

    mutating func accept(
        _ push: EndpointPush, to device: String, on machineName: FleetName? = nil
    ) -> [ForwardingStateMachine.Effect] {
        let admission = machine.admit(PushDigest(push), to: push.token, at: instant)
        precondition(admission == .admitted, "\(admission)")
        number += 1
        return machine.accept(
            WaitingPush(number: number, push, deviceID: device, machine: machineName), at: now)
    }

    mutating func accept(
        to device: String, topic: String = "app", priority: APNsPriority = .immediate, expiresIn seconds: Int64? = nil,
        once: Bool = false
    ) -> [ForwardingStateMachine.Effect] {
        accept(
            push(to: device, topic: topic, priority: priority, expiresIn: seconds, once: once), to: device)
    }

    mutating func settled(_ number: Int64) -> [ForwardingStateMachine.Effect] {
        machine.carried(number, .settled, at: now)
    }

    mutating func offline(_ number: Int64) -> [ForwardingStateMachine.Effect] {
        machine.carried(number, .offline, at: now)
    }

    mutating func wake() -> [ForwardingStateMachine.Effect] { machine.wake(at: now) }
}

/// R20: one device in order, many at once, the most urgent first.
@Suite struct ForwardingOrderTests {
    @Test("R20 the next push of a device waits until the one before is settled, whatever its topic and priority")
    func oneDevice() {
        var played = Played()
        #expect(played.accept(to: "a", topic: "app.voip", priority: .low) == [.start(1)])
        #expect(played.accept(to: "a", priority: .immediate) == [])
        #expect(played.accept(to: "a", topic: "app.voip") == [])
        #expect(played.settled(1) == [.start(2)])
        #expect(played.settled(2) == [.start(3)])
        #expect(played.settled(3) == [] && played.machine.waitingCount == 0)
    }

    @Test("R20 many devices are served at once, up to the limit, and the next as soon as there is room")
    func manyDevices() {
        var limits = ForwardingStateMachine.Limits()
        #expect(limits.inFlightMax == 64)
        limits.inFlightMax = 3
        var played = Played(limits)
        let effects = (1...5).flatMap { played.accept(to: "device \($0)") }
        #expect(effects == [.start(1), .start(2), .start(3)])
        #expect(played.settled(2) == [.start(4)])
        #expect(played.settled(1) == [.start(5)])
        #expect(played.settled(3) == [])
    }

    @Test("R20 a flood to one device takes one of the 64 places, and each other device waits for no more than its own")
    func flood() {
        var played = Played()
        let flood = (1...1_000).flatMap { _ in played.accept(to: "flooded") }
        #expect(flood == [.start(1)])
        let others = (1...64).flatMap { played.accept(to: "device \($0)") }
        #expect(others == (1_001...1_063).map { .start($0) })
        // The one that found no place is next, before what waits for the flooded device.
        #expect(played.settled(1) == [.start(1_064)])
        #expect(played.settled(1_001) == [.start(2)])
        #expect(played.settled(1_002) == [])
    }

    @Test("R20 10 comes before 5 and 5 before 1; who is held up by one that is less urgent comes with the more urgent")
    func priorities() {
        var limits = ForwardingStateMachine.Limits()
        limits.inFlightMax = 1
        var played = Played(limits)
        #expect(played.accept(to: "first") == [.start(1)])
        _ = played.accept(to: "low", priority: .low)
        _ = played.accept(to: "considerate", priority: .considerate)
        _ = played.accept(to: "held up", priority: .low)
        _ = played.accept(to: "immediate", priority: .immediate)
        _ = played.accept(to: "held up", priority: .immediate)
        #expect(played.settled(1) == [.start(5)])
        #expect(played.settled(5) == [.start(4)])
        #expect(played.settled(4) == [.start(6)])
        #expect(played.settled(6) == [.start(3)])
        #expect(played.settled(3) == [.start(2)])
        #expect(played.settled(2) == [])
    }

    @Test("R20 what ends twice, or never began, changes nothing")
    func strangers() {
        var played = Played()
        _ = played.accept(to: "a")
        #expect(played.settled(7) == [] && played.settled(1) == [] && played.offline(1) == [])
        #expect(played.machine.waitingCount == 0)
    }
}

/// R19: what is admitted, once.
@Suite struct AdmissionTests {
    @Test("a request with the same id, token and body is a duplicate for ten minutes")
    func duplicates() {
        var played = Played()
        let push = played.push(to: "a", id: "0123")
        _ = played.accept(push, to: "a")
        _ = played.settled(1)
        let digest = PushDigest(push)
        played.advance(.seconds(600))
        #expect(played.machine.admit(digest, to: push.token, at: played.instant) == .duplicate)
        played.advance(TimeSpan(microseconds: 1))
        #expect(played.machine.admit(digest, to: push.token, at: played.instant) == .admitted)
    }

    @Test("another id, token or body is another request")
    func others() {
        func push(_ id: String, _ token: DeviceToken, _ body: String) -> PushDigest {
            PushDigest(
                EndpointPush(
                    apnsID: id, token: token, topic: "app", pushType: .alert, payload: Array(body.utf8),
                    acceptedAt: WallTime(microseconds: 0)))
        }
        let (one, two) = (DeviceToken.random(), DeviceToken.random())
        let digest = push("a", one, "{}")
        #expect(digest == push("a", one, "{}"))
        #expect(Set([digest, push("b", one, "{}"), push("a", two, "{}"), push("a", one, "{} ")]).count == 4)
        #expect(PushDigest(bytes: digest.bytes) == digest && digest.bytes.count == PushDigest.byteCount)
        #expect(PushDigest(bytes: Array(digest.bytes.dropLast())) == nil)
    }

    @Test("a digest is what it was in earlier versions, whose are on the disk")
    func knownDigest() throws {
        let token = try #require(DeviceToken(hex: String(repeating: "0f", count: 32)))
        let push = EndpointPush(
            apnsID: "0A1B", token: token, topic: "app", pushType: .alert, payload: Array(#"{"aps":{}}"#.utf8),
            acceptedAt: WallTime(microseconds: 0))
        let known: [UInt8] = [
            0x69, 0x85, 0x77, 0x34, 0xE7, 0x30, 0x9B, 0xDB,
            0xEA, 0x13, 0xA6, 0xE5, 0xC8, 0x66, 0x2C, 0x86,
        ]
        #expect(PushDigest(push).bytes == known)
    }

    @Test("no two of 200,000 requests have the same digest")
    func spread() {
        let token = DeviceToken.random()
        let digests = (0..<200_000).map { number in
            PushDigest(
                EndpointPush(
                    apnsID: "\(number / 100)", token: token, topic: "app", pushType: .alert,
                    payload: Array("\(number % 100)".utf8), acceptedAt: WallTime(microseconds: 0)))
        }
        #expect(Set(digests.map { Array($0.bytes[..<8]) }).count == 200_000)
        #expect(Set(digests.map { Array($0.bytes[8...]) }).count == 200_000)
    }

    @Test("what could not be kept is forgotten, and gives its place back")
    func withdrawn() {
        var limits = ForwardingStateMachine.Limits()
        limits.waitingMax = 1
        var played = Played(limits)
        let push = played.push(to: "a")
        let digest = PushDigest(push)
        #expect(played.machine.admit(digest, to: push.token, at: played.instant) == .admitted)
        #expect(played.machine.waitingCount == 1)
        played.machine.withdraw(digest, to: push.token)
        #expect(played.machine.admit(digest, to: push.token, at: played.instant) == .admitted)
    }

    @Test("R19 1,000 may wait for a token, 200,000 in all, and 262,144 requests are remembered") func usualLimits() {
        let limits = ForwardingStateMachine.Limits()
        #expect(limits.waitingForTokenMax == 1_000)
        #expect(limits.waitingMax == 200_000)
        #expect(limits.rememberedMax == 262_144)
    }

    @Test("too many for one token, and too many in all, are refused until there is room again")
    func limits() {
        var limits = ForwardingStateMachine.Limits()
        limits.waitingForTokenMax = 2
        limits.waitingMax = 3
        var played = Played(limits)
        func admit(_ device: String) -> ForwardingStateMachine.Admission {
            let push = played.push(to: device)
            return played.machine.admit(PushDigest(push), to: push.token, at: played.instant)
        }
        _ = played.accept(to: "a")
        _ = played.accept(to: "a")
        #expect(admit("a") == .tooManyRequests)
        #expect(admit("b") == .admitted)
        #expect(admit("c") == .unavailable)
        _ = played.settled(1)
        #expect(admit("a") == .admitted)
        #expect(admit("a") == .tooManyRequests)
    }

    @Test("of more requests than can be remembered the oldest are forgotten")
    func forgetful() {
        var limits = ForwardingStateMachine.Limits()
        limits.rememberedMax = 2
        var played = Played(limits)
        let pushes = (0..<3).map { _ in played.push(to: "a") }
        for push in pushes { _ = played.accept(push, to: "a") }
        let admissions = pushes.reversed().map {
            played.machine.admit(PushDigest($0), to: $0.token, at: played.instant)
        }
        #expect(admissions == [.duplicate, .duplicate, .admitted])
    }

    @Test("what waited and what is remembered outlives the process; a kept one is not tried past its expiration")
    func restored() {
        var played = Played()
        let kept = played.push(to: "a", expiresIn: 10)
        let waiting = played.push(to: "a", expiresIn: 10)
        let other = played.push(to: "b", topic: "other")
        var later = Played()
        (later.wall, later.instant) = (played.wall + .seconds(20), Instant(microseconds: 5))
        let pushes = [
            WaitingPush(number: 1, kept, deviceID: "a", wasStored: true),
            WaitingPush(number: 2, waiting, deviceID: "a"),
            WaitingPush(number: 3, other, deviceID: "b", wasStored: true),
        ]
        #expect(pushes.flatMap { later.machine.restore($0, at: later.now) } == [])
        later.machine.restore(PushDigest(kept), age: .seconds(20), at: later.instant)
        later.machine.restore(PushDigest(waiting), age: .seconds(601), at: later.instant)
        later.machine.restore(PushDigest(other), age: .seconds(-5), at: later.instant)
        #expect(later.wake() == [.discard(1, .expired), .start(3), .start(2)])
        #expect(later.machine.admit(PushDigest(kept), to: kept.token, at: later.instant) == .duplicate)
        #expect(later.machine.admit(PushDigest(other), to: other.token, at: later.instant) == .duplicate)
        #expect(later.machine.admit(PushDigest(waiting), to: waiting.token, at: later.instant) == .admitted)
        later.instant = later.instant + .seconds(581)
        #expect(later.machine.admit(PushDigest(kept), to: kept.token, at: later.instant) == .admitted)
    }

    @Test("of what waited for a device that is off, the latest is kept, and nothing is tried")
    func restoredOff() {
        var played = Played()
        let pushes = (1...3).map { WaitingPush(number: $0, played.push(to: "a", once: $0 == 3), deviceID: "a") }
        #expect(played.machine.setOff(true, "a", at: played.now) == [])
        let effects = pushes.flatMap { played.machine.restore($0, at: played.now) }
        #expect(effects == [.store(1), .discard(1, .replaced), .store(2), .discard(3, .expired)])
        #expect(played.wake() == [])
    }
}

@Suite struct LineTests {
    @Test("whoever came first goes first, however many come and go") func order() {
        var line = Line<Int>()
        var (coming, going) = (0, 0)
        for step in 1...40 {
            for _ in 0..<step {
                line.append(coming)
                coming += 1
            }
            for _ in 0..<(step * 3 / 4) {
                #expect(line.first == going && line.popFirst() == going)
                going += 1
            }
            #expect(line.count == coming - going)
        }
        while let next = line.popFirst() {
            #expect(next == going)
            going += 1
        }
        #expect(going == coming && line.count == 0)
    }
}
