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

    /// `bytes` with one to eight changes: replaced, removed, repeated or cut off, as broken files and hostile peers
    /// have them.
    public mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...8, using: &self) where !bytes.isEmpty {
            let position = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0: bytes[position] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 2: bytes.remove(at: position)
            case 3: bytes.removeSubrange(position..<min(bytes.count, position + 16))
            case 4:
                let end = min(bytes.count, position + Int.random(in: 1...32, using: &self))
                bytes.insert(contentsOf: bytes[position..<end], at: Int.random(in: 0...bytes.count, using: &self))
            default: bytes[position] = Array("{}[]\"\\,:0-9.eE<>&/ \n".utf8).randomElement(using: &self) ?? 0
            }
        }
        return bytes
    }
}
