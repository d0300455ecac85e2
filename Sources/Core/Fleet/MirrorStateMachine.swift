public import BelfryDevices
public import BelfryTerms

/// A gateway's mirror of the bucket: reads all of it, follows what is written, and says what becomes of the gateway's
/// registry.
///
/// A device leaves the registry only by an entry that says that it was removed, never since the bucket has it no more.
/// Whoever drives it carries the effects out in their order.
public struct MirrorStateMachine {
    /// How long is waited, and what may grow.
    public struct Limits: Hashable, Sendable {
        /// How often a broker is asked to say that a watch goes on, while nothing is written.
        public var heartbeat = TimeSpan.seconds(2)
        /// After how long without a word a watch is begun anew: two of a broker's words are missing then.
        public var silence = TimeSpan.seconds(5)
        /// How far from each other watches are begun at least.
        public var betweenWatches = TimeSpan.seconds(1)
        /// How many deliveries are kept until the answer that begins their watch.
        public var earlyMax = 16_384
        /// `[Fleet] DevicesPerMachine=`: how many devices a machine may have.
        public var devicesPerMachineMax = 1_000
        /// How many devices a fleet may have.
        public var devicesMax = 100_000
        /// How long one that was removed is known.
        public var removedSpan = TimeSpan.seconds(30 * 86_400)
        /// How often is looked for those that were removed so long ago.
        public var betweenLooks = TimeSpan.seconds(3_600)

        /// The limits of a gateway.
        public init() {}
    }

    /// Which watch of the bucket, from 1.
    public typealias WatchNumber = Int

    /// What a watch delivers.
    public struct Delivery: Hashable, Sendable {
        /// Its place in the watch, from 1: none is missing.
        public let place: UInt64
        /// Its number in the bucket: later ones are higher, and many are missing, since each key has its last alone.
        public let sequence: UInt64
        /// The key.
        public let key: String
        /// What is there now; nil if it was deleted.
        public let value: [UInt8]?

        /// A delivery.
        public init(place: UInt64, sequence: UInt64, key: String, value: [UInt8]?) {
            self.place = place
            self.sequence = sequence
            self.key = key
            self.value = value
        }
    }

    /// What the mirror is worth: of a token that it does not know, only a whole one can say that nobody has it.
    public enum Standing: String, Hashable, Sendable, CaseIterable {
        /// The bucket was not read to its end yet.
        case unread
        /// The bucket has no device: it is new, or was emptied.
        case empty
        /// The bucket lacks devices that are in use: it is another one, or was emptied, and is to be restored.
        case missing
        /// The bucket has devices that cannot be read.
        case unreadable
        /// All that the bucket has is known.
        case whole
    }

    /// What the driver has to do.
    public enum Effect: Hashable, Sendable {
        /// Watch the bucket from the first entry after that number on, in place of any earlier watch.
        case watch(WatchNumber, after: UInt64)
        /// The registry has this device from now on, as it is here.
        case put(DeviceKey, DeviceEntry)
        /// The registry knows the device as removed at that time.
        case remove(DeviceKey, DeviceEntry, at: WallTime)
        /// The other device has one of its tokens since before: the registry does not have it, and its machine is told.
        case lose(DeviceKey, to: DeviceKey)
        /// The registry knows the device no longer. If the bucket has it at a number still, it is to have that
        /// ``ForgottenDevice`` there.
        case forget(DeviceKey, ForgottenDevice?, at: UInt64?)
        /// There are too many: the registry does not get the device.
        case refuse(DeviceKey, DeviceRefusal)
        /// The bucket has lost a device that is in use: the registry keeps it, people are warned.
        case missing(DeviceKey)
        /// A gateway has written that it is there.
        case gateway(HereAnswer)
        /// An entry is of no use.
        case malformed(key: String, detail: String)
        /// The mirror is worth something else from now on.
        case stands(Standing)
    }

    private enum Watch {
        /// No broker is in reach.
        case none
        case due(at: Instant)
        case asked(at: Instant)
        /// What its next delivery is, and when it was heard last.
        case running(next: UInt64, heardAt: Instant)
    }

    private let limits: Limits
    private var devices: MirroredDevices
    private var watch = Watch.none
    private var number: WatchNumber = 0
    private var askedAt: Instant?
    private var lookAt: Instant
    private var early: [Delivery] = []
    /// The bucket's identity, and how many there were before.
    private var bucket: String?
    private var bucketNumber = 0
    /// What is to be reached until the bucket was read once.
    private var goal: UInt64?
    private var wasRead = false
    private var hasHeldDevice = false
    private var unreadable: Set<DeviceKey> = []
    private var told = Standing.unread
    /// What has changed while the bucket was read, of which the registry hears at the end, by and by: a claim that was
    /// read later may have come first.
    private var changed: Set<DeviceKey> = []

    /// How far the bucket was read: all that it has up to this number is known.
    public private(set) var reached: UInt64 = 0

