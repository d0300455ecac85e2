/// `received.type`: what a payload is.
public enum NotificationType: String, Hashable, Sendable, CaseIterable {
    /// A call wants to ring.
    case callRequest = "call-request"
    /// A call is over.
    case hangup
    /// Any other notification with something to show.
    case alert
    /// Nothing to show.
    case background
}

/// `received.why`: why the extension did not run (R1).
public enum PassthroughReason: String, Hashable, Sendable, CaseIterable {
    /// It is no call, and its expiration is past: no phone would ever get it.
    case expired
    /// `mutable-content` is not set.
    case noMutableContent = "no-mutable-content"
    /// The alert has neither title nor subtitle nor body.
    case noAlertText = "no-alert-text"
    /// A background push has no alert to change.
    case background
    /// A voip push goes to the app, never to an extension.
    case voip
    /// It is no call, and the extension that the operator has configured cannot be run.
    case noExtension = "no-extension"
}

/// `ringing.mode`: how a call rings.
public enum RingMode: String, Hashable, Sendable, CaseIterable {
    /// With the ring sound.
    case loud
    /// With a quieter tone, while another call rings loud.
    case soft
    /// On the screen alone.
    case silent
}

/// `ringing.why`: why a call rings without sound.
public enum MuteReason: String, Hashable, Sendable, CaseIterable {
    /// The person at the endpoint silenced this ring.
    case silenced
    /// The operator's quiet hours.
    case quietHours = "quiet-hours"
    /// The desktop is not to disturb.
    case doNotDisturb = "do-not-disturb"
}

/// `silent.why`: why a call request did not ring.
public enum SilenceReason: String, Hashable, Sendable, CaseIterable {
    /// The app is in front and rings itself.
    case foreground
    /// This call rings already.
    case duplicate
    /// This call was answered within the last ten minutes.
    case answered
    /// This call was declined within the last ten minutes.
    case declined
    /// Its caller hung up within the last ten minutes, or its hangup came first.
    case hungUp = "hung-up"
    /// It was sent too long ago to ring (R9).
    case stale
    /// It was not intercepted, so no extension could ring (R1).
    case notIntercepted = "not-intercepted"
    /// An app has as many calls as it may have, or the place for its ring was lost while it waited for its report.
    case busy
    /// The person has blocked the caller's number, or an extension of the call directory has (R24).
    case blocked
}

/// `extension.state`: what became of the process of a foreign extension.
public enum ExtensionState: String, Hashable, Sendable, CaseIterable {
    /// It was started for the notification.
    case started
    /// `didReceive` returned; the process may run on for a while.
    case returned
    /// It is gone, with all that it started.
    case ended
}

/// `asked.what`: what a foreign extension's code asked for.
public enum AskedKind: String, Hashable, Sendable, CaseIterable {
    /// To play a sound file.
    case sound
    /// To play a sound file, and to vibrate.
    case alert
    /// To vibrate once.
    case vibration
    /// To set the app's badge.
    case badge
    /// To show or schedule a notification of its own.
    case add
    /// To remove notifications.
    case remove
    /// To remember an interaction with a person.
    case donate
    /// To hand a voip payload to the app.
    case voipPayload = "voip-payload"
    /// To draw the app's widgets anew.
    case widgets
}

/// `sound.state`: whether a ring is heard.
public enum SoundState: String, Hashable, Sendable, CaseIterable {
    /// The sound server plays it.
    case playing
    /// It plays it, and nobody hears it: what it plays to is muted, or at volume 0.
    case muted
    /// It cannot be played now; the next ticks try again.
    case unavailable
}

/// `notification.state`: what became of a call's or an alert's notification on the desktop.
public enum NotificationState: String, Hashable, Sendable, CaseIterable {
    /// A server shows it.
    case shown
    /// A server shows it changed: the picture came.
    case replaced
    /// It is gone: the call is over, or a person closed it.
    case closed
    /// No server shows it.
    case unavailable
}

/// `vibration.state`: whether a ring is felt.
public enum VibrationState: String, Hashable, Sendable, CaseIterable {
    /// Something vibrates.
    case playing
    /// Nothing can.
    case unavailable
}

