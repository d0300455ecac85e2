import BelfryTerms

/// The requests of the last ten minutes, by which a repetition is known (R19).
struct PushMemory {
    /// How long a request is remembered.
    static let span = TimeSpan.seconds(600)

    private let digestsMax: Int
    private var seen: [PushDigest: Instant] = [:]
    private var line = Line<(digest: PushDigest, at: Instant)>()

    init(digestsMax: Int) { self.digestsMax = digestsMax }

    /// Whether `digest` came within the last ten minutes.
    mutating func knows(_ digest: PushDigest, at now: Instant) -> Bool {
        forget(before: now)
        return seen[digest] != nil
    }

    /// Remembers what came at `instant`, and for want of room not the oldest one any more.
    mutating func remember(_ digest: PushDigest, at instant: Instant) {
        seen[digest] = instant
        line.append((digest, instant))
        if line.count > digestsMax { forgetFirst() }
    }

    /// Takes back what was remembered of `digest`.
    mutating func withdraw(_ digest: PushDigest) { seen[digest] = nil }

    private mutating func forget(before now: Instant) {
        while let first = line.first, now - first.at > Self.span { forgetFirst() }
    }

    private mutating func forgetFirst() {
        guard let first = line.popFirst(), seen[first.digest] == first.at else { return }
        seen[first.digest] = nil
    }
}
