public import BelfryTerms

/// What the log tells of strangers who were refused: of each kind the first in a second in full, and of the rest how
/// many they were. So they cannot fill it.
public struct RefusalTally: Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// A request was refused for this reason.
        case refusal(EndpointReason)
        /// A connection ended before its first request.
        case end(ConnectionEnd)

        /// The word for it in the log.
        public var code: String {
            switch self {
            case .refusal(let reason): reason.rawValue
            case .end(let why): why.rawValue
            }
        }
    }

    /// How long those of one kind are counted together, from the first of any kind on.
    public static let span = TimeSpan.seconds(1)
    private var counts: [Kind: Int] = [:]

    /// A tally of none.
    public init() {}

    /// Counts one; whether it is told in full.
    public mutating func isTold(_ kind: Kind) -> Bool {
        counts[kind, default: 0] += 1
        return counts[kind] == 1
    }

    /// How many of each kind were not told, at the end of the span; what comes then is counted anew.
    public mutating func rest() -> [(kind: Kind, count: Int)] {
        defer { counts = [:] }
        return counts.filter { $0.value > 1 }.sorted { $0.key.code < $1.key.code }.map { ($0.key, $0.value - 1) }
    }
}
