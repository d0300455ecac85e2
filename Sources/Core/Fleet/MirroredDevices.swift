import BelfryDevices
import BelfryTerms

/// The devices of all machines as the bucket has them, and which of those that claim the same token has it.
///
/// Who has a token, or a name, is whose entry came first. It is asked of all that claim it, those too that lost another
/// claim, so the answer does not depend on the order in which a gateway reads them.
struct MirroredDevices {
    typealias Effect = MirrorStateMachine.Effect

    private typealias Claim = KnownDevices.Claim
    private typealias Place = KnownDevices.Place
    private typealias Known = KnownDevices.Known

    private let limits: MirrorStateMachine.Limits
    private var devices = KnownDevices()
    private var counts: [FleetName: Int] = [:]
    /// Those that lost a claim.
    private var losers: Set<DeviceKey> = []
    /// Each machine's devices that were removed, the longest known first.
    private var removed: [FleetName: [DeviceKey]] = [:]
    /// Those in use which the bucket should have and has not, as far as was read.
    private(set) var absent: Set<DeviceKey> = []

    /// What a gateway knows already, as `each` tells: it is in use, or was, whatever the bucket has.
    init<Failure>(
        limits: MirrorStateMachine.Limits, known each: ((DeviceKey, DeviceEntry) -> Void) throws(Failure) -> Void
    ) throws(Failure) {
        var made = MirroredDevices(limits: limits)
        try each { key, entry in made.know(key, entry) }
        made.settleKnown()
        self = made
    }

    private init(limits: MirrorStateMachine.Limits) { self.limits = limits }

    private mutating func know(_ key: DeviceKey, _ entry: DeviceEntry) {
        devices[key] = Known(
            entry: entry, place: Place(bucket: -1, sequence: 0, key: key),
            knownUntil: entry.removedAt.map { $0 + limits.removedSpan })
        counts[key.machine, default: 0] += 1
        if entry.removedAt == nil { absent.insert(key) }
        for claim in claims(of: key, entry) where devices[holderOf: claim].map({ key < $0 }) ?? true {
            devices[holderOf: claim] = key
        }
    }

    private mutating func settleKnown() {
        var lost: [DeviceKey] = []
        var old: [(at: WallTime, key: DeviceKey)] = []
        devices.each { key, known in
            if !claims(of: key, known.entry).allSatisfy({ devices[holderOf: $0] == key }) { lost.append(key) }
            if let removedAt = known.entry.removedAt { old.append((removedAt, key)) }
        }
        for key in lost { settle(key) }
        for (_, key) in old.sorted(by: { ($0.at, $0.key) < ($1.at, $1.key) }) {
            removed[key.machine, default: []].append(key)
        }
    }

    /// Whether anything waits to be forgotten.
    var hasRemoved: Bool { !removed.isEmpty }

    /// What is known of `key`, and where the bucket has it.
    func entry(_ key: DeviceKey) -> (entry: DeviceEntry, sequence: UInt64?)? {
        devices[key].map { ($0.entry, $0.sequence) }
    }

    /// What is known of `key`, if it has all that it claims.
    func entryInForce(_ key: DeviceKey) -> DeviceEntry? {
        devices[key].flatMap { $0.isInForce ? $0.entry : nil }
    }

    /// How many are in use.
    var inUseCount: Int { devices.count - removed.values.reduce(0) { $0 + $1.count } }

    /// Why `machine` may have no more devices; nil if it may. Those that were removed make room.
    func refusal(of machine: FleetName, beside count: Int = 0) -> DeviceRefusal? {
        if inUseCount + count >= limits.devicesMax { return .fleetFull }
        let inUse = counts[machine, default: 0] - (self.removed[machine]?.count ?? 0) + count
        return inUse < limits.devicesPerMachineMax ? nil : .machineFull
    }

    /// Whether another device than `key` has what `entry` claims there.
    func isClaimed(_ entry: DeviceEntry, by key: DeviceKey) -> Bool {
        claims(of: key, entry).contains { devices[holderOf: $0].map { $0 != key } ?? false }
    }

    /// The devices of `machine` in use behind the one called `after`, `max` at most; whether those are all.
    func devices(of machine: FleetName, after: String?, max count: Int) -> (devices: [NamedDevice], isAll: Bool) {
        let first = after.flatMap { DeviceKey(machine, $0) }
        let found = devices.inUse(by: machine).filter { key in first.map { $0 < key } ?? true }
        let page = found.sorted().prefix(count)
        return (
            page.compactMap { key in entry(key).flatMap { NamedDevice(key.device, $0.entry) } }, found.count <= count
        )
    }

