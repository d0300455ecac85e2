public import BelfryProtocol
public import BelfryTerms

/// What decides whether a notification is intercepted (R1).
///
/// Source: Apple, "Modifying content in newly delivered notifications". A string alert counts as a body, as on devices.
public struct InterceptionRule: Hashable, Sendable {
    /// Whether the notification came as a voip push.
    public var isVoIP = false
    /// Whether the notification came as a background push, or has nothing but `content-available`.
    public var isBackground = false
    /// Whether `mutable-content` is set.
    public var isMutable = false
    /// Whether the alert has a title, a subtitle or a body.
    public var alertHasText = false
    /// Whether an extension gets it that has the filtering entitlement, and it was pushed as an alert: then it needs no
    /// text.
    public var mayBeFiltered = false
    /// Whether it is no call, and its expiration is past: no phone would ever get it.
    public var isExpired = false
    /// Whether it is no call, and the extension that the operator has for it cannot be run.
    public var lacksExtension = false

    /// A rule with all conditions false.
    public init() {}

    /// The rule for `push` at `wall`; `filters` says whether an extension would get it that has the filtering
    /// entitlement, `lacksExtension` whether the operator's cannot be run: for calls the built-in service is there.
    public init(_ push: Push, at wall: WallTime, filters: Bool = false, lacksExtension: Bool = false) {
        self.lacksExtension = lacksExtension && push.call == nil
        isExpired = push.call == nil && push.envelope.expiration?.isPastExpiration(at: wall) ?? false
        isVoIP = push.pushType == .voip
        isBackground = push.pushType == .background
        isMutable = push.isMutableContent
        alertHasText = push.alertHasText
        mayBeFiltered = filters && push.pushType == .alert
    }

    /// The first condition that fails; nil if the extension runs.
    public var passthrough: PassthroughReason? {
        if isExpired { return .expired }
        if isVoIP { return .voip }
        if isBackground { return .background }
        if !isMutable { return .noMutableContent }
        if !alertHasText && !mayBeFiltered { return .noAlertText }
        return lacksExtension ? .noExtension : nil
    }
}

/// When an extension's budget starts (R3).
public enum BudgetStart: Hashable, Sendable {
    /// When the connection was accepted: the extension's code runs in the worker.
    case acceptance
    /// At the start of the process that is started for the notification.
    case spawn
    /// At the hand-over to a shared process, for which the notification waits.
    case turn
    /// At the ring, for which a voip push waits at most so long until its app has reported the call.
    case ring(within: TimeSpan)

    /// The longest time that the notification waits for its turn. The wait is not part of the budget.
    public var waitMax: TimeSpan {
        switch self {
        case .acceptance, .spawn: .zero
        case .turn: .seconds(600)
        case .ring(let patience): patience
        }
    }
}

/// The time an extension has for a notification (R3).
public struct Budget: Hashable, Sendable {
    /// How long before the end the extension is warned. Source: the grace time observed on devices.
    public static let notice = TimeSpan.seconds(1)

    /// From when it runs.
    public let start: Instant
    /// How long the extension has from then on.
    public let length: TimeSpan

    /// A budget of `length` from `start` on.
    public init(start: Instant, length: TimeSpan) {
        precondition(length > .zero, "a budget of no time")
        self.start = start
        self.length = length
    }

    /// The budget of an extension that is asked `now`, on a connection that was accepted at `acceptedAt`: `length`,
    /// counted from `start`. If it has to wait for its turn, this is the longest wait;
    /// ``ReplyStateMachine/began(within:)`` replaces it when the extension begins.
    public init(from start: BudgetStart, acceptedAt: Instant, now: Instant, length: TimeSpan) {
        switch start {
        case .acceptance: self.init(start: acceptedAt, length: length)
        case .spawn: self.init(start: now, length: length)
        case .turn: self.init(start: now, length: start.waitMax)
        // Once it may ring, the ledger is asked, which is part of the budget.
        case .ring: self.init(start: now, length: start.waitMax + length)
        }
    }

    /// When the original content is delivered.
    public var end: Instant { start + length }

    /// When the extension is warned: a second before the end, or half-way through a budget under two seconds.
    public var willExpire: Instant {
        guard length < Self.notice * 2 else { return end - Self.notice }
        return start + TimeSpan(microseconds: length.microseconds / 2)
    }
}

/// What the host finds at an attachment's path.
public struct AttachmentFacts: Hashable, Sendable {
    /// The file's size in bytes; nil if there is no regular file that can be read.
    public var bytes: Int64?

    /// Facts.
    public init(bytes: Int64?) {
        self.bytes = bytes
    }
}

/// Why iOS drops an attachment: `UNError.Code`, with the raw values of its header.
public enum AttachmentError: Int, Error, Hashable, Sendable, CaseIterable {
    /// Not a path to a readable file.
    case invalidURL = 100
    /// Neither hint nor file extension names a type that may be attached.
    case unrecognizedType = 101
    /// Larger than its kind may be.
    case invalidFileSize = 102
    /// The file is not in the attachment store.
    case notInDataStore = 103
    /// The file could not be moved into the attachment store.
    case moveIntoDataStoreFailed = 104
    /// The file is empty.
    case corrupt = 105

    /// The text that iOS gives for the error.
    public var localizedDescription: String {
        switch self {
        case .invalidURL: "Invalid attachment file URL"
        case .unrecognizedType: "Unrecognized attachment file type"
        case .invalidFileSize: "Invalid attachment file size"
        case .notInDataStore: "Attachment is not in the data store"
        case .moveIntoDataStoreFailed: "Failed to move attachment file into data store"
        case .corrupt: "Attachment is corrupt"
        }
    }
}

/// Which attachments may be shown. Source: Apple, `UNNotificationAttachment`, the table of types and sizes.
public enum AttachmentRule {
    /// The most bytes of a picture.
    public static let imageBytesMax: Int64 = 10 << 20
    /// The most bytes of a sound.
    public static let audioBytesMax: Int64 = 5 << 20
    /// The most bytes of a film.
    public static let movieBytesMax: Int64 = 50 << 20

    /// What is wrong with `attachment`; nil if it may be shown.
    public static func error(in attachment: NotificationAttachment, facts: AttachmentFacts) -> AttachmentError? {
        guard let bytes = facts.bytes else { return .invalidURL }
        guard let limit = bytesMax(ofType: attachment.type) else { return .unrecognizedType }
        guard bytes > 0 else { return .corrupt }
        return bytes <= limit ? nil : .invalidFileSize
    }

    /// What is wrong with `picture`, that of an intent; nil if it may be shown. Unlike an attachment it may be a WebP.
    public static func error(inPicture picture: NotificationAttachment, facts: AttachmentFacts) -> AttachmentError? {
        guard picture.type == "org.webmproject.webp" else { return error(in: picture, facts: facts) }
        guard let bytes = facts.bytes else { return .invalidURL }
        guard bytes > 0 else { return .corrupt }
        return bytes <= imageBytesMax ? nil : .invalidFileSize
    }

    private static func bytesMax(ofType type: String) -> Int64? {
        switch type {
        case "public.jpeg", "com.compuserve.gif", "public.png": imageBytesMax
        case "public.aiff-audio", "com.microsoft.waveform-audio", "public.mp3", "public.mpeg-4-audio": audioBytesMax
        case "public.mpeg", "public.mpeg-2-video", "public.mpeg-4", "public.avi": movieBytesMax
        default: nil
        }
    }
}
