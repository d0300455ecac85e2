public import BelfryTerms

extension Ledger {
    /// Silences the ring `key` for the person at the endpoint, and returns it; nil if it does not ring. It rings on
    /// without sound, and stays the ring that it was to all others (R21).
    public mutating func silence(_ key: CallKey) -> Call? {
        guard let ring = call(key), isRinging(ring) else { return nil }
        return silence(known: ring)
    }

    /// Silences `ring`, whose owner asks for it.
    @discardableResult
    mutating func silence(known ring: Call) -> Call {
        var ring = ring
        ring.isSilenced = true
        write(ring)
        return ring
    }

    /// The calls that ring, the oldest first, each with how it rings unless something mutes the whole device; others
    /// than the oldest, and all while a call is active, ring as `secondCall` says (R10).
    public func rings(secondCall: RingMode) -> [(call: Call, mode: RingMode)] {
        let isInCall = !activeCalls.isEmpty
        return rings.enumerated().map { index, ring in
            (ring, ring.isSilenced ? .silent : index == 0 && !isInCall ? .loud : secondCall)
        }
    }
}