    /// The devices of shared names that are in use.
    func sharedInUse() -> [DeviceKey] { devices.sharedInUse() }

    /// Of another bucket all is to be read again, and what was known before keeps its place.
    mutating func expectAll() {
        devices.each { key, known in if known.entry.removedAt == nil { absent.insert(key) } }
        devices.forgetSequences()
    }

    /// The bucket has `entry` at the number `sequence`.
    mutating func put(
        _ entry: DeviceEntry, at key: DeviceKey, sequence: UInt64, ofBucket bucket: Int, at wall: WallTime
    ) -> [Effect] {
        noLongerAbsent(key)
        var effects: [Effect] = []
        if devices[key] == nil {
            if let removedAt = entry.removedAt, isForgotten(removedAt, at: wall) {
                return [.forget(key, ForgottenDevice(removedAt: removedAt), at: sequence)]
            }
            guard let room = makeRoom(for: key.machine) else {
                return entry.removedAt == nil ? [.refuse(key, refusal(of: key.machine) ?? .fleetFull)] : []
            }
            effects += room
        }
        effects += set(
            Known(
                entry: entry,
                place: Place(bucket: bucket, sequence: min(entry.since ?? sequence, sequence), key: key),
                sequence: sequence,
                // A clock that is ahead makes nobody known for longer.
                knownUntil: entry.removedAt.map { min($0, wall) + limits.removedSpan }),
            at: key)
        if let removedAt = entry.removedAt, isForgotten(removedAt, at: wall) { effects += forget(key) }
        return effects
    }

    /// The bucket has no device at `key` any more. Only one that was removed is forgotten by that.
    mutating func clear(_ key: DeviceKey, isSaidRemoved: Bool) -> [Effect] {
        guard let known = devices[key] else { return [] }
        devices[key]?.sequence = nil
        if isSaidRemoved || known.entry.removedAt != nil {
            noLongerAbsent(key)
            return forget(key)
        }
        return absent.insert(key).inserted ? [.missing(key)] : []
    }

    private mutating func noLongerAbsent(_ key: DeviceKey) {
        // What is empty has its room still.
        if absent.remove(key) != nil, absent.isEmpty { absent = [] }
    }

    /// How these stand, those that lost a claim before those that have all.
    func standings(of keys: [DeviceKey]) -> [Effect] {
        let sorted = keys.sorted()
        let held = sorted.compactMap { key in entryInForce(key).map { inForce(key, $0) } }
        return sorted.compactMap { loss(of: $0) } + held
    }

    /// Forgets what was removed long ago.
    mutating func forgetOld(at wall: WallTime) -> [Effect] {
        let old = removed.values.joined().filter { devices[$0]?.knownUntil.map { $0 <= wall } ?? true }
        return old.sorted().flatMap { forget($0) }
    }

    private func isForgotten(_ removedAt: WallTime, at wall: WallTime) -> Bool {
        removedAt + limits.removedSpan <= wall
    }
}

// Claims.
extension MirroredDevices {
    private func claims(of key: DeviceKey, _ entry: DeviceEntry) -> [Claim] {
        [.token(entry.alertToken), .token(entry.voipToken), .name(key.high, key.low)]
    }

    private mutating func set(_ new: Known, at key: DeviceKey) -> [Effect] {
        let old = devices[key]
        if old == nil { counts[key.machine, default: 0] += 1 }
        let isRemoved = new.entry.removedAt != nil
        if isRemoved != (old?.entry.removedAt != nil) { list(key, isRemoved: isRemoved) }
        var touched: Set<DeviceKey> = []
        // The usual entry changes no claim.
        if let old, !old.entry.hasTokens(of: new.entry) || old.place < new.place {
            touched = release(key, old.entry)
        }
        devices[key] = new
        devices[key]?.isInForce = old?.isInForce ?? true
        touched.formUnion(take(key, new.entry))
        touched.remove(key)
        let (lost, won) = changes(among: touched)
        settle(key)
        guard let known = devices[key] else { return lost + won }
        let isNews = old.map { !$0.entry.isSameDevice(as: known.entry) || $0.isInForce != known.isInForce } ?? true
        guard isNews else { return lost + won }
        // Who loses a token does so before another gets it.
        if known.isInForce { return lost + [inForce(key, known.entry)] + won }
        let isOfUse = !isRemoved || old?.isInForce ?? false
        return (isOfUse ? loss(of: key).map { [$0] } ?? [] : []) + lost + won
    }

