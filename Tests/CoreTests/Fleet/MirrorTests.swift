import BelfryDevices
import BelfryTerms
import Fleet
import Support
import Testing

/// A gateway's mirror of the bucket: how it is read and followed.
@Suite struct MirrorTests {
    typealias Machine = MirrorStateMachine
    private let start = Instant(microseconds: 1_000_000)
    private let wall = WallTime(microseconds: 1_790_000_000_000_000)

    private func key(_ machine: String, _ number: Int) -> DeviceKey {
        let digits = String(number, radix: 16)
        let id = "0a1b2c3d-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        return DeviceKey(FleetName(machine)!, id)!
    }

    private func entry(_ number: UInt64) -> DeviceEntry {
        DeviceEntry(
            bundleID: "com.example.phone", appGroup: nil, environment: .production, alertToken: token(2 * number),
            voipToken: token(2 * number + 1), addedAt: wall)
    }

    private func token(_ number: UInt64) -> DeviceToken {
        DeviceToken(bytes: (0..<32).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * UInt64($0)) : 0) })!
    }

    /// A mirror that has read a bucket of `count` devices.
    private func whole(_ count: Int) -> (Machine, PlayedBucket, PlayedRegistry) {
        var (mirror, bucket, registry) = (Machine(at: start), PlayedBucket(), PlayedRegistry())
        for number in 0..<count { bucket.write(entry(UInt64(number)), at: key("door", number)) }
        registry.apply(mirror.brokerIsThere(at: start))
        read(&mirror, bucket, &registry, at: start)
        return (mirror, bucket, registry)
    }

    /// The last watch that was asked for begins, and delivers all there is.
    private func read(
        _ mirror: inout Machine, _ bucket: PlayedBucket, _ registry: inout PlayedRegistry, at now: Instant
    ) {
        guard let (number, after) = registry.watches.last else {
            Issue.record("no watch was asked for")
            return
        }
        registry.apply(mirror.begin(number, bucket: bucket.identity, last: bucket.last, at: now, wall))
        for delivery in bucket.deliveries(after: after) {
            registry.apply(mirror.take(delivery, of: number, at: now, wall))
        }
        registry.apply(mirror.nextChanges(max: .max))
    }

    @Test("it is whole once it has reached what was last when its watch began")
    func reads() {
        var (mirror, bucket, registry) = (Machine(at: start), PlayedBucket(), PlayedRegistry())
        for number in 0..<3 { bucket.write(entry(UInt64(number)), at: key("door", number)) }
        #expect(mirror.wakeAt == nil && mirror.brokerIsThere(at: start) == [.watch(1, after: 0)])
        #expect(mirror.brokerIsThere(at: start).isEmpty)
        #expect(mirror.begin(1, bucket: "first", last: 3, at: start, wall).isEmpty)
        let deliveries = bucket.deliveries(after: 0)
        #expect(mirror.take(deliveries[0], of: 1, at: start, wall).isEmpty)
        // One comes twice.
        #expect(mirror.take(deliveries[0], of: 1, at: start, wall).isEmpty)
        registry.apply(mirror.take(deliveries[1], of: 1, at: start, wall))
        #expect(mirror.standing == .unread && mirror.reached == 2)
        #expect(!mirror.hasChanges && mirror.nextChanges(max: 9).isEmpty)
        #expect(mirror.take(deliveries[2], of: 1, at: start, wall) == [.stands(.whole)])
        // By and by, so that nobody is held up.
        #expect(mirror.hasChanges && mirror.nextChanges(max: 2).count == 2 && mirror.hasChanges)
        #expect(mirror.nextChanges(max: 2).count == 1 && !mirror.hasChanges)
        #expect(mirror.reached == 3 && mirror.entry(key("door", 1))?.sequence == 2)
    }

    @Test("what a watch delivers before the answer that begins it is not lost; of an earlier watch nothing is taken")
    func early() {
        var (mirror, bucket) = (Machine(at: start), PlayedBucket())
        for number in 0..<2 { bucket.write(entry(UInt64(number)), at: key("door", number)) }
        _ = mirror.brokerIsThere(at: start)
        let deliveries = bucket.deliveries(after: 0)
        for delivery in deliveries { #expect(mirror.take(delivery, of: 1, at: start, wall).isEmpty) }
        #expect(mirror.take(deliveries[1], of: 0, at: start, wall).isEmpty)
        let effects = mirror.begin(1, bucket: "first", last: 2, at: start, wall)
        #expect(effects.count == 3 && effects.last == .stands(.whole))
        var limits = Machine.Limits()
        limits.earlyMax = 1
        var small = Machine(limits: limits, at: start)
        _ = small.brokerIsThere(at: start)
        _ = small.take(deliveries[0], of: 1, at: start, wall)
        _ = small.take(deliveries[1], of: 1, at: start, wall)
        #expect(small.wake(at: start + .seconds(1), wall) == [.watch(3, after: 0)])
        #expect(Machine.Limits().earlyMax == 16_384)
    }

    @Test("where a part was lost the watch is begun anew after the last number it has, and not faster than each second")
    func gap() {
        var (mirror, bucket, registry) = whole(2)
        let later = start + .seconds(10)
        for number in 2..<5 { bucket.write(entry(UInt64(number)), at: key("door", number)) }
        let news = bucket.deliveries(after: 2, from: 3)
        registry.apply(mirror.take(news[0], of: 1, at: later, wall))
        #expect(mirror.take(news[2], of: 1, at: later, wall) == [.watch(2, after: 3)])
        #expect(mirror.reached == 3)
        // The old watch goes on for a while.
        #expect(mirror.take(news[1], of: 1, at: later, wall).isEmpty)
        #expect(mirror.begin(2, bucket: "first", last: 5, at: later, wall).isEmpty)
        let again = bucket.deliveries(after: 3)
        #expect(mirror.take(again[1], of: 2, at: later, wall).isEmpty)
        #expect(mirror.wakeAt == later + .seconds(1))
        #expect(mirror.wake(at: later + .milliseconds(999), wall).isEmpty)
        registry.apply(mirror.wake(at: later + .seconds(1), wall))
        #expect(registry.watches.last?.number == 4 && registry.watches.last?.after == 3)
        read(&mirror, bucket, &registry, at: later + .seconds(1))
        #expect(mirror.reached == 5 && registry.devices.count == 5 && mirror.standing == .whole)
    }

    @Test("a watch that stops in the middle without a word is begun anew where it stopped")
    func stops() {
        // A gateway without the right to answer flow control got 5,787 of 100,000 entries, and no error.
        let count = 6_500
        var (mirror, bucket, registry) = (Machine(at: start), PlayedBucket(), PlayedRegistry())
        for number in 0..<count { bucket.write(entry(UInt64(number)), at: key("door-\(number % 100)", number)) }
        registry.apply(mirror.brokerIsThere(at: start))
        registry.apply(mirror.begin(1, bucket: "first", last: bucket.last, at: start, wall))
        for delivery in bucket.deliveries(after: 0).prefix(5_787) {
            registry.apply(mirror.take(delivery, of: 1, at: start, wall))
        }
        #expect(mirror.standing == .unread && mirror.wakeAt == start + .seconds(5))
        #expect(mirror.wake(at: start + .milliseconds(4_999), wall).isEmpty)
        registry.apply(mirror.wake(at: start + .seconds(5), wall))
        #expect(registry.watches.last?.number == 2 && registry.watches.last?.after == 5_787)
        read(&mirror, bucket, &registry, at: start + .seconds(5))
        #expect(mirror.standing == .whole && registry.devices.count == count)
    }

    @Test("so is one that stops once all was read; a broker's words keep it, and tell of a last delivery that was lost")
    func idle() {
        var (mirror, bucket, registry) = whole(2)
        for second in stride(from: 2, through: 20, by: 2) {
            let now = start + .seconds(Int64(second))
            #expect(mirror.wake(at: now, wall).isEmpty)
            #expect(mirror.idle(1, delivered: 2, sequence: 2, at: now).isEmpty)
        }
        #expect(mirror.wakeAt == start + .seconds(25))
        var silent = mirror
        #expect(silent.wake(at: start + .seconds(25), wall) == [.watch(2, after: 2)])
        // No answer comes either.
        #expect(silent.wake(at: start + .seconds(30), wall) == [.watch(3, after: 2)])
        #expect(silent.fail(3, at: start + .seconds(30)).isEmpty)
        #expect(silent.wake(at: start + .seconds(31), wall) == [.watch(5, after: 2)])
        silent.noBrokerIsThere()
        #expect(silent.wakeAt == nil && silent.standing == .whole)
        bucket.write(entry(2), at: key("door", 2))
        registry.apply(mirror.idle(1, delivered: 3, sequence: 3, at: start + .seconds(22)))
        read(&mirror, bucket, &registry, at: start + .seconds(22))
        #expect(registry.devices.count == 3 && mirror.reached == 3)
        // A word from before the last deliveries is no loss, and says nothing of numbers.
        #expect(mirror.idle(2, delivered: 0, sequence: 9, at: start + .seconds(23)).isEmpty && mirror.reached == 3)
    }

    @Test("an end of the bucket that was purged is reached by what the broker says")
    func purgedEnd() {
        var (mirror, bucket) = (Machine(at: start), PlayedBucket())
        bucket.write(entry(0), at: key("door", 0))
        _ = mirror.brokerIsThere(at: start)
        _ = mirror.begin(1, bucket: "first", last: 9, at: start, wall)
        _ = mirror.take(bucket.deliveries(after: 0)[0], of: 1, at: start, wall)
        #expect(mirror.standing == .unread)
        #expect(mirror.idle(1, delivered: 1, sequence: 9, at: start) == [.stands(.whole)])
        #expect(mirror.reached == 9 && mirror.nextChanges(max: 9) == [.put(key("door", 0), entry(0))])
    }

    @Test("a device leaves by an entry that says removed; a deleted key only warns, and is no whole bucket")
    func removal() {
        var (mirror, bucket, registry) = whole(3)
        var removed = entry(0)
        removed.removedAt = wall
        let first = key("door", 0)
        bucket.write(removed, at: first)
        let news = bucket.deliveries(after: 3, from: 4)
        let written = try? DeviceEntry(bytes: news[0].value ?? [])
        #expect(written?.since == 1)
        #expect(mirror.take(news[0], of: 1, at: start, wall) == [.remove(first, written!, at: wall)])
        registry.apply([.remove(first, written!, at: wall)])
        let deletion = Machine.Delivery(place: 5, sequence: 5, key: key("door", 1).text, value: nil)
        registry.apply(mirror.take(deletion, of: 1, at: start, wall))
        #expect(registry.devices[key("door", 1)] == entry(1) && mirror.standing == .missing)
        #expect(mirror.absent == [key("door", 1)] && registry.standing == .missing)
        let gone = Machine.Delivery(place: 6, sequence: 6, key: first.text, value: nil)
        #expect(
            mirror.take(gone, of: 1, at: start, wall) == [.forget(first, ForgottenDevice(removedAt: wall), at: nil)])
        // Written again by a restoration.
        let again = Machine.Delivery(place: 7, sequence: 7, key: key("door", 1).text, value: entry(1).bytes)
        #expect(mirror.take(again, of: 1, at: start, wall) == [.stands(.whole)])
    }

    @Test("who was off while a device was removed and forgotten hears of it all the same")
    func off() {
        let first = key("door", 0)
        var bucket = PlayedBucket()
        bucket.write(entry(1), at: key("door", 1))
        _ = bucket.write(ForgottenDevice(removedAt: wall).bytes, at: first.text)
        _ = bucket.write(ForgottenDevice(removedAt: wall).bytes, at: key("door", 2).text)
        var mirror = Machine([first: entry(0), key("door", 1): entry(1)], at: start)
        var registry = PlayedRegistry()
        registry.apply(mirror.brokerIsThere(at: start))
        read(&mirror, bucket, &registry, at: start)
        #expect(mirror.standing == .whole && mirror.entry(first) == nil && mirror.entry(key("door", 1)) != nil)
        #expect(registry.forgottenCount == 1 && registry.forgotten.isEmpty)
    }

    @Test("removed ones are known for 30 days, then forgotten, in the bucket too; a clock that is ahead adds nothing")
    func days() {
        var (mirror, bucket, registry) = whole(3)
        let day: Int64 = 86_400
        for (number, ahead) in [(0, 0), (1, 400 * day)] {
            var removed = entry(UInt64(number))
            removed.removedAt = wall + .seconds(ahead)
            bucket.write(removed, at: key("door", number))
        }
        for delivery in bucket.deliveries(after: 3, from: 4) {
            registry.apply(mirror.take(delivery, of: 1, at: start, wall))
        }
        mirror.noBrokerIsThere()
        #expect(mirror.wakeAt == start + .seconds(3_600))
        let last = wall + .seconds(30 * day)
        registry.apply(mirror.wake(at: start + .seconds(3_600), WallTime(microseconds: last.microseconds - 1)))
        #expect(registry.forgotten.isEmpty && mirror.wakeAt == start + .seconds(7_200))
        registry.apply(mirror.wake(at: start + .seconds(7_200), last))
        #expect(registry.forgotten == [key("door", 0): 4, key("door", 1): 5])
        #expect(registry.devices.count == 1 && mirror.wakeAt == nil)
        // A gateway that was off for so long hears of it, and forgets it.
        var late = Machine([key("door", 0): entry(0)], at: start)
        _ = late.brokerIsThere(at: start)
        _ = late.begin(1, bucket: "first", last: 5, at: start, last)
        let delivery = bucket.deliveries(after: 3)[0]
        #expect(
            late.take(delivery, of: 1, at: start, last) == [
                .forget(key("door", 0), ForgottenDevice(removedAt: wall), at: 4)
            ])
    }
}
