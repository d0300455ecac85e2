import BelfryDevices
import BelfryTerms
import Fleet

/// The gateways of a fleet, by what each writes at its own key of the bucket.
struct KnownGateways {
    /// There are no more in any fleet.
    private static let max = 64
    /// One that has not said so for longer is not there.
    private static let presence = TimeSpan.seconds(90)
    /// One that was not there for as long is no gateway any more.
    private static let memory = TimeSpan.seconds(30 * 86_400)

    private var words: [FleetName: HereAnswer] = [:]

    /// A gateway has written that it is there.
    mutating func hear(_ word: HereAnswer) {
        guard words[word.gateway] != nil || words.count < Self.max else { return }
        words[word.gateway] = word
    }

    /// Those that are there, or were of late, by name. Their clocks are taken to be right.
    func peers(at now: WallTime) -> [FleetStatus.Peer] {
        words.values.filter { now - $0.time < Self.memory }.sorted { $0.gateway < $1.gateway }.map { word in
            FleetStatus.Peer(
                name: word.gateway, since: word.since ?? word.time, heardAt: word.time,
                isAbsent: now - word.time >= Self.presence, introduction: word.introduction)
        }
    }
}
