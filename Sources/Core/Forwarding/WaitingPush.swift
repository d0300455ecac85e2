public import BelfryDevices
public import BelfryTerms

/// What the order of hand-overs depends on: a push without its payload.
public struct WaitingPush: Hashable, Sendable {
    /// Its place in the order of acceptance; no two have the same.
    public let number: Int64
    /// The device that it is for, which gets its pushes in order.
    public let deviceID: String
    /// The machine that has the device; nil for this one.
    public let machine: FleetName?
    /// The token that it was sent to.
    public let token: DeviceToken
    /// The topic: an offline device keeps one push of each.
    public let topic: String
    /// How urgent it is.
    public let priority: APNsPriority
    /// As the server stated it.
    public let expiration: WallTime?
    /// When it was accepted.
    public let acceptedAt: WallTime
    /// Whether it was kept for a device that was offline.
    public let wasStored: Bool

    /// The push `push` to `deviceID`, which `machine` has, as the `number`th.
    public init(
        number: Int64, _ push: EndpointPush, deviceID: String, machine: FleetName? = nil, wasStored: Bool = false
    ) {
        self.number = number
        self.deviceID = deviceID
        self.machine = machine
        self.wasStored = wasStored
        token = push.token
        topic = push.topic
        priority = push.priority
        expiration = push.expiration
        acceptedAt = push.acceptedAt
    }

    /// The longest time that a push is kept, as at APNs.
    public static let keptMax = TimeSpan.seconds(30 * 86_400)

    /// Whether it may be kept for a device that cannot take it at `now`: an expiration of 0 is never kept, nor is a
    /// push past its expiration (R20).
    func mayBeKept(at now: WallTime) -> Bool {
        guard let expiration else { return now < acceptedAt + Self.keptMax }
        return expiration.microseconds != 0 && now <= min(expiration.latest, acceptedAt + Self.keptMax)
    }
}

/// The time on both clocks: delays are counted on one, times that servers state are compared with the other.
public struct ForwardingTime: Hashable, Sendable {
    /// Since boot.
    public let instant: Instant
    /// On the wall.
    public let wall: WallTime

    /// The time that is `instant` and `wall`.
    public init(instant: Instant, wall: WallTime) {
        self.instant = instant
        self.wall = wall
    }
}

/// Identifies the request that a push came with: a repetition has the same digest.
public struct PushDigest: Hashable, Sendable {
    /// How many bytes it has.
    public static let byteCount = 16

    private let high: UInt64
    private let low: UInt64

    /// The digest of id, token and payload of `push`.
    public init(_ push: EndpointPush) {
        // Two hashes of 64 bits each: a push whose digest is known is not delivered, so a collision would lose one.
        var (high, low): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142)
        func take(_ word: UInt64) {
            high = (high ^ word) &* 0x9E6C_63D0_876A_46E5
            high ^= high >> 32
            low = (low &+ word) &* 0x9E37_79B9_7F4A_7C15
            low ^= low >> 29
        }
        // Eight bytes at a time, and the length with the rest of them.
        func take(_ bytes: Span<UInt8>) {
            func word(_ bytes: Span<UInt8>) -> UInt64 {
                var word: UInt64 = 0
                for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
                return word
            }
            let wholeCount = bytes.count & ~7
            for start in stride(from: 0, to: wholeCount, by: 8) { take(word(bytes.extracting(start..<start + 8))) }
            take(word(bytes.extracting(wholeCount...)) | UInt64(bytes.count) << 56)
        }
        take(push.apnsID.utf8Span.span)
        take(push.token.inlineBytes.span)
        take(push.payload.span)
        (self.high, self.low) = (high, low)
    }

    /// The digest that was ``bytes``; nil if they are not ``byteCount``.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Which of `count` places it has; each place is equally likely.
    func place(among count: Int) -> Int { Int(low % UInt64(count)) }

    /// As it is kept.
    public var bytes: [UInt8] {
        let bytes = inlineBytes
        return bytes.indices.map { bytes[$0] }
    }

    /// As it is kept, without an array of its own.
    public var inlineBytes: InlineArray<16, UInt8> {
        InlineArray { index in
            UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - 8 * (index & 7)))
        }
    }
}
