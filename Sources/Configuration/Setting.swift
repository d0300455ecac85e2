/// The settings there are: where each is written, what it is when nobody wrote it, and what it may be.
public enum Setting: CaseIterable, Hashable, Sendable {
    /// How long a call rings.
    case ringDuration
    /// Time from one tick of the ring to the next.
    case ringInterval
    /// What the ring sounds like.
    case ringSound
    /// Whether a ring vibrates.
    case ringVibrate
    /// What a call does that comes while another rings.
    case secondCall
    /// How many calls may ring at once.
    case maxCalls
    /// Time an extension has for one notification.
    case expiryBudget
    /// Time a caller's picture may take.
    case avatarTimeout
    /// Size a caller's picture may have.
    case avatarMaxBytes
    /// Private hosts that pictures may come from.
    case avatarAllow
    /// The only hosts that pictures may come from.
    case avatarFrom
    /// The app group whose file is used where a push names none.
    case appGroupName

    /// The section it stands in, without brackets.
    public var section: String {
        switch self {
        case .ringDuration, .ringInterval, .ringSound, .ringVibrate, .secondCall, .maxCalls: "Ring"
        case .expiryBudget: "Extension"
        case .avatarTimeout, .avatarMaxBytes, .avatarAllow, .avatarFrom: "Avatar"
        case .appGroupName: "AppGroup"
        }
    }

    /// Its key in that section.
    public var key: String {
        switch self {
        case .ringDuration: "Duration"
        case .ringInterval: "Interval"
        case .ringSound: "Sound"
        case .ringVibrate: "Vibrate"
        case .secondCall: "SecondCall"
        case .maxCalls: "MaxCalls"
        case .expiryBudget: "ExpiryBudget"
        case .avatarTimeout: "Timeout"
        case .avatarMaxBytes: "MaxBytes"
        case .avatarAllow: "Allow"
        case .avatarFrom: "From"
        case .appGroupName: "Name"
        }
    }

    /// The environment variable that has the last word on it.
    public var environmentVariable: String {
        switch self {
        case .ringDuration: "BELFRY_RING_DURATION"
        case .ringInterval: "BELFRY_RING_INTERVAL"
        case .ringSound: "BELFRY_SOUND"
        case .ringVibrate: "BELFRY_VIBRATE"
        case .secondCall: "BELFRY_SECOND_CALL"
        case .maxCalls: "BELFRY_MAX_CALLS"
        case .expiryBudget: "BELFRY_EXPIRY_BUDGET"
        case .avatarTimeout: "BELFRY_AVATAR_TIMEOUT"
        case .avatarMaxBytes: "BELFRY_AVATAR_MAX_BYTES"
        case .avatarAllow: "BELFRY_AVATAR_ALLOW"
        case .avatarFrom: "BELFRY_AVATAR_FROM"
        case .appGroupName: "BELFRY_APP_GROUP"
        }
    }

    /// What a value must be, for people, to stand after "expected".
    public var expectation: String {
        switch self {
        case .ringDuration: "a duration of 1s or more, such as 30s, 1500ms or 1min"
        case .ringInterval: "a duration from 200ms to 10s"
        case .ringSound: "the name of a sound, the absolute path of a file, or none"
        case .ringVibrate: "yes or no"
        case .secondCall: "soft, silent or loud"
        case .maxCalls: "a whole number from 1 to \(Settings.callsMaxLargest)"
        case .expiryBudget: "a duration from 1s to 120s"
        case .avatarTimeout: "a duration from 0 (no pictures) to 25s"
        case .avatarMaxBytes: "a size from 1K to 10M"
        case .avatarAllow: "host names, addresses or CIDR blocks, \(Self.listManner)"
        case .avatarFrom: "host names, \(Self.listManner)"
        case .appGroupName: "1 to 128 letters, digits, dots or hyphens, the first a letter or digit"
        }
    }

    private static var listManner: String { "separated by spaces or commas, at most \(Settings.hostsMax)" }

    /// How it is written in a file, such as `[Ring] Duration=`.
    public var name: String { "[\(section)] \(key)=" }
}
