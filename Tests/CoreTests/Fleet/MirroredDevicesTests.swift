import BelfryDevices
import BelfryTerms
import Fleet
import Support
import Testing

/// Which devices a gateway has of what the bucket says: claims, limits, and buckets that were lost.
@Suite struct MirroredDevicesTests {
    typealias Machine = MirrorStateMachine
    private let start = Instant(microseconds: 1_000_000)
    private let wall = WallTime(microseconds: 1_790_000_000_000_000)

    private func key(_ machine: String, _ number: Int) -> DeviceKey {
        DeviceKey(FleetName(machine)!, "0a1b2c3d-0000-4000-8000-\(100_000_000_000 + number)")!
    }

    private func entry(_ alert: Int, _ voip: Int, removedAt: WallTime? = nil) -> DeviceEntry {
        DeviceEntry(
            bundleID: "com.example.phone", appGroup: nil, environment: .production, alertToken: token(alert),
            voipToken: token(voip), addedAt: wall, removedAt: removedAt)
    }

    private func token(_ number: Int) -> DeviceToken {
        DeviceToken(bytes: (0..<32).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : 0) })!
    }

    /// A mirror that follows a bucket.
    private struct Follower {
        var mirror: Machine
        var registry = PlayedRegistry()
        var place: UInt64 = 0
        var seen: UInt64 = 0
        var begun = 0
        var now = Instant(microseconds: 1_000_000)

        init(_ known: [DeviceKey: DeviceEntry] = [:], limits: Machine.Limits = Machine.Limits()) {
            mirror = Machine(known, limits: limits, at: now)
            registry.apply(mirror.brokerIsThere(at: now))
        }

        /// The last watch begins, unless it has.
        mutating func begin(_ bucket: PlayedBucket, at wall: WallTime) {
            let watch = registry.watches[registry.watches.count - 1]
            if watch.number != begun { (begun, place, seen) = (watch.number, 0, watch.after) }
            registry.apply(mirror.begin(watch.number, bucket: bucket.identity, last: bucket.last, at: now, wall))
        }

        /// All that is new is delivered, each as often as `count` says.
        mutating func follow(_ bucket: PlayedBucket, at wall: WallTime, _ count: () -> Int = { 1 }) {
            for delivery in bucket.deliveries(after: seen, from: place + 1) {
                (place, seen) = (delivery.place, delivery.sequence)
                for _ in 0..<count() { registry.apply(mirror.take(delivery, of: begun, at: now, wall)) }
            }
            registry.apply(mirror.nextChanges(max: .max))
        }
    }

    private func reader(
        of bucket: PlayedBucket, _ known: [DeviceKey: DeviceEntry] = [:], limits: Machine.Limits = Machine.Limits()
    ) -> Follower {
        var follower = Follower(known, limits: limits)
        follower.begin(bucket, at: wall)
        follower.follow(bucket, at: wall)
        return follower
    }

    @Test("of two claims to a token the first has it, though it was written again later; the other's machine is told")
    func claims() {
        var bucket = PlayedBucket()
        let (first, second) = (key("door", 1), key("gate", 2))
        bucket.write(entry(1, 2), at: first)
        bucket.write(entry(3, 2), at: second)
        var live = reader(of: bucket)
        #expect(Set(live.registry.devices.keys) == [first] && live.registry.lost == [second: first])
        var changed = entry(1, 2)
        changed.isOffline = true
        bucket.write(changed, at: first)
        live.follow(bucket, at: wall)
        #expect(live.registry.devices[first]?.isOffline == true)
        // This one reads the second's first.
        let fresh = reader(of: bucket)
        #expect(Set(fresh.registry.devices.keys) == [first] && fresh.registry.lost == [second: first])
        #expect(fresh.registry.had == [first])
        // Removed, it is still the first: 410, and no other's.
        bucket.write(entry(1, 2, removedAt: wall), at: first)
        live.follow(bucket, at: wall)
        #expect(Set(live.registry.devices.keys) == [first])
        live.registry.apply(live.mirror.wake(at: start + .seconds(3_600), wall + .seconds(31 * 86_400)))
        #expect(Set(live.registry.devices.keys) == [second])
    }

    @Test("a device has one name in a fleet, and loses all where it loses one claim")
    func names() {
        var bucket = PlayedBucket()
        bucket.write(entry(1, 2), at: key("door", 1))
        bucket.write(entry(3, 4), at: key("gate", 1))
        bucket.write(entry(5, 4), at: key("hall", 3))
        let live = reader(of: bucket)
        #expect(live.registry.lost == [key("gate", 1): key("door", 1), key("hall", 3): key("gate", 1)])
        #expect(Set(live.registry.devices.keys) == [key("door", 1)])
    }

    @Test(
        "a mirror that followed with losses, doubles and stops, and one that reads at the end, have the same registry")
    func alike() {
        var watches = 0
        for seed in 1...60 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            var bucket = PlayedBucket()
            var live = Follower()
            live.begin(bucket, at: wall)
            for _ in 0..<300 {
                change(&bucket, &random)
                if random.oneIn(3) { live.follow(bucket, at: wall) { random.pick([1, 1, 1, 1, 1, 2, 0]) } }
                live.now = live.now + .milliseconds(Int64.random(in: 1...3_000, using: &random))
                live.registry.apply(live.mirror.wake(at: live.now, wall))
                if random.oneIn(3) { live.begin(bucket, at: wall) }
            }
            // At the end all is delivered.
            live.registry.apply(live.mirror.doubt(at: live.now + .seconds(2)))
            live.now = live.now + .seconds(20)
            live.registry.apply(live.mirror.wake(at: live.now, wall))
            live.begin(bucket, at: wall)
            live.follow(bucket, at: wall)
            let fresh = reader(of: bucket)
            #expect(live.mirror.reached == fresh.mirror.reached, "seed \(seed)")
            #expect(shown(live.registry) == shown(fresh.registry), "seed \(seed)")
            watches += live.registry.watches.count
        }
        // In each of them something was lost.
        #expect(watches > 600)
    }

    /// Adds, changes, removes, or deletes what was removed: tokens of so few that many claim the same.
    private func change(_ bucket: inout PlayedBucket, _ random: inout SeededRandom) {
        let key = key(random.pick(["a", "b", "c"]), Int.random(in: 0..<8, using: &random))
        let known = bucket.values[key.text]?.value.flatMap { try? DeviceEntry(bytes: $0) }
        if random.oneIn(10) { _ = bucket.write([], at: "_fence.gate") }
        let other = entry(
            Int.random(in: 0..<24, using: &random), 24 + Int.random(in: 0..<24, using: &random))
        switch (known, random.pick([0, 1, 1, 2])) {
        case (nil, _), (.some(_), 2): bucket.write(other, at: key)
        case (let known?, _) where known.removedAt != nil:
            _ = bucket.write(ForgottenDevice(removedAt: wall).bytes, at: key.text)
        case (var known?, let what):
            if what == 0 { known.removedAt = wall } else { known.isOffline.toggle() }
            bucket.write(known, at: key)
        }
    }

    /// What a registry has, but for where the bucket has it.
    private func shown(_ registry: PlayedRegistry) -> [DeviceKey: [String]] {
        registry.devices.mapValues {
            [$0.alertToken.hex, $0.voipToken.hex, "\(String(describing: $0.removedAt))", "\($0.isOffline)"]
        }
    }

    @Test("a machine has 1,000 devices, a fleet 100,000; those that were removed make room, those in use do not")
    func limits() {
        #expect(Machine.Limits().devicesPerMachineMax == 1_000 && Machine.Limits().devicesMax == 100_000)
        var limits = Machine.Limits()
        (limits.devicesPerMachineMax, limits.devicesMax) = (2, 3)
        var bucket = PlayedBucket()
        for number in 0..<3 { bucket.write(entry(2 * number, 2 * number + 1), at: key("door", number)) }
        var live = reader(of: bucket, limits: limits)
        let door = FleetName("door")!
        #expect(
            live.registry.refused == [key("door", 2): .machineFull] && live.mirror.refusal(of: door) == .machineFull)
        bucket.write(entry(0, 1, removedAt: wall), at: key("door", 0))
        live.follow(bucket, at: wall)
        #expect(live.mirror.refusal(of: door) == nil)
        bucket.write(entry(10, 11), at: key("door", 5))
        live.follow(bucket, at: wall)
        #expect(live.registry.forgotten == [key("door", 0): 4])
        #expect(Set(live.registry.devices.keys) == [key("door", 1), key("door", 5)])
        bucket.write(entry(20, 21), at: key("gate", 6))
        bucket.write(entry(22, 23), at: key("hall", 7))
        live.follow(bucket, at: wall)
        #expect(live.registry.refused[key("hall", 7)] == .fleetFull)
        #expect(live.mirror.refusal(of: FleetName("hall")!) == .fleetFull && live.registry.devices.count == 3)
        // Another machine's that was removed makes room too.
        bucket.write(entry(10, 11, removedAt: wall), at: key("door", 5))
        bucket.write(entry(24, 25), at: key("hall", 8))
        live.follow(bucket, at: wall)
        #expect(live.registry.devices[key("hall", 8)] != nil && live.registry.devices[key("door", 5)] == nil)
    }

    @Test("a bucket that is new is empty, and not whole")
    func empty() {
        let bucket = PlayedBucket()
        var live = reader(of: bucket)
        #expect(live.mirror.standing == .empty && live.registry.standing == .empty)
        var used = bucket
        used.write(entry(1, 2), at: key("door", 1))
        live.follow(used, at: wall)
        #expect(live.mirror.standing == .whole)
    }

    @Test(
        "an emptied bucket removes nothing, is not whole until it was restored, and an entry that is there is no news")
    func emptied() {
        var bucket = PlayedBucket()
        for number in 0..<3 { bucket.write(entry(2 * number, 2 * number + 1), at: key("door", number)) }
        let known = reader(of: bucket).registry.devices
        #expect(reader(of: bucket, known).registry.devices.isEmpty)
        bucket.purge()
        var live = reader(of: bucket, known)
        // Its last number is still that of what was purged.
        live.registry.apply(live.mirror.idle(1, delivered: 0, sequence: bucket.last, at: start))
        #expect(live.mirror.standing == .missing && live.mirror.absent == Set(known.keys))
        for (number, key) in live.mirror.absent.sorted().enumerated() {
            bucket.write(live.mirror.entry(key)!.entry, at: key)
            live.follow(bucket, at: wall)
            #expect(live.mirror.standing == (number < 2 ? .missing : .whole))
        }
        #expect(live.registry.devices.isEmpty && live.registry.refused.isEmpty)
    }

    @Test("another bucket is read from its begin, and what was known keeps its tokens", arguments: ["second", "first"])
    func another(_ identity: String) {
        var bucket = PlayedBucket()
        bucket.write(entry(1, 2), at: key("door", 1))
        bucket.write(entry(3, 4), at: key("door", 2))
        var live = reader(of: bucket)
        // All brokers lost their disks, or have older ones.
        bucket = PlayedBucket()
        bucket.identity = identity
        bucket.write(entry(1, 9), at: key("gate", 7))
        live.registry.apply(live.mirror.doubt(at: start + .seconds(2)))
        live.begin(bucket, at: wall)
        #expect(live.mirror.standing == .unread && live.registry.standing == .unread)
        live.registry.apply(live.mirror.wake(at: start + .seconds(60), wall))
        #expect(live.registry.watches.last?.after == 0)
        live.begin(bucket, at: wall)
        live.follow(bucket, at: wall)
        #expect(live.mirror.standing == .missing && live.registry.lost == [key("gate", 7): key("door", 1)])
        #expect(Set(live.registry.devices.keys) == [key("door", 1), key("door", 2)])
    }

    @Test("what cannot be read makes nothing certain, and is passed over; so are keys of a later version")
    func unreadable() {
        var bucket = PlayedBucket()
        bucket.write(entry(1, 2), at: key("door", 1))
        _ = bucket.write(Array("{}".utf8), at: key("door", 2).text)
        _ = bucket.write(Array("{}".utf8), at: "_later.thing")
        var live = reader(of: bucket)
        #expect(live.mirror.standing == .unreadable && live.registry.devices.count == 1)
        bucket.write(entry(3, 4), at: key("door", 2))
        live.follow(bucket, at: wall)
        #expect(live.mirror.standing == .whole && live.registry.devices.count == 2)
    }
}