    /// A mirror that has read nothing, of a gateway whose registry has what `each` tells.
    public init<Failure>(
        limits: Limits = Limits(), at now: Instant,
        known each: ((DeviceKey, DeviceEntry) -> Void) throws(Failure) -> Void
    ) throws(Failure) {
        self.limits = limits
        devices = try MirroredDevices(limits: limits, known: each)
        lookAt = now + limits.betweenLooks
    }

    /// What it is worth.
    public var standing: Standing {
        guard wasRead else { return .unread }
        if !devices.absent.isEmpty { return .missing }
        guard hasHeldDevice else { return .empty }
        return unreadable.isEmpty ? .whole : .unreadable
    }

    /// How many devices are in use.
    public var inUseCount: Int { devices.inUseCount }

    /// The devices in use that the bucket lacks, as far as it was read.
    public var absent: Set<DeviceKey> { devices.absent }

    /// Those in the order in which they are to be written: who has all that it claims comes first, and so has it then.
    public var toRestore: [DeviceKey] {
        let keys = absent.sorted()
        return keys.filter { entryInForce($0) != nil } + keys.filter { entryInForce($0) == nil }
    }

    /// What is known of `key`, and at which number the bucket has it; nil for one that was never there or is forgotten.
    public func entry(_ key: DeviceKey) -> (entry: DeviceEntry, sequence: UInt64?)? { devices.entry(key) }

    /// Why nothing may be added to `machine` beside `count` devices that are on their way; nil if one more may.
    public func refusal(of machine: FleetName, beside count: Int = 0) -> DeviceRefusal? {
        devices.refusal(of: machine, beside: count)
    }

    /// What is known of `key`, if it has all that it claims.
    public func entryInForce(_ key: DeviceKey) -> DeviceEntry? { devices.entryInForce(key) }

    /// Whether there is more that has changed while the bucket was read.
    public var hasChanges: Bool { wasRead && !changed.isEmpty }

    /// What is to be done for `count` more devices that have changed while the bucket was read; what changes until
    /// there are no more is among them. A device may come before one that had its token.
    public mutating func nextChanges(max count: Int) -> [Effect] {
        guard wasRead else { return [] }
        var keys: [DeviceKey] = []
        while keys.count < count, let key = changed.popFirst() { keys.append(key) }
        // What is empty has its room still.
        if changed.isEmpty { changed = [] }
        return devices.standings(of: keys)
    }

    /// Whether another device than `key` has a token of `entry`, or the name, since before.
    func isClaimed(_ entry: DeviceEntry, by key: DeviceKey) -> Bool { devices.isClaimed(entry, by: key) }

    /// The devices of `machine` that are in use and stand behind the one called `after` in the order of their names,
    /// `max` at most; whether those are all.
    func devices(of machine: FleetName, after: String?, max count: Int) -> (devices: [NamedDevice], isAll: Bool) {
        devices.devices(of: machine, after: after, max: count)
    }

    /// The devices of shared names that are in use.
    public func sharedInUse() -> [DeviceKey] { devices.sharedInUse() }

    /// When ``wake(at:_:)`` is to be called; nil while there is nothing to wait for.
    public var wakeAt: Instant? {
        let look = devices.hasRemoved ? lookAt : nil
        let watched: Instant? =
            switch watch {
            case .none: nil
            case .due(let at): at
            case .asked(let at): at + limits.silence
            case .running(_, let heardAt): heardAt + limits.silence
            }
        return [look, watched].compactMap(\.self).min()
    }

    // MARK: What comes in

    /// A broker is in reach.
    public mutating func brokerIsThere(at now: Instant) -> [Effect] {
        guard case .none = watch else { return [] }
        return anew(at: now)
    }

    /// No broker is in reach any more.
    public mutating func noBrokerIsThere() {
        watch = .none
        early = []
    }

    /// The watch has begun, of the bucket with that identity, whose last number is `last`.
    public mutating func begin(
        _ number: WatchNumber, bucket: String, last: UInt64, at now: Instant, _ wall: WallTime
    ) -> [Effect] {
        guard case .asked = watch, number == self.number else { return [] }
        let isOther = self.bucket.map { $0 != bucket || last < reached } ?? false
        self.bucket = bucket
        guard !isOther else {
            forgetBucket()
            return telling(anew(at: now))
        }
        watch = .running(next: 1, heardAt: now)
        if !wasRead { goal = last }
        reach(0)
        let deliveries = early
        early = []
        var effects: [Effect] = []
        for delivery in deliveries { effects += heed(delivery, at: now, wall) }
        return telling(effects)
    }

    /// The watch may be of a bucket that is no more.
    public mutating func doubt(at now: Instant) -> [Effect] {
        guard case .running = watch else { return [] }
        return anew(at: now)
    }

    /// The watch could not be begun.
    public mutating func fail(_ number: WatchNumber, at now: Instant) -> [Effect] {
        guard case .asked = watch, number == self.number else { return [] }
        return anew(at: now)
    }

