import BelfryTerms

/// The requests of the last ten minutes, by which a repetition is known (R19).
struct PushMemory {
    /// How long a request is remembered.
    static let span = TimeSpan.seconds(600)

    private let digestsMax: Int
    // In many parts, since a dictionary that grows moves all that it has: no push waits for more than a part of that.
    private var seen = [[PushDigest: Instant]](repeating: [:], count: 64)
    private var line = Line<(digest: PushDigest, at: Instant)>()

    init(digestsMax: Int) { self.digestsMax = digestsMax }

    /// Whether `digest` came within the last ten minutes.
    mutating func knows(_ digest: PushDigest, at now: Instant) -> Bool {
        forget(before: now)
        return seen[part(of: digest)][digest] != nil
    }

    /// Remembers what came at `instant`, and for want of room not the oldest one any more.
    mutating func remember(_ digest: PushDigest, at instant: Instant) {
        seen[part(of: digest)][digest] = instant
        line.append((digest, instant))
        if line.count > digestsMax { forgetFirst() }
    }

    /// Takes back what was remembered of `digest`.
    mutating func withdraw(_ digest: PushDigest) { seen[part(of: digest)][digest] = nil }

    private func part(of digest: PushDigest) -> Int { digest.place(among: seen.count) }

    private mutating func forget(before now: Instant) {
        while let first = line.first, now - first.at > Self.span { forgetFirst() }
    }

    private mutating func forgetFirst() {
        guard let first = line.popFirst(), seen[part(of: first.digest)][first.digest] == first.at else { return }
        withdraw(first.digest)
    }
}
