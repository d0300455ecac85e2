public import BelfryProtocol
public import BelfryTerms
public import DesktopChannel

/// What an event of a worker means for the desktop.
public enum DesktopNews: Hashable, Sendable {
    /// Its notification is about this call; nil for none.
    case received(ShownCallID?)
    /// A call rings now, or goes on in another mode.
    case rings(RingNews)
    /// Who calls is another one than was said.
    case caller(ShownCallID, ShownCaller)
    /// The picture of who calls is in this file.
    case picture(String, of: ShownCallID)
    /// A call that rang has ended for this reason; the person missed it if `isMissed`.
    case ended(ShownCallID, ShownCaller, EndReason, isMissed: Bool)
    /// A call was missed that did not ring.
    case missed(ShownCallID, ShownCaller)
    /// A notification says this, in place of what has the same name in its group.
    case alert(ShownAlert)
    /// The notifications of these names are shown no longer, or all of the group for nil.
    case withdrawn([String]?, GroupName)
    /// An extension asks to vibrate.
    case buzz
}

/// A call that rings, as its worker says.
public struct RingNews: Hashable, Sendable {
    /// Which one.
    public let call: ShownCallID
    /// Who calls.
    public let caller: ShownCaller
    /// How it rings.
    public let mode: CodeWord<RingMode>
    /// Why it rings without sound; nil if it is heard, or for a reason that this version does not know.
    public let why: MuteReason?
    /// When this event was.
    public let since: Instant
    /// When the ring ends by itself, if it began with this event.
    public let until: Instant
}

/// The events of all workers that are connected, of which a later one may mean what an earlier one said: no clock and
/// no I/O.
public struct WorkerEvents: Sendable {
    private struct Notification: Sendable {
        var call: ShownCallID?
        /// Who calls, as an app says; nil if none did.
        var caller: ShownCaller?
        /// Who has the caller's number.
        var label: NumberLabel?
        var type: NotificationType?
        /// What replaces another one where it is shown.
        var name = ""
        var isMissed = false
        /// Whether a foreign extension has it, which rings by itself and shows what it likes.
        var isForeign = false
    }

    private var notifications: [Int64: Notification] = [:]

    /// Those of no worker.
    public init() {}

    /// The worker behind `link` has left, whose call this was.
    @discardableResult
    public mutating func left(_ link: Int64) -> ShownCallID? { notifications.removeValue(forKey: link)?.call }

    /// What `event` of the worker behind `link` means, which said `hello` first; nil for nothing.
    public mutating func take(_ event: Event, from link: Int64, _ hello: DesktopHello) -> DesktopNews? {
        var known = notifications[link] ?? Notification()
        defer { notifications[link] = known }
        return Self.news(of: event, hello, &known)
    }

