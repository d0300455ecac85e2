import BelfryPictures
public import BelfryTerms

/// What a push says about a call.
public enum CallPush: Sendable {
    /// A call wants to ring.
    case request(CallRequest)
    /// A call is over for the caller's side.
    case hangup(Hangup)

    /// The call's id, empty for the anonymous call. Compare it by its `utf8`.
    public var callID: String {
        switch self {
        case .request(let request): request.callID
        case .hangup(let hangup): hangup.callID
        }
    }
}

/// A call that wants to ring.
public struct CallRequest: Sendable {
    /// Most bytes of a call id.
    public static let callIDBytesMax = 128
    /// Whether a call id may hold `scalar`: no control character, and neither U+FFFE nor U+FFFF, which XML, and so the
    /// group file, cannot carry.
    public static func callIDMayHold(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory != .control && scalar != "\u{FFFE}" && scalar != "\u{FFFF}"
    }
    /// The shortest ring that can be asked for, in seconds.
    public static let durationSecondsMin = 1.0

    /// The call's id, empty for the group's one anonymous call. Ids are the same if their bytes are: compare `utf8`,
    /// since `String` takes two spellings of `é` for one.
    public var callID: String
    /// Who calls.
    public var callerName: String?
    /// Their number or address.
    public var handle: String?
    /// Whether it is a video call.
    public var hasVideo: Bool
    /// Their picture.
    public var callerAvatar: CallerPicture
    /// How long it asks to ring, at least a second.
    public var duration: TimeSpan?
    /// When it was sent, by the call's own field, else by the envelope's.
    public var sentAt: WallTime?

    /// A request.
    public init(
        callID: String,
        callerName: String? = nil,
        handle: String? = nil,
        hasVideo: Bool = false,
        callerAvatar: CallerPicture = .absent,
        duration: TimeSpan? = nil,
        sentAt: WallTime? = nil
    ) {
        self.callID = callID
        self.callerName = callerName
        self.handle = handle
        self.hasVideo = hasVideo
        self.callerAvatar = callerAvatar
        self.duration = duration
        self.sentAt = sentAt
    }
}

/// A caller's picture as the payload gives it.
public enum CallerPicture: Hashable, Sendable {
    /// The payload has no field for one.
    case absent
    /// An address as the payload spells it; whether it may be fetched is decided when it is fetched.
    case url(String)
    /// There is a field, but no address in it; `detail` says for people what was found.
    case unusable(detail: String)

    /// Whether `text` is an http or https URL without blanks or control characters. `WebURL` takes blanks in a path,
    /// since servers send them in redirects; in a payload they show that the field holds something else.
    public static func isAddress(_ text: String) -> Bool { isOneWord(text) && WebURL.isAddress(text) }

    /// Whether `text` is a URL of another scheme, which is never fetched.
    static func hasOtherScheme(_ text: String) -> Bool {
        guard isOneWord(text) else { return false }
        do throws(Skip) {
            _ = try WebURL(text)
            return false
        } catch {
            return error.reason == .badScheme
        }
    }

    private static func isOneWord(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.value <= 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}

/// The end of a call as the caller's side reports it.
public struct Hangup: Sendable {
    /// The call's id, empty for the anonymous call; see ``CallRequest/callID``.
    public var callID: String
    /// Why.
    public var reason: HangupReason
    /// When it was sent, by the hangup's own field, else by the envelope's.
    public var sentAt: WallTime?

    /// A hangup.
    public init(callID: String, reason: HangupReason = .cancelled, sentAt: WallTime? = nil) {
        self.callID = callID
        self.reason = reason
        self.sentAt = sentAt
    }
}