/// `attachment.reason`: why a call is delivered without its picture.
public enum SkipReason: String, Error, Hashable, Sendable, CaseIterable {
    // What is wrong with the URL itself.

    /// It is no URL that a picture can be fetched from.
    case badURL = "bad-url"
    /// Its scheme is neither http nor https, in the payload or after a redirect.
    case badScheme = "bad-scheme"
    /// It carries a user name or password.
    case credentialsInURL = "credentials-in-url"

    // What the operator does not allow.

    /// Pictures are turned off (`[Avatar] Timeout=0`).
    case off
    /// `[Avatar] From=` does not name its host.
    case hostNotAllowed = "host-not-allowed"
    /// Its address is not global unicast, and `[Avatar] Allow=` does not name it.
    case addressRefused = "address-refused"
    /// Its port is neither 80 nor 443, and `[Avatar] Allow=` does not name it.
    case portRefused = "port-refused"

    // What went wrong on the way.

    /// The host name has no address, or no name server can be asked.
    case resolveFailed = "resolve-failed"
    /// There was no answer at that address and port.
    case connectFailed = "connect-failed"
    /// The certificate or the TLS handshake is not in order.
    case tlsFailed = "tls-failed"
    /// More redirects than `FetchLimits` allows.
    case tooManyRedirects = "too-many-redirects"
    /// The server answered with another status than 200.
    case httpStatus = "http-status"
    /// The connection broke, or the answer was not HTTP.
    case transferFailed = "transfer-failed"
    /// It did not come in time.
    case timeout

    // What is wrong with the picture.

    /// It has more bytes than `[Avatar] MaxBytes=`.
    case tooLarge = "too-large"
    /// It is no PNG, JPEG, GIF or WebP.
    case notAnImage = "not-an-image"
    /// It is wider, higher or larger than `FetchLimits` allows.
    case tooManyPixels = "too-many-pixels"
    /// It is damaged or cut short, or this machine has no decoder for it.
    case decodeFailed = "decode-failed"

    // What went wrong here.

    /// The picture could not be written: no space, or state that is not writable.
    case writeFailed = "write-failed"
    /// The fetcher ended without an answer.
    case fetcherCrashed = "fetcher-crashed"
    /// The fetcher is not installed, or could not be started.
    case fetcherMissing = "fetcher-missing"
    /// The ring was over before the picture came, or there was none.
    case ended
}

/// `delivered.by`: who handed the content over.
public enum Deliverer: String, Hashable, Sendable, CaseIterable {
    /// The extension called its content handler.
    case `extension`
    /// Nothing intercepted it; the content is as it came.
    case passthrough
    /// The budget ran out first; the content is as it came.
    case expiry
    /// The extension died first; the content is as it came.
    case crash
    /// The worker was told to stop; the best attempt until then.
    case stopped
    /// An app was handed the push.
    case app
}

/// `ended.reason`: why a ring ended (R7).
public enum EndReason: String, Hashable, Sendable, CaseIterable {
    /// The caller hung up.
    case hangup
    /// Somebody at the endpoint answered.
    case answered
    /// Somebody at the endpoint declined.
    case declined
    /// The app came to the front, and rings itself.
    case foreground
    /// The ring duration ran out, or reached the end of the budget.
    case timeout
    /// The expiry budget cut the ring short by more than a second.
    case expired
    /// The worker was told to stop.
    case stopped
}

/// `reason` of a hangup push, and `ended.hangupReason`: why the caller's side hung up.
public enum HangupReason: String, Hashable, Sendable, CaseIterable {
    /// The caller gave up; the default if a push gives no reason.
    case cancelled
    /// Another device of this person answered.
    case answeredElsewhere = "answered-elsewhere"
    /// Another device of this person declined.
    case declinedElsewhere = "declined-elsewhere"
    /// The line was busy.
    case busy
    /// The call could not be set up.
    case failed
}

