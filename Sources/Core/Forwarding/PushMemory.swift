public import BelfryTerms

/// The requests of the last ten minutes, which show whether a request is a repetition (R19), and what is known of each.
public struct PushMemory<Value: Sendable>: Sendable {
    /// How long a request is remembered.
    public static var span: TimeSpan { .seconds(600) }

    private let digestsMax: Int
    // In many parts, since a dictionary that grows moves all its entries: this way no push waits for more than one part
    // to move.
    private var parts = [[PushDigest: (at: Instant, value: Value)]](repeating: [:], count: 64)
    private var line = Line<(digest: PushDigest, at: Instant)>()

    /// A memory of at most `digestsMax` requests: the oldest one makes room.
    public init(digestsMax: Int) { self.digestsMax = digestsMax }

    /// What is known of `digest`; nil unless it came within the last ten minutes.
    public mutating func value(of digest: PushDigest, at now: Instant) -> Value? {
        forget(before: now)
        return self[digest]?.value
    }

    /// Remembers that `digest` came at `instant`, and `value` of it.
    public mutating func remember(_ digest: PushDigest, _ value: Value, at instant: Instant) {
        self[digest] = (instant, value)
        line.append((digest, instant))
        if line.count > digestsMax { forgetFirst() }
    }

    /// Knows `value` of `digest` from now on, if it is remembered.
    public mutating func update(_ digest: PushDigest, _ value: Value) {
        guard let known = self[digest] else { return }
        self[digest] = (known.at, value)
    }

    /// Forgets `digest`.
    public mutating func withdraw(_ digest: PushDigest) { self[digest] = nil }

    /// When `digest` came, and what is known of it.
    private subscript(digest: PushDigest) -> (at: Instant, value: Value)? {
        get { parts[digest.place(among: parts.count)][digest] }
        set { parts[digest.place(among: parts.count)][digest] = newValue }
    }

    private mutating func forget(before now: Instant) {
        while let first = line.first, now - first.at > Self.span { forgetFirst() }
    }

    private mutating func forgetFirst() {
        guard let first = line.popFirst(), self[first.digest]?.at == first.at else { return }
        withdraw(first.digest)
    }
}
