import CallChannel
import Foundation

/// The pushes that the app was handed and has not reported yet.
///
/// `belfry-calls` knows them, and by that for which push a report is that names none, as one from another queue; but
/// not those that an earlier one has handed over, whose workers ring by themselves: that push is named by the app's
/// side (C2).
struct OwedPushes {
    /// For how long a report for them is expected: as long as `belfry-calls` remembers a push.
    static let memory: TimeInterval = 60
    /// How many are known at most, the newest.
    static let countMax = 100

    private struct Push {
        let number: Int64
        let at: TimeInterval
        var isOfEarlierCentre = false
    }

    private var pushes: [Push] = []

    /// The app was handed the push with that number.
    mutating func came(_ number: Int64, at now: TimeInterval) {
        pushes.append(Push(number: number, at: now))
        pushes.removeFirst(max(0, pushes.count - Self.countMax))
    }

    /// `belfry-calls` is gone, and knows none of them any more.
    mutating func centreLost() { for index in pushes.indices { pushes[index].isOfEarlierCentre = true } }

    /// A call is reported: for the push with the number `known`, if that is known, else for the oldest. What the report
    /// is to name.
    mutating func report(for known: Int64?, at now: TimeInterval) -> Int64? {
        pushes.removeAll { now - $0.at > Self.memory }
        if let known {
            pushes.removeAll { $0.number == known }
            return known
        }
        guard let oldest = pushes.first else { return nil }
        pushes.removeFirst()
        return oldest.isOfEarlierCentre ? oldest.number : nil
    }
}
