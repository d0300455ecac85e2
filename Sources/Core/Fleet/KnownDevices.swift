import BelfryDevices
import BelfryTerms

/// What a gateway's mirror knows of each device, and who has what they claim: in little room, since there may be
/// 100,000 of them.
struct KnownDevices {
    /// What two devices of a fleet may not share.
    enum Claim: Hashable {
        case token(DeviceToken)
        case name(UInt64, UInt64)
    }

    /// A place among those that claim the same.
    struct Place: Comparable {
        /// Which bucket it was read from: what an earlier one had comes first, and before any what the gateway knew.
        let bucket: Int
        let sequence: UInt64
        let key: DeviceKey

        static func < (left: Self, right: Self) -> Bool {
            (left.bucket, left.sequence, left.key) < (right.bucket, right.sequence, right.key)
        }
    }

    struct Known {
        var entry: DeviceEntry
        var place: Place
        /// Where the bucket has it now; nil if it is not known to.
        var sequence: UInt64?
        /// Until when one that was removed is known.
        var knownUntil: WallTime?
        /// Whether it has all that it claims.
        var isInForce = true
    }

    /// A device with 152 bytes, where a dictionary's would have 700 with all that it refers to.
    private struct Row {
        let machine: UInt32
        let high: UInt64
        let low: UInt64
        let bundleID: UInt32
        let appGroup: UInt32?
        let details: Details
        let alertToken: DeviceToken
        let voipToken: DeviceToken
        let addedAt: WallTime
        let removedAt: WallTime
        let knownUntil: WallTime
        /// 0 for none, as no entry has it.
        let since: UInt64
        let sequence: UInt64
        let placeBucket: Int32
        let placeSequence: UInt64
    }

    private struct Details {
        let environment: APNsEnvironment
        let callPayload: CallPayload?
        let isOffline: Bool
        let isShared: Bool
        let isInForce: Bool
        let isRemoved: Bool
        let isKnownForGood: Bool
    }

    private struct Name: Hashable {
        let machine: UInt32
        let high: UInt64
        let low: UInt64
    }

    /// A claim in half of its room. No two of a fleet have the same digest, by chance or by somebody's will, since it
    /// has 128 bits and each process hashes by a key of its own.
    private struct Digest: Hashable {
        let first: Int
        let second: Int

        init(_ claim: Claim) {
            var hasher = Hasher()
            hasher.combine(claim)
            first = hasher.finalize()
            var other = Hasher()
            other.combine(first)
            other.combine(claim)
            second = other.finalize()
        }
    }

    private static let rowsPerPiece = 4_096

    /// In pieces, which stay where they are when there are more.
    private var pieces: [[Row?]] = []
    private var free: [UInt32] = []
    private var rows: [Name: UInt32] = [:]
    private var holders: [Digest: UInt32] = [:]
    private var machines = Interned<FleetName>()
    private var bundleIDs = Interned<String>()
    private var appGroups = Interned<GroupName>()

    /// How many there are.
    var count: Int { rows.count }

    /// What is known of `key`.
    subscript(key: DeviceKey) -> Known? {
        get { number(of: key).flatMap { row($0) }.map { known($0, key) } }
        set {
            let number = number(of: key)
            let old = number.flatMap { row($0) }
            // Before the old one goes, so that what both have stays.
            let new = newValue.map { row(of: $0, key) }
            switch (number, new) {
            case (let number?, let new?): set(new, at: number)
            case (nil, let new?): add(new)
            case (let number?, nil):
                set(nil, at: number)
                free.append(number)
                rows[Name(machine: old?.machine ?? 0, high: key.high, low: key.low)] = nil
            case (nil, nil): break
            }
            if let old { letGo(old) }
        }
    }

    /// Who has what is claimed: one of those that are known.
    subscript(holderOf claim: Claim) -> DeviceKey? {
        get { holders[Digest(claim)].flatMap { row($0) }.map(key) }
        set { holders[Digest(claim)] = newValue.flatMap { number(of: $0) } }
    }

    /// Calls `body` with each.
    func each(_ body: (DeviceKey, Known) -> Void) {
        for piece in pieces {
            for case let row? in piece {
                let key = key(row)
                body(key, known(row, key))
            }
        }
    }

    /// The devices of `machine` that were not removed, in no order.
    func inUse(by machine: FleetName) -> [DeviceKey] {
        guard let number = machines.number(of: machine) else { return [] }
        var keys: [DeviceKey] = []
        for piece in pieces {
            for case let row? in piece where row.machine == number && !row.details.isRemoved { keys.append(key(row)) }
        }
        return keys
    }

