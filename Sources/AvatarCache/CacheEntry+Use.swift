internal import AvatarPolicy

extension CacheEntry {
    /// What an entry is good for.
    public enum Use: Hashable, Sendable {
        /// It is the picture.
        case picture
        /// It is the picture if the server answers this entity tag with 304.
        case ask(entityTag: String)
        /// Nothing.
        case none
    }

    /// Seconds of disagreement between the clock then and now that are put up with.
    public static let clockErrorSecondsMax: Int64 = 60

    /// What it is good for at the Unix second `now`. After a day nothing is, whatever the server said; an entry from
    /// the future is one whose age nobody knows.
    public func use(at now: Int64) -> Use {
        let (age, overflows) = now.subtractingReportingOverflow(fetchedAt)
        guard !overflows, age >= -Self.clockErrorSecondsMax, age < Freshness.secondsMax else { return .none }
        if age < freshness.seconds { return .picture }
        return freshness.entityTag.map { .ask(entityTag: $0) } ?? .none
    }
}