    private static func news(of event: Event, _ hello: DesktopHello, _ known: inout Notification) -> DesktopNews? {
        known.label = event.label ?? known.label
        let caller =
            known.caller
            ?? ShownCaller(name: hello.name, handle: hello.handle, hasVideo: hello.hasVideo, label: known.label)
        switch event.body {
        case .received(let received):
            known.type = received.type.known
            known.call = received.call.map { ShownCallID(group: hello.group, call: $0) }
            known.name = received.collapseID ?? event.id
            return .received(known.call)
        case .ringing(let ringing):
            // A worker's numbers are foreign data: what is no time is passed over.
            guard let start = TimeSpan(seconds: event.boot), let length = TimeSpan(seconds: ringing.duration) else {
                return nil
            }
            let since = Instant(microseconds: start.microseconds)
            // What was received as no call rings for an app's report.
            known.call = known.call ?? ShownCallID(group: hello.group, call: ringing.call)
            known.type = .callRequest
            return .rings(
                RingNews(
                    call: ShownCallID(group: hello.group, call: ringing.call), caller: caller, mode: ringing.mode,
                    why: ringing.why?.known, since: since, until: since + length))
        case .caller(let said):
            let caller = ShownCaller(
                name: said.name, handle: said.handle, hasVideo: said.hasVideo, label: said.label)
            known.caller = caller
            return known.call.map { .caller($0, caller) }
        case .attachment(let attachment):
            guard case .attached(let path, _, _, _) = attachment.outcome else { return nil }
            return known.call.map { .picture(path, of: $0) }
        case .ended(let ended):
            guard let call = known.call, let reason = ended.reason.known else { return nil }
            known.isMissed = MissedReason(reason, hangupReason: ended.hangupReason?.known) != nil
            return .ended(call, caller, reason, isMissed: known.isMissed)
        case .missed:
            // After a ring it only repeats what its end has said.
            guard let call = known.call, !known.isMissed else { return nil }
            return .missed(call, caller)
        case .delivered(_, let content, let isShown):
            // A call shows itself by its ring, and what is neither call nor alert shows nothing.
            guard isShown, known.type == .alert || known.isForeign else { return nil }
            return alert(content, hello.group, name: known.name)
        case .extensionProcess:
            known.isForeign = true
            return nil
        case .asked(let asked): return news(of: asked, hello.group)
        case .silent, .tick, .sound, .notification, .vibration, .warning, .app, .call, .action, .rejected, .unknown:
            return nil
        }
    }

    /// What a foreign extension's code has asked for.
    private static func news(of asked: Event.Asked, _ group: GroupName) -> DesktopNews? {
        switch (asked.what.known, asked.identifiers, asked.content) {
        case (.vibration?, _, _), (.alert?, _, _): .buzz
        case (.add?, let names?, let content?): names.first.flatMap { alert(content, group, name: $0) }
        // No names stand for all that are shown.
        case (.remove?, let names?, _): .withdrawn(names.isEmpty ? nil : names, group)
        default: nil
        }
    }

    private static func alert(_ content: NotificationContent, _ group: GroupName, name: String) -> DesktopNews? {
        content.hasAlertText ? .alert(ShownAlert(content, in: group, name: name)) : nil
    }
}

/// For what the operator's hook is run, and the reason that it gets.
public struct HookCause: Hashable, Sendable {
    /// For what.
    public enum Occasion: Hashable, Sendable {
        /// A call was answered.
        case answered
        /// A call was declined.
        case declined
        /// A call was missed.
        case missed
        /// Who was missed is called back.
        case callBack
    }

    /// For what.
    public let occasion: Occasion
    /// As the hook gets it.
    public let reason: String

    /// A call was missed that did not ring.
    public static let missedUnheard = HookCause(occasion: .missed, reason: "missed")
    /// The person chose to call back.
    public static let callBack = HookCause(occasion: .callBack, reason: "missed")

    /// Of a ring that its worker ended for `reason`; nil for an end that runs nothing.
    public init?(_ reason: EndReason, isMissed: Bool) {
        switch reason {
        case .answered: self.init(occasion: .answered, reason: reason.rawValue)
        case .declined: self.init(occasion: .declined, reason: reason.rawValue)
        case .hangup, .foreground, .timeout, .expired, .stopped:
            guard isMissed else { return nil }
            self.init(occasion: .missed, reason: reason.rawValue)
        }
    }

    /// Of a ring whose worker died, which the ledger has as `state`, nil if it does not have it; nil for an end that
    /// runs nothing.
    public init?(diedAs state: CallState?, isMissed: Bool) {
        switch state {
        case .answered?: self.init(occasion: .answered, reason: EndReason.answered.rawValue)
        case .declined?: self.init(occasion: .declined, reason: EndReason.declined.rawValue)
        case .ringing?, .hangup?, .timeout?, .expired?, .foreground?, .stopped?, .missed?, nil:
            guard isMissed else { return nil }
            self.init(occasion: .missed, reason: MissedReason.died.rawValue)
        }
    }

    private init(occasion: Occasion, reason: String) {
        self.occasion = occasion
        self.reason = reason
    }
}