/// `rejected.reason`: why a notification was refused (R16).
public enum RejectionReason: String, Hashable, Sendable, CaseIterable {
    /// Nothing came, or white space only.
    case empty = "Empty"
    /// The notification was not finished in time.
    case incomplete = "Incomplete"
    /// It is not UTF-8.
    case notUTF8 = "NotUTF8"
    /// It is not JSON, or a key occurs twice.
    case notJSON = "NotJSON"
    /// It is JSON, but no object.
    case notAnObject = "NotAnObject"
    /// There is no `aps`, nor an envelope, and it is no voip push.
    case noAps = "NoAps"
    /// A field that cannot be passed over is unusable.
    case badField = "BadField"
    /// The payload or the whole notification is larger than the limit, or holds more values.
    case payloadTooLarge = "PayloadTooLarge"
    /// It is nested too deep.
    case tooDeep = "TooDeep"
    /// `appGroup` is no name of an app group.
    case badAppGroup = "BadAppGroup"
    /// The most calls that may ring at once ring already.
    case busy = "Busy"
}

/// `state` of a call in the group file.
public enum CallState: String, Hashable, Sendable, CaseIterable {
    /// It rings, as long as its owner lives and its deadline is not past.
    case ringing
    /// The caller hung up.
    case hangup
    /// Somebody answered.
    case answered
    /// Somebody declined.
    case declined
    /// It rang its full duration.
    case timeout
    /// The budget cut its ring short.
    case expired
    /// The app came, or was, in front.
    case foreground
    /// Its worker was told to stop.
    case stopped
    /// It was too old to ring, or its worker died.
    case missed

    /// The state of a call whose ring ended for `reason`.
    public init(_ reason: EndReason) {
        switch reason {
        case .hangup: self = .hangup
        case .answered: self = .answered
        case .declined: self = .declined
        case .foreground: self = .foreground
        case .timeout: self = .timeout
        case .expired: self = .expired
        case .stopped: self = .stopped
        }
    }

    /// Why its ring ended; nil while it rings, or if its worker died.
    public var endReason: EndReason? {
        switch self {
        case .ringing, .missed: nil
        case .hangup: .hangup
        case .answered: .answered
        case .declined: .declined
        case .timeout: .timeout
        case .expired: .expired
        case .foreground: .foreground
        case .stopped: .stopped
        }
    }
}

/// `reason` of a missed call in the group file.
public enum MissedReason: String, Hashable, Sendable, CaseIterable {
    /// The caller gave up.
    case cancelled
    /// The line was busy.
    case busy
    /// The call could not be set up.
    case failed
    /// It rang its full duration.
    case timeout
    /// The budget cut its ring short.
    case expired
    /// Its worker was told to stop.
    case stopped
    /// It was too old to ring.
    case stale
    /// Its worker died.
    case died

    /// Why the person has missed a call that ended for `end`; nil if they have not (R11).
    ///
    /// - Parameter hangupReason: why the caller's side hung up, if it did; nil counts as `cancelled`.
    public init?(_ end: EndReason, hangupReason: HangupReason?) {
        switch end {
        case .timeout: self = .timeout
        case .expired: self = .expired
        case .stopped: self = .stopped
        case .answered, .declined, .foreground: return nil
        case .hangup:
            switch hangupReason ?? .cancelled {
            case .cancelled: self = .cancelled
            case .busy: self = .busy
            case .failed: self = .failed
            case .answeredElsewhere, .declinedElsewhere: return nil
            }
        }
    }
}

/// `pushType` of an envelope: those of APNs' `apns-push-type` that concern an endpoint that rings.
public enum PushType: String, Hashable, Sendable, CaseIterable {
    /// Shows, plays or badges something.
    case alert
    /// Wakes the app and shows nothing.
    case background
    /// A call for the app itself, which no extension sees.
    case voip
}

/// `interruptionLevel` of a content: how much a notification may interrupt, as `UNNotificationInterruptionLevel` has
/// it; raw values in APNs spelling.
public enum InterruptionLevel: String, Hashable, Sendable, CaseIterable {
    /// Into the list, without light or sound.
    case passive
    /// At once; the default.
    case active
    /// Through Focus and summaries; what a call is.
    case timeSensitive = "time-sensitive"
    /// Through the mute switch.
    case critical
}

extension InterruptionLevel: Comparable {
    /// Orders by how much each may interrupt.
    public static func < (left: InterruptionLevel, right: InterruptionLevel) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .passive: 0
        case .active: 1
        case .timeSensitive: 2
        case .critical: 3
        }
    }
}
