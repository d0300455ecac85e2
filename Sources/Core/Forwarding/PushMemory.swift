import BelfryTerms

/// The requests of the last ten minutes, which show whether a request is a repetition (R19).
struct PushMemory {
    /// How long a request is remembered.
    static let span = TimeSpan.seconds(600)

    private let digestsMax: Int
    // In many parts, since a dictionary that grows moves all its entries: this way no push waits for more than one part
    // to move.
    private var parts = [[PushDigest: Instant]](repeating: [:], count: 64)
    private var line = Line<(digest: PushDigest, at: Instant)>()

    init(digestsMax: Int) { self.digestsMax = digestsMax }

    /// Whether `digest` came within the last ten minutes.
    mutating func knows(_ digest: PushDigest, at now: Instant) -> Bool {
        forget(before: now)
        return self[digest] != nil
    }

    /// Remembers that `digest` came at `instant`, and forgets the oldest one if there is no room.
    mutating func remember(_ digest: PushDigest, at instant: Instant) {
        self[digest] = instant
        line.append((digest, instant))
        if line.count > digestsMax { forgetFirst() }
    }

    /// Forgets `digest`.
    mutating func withdraw(_ digest: PushDigest) { self[digest] = nil }

    /// When `digest` came.
    private subscript(digest: PushDigest) -> Instant? {
        get { parts[digest.place(among: parts.count)][digest] }
        set { parts[digest.place(among: parts.count)][digest] = newValue }
    }

    private mutating func forget(before now: Instant) {
        while let first = line.first, now - first.at > Self.span { forgetFirst() }
    }

    private mutating func forgetFirst() {
        guard let first = line.popFirst(), self[first.digest] == first.at else { return }
        withdraw(first.digest)
    }
}
