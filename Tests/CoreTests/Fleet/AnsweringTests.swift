import BelfryDevices
import BelfryTerms
import Fleet
import Testing

/// What a gateway does for machines that ask it about their devices.
@Suite struct AnsweringTests {
    typealias Machine = AnsweringStateMachine
    private static let start = Instant(microseconds: 1_000_000)
    private static let wall = WallTime(microseconds: 1_790_000_000_000_000)
    private let door = FleetName("door")!

    private static func id(_ number: Int) -> String { "0a1b2c3d-0000-4000-8000-\(100_000_000_000 + number)" }

    private static func token(_ number: Int) -> DeviceToken {
        DeviceToken(bytes: (0..<32).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : 0) })!
    }

    private static func entry(_ number: Int) -> DeviceEntry {
        DeviceEntry(
            bundleID: "com.example.phone", appGroup: nil, environment: .production, alertToken: token(2 * number),
            voipToken: token(2 * number + 1), addedAt: wall)
    }

    private func key(_ number: Int) -> DeviceKey { DeviceKey(door, Self.id(number))! }

    private func addition(_ number: Int) -> DeviceQuestion {
        .add(
            DeviceQuestion.Addition(
                id: Self.id(number), bundleID: "com.example.phone", appGroup: nil, environment: .production)!)
    }

    /// A gateway with a mirror that follows a bucket.
    private struct Gateway {
        var machine: Machine
        var mirror: MirrorStateMachine
        var bucket = PlayedBucket()
        var place: UInt64 = 0
        var now = start

        init(_ devices: [DeviceKey: DeviceEntry] = [:], limits: MirrorStateMachine.Limits = .init()) {
            var last = 1_000
            machine = Machine {
                last += 1
                return token(last)
            }
            mirror = MirrorStateMachine(limits: limits, at: start)
            for (key, entry) in devices.sorted(by: { $0.key < $1.key }) { bucket.write(entry, at: key) }
            _ = mirror.brokerIsThere(at: start)
            _ = mirror.begin(1, bucket: "first", last: bucket.last, at: start, wall)
            follow()
        }

        mutating func follow() {
            for delivery in bucket.deliveries(after: mirror.reached, from: place + 1) {
                place = delivery.place
                _ = mirror.take(delivery, of: 1, at: now, wall)
            }
        }

        mutating func ask(_ question: DeviceQuestion, _ number: UInt64 = 1) -> [Machine.Effect] {
            machine.ask(number, question, of: FleetName("door")!, at: now, wall, mirror)
        }

        mutating func look() -> [Machine.Effect] { machine.look(at: now, mirror) }
    }

    private func write(_ effects: [Machine.Effect], _ place: Int = 0) throws -> (
        number: UInt64, key: DeviceKey, entry: DeviceEntry, over: UInt64
    ) {
        guard effects.indices.contains(place), case .write(let number, let key, let entry, let over) = effects[place]
        else { throw DeviceRefusalFound(effects: effects) }
        return (number, key, entry, over)
    }

    private struct DeviceRefusalFound: Error { let effects: [Machine.Effect] }

    private func refusal(_ effects: [Machine.Effect]) -> DeviceRefusal? {
        guard effects.count == 1, case .answer(_, .refused(let reason, _)) = effects[0] else { return nil }
        return reason
    }

    @Test("a device that is added has new tokens, and is answered once the bucket has it; asked again it is the same")
    func add() throws {
        var gateway = Gateway()
        let put = try write(gateway.ask(addition(1)))
        #expect(put.key == key(1) && put.over == 0 && put.entry.alertToken == Self.token(1_001))
        #expect(put.entry.voipToken == Self.token(1_002) && put.entry.addedAt == Self.wall)
        let device = NamedDevice(Self.id(1), put.entry)!
        #expect(
            gateway.machine.written(put.number, at: gateway.now, gateway.mirror)
                == [.answer(1, .devices([device], isAll: true))])
        #expect(gateway.machine.wakeAt == nil)
        #expect(gateway.machine.written(put.number, at: gateway.now, gateway.mirror).isEmpty)
        gateway.bucket.write(put.entry, at: key(1))
        gateway.follow()
        #expect(gateway.ask(addition(1), 2) == [.answer(2, .devices([device], isAll: true))])
    }

    @Test("where another gateway was faster it is looked at again once the mirror has that, and answered with it")
    func conflict() throws {
        var gateway = Gateway()
        let put = try write(gateway.ask(addition(1)))
        gateway.machine.fail(put.number, at: gateway.now)
        #expect(gateway.look().isEmpty && gateway.machine.wakeAt == Self.start + .milliseconds(500))
        gateway.bucket.write(Self.entry(7), at: key(1))
        gateway.follow()
        let device = NamedDevice(Self.id(1), Self.entry(7))!
        #expect(gateway.look() == [.answer(1, .devices([device], isAll: true))])
        // A change is made over what the other one wrote.
        let off = try write(gateway.ask(.offline(Self.id(1)), 2))
        #expect(off.over == 1 && off.entry.isOffline && off.entry.since == 1)
        gateway.machine.fail(off.number, at: gateway.now)
        var other = Self.entry(7)
        other.isOffline = true
        gateway.bucket.write(other, at: key(1))
        gateway.follow()
        #expect(gateway.look() == [.answer(2, .done(except: []))])
    }

    @Test("of what nobody answers it is written again, and after 5 s it is unavailable")
    func silence() throws {
        var gateway = Gateway()
        var put = try write(gateway.ask(addition(1)))
        let first = put.entry.alertToken
        var count = 1
        while gateway.now < Self.start + .milliseconds(4_999) {
            gateway.now = try #require(gateway.machine.wakeAt)
            let effects = gateway.look()
            if gateway.now >= Self.start + .seconds(5) {
                #expect(refusal(effects) == .unavailable)
            } else {
                put = try write(effects)
                count += 1
            }
        }
        #expect(put.entry.alertToken == first && count == 5 && gateway.machine.wakeAt == nil)
        // One that comes after that changes nothing.
        #expect(gateway.machine.written(put.number, at: gateway.now, gateway.mirror).isEmpty)
    }

    @Test("a device that the mirror does not know is none only after a fence")
    func unknown() throws {
        var gateway = Gateway([key(9): Self.entry(9)])
        #expect(gateway.ask(.remove(Self.id(1))) == [.fence(1)])
        #expect(refusal(gateway.machine.fenced(1, isCertain: true, at: gateway.now, gateway.mirror)) == .unknownDevice)
        #expect(gateway.ask(.online(Self.id(1)), 2) == [.fence(2)])
        #expect(refusal(gateway.machine.fenced(2, isCertain: false, at: gateway.now, gateway.mirror)) == .unavailable)
        #expect(gateway.ask(.remove(Self.id(1)), 3) == [.fence(3)])
        gateway.bucket.write(Self.entry(1), at: key(1))
        gateway.follow()
        let put = try write(gateway.machine.fenced(3, isCertain: true, at: gateway.now, gateway.mirror))
        #expect(put.over == 2 && put.entry.removedAt == Self.wall)
    }

    @Test("what is so already is answered without a write; a removed device is neither switched nor added again")
    func same() throws {
        var removed = Self.entry(2)
        removed.removedAt = Self.wall
        var gateway = Gateway([key(1): Self.entry(1), key(2): removed])
        #expect(gateway.ask(.online(Self.id(1))) == [.answer(1, .done(except: []))])
        #expect(gateway.ask(.remove(Self.id(2))) == [.answer(1, .done(except: []))])
        #expect(refusal(gateway.ask(.offline(Self.id(2)))) == .unknownDevice)
        let device = NamedDevice(Self.id(2), removed)!
        #expect(gateway.ask(addition(2)) == [.answer(1, .devices([device], isAll: true))])
    }

    @Test("what is announced keeps its tokens but no place of its own; each that cannot be is told, with its reason")
    func announce() throws {
        var removed = Self.entry(2)
        removed.removedAt = Self.wall
        let other = DeviceKey(FleetName("other")!, Self.id(50))!
        var gateway = Gateway([key(1): Self.entry(1), key(2): removed, other: Self.entry(50)])
        let early = Self.entry(3).replacing(Self.entry(3), at: 1)
        #expect(early.since == 1)
        let devices = [(1, Self.entry(1)), (2, Self.entry(2)), (3, early), (4, Self.entry(50)), (1, Self.entry(6))]
        let effects = gateway.ask(.announce(devices.map { NamedDevice(Self.id($0.0), $0.1)! }))
        let put = try write(effects)
        #expect(effects.count == 1 && put.key == key(3) && put.over == 0 && put.entry == Self.entry(3))
        let exceptions = [(2, DeviceRefusal.unknownDevice), (4, .claimed), (1, .claimed)].map {
            DeviceAnswer.Exception(Self.id($0.0), $0.1)!
        }
        #expect(
            gateway.machine.written(put.number, at: gateway.now, gateway.mirror)
                == [.answer(1, .done(except: exceptions))])
        #expect(gateway.ask(.announce([])) == [.answer(1, .done(except: []))])
    }

    @Test("those on their way count too where a machine has as many as it may")
    func full() throws {
        var limits = MirrorStateMachine.Limits()
        limits.devicesPerMachineMax = 3
        var gateway = Gateway([key(1): Self.entry(1)], limits: limits)
        for number in 2...3 { _ = try write(gateway.ask(addition(number), UInt64(number))) }
        #expect(refusal(gateway.ask(addition(4), 4)) == .machineFull)
    }

    @Test(
        "a list comes in pages of 64; where the bucket was not read nothing can be said; 1,024 questions wait at most")
    func list() throws {
        var limits = MirrorStateMachine.Limits()
        limits.devicesPerMachineMax = 5_000
        var gateway = Gateway(Dictionary(uniqueKeys: (0..<70).map { (key($0), Self.entry($0)) }), limits: limits)
        guard case .answer(1, .devices(let first, isAll: false))? = gateway.ask(.list(after: nil)).first,
            case .answer(1, .devices(let rest, isAll: true))? = gateway.ask(.list(after: first.last?.id)).first
        else {
            Issue.record("no pages")
            return
        }
        #expect((first + rest).map(\.id) == (0..<70).map(Self.id) && first.count == 64)
        for number in 1...1_024 { #expect(gateway.ask(addition(100 + number), UInt64(number)).count == 1) }
        #expect(refusal(gateway.ask(addition(9_000), 9_000)) == .unavailable)
        var unread = Gateway()
        unread.mirror = MirrorStateMachine(at: Self.start)
        #expect(
            refusal(unread.ask(.list(after: nil))) == .unavailable && refusal(unread.ask(addition(1))) == .unavailable)
    }
}

extension Dictionary {
    fileprivate init(uniqueKeys pairs: [(Key, Value)]) { self.init(pairs) { first, _ in first } }
}
