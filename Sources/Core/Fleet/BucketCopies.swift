/// How brokers keep the bucket of devices.
public struct BucketCopies: Hashable, Sendable {
    /// More of them would have each change wait for more brokers, and bear no more to be lost than people can follow.
    private static let max = 3

    /// How many copies it is to have.
    public let count: Int
    /// How many of them are on brokers that are not there.
    public let missingCount: Int

    /// As many copies, of which some are missing.
    public init(count: Int, missingCount: Int) { (self.count, self.missingCount) = (count, missingCount) }

    /// How many copies it has with that many brokers: of an even number none more may be lost than of one fewer.
    public static func wanted(brokers count: Int) -> Int { count < max ? 1 : max }
}
