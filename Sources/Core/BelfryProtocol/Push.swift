public import BelfryTerms

/// One push, checked and typed: what arrived through the push socket.
public struct Push: Sendable {
    /// Most bytes of a payload, as APNs has it.
    public static let payloadBytesMax = 4096
    /// Most bytes of a voip payload, as APNs has it.
    public static let voipPayloadBytesMax = 5120

    /// What it says about itself outside the payload.
    public let envelope: Envelope
    /// What the system would show, parsed as Apple's device does; its id is the envelope's.
    public let request: NotificationRequest
    /// Whether an extension may change it.
    public let isMutableContent: Bool
    /// Whether it wakes the app.
    public let isContentAvailable: Bool
    /// What it says about a call; nil for an ordinary notification.
    public let call: CallPush?
    /// The text of a voip push's payload as it came, for the app that it is for; nil for any other push.
    public let voipPayload: String?
    /// By what the call is known that an app reports for a voip push which is none: its `callId`, else the push's id.
    /// Nil for any other push.
    public let reportedCallID: String?
    /// By what the parts of the call were found, or what kept it from being one.
    public let callSources: CallSources
    /// What an operator should know of a call without an id, for people; nil if there is nothing.
    public let noCallID: String?
    /// The ignored fields, one line for people each; together they make one `warning: field-ignored`.
    public let notes: [String]

    /// The kind of push.
    public var pushType: PushType { envelope.pushType }
    /// What it is taken for.
    public var type: NotificationType {
        switch call {
        case .request?: .callRequest
        case .hangup?: .hangup
        case nil: pushType == .background ? .background : .alert
        }
    }
    /// Whether there is any text that alerts: title, subtitle or body.
    public var alertHasText: Bool { request.content.hasAlertText }
}

/// What a push says about itself outside its payload: APNs' headers, and the virtual device it is for.
public struct Envelope: Hashable, Sendable {
    /// Most bytes of ``collapseID``, as APNs has it.
    public static let collapseIDBytesMax = 64

    /// The request's identifier: a UUID in lower case.
    public var id: String
    /// The kind of push; if none was stated, `background` for one that wakes the app and shows nothing, else `alert`.
    public var pushType: PushType
    /// The topic, usually the app's bundle identifier.
    public var topic: String?
    /// When the server sent it.
    public var sentAt: WallTime?
    /// The latest that it can have been sent, where ``sentAt`` is by one of several clocks; nil where it is exact. A
    /// hangup is for each request that was sent before then (R8).
    public var sentUntil: WallTime?
    /// When it is of no use any more; 1970 itself is "try once" and not past (R9).
    public var expiration: WallTime?
    /// Shared by notifications about the same matter; 1 to 64 bytes.
    public var collapseID: String?
    /// The app group it is for; nil is the configured one.
    public var appGroup: String?
    /// `Simulator Target Bundle`, if a `simctl push` file names one.
    public var simulatorTargetBundle: String?
    /// The known names by which its server describes calls; nil for those that are configured.
    public var callPayload: CallPayload?

    /// An envelope; `id` must be a UUID, and is put in lower case.
    public init(
        id: String = randomUUID(),
        pushType: PushType = .alert,
        topic: String? = nil,
        sentAt: WallTime? = nil,
        sentUntil: WallTime? = nil,
        expiration: WallTime? = nil,
        collapseID: String? = nil,
        appGroup: String? = nil,
        simulatorTargetBundle: String? = nil,
        callPayload: CallPayload? = nil
    ) {
        self.id = id.lowercased()
        self.pushType = pushType
        self.topic = topic
        self.sentAt = sentAt
        self.sentUntil = sentUntil
        self.expiration = expiration
        self.collapseID = collapseID
        self.appGroup = appGroup
        self.simulatorTargetBundle = simulatorTargetBundle
        self.callPayload = callPayload
    }
}

/// Why a notification was refused; it had no effect (R16).
public struct Rejection: Error, Hashable, Sendable {
    /// The code word.
    public let reason: RejectionReason
    /// Which field, what was found and what was expected, for people; foreign text in it is short and escaped.
    public let detail: String

    /// A rejection.
    public init(_ reason: RejectionReason, detail: String) {
        self.reason = reason
        self.detail = detail
    }
}

extension Rejection: CustomStringConvertible {
    /// Reason and detail in one line.
    public var description: String { "\(reason.rawValue): \(detail)" }
}