    /// The devices of shared names that were not removed, in no order.
    func sharedInUse() -> [DeviceKey] {
        pieces.flatMap { piece in
            piece.compactMap { row in
                row.flatMap { $0.details.isShared && !$0.details.isRemoved ? key($0) : nil }
            }
        }
    }

    /// The bucket is not known to have any of them.
    mutating func forgetSequences() {
        var keys: [DeviceKey] = []
        each { key, _ in keys.append(key) }
        for key in keys { self[key]?.sequence = nil }
    }

    private func number(of key: DeviceKey) -> UInt32? {
        machines.number(of: key.machine).flatMap { rows[Name(machine: $0, high: key.high, low: key.low)] }
    }

    private func row(_ number: UInt32) -> Row? {
        pieces[Int(number) / Self.rowsPerPiece][Int(number) % Self.rowsPerPiece]
    }

    private func key(_ row: Row) -> DeviceKey { DeviceKey(machines[row.machine], row.high, row.low) }

    private func known(_ row: Row, _ key: DeviceKey) -> Known {
        let details = row.details
        var entry = DeviceEntry(
            bundleID: bundleIDs[row.bundleID], appGroup: row.appGroup.map { appGroups[$0] },
            environment: details.environment, callPayload: details.callPayload, alertToken: row.alertToken,
            voipToken: row.voipToken, addedAt: row.addedAt, removedAt: details.isRemoved ? row.removedAt : nil,
            isOffline: details.isOffline, since: row.since == 0 ? nil : row.since)
        entry.isShared = details.isShared
        return Known(
            entry: entry,
            place: Place(bucket: Int(row.placeBucket), sequence: row.placeSequence, key: key),
            sequence: row.sequence == 0 ? nil : row.sequence,
            knownUntil: details.isKnownForGood ? nil : row.knownUntil, isInForce: details.isInForce)
    }

    private mutating func row(of known: Known, _ key: DeviceKey) -> Row {
        let entry = known.entry
        return Row(
            machine: machines.take(key.machine), high: key.high, low: key.low,
            bundleID: bundleIDs.take(entry.bundleID), appGroup: entry.appGroup.map { appGroups.take($0) },
            details: Details(
                environment: entry.environment, callPayload: entry.callPayload, isOffline: entry.isOffline,
                isShared: entry.isShared,
                isInForce: known.isInForce, isRemoved: entry.removedAt != nil, isKnownForGood: known.knownUntil == nil),
            alertToken: entry.alertToken, voipToken: entry.voipToken, addedAt: entry.addedAt,
            removedAt: entry.removedAt ?? entry.addedAt, knownUntil: known.knownUntil ?? entry.addedAt,
            since: entry.since ?? 0, sequence: known.sequence ?? 0, placeBucket: Int32(clamping: known.place.bucket),
            placeSequence: known.place.sequence)
    }

    private mutating func add(_ row: Row) {
        let number: UInt32
        if let last = free.popLast() {
            number = last
        } else {
            number = UInt32(rows.count)
            if Int(number) / Self.rowsPerPiece == pieces.count {
                pieces.append([Row?](repeating: nil, count: Self.rowsPerPiece))
            }
        }
        rows[Name(machine: row.machine, high: row.high, low: row.low)] = number
        set(row, at: number)
    }

    private mutating func set(_ row: Row?, at number: UInt32) {
        pieces[Int(number) / Self.rowsPerPiece][Int(number) % Self.rowsPerPiece] = row
    }

    private mutating func letGo(_ row: Row) {
        bundleIDs.letGo(row.bundleID)
        if let appGroup = row.appGroup { appGroups.letGo(appGroup) }
        machines.letGo(row.machine)
    }
}

/// Values that many have, each once.
private struct Interned<Value: Hashable> {
    private var numbers: [Value: UInt32] = [:]
    private var values: [Value?] = []
    private var counts: [Int] = []
    private var free: [UInt32] = []

    subscript(number: UInt32) -> Value {
        guard let value = values[Int(number)] else { preconditionFailure("a name that nobody has: \(number)") }
        return value
    }

    func number(of value: Value) -> UInt32? { numbers[value] }

    /// One more has it.
    mutating func take(_ value: Value) -> UInt32 {
        if let number = numbers[value] {
            counts[Int(number)] += 1
            return number
        }
        let number = free.popLast() ?? UInt32(values.count)
        if Int(number) == values.count {
            values.append(value)
            counts.append(1)
        } else {
            (values[Int(number)], counts[Int(number)]) = (value, 1)
        }
        numbers[value] = number
        return number
    }

    /// One has it no more.
    mutating func letGo(_ number: UInt32) {
        counts[Int(number)] -= 1
        guard counts[Int(number)] == 0, let value = values[Int(number)] else { return }
        numbers[value] = nil
        values[Int(number)] = nil
        free.append(number)
    }
}
