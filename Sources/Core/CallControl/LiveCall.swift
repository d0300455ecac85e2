import BelfryTerms
import CallChannel

/// A call that an app has reported or begun, until it is over.
struct LiveCall: Sendable {
    /// Where it stands.
    enum State: Hashable, Sendable {
        /// Its ring was ordered; the report with this number waits for its completion.
        case starting(report: Int64)
        /// It rings.
        case ringing
        /// It was answered, or is an outgoing one: the app connects it, or has.
        case ongoing
        /// It is over, and the app's action waits for its outcome.
        case ending
    }

    /// What the app calls it.
    let uuid: CallUUID
    /// The app whose it is.
    let app: String
    /// The number of the push by which it rings; nil of an outgoing call.
    var push: Int64?
    /// What the app has said of it, as far as it is shown.
    var update: CallUpdate
    /// Where it stands.
    var state: State
    /// Who has the number that the app has named; nil if no source says.
    var label: NumberLabel?
    /// What the app has asked for while it rings: performed once the ring is over.
    var asked: [AskedAction] = []
    /// Who answered it.
    var answeredBy: CallActor?
    /// Who ended it, once that is known.
    var endedBy = CallActor.system
    /// Whether this side called.
    var isOutgoing = false
    /// Whether the app has begun to call the other side: an outgoing call.
    var hasStarted = false
    /// Whether the app has said that the other side is being called.
    var isConnecting = false
    /// When it is late that an outgoing call is not connected; nil if that is not waited for.
    var connectedDue: Instant?
    /// When the app had connected it; nil if it has not.
    var connected: Instant?
    /// The transaction that its answer will be in; nil if that has one of its own.
    var answering: CallUUID?
    /// Whether it is held.
    var isOnHold = false
    /// Whether the person is not heard in it.
    var isMuted = false
    /// The group that it is in, a number of its app's; nil if it is alone.
    var group: Int64?
    /// Whether a second ring was asked for, since the first had no worker.
    var hasRungAnew = false
    /// Whether the provider that reported it was replaced by another.
    var isOfEarlierProvider = false

    /// Whether the app has connected it.
    var hasConnected: Bool { connected != nil }

    /// Whether its ring is not over.
    var isBeforeAnswer: Bool {
        switch state {
        case .starting, .ringing: true
        case .ongoing, .ending: false
        }
    }

    /// Whether the audio session is active for it (C14).
    var isHeard: Bool { !isOnHold && (hasConnected || hasStarted) }

    /// Who calls, as its ring shows.
    var caller: ReportedCaller {
        var caller = ReportedCaller()
        caller.name = update.name
        caller.handle = update.handle?.value
        caller.label = label
        caller.hasVideo = update.hasVideo
        caller.uuid = uuid
        return caller
    }

    /// How many characters of a name or a handle are shown; a push has no more.
    static let shownCharactersMax = 1_024

    /// As much of `text` as is shown.
    static func cut(_ text: String) -> String {
        var cut = String.UnicodeScalarView()
        cut.append(contentsOf: text.unicodeScalars.prefix(shownCharactersMax))
        return String(cut)
    }

    /// The call as apps' observers see it.
    var observed: ObservedCall {
        var observed = ObservedCall(uuid)
        (observed.isOutgoing, observed.isOnHold) = (isOutgoing, isOnHold)
        observed.hasConnected = hasConnected
        return observed
    }
}

extension CallUpdate {
    /// As much of it as is shown: an app may have a hundred calls, and a mebibyte to say of each.
    var shown: CallUpdate {
        var shown = self
        shown.name = name.map(LiveCall.cut)
        shown.handle = handle.map { CallHandle($0.kind, LiveCall.cut($0.value)) }
        return shown
    }

    /// What `later` assigns counts, all else stays.
    mutating func merge(_ later: CallUpdate) {
        handle = later.handle ?? handle
        name = later.name ?? name
        hasVideo = later.hasVideo ?? hasVideo
        supportsHolding = later.supportsHolding ?? supportsHolding
        supportsGrouping = later.supportsGrouping ?? supportsGrouping
        supportsUngrouping = later.supportsUngrouping ?? supportsUngrouping
        supportsDTMF = later.supportsDTMF ?? supportsDTMF
    }
}