    /// The watch delivers.
    public mutating func take(
        _ delivery: Delivery, of number: WatchNumber, at now: Instant, _ wall: WallTime
    ) -> [Effect] {
        guard number == self.number else { return [] }
        if case .asked = watch {
            early.append(delivery)
            return early.count > limits.earlyMax ? anew(at: now) : []
        }
        return telling(heed(delivery, at: now, wall))
    }

    /// The broker says that the watch goes on, which has delivered that many, and all up to the number `sequence`.
    public mutating func idle(
        _ number: WatchNumber, delivered: UInt64, sequence: UInt64, at now: Instant
    ) -> [Effect] {
        guard case .running(let next, _) = watch, number == self.number else { return [] }
        // What it delivered last was lost, or is still on its way, which cannot be told apart.
        guard delivered < next else { return anew(at: now) }
        watch = .running(next: next, heardAt: now)
        // One from before the last deliveries says nothing new.
        if delivered + 1 == next { reach(sequence) }
        return telling([])
    }

    /// Time has passed.
    public mutating func wake(at now: Instant, _ wall: WallTime) -> [Effect] {
        var effects: [Effect] = []
        switch watch {
        case .none: break
        case .due(let at): if at <= now { effects += ask(at: now) }
        case .asked(let at): if at + limits.silence <= now { effects += anew(at: now) }
        case .running(_, let heardAt): if heardAt + limits.silence <= now { effects += anew(at: now) }
        }
        if lookAt <= now {
            lookAt = now + limits.betweenLooks
            effects += devices.forgetOld(at: wall)
        }
        return telling(effects)
    }
}

// What follows from it.
extension MirrorStateMachine {
    /// Begins the watch anew, but not as fast as it may fail.
    private mutating func anew(at now: Instant) -> [Effect] {
        guard let askedAt, now - askedAt < limits.betweenWatches else { return ask(at: now) }
        early = []
        number += 1
        watch = .due(at: askedAt + limits.betweenWatches)
        return []
    }

    private mutating func ask(at now: Instant) -> [Effect] {
        early = []
        number += 1
        askedAt = now
        watch = .asked(at: now)
        return [.watch(number, after: reached)]
    }

    /// Numbers of another bucket say nothing of this one.
    private mutating func forgetBucket() {
        bucketNumber += 1
        reached = 0
        goal = nil
        wasRead = false
        hasHeldDevice = false
        unreadable = []
        devices.expectAll()
    }

    private mutating func reach(_ sequence: UInt64) {
        reached = max(reached, sequence)
        guard let goal, reached >= goal else { return }
        self.goal = nil
        wasRead = true
    }

    private mutating func heed(_ delivery: Delivery, at now: Instant, _ wall: WallTime) -> [Effect] {
        guard case .running(let next, _) = watch else { return [] }
        // By the way of a broker that repeats itself.
        guard delivery.place >= next else { return [] }
        guard delivery.place == next else { return anew(at: now) }
        watch = .running(next: next + 1, heardAt: now)
        // After a watch that was begun anew some come that were here before.
        guard delivery.sequence > reached else { return [] }
        defer { reach(delivery.sequence) }
        switch BucketKey(delivery.key) {
        case .fence(let gateway):
            // An earlier version writes nothing there.
            guard let here = delivery.value.flatMap({ try? HereAnswer(bytes: $0) }), here.gateway == gateway else {
                return []
            }
            return [.gateway(here)]
        case .device(let key): return heed(delivery, of: key, at: wall)
        case nil: return [.malformed(key: delivery.key, detail: "found no machine and device")]
        }
    }

    /// Keeps whose device has changed, if that is what the effect says.
    private mutating func holds(_ effect: Effect) -> Bool {
        switch effect {
        case .put(let key, _), .remove(let key, _, _), .lose(let key, _):
            changed.insert(key)
            return true
        case .watch, .forget, .refuse, .missing, .gateway, .malformed, .stands: return false
        }
    }

    private mutating func heed(_ delivery: Delivery, of key: DeviceKey, at wall: WallTime) -> [Effect] {
        guard let value = delivery.value else {
            unreadable.remove(key)
            return devices.clear(key, isSaidRemoved: false)
        }
        hasHeldDevice = true
        do throws(FleetMessageError) {
            let entry = try DeviceEntry(bytes: value)
            unreadable.remove(key)
            return devices.put(entry, at: key, sequence: delivery.sequence, ofBucket: bucketNumber, at: wall)
        } catch {
            if (try? ForgottenDevice(bytes: value)) != nil {
                unreadable.remove(key)
                return devices.clear(key, isSaidRemoved: true)
            }
            // A token of it may be one that nobody else has.
            if unreadable.count < limits.devicesMax { unreadable.insert(key) }
            return [.malformed(key: delivery.key, detail: error.detail)]
        }
    }

    /// What is to be done now, with the standing if it is another.
    private mutating func telling(_ found: [Effect]) -> [Effect] {
        var effects = found
        if !wasRead || !changed.isEmpty { effects = found.filter { !holds($0) } }
        let standing = standing
        guard standing != told else { return effects }
        told = standing
        return effects + [.stands(standing)]
    }
}
