public import BelfryTerms

/// What a client may do before it is stopped. All are strangers until they show a credential.
public struct HTTP2Limits: Hashable, Sendable {
    /// How many requests a connection may have at once.
    public static let streamsMax: UInt32 = 1_000
    /// How many bytes of headers a request may have, and how many headers.
    static let headerBytesMax = 8_000
    static let headersMax = 64
    /// What a stream counts as until it is closed, beside what has come of its request: its client may never read the
    /// answer.
    static let exchangeBytes = 1_024
    /// A body that is longer is answered before its end.
    static let bodyBytesMax = 64 << 10
    /// How many of its streams a client may reset at once, and in each second after: a client that stops resets all
    /// that it has.
    static let clientResetsMax: UInt64 = 1_100
    static let clientResetsPerSecond: UInt64 = 33
    /// How many streams of a client are reset by us, at once and in each second after, before its connection ends:
    /// the library does not count those.
    static let resetsMax = 1_000
    static let resetsPerSecond = 33
    /// CONTINUATION frames of one request: what it may have of headers fits into one frame.
    static let continuationsMax = 1
    /// How many bytes of headers are decoded of one request before its connection is ended, each header counted with
    /// what it is as an entry of a table (RFC 7541 section 4.1).
    static let decodedBytesMax = 4 * headerBytesMax
    static let headerOverhead = 32
    /// How many times a client may have the keys changed, at once and in each second after.
    static let keyUpdatesMax = 32
    static let keyUpdatesPerSecond = 32
    /// Entries of one SETTINGS frame.
    static let settingsMax = 32
    /// Acknowledgements that wait until the client reads.
    static let acknowledgementsMax = 100
    /// How many connections are accepted in one turn of the loop, so that the connections that are served have their
    /// turn.
    static let acceptedPerTurn = 16

    /// How many streams a connection may have before a credential was good.
    public var firstStreams: UInt32 = Self.streamsMax
    /// How many connections there may be. One more takes the place of the oldest that never showed a credential, or
    /// if all have shown one, of the one that has been silent for longest.
    public var connectionsMax = 4_096
    /// How many connections that never showed a good credential there may be, those in their handshake included, and
    /// how many bytes may be held for all of them. One more takes the place of the oldest of them.
    public var strangersMax = 1_024
    /// See `strangersMax`.
    public var strangersBytesMax = 48 << 20
    /// How many connections may have shown one credential. One more takes the place of that which has been silent for
    /// longest.
    public var sharesMax = 1_024
    /// How many bytes are held, for requests that are not complete and answers that are not sent.
    public var heldBytesMax = 64 << 20
    /// How many connections are accepted in a second.
    public var acceptedPerSecond = 1_000
    /// How long a handshake may take, and the beginning of HTTP/2 after it.
    public var handshakeTime = TimeSpan.seconds(10)
    /// How long a request may take from its headers to its end.
    public var requestTime = TimeSpan.seconds(10)
    /// How long a client may read nothing of what waits for it.
    public var stallTime = TimeSpan.seconds(30)
    /// How long a connection may do nothing: clients are asked to try it with a PING each hour.
    public var idleTime = TimeSpan.seconds(65 * 60)
    /// How long a client may take to answer the PING that comes with the notice of the end.
    public var noticeTime = TimeSpan.seconds(2)
    /// How long a connection that is to end may take.
    public var endTime = TimeSpan.seconds(5)

    /// The limits in production.
    public init() {}
}

/// A count that may run up to a burst, and then grows only as time passes.
struct Allowance {
    private let most: Int
    private let perSecond: Int
    private var left: Int
    private var countedAt: Instant

    init(_ most: Int, perSecond: Int, at now: Instant) {
        self.most = most
        self.perSecond = perSecond
        left = most
        countedAt = now
    }

    /// Takes one; false if none is left.
    mutating func take(at now: Instant) -> Bool {
        let gained = (now - countedAt).microseconds / 1_000_000 * Int64(perSecond)
        if gained > 0 {
            left = Int(min(Int64(most), Int64(left) + gained))
            countedAt = now
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
