/// Random numbers that a seed repeats: SplitMix64. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The numbers of `seed`.
    public init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Whether a chance of one in `count` came.
    public mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// One of `choices`, which are not empty.
    public mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
        choices[Int.random(in: 0..<choices.count, using: &self)]
    }
}
