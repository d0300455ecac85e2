import BelfryDevices
import BelfryTerms
import Fleet
import Testing

/// A bucket of a fleet: the last value of each key, with the number it was written at.
struct PlayedBucket {
    var identity = "first"
    private(set) var last: UInt64 = 0
    /// What each key has; nil where it was deleted.
    private(set) var values: [String: (sequence: UInt64, value: [UInt8]?)] = [:]

    mutating func write(_ value: [UInt8]?, at key: String) -> UInt64 {
        last += 1
        values[key] = (last, value)
        return last
    }

    /// Writes what a gateway would, which knows what is there.
    @discardableResult mutating func write(_ entry: DeviceEntry, at key: DeviceKey) -> UInt64 {
        let earlier = values[key.text].flatMap { known in
            known.value.flatMap { try? DeviceEntry(bytes: $0) }.map { ($0, known.sequence) }
        }
        return write(earlier.map { entry.replacing($0.0, at: $0.1).bytes } ?? entry.bytes, at: key.text)
    }

    /// Forgets everything, as a purge does, which no watch delivers.
    mutating func purge() { values = [:] }

    /// What a watch delivers of all that was written after `sequence`, up to now.
    func deliveries(after sequence: UInt64, from place: UInt64 = 1) -> [MirrorStateMachine.Delivery] {
        let later = values.filter { $0.value.sequence > sequence }.sorted { $0.value.sequence < $1.value.sequence }
        return later.enumerated().map { index, known in
            MirrorStateMachine.Delivery(
                place: place + UInt64(index), sequence: known.value.sequence, key: known.key, value: known.value.value)
        }
    }
}

/// A gateway's registry, to which the effects of its mirror are applied. As in the real one, no token is there twice.
struct PlayedRegistry {
    private(set) var devices: [DeviceKey: DeviceEntry] = [:]
    private var owners: [DeviceToken: DeviceKey] = [:]
    private(set) var watches: [(number: Int, after: UInt64)] = []
    private(set) var lost: [DeviceKey: DeviceKey] = [:]
    private(set) var refused: [DeviceKey: DeviceRefusal] = [:]
    private(set) var standing = MirrorStateMachine.Standing.unread
    private(set) var forgottenCount = 0
    /// Those that it had at any time.
    private(set) var had: Set<DeviceKey> = []
    /// What the bucket is to have as forgotten.
    private(set) var forgotten: [DeviceKey: UInt64] = [:]

    mutating func apply(_ effects: [MirrorStateMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .watch(let number, let after): watches.append((number, after))
            case .put(let key, let entry):
                #expect(entry.removedAt == nil)
                set(key, entry)
            case .remove(let key, let entry, let time):
                #expect(entry.removedAt == time)
                set(key, entry)
            case .lose(let key, let other):
                set(key, nil)
                lost[key] = other
            case .forget(let key, _, let sequence):
                set(key, nil)
                forgotten[key] = sequence
                forgottenCount += 1
            case .refuse(let key, let reason): refused[key] = reason
            case .gateway, .missing, .malformed: break
            case .stands(let standing): self.standing = standing
            }
        }
    }

    private mutating func set(_ key: DeviceKey, _ entry: DeviceEntry?) {
        if let old = devices[key] { for token in [old.alertToken, old.voipToken] { owners[token] = nil } }
        devices[key] = entry
        if entry != nil { had.insert(key) }
        for token in entry.map({ [$0.alertToken, $0.voipToken] }) ?? [] {
            #expect(owners[token] == nil, "two devices have one token")
            owners[token] = key
        }
    }
}

extension MirrorStateMachine {
    /// Of a gateway whose registry has `known`.
    init(_ known: [DeviceKey: DeviceEntry] = [:], limits: Limits = Limits(), at now: Instant) {
        self.init(limits: limits, at: now) { know in for (key, entry) in known { know(key, entry) } }
    }
}