    private mutating func list(_ key: DeviceKey, isRemoved: Bool) {
        if isRemoved {
            removed[key.machine, default: []].append(key)
        } else {
            removed[key.machine]?.removeAll { $0 == key }
            if removed[key.machine]?.isEmpty ?? false { removed[key.machine] = nil }
        }
    }

    /// Takes what `key` claims from those that came later; who they are.
    private mutating func take(_ key: DeviceKey, _ entry: DeviceEntry) -> Set<DeviceKey> {
        var touched: Set<DeviceKey> = []
        guard let place = devices[key]?.place else { return touched }
        for claim in claims(of: key, entry) {
            guard let holder = devices[holderOf: claim], holder != key else {
                devices[holderOf: claim] = key
                continue
            }
            guard let other = devices[holder]?.place, other < place else {
                devices[holderOf: claim] = key
                touched.insert(holder)
                continue
            }
        }
        return touched
    }

    /// Gives what `key` has to the first of the others that claim it; who they are.
    private mutating func release(_ key: DeviceKey, _ entry: DeviceEntry) -> Set<DeviceKey> {
        var touched: Set<DeviceKey> = []
        for claim in claims(of: key, entry) where devices[holderOf: claim] == key {
            let others = losers.filter { other in
                other != key && devices[other].map { claims(of: other, $0.entry).contains(claim) } ?? false
            }
            let next = others.compactMap { devices[$0]?.place }.min()?.key
            devices[holderOf: claim] = next
            if let next { touched.insert(next) }
        }
        return touched
    }

    /// Looks whether `key` has all that it claims.
    private mutating func settle(_ key: DeviceKey) {
        guard let known = devices[key] else { return }
        let isInForce = claims(of: key, known.entry).allSatisfy { devices[holderOf: $0] == key }
        devices[key]?.isInForce = isInForce
        if isInForce { losers.remove(key) } else { losers.insert(key) }
    }

    /// Which of `keys` have lost a claim, and which have now all.
    private mutating func changes(among keys: Set<DeviceKey>) -> (lost: [Effect], won: [Effect]) {
        var (lost, won): ([Effect], [Effect]) = ([], [])
        for key in keys.sorted() {
            guard let known = devices[key] else { continue }
            settle(key)
            guard let isInForce = devices[key]?.isInForce, isInForce != known.isInForce else { continue }
            if isInForce {
                won.append(inForce(key, known.entry))
            } else if let loss = loss(of: key) {
                lost.append(loss)
            }
        }
        return (lost, won)
    }

    private func inForce(_ key: DeviceKey, _ entry: DeviceEntry) -> Effect {
        entry.removedAt.map { .remove(key, entry, at: $0) } ?? .put(key, entry)
    }

    private func loss(of key: DeviceKey) -> Effect? {
        guard let entry = devices[key]?.entry else { return nil }
        return claims(of: key, entry).lazy.compactMap { devices[holderOf: $0] }.first { $0 != key }.map {
            .lose(key, to: $0)
        }
    }
}

// What is kept.
extension MirroredDevices {
    /// Forgets what was removed longest ago where there are as many as may be; nil if all are in use.
    private mutating func makeRoom(for machine: FleetName) -> [Effect]? {
        var effects: [Effect] = []
        if counts[machine, default: 0] >= limits.devicesPerMachineMax {
            guard let oldest = removed[machine]?.first else { return nil }
            effects += forget(oldest)
        }
        if devices.count >= limits.devicesMax {
            // Of the machine that has removed most: nobody else's are forgotten for it.
            let most = removed.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
            guard let oldest = most?.value.first else { return nil }
            effects += forget(oldest)
        }
        return effects
    }

    private mutating func forget(_ key: DeviceKey) -> [Effect] {
        guard let known = devices[key] else { return [] }
        if known.entry.removedAt != nil { list(key, isRemoved: false) }
        let touched = release(key, known.entry)
        devices[key] = nil
        losers.remove(key)
        counts[key.machine, default: 0] -= 1
        if counts[key.machine] == 0 { counts[key.machine] = nil }
        let (lost, won) = changes(among: touched)
        let forgotten = known.entry.removedAt.map { ForgottenDevice(removedAt: $0) }
        return [.forget(key, forgotten, at: known.sequence)] + lost + won
    }
}
