import BelfryDevices
import BelfryTerms

/// What waits for one device, in the order of acceptance.
struct DeviceQueue {
    /// One push that waits.
    struct Entry {
        let push: WaitingPush
        /// Whether it is handed over when its turn comes; false while it is kept.
        var isDue: Bool
        /// Whether it was tried and not taken.
        var wasTried: Bool
        /// Whether ``ForwardingStateMachine/Effect/store(_:)`` was returned for it.
        var isStored: Bool
    }

    private(set) var entries: [Entry] = []
    /// The machine that has the device; nil for this one.
    private(set) var machine: FleetName?
    /// The push that is being handed over.
    var inFlight: Int64?
    /// Whether the device was switched off.
    var isOff = false
    /// How many rounds in a row have ended with something kept.
    var failedRounds = 0
    /// When the kept pushes are tried again.
    var retryAt: Instant?
    /// The line of ready devices in which it stands.
    var rank: APNsPriority?

    /// Whether nothing about it needs to be remembered.
    var isForgettable: Bool { entries.isEmpty && inFlight == nil && !isOff }

    /// The line that it belongs in (R20): that of the most urgent push that is due, since the pushes before that one
    /// delay it. Nil if nothing can be handed over now.
    var wantedRank: APNsPriority? {
        guard inFlight == nil, !isOff else { return nil }
        return entries.lazy.filter(\.isDue).map(\.push.priority).max()
    }

    /// The push whose turn it is.
    var next: Entry? { entries.first { $0.isDue } }

    mutating func append(_ push: WaitingPush) {
        machine = push.machine
        entries.append(Entry(push: push, isDue: !isOff, wasTried: false, isStored: push.wasStored))
    }

    /// Makes all that is kept due once more.
    mutating func makeAllDue() {
        retryAt = nil
        for index in entries.indices { entries[index].isDue = true }
    }

    /// Takes out the push `number`.
    mutating func remove(_ number: Int64) -> WaitingPush? {
        guard let index = entries.firstIndex(where: { $0.push.number == number }) else { return nil }
        return entries.remove(at: index).push
    }

    /// Takes out all pushes of `topic` that were accepted before `number`, except the one that is being handed over.
    mutating func removeOlder(than number: Int64, of topic: String) -> [WaitingPush] {
        let (older, others) = entries.reduce(into: ([Entry](), [Entry]())) { parts, entry in
            let isOlder = entry.push.number < number && entry.push.topic == topic && entry.push.number != inFlight
            if isOlder { parts.0.append(entry) } else { parts.1.append(entry) }
        }
        if !older.isEmpty { entries = others }
        return older.map(\.push)
    }

    /// Keeps the push `number` until the next round; false if it was kept already.
    mutating func store(_ number: Int64) -> Bool {
        guard let index = entries.firstIndex(where: { $0.push.number == number }) else { return false }
        defer { entries[index].isStored = true }
        entries[index].isDue = false
        entries[index].wasTried = true
        return !entries[index].isStored
    }

    /// Whether a push of the same topic waits that was accepted after `push` and may be kept as well.
    func hasNewer(than push: WaitingPush, toKeepAt now: WallTime) -> Bool {
        entries.contains { $0.push.number > push.number && $0.push.topic == push.topic && $0.push.mayBeKept(at: now) }
    }
}
