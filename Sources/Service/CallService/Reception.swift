import BelfryEventLoop
public import BelfryProtocol
public import BelfryTerms
import CallChannel
public import DesktopChannel
import Interception
public import NotificationDelivery

/// Sorts pushes as they arrive: `PushFate` decides who acts on each (R1).
public struct Reception {
    private let world: CallWorld
    private let settings: RingSettings
    private let foreign: (any ServiceExtension)?
    private let lacksForeign: Bool

    /// A reception whose calls ring in `world`, according to `settings`. `foreign` takes whatever is intercepted, if
    /// the operator has such an extension; `lacksForeign` says that they have one which cannot be run.
    public init(
        world: CallWorld, settings: RingSettings, foreign: (any ServiceExtension)? = nil, lacksForeign: Bool = false
    ) {
        self.world = world
        self.settings = settings
        self.foreign = foreign
        self.lacksForeign = lacksForeign
    }

    /// Sorts `push`. `notes` are the worker's own remarks, reported before those on the push.
    public func sort(_ push: Push, notes: [Event.Body] = []) -> SortedNotification {
        let rule = InterceptionRule(
            push, at: world.wall(), filters: foreign?.mayFilter ?? false, lacksExtension: lacksForeign)
        let passthrough = rule.passthrough
        var remarks = notes
        if !push.notes.isEmpty {
            remarks.append(.warning(code: .fieldIgnored, detail: push.notes.joined(separator: "\n")))
        }
        if let detail = push.noCallID { remarks.append(.warning(code: .noCallID, detail: detail)) }
        var service: (any ServiceExtension)?
        switch PushFate(of: push, passthrough, hasForeign: foreign != nil) {
        case .foreign: service = foreign
        case .rings(let call):
            service = callExtension(call, of: push, passthrough)
        case .doesNotRing(let call): remarks.append(.silent(call: call.callID, why: .notIntercepted))
        case .hangsUp(let hangup):
            service = hangupExtension(hangup, of: push, passthrough)
            if PushFate.ringsOnElsewhere(passthrough) { remarks.append(Self.hangupNotIntercepted) }
        case .unchanged: service = UnchangedExtension()
        case .passedThrough: service = reportedExtension(of: push, passthrough)
        }
        return SortedNotification(
            request: push.request, received: push.received(passthrough), passthrough: passthrough, remarks: remarks,
            service: service, mayBeFiltered: rule.mayBeFiltered && passthrough == nil)
    }

    private func callExtension(
        _ call: CallRequest, of push: Push, _ passthrough: PassthroughReason?
    ) -> any ServiceExtension {
        let isVoIP = passthrough == .voip
        let builtIn = CallExtension(
            call, expiration: push.envelope.expiration, isVoIP: isVoIP, world: world, settings: settings)
        guard isVoIP, let door = world.appCalls, let calls = door.connect() else { return builtIn }
        let voip = VoIPPush(push, .callRequest, call.callID, in: door.group, until: builtIn.lastInstant)
        return AppCallExtension(builtIn, of: voip, calls: calls, world: world, settings: settings)
    }

    /// What rings for a voip push that is no call, if an app reports one for it; nil where no app gets it.
    private func reportedExtension(of push: Push, _ passthrough: PassthroughReason?) -> (any ServiceExtension)? {
        guard passthrough == .voip, let id = push.reportedCallID, let door = world.appCalls,
            let calls = door.connect()
        else { return nil }
        let reported = CallExtension(
            CallRequest(callID: id, sentAt: push.envelope.sentAt), expiration: push.envelope.expiration, isVoIP: true,
            world: world, settings: settings)
        let voip = VoIPPush(push, .other, id, in: door.group, until: reported.lastInstant)
        return AppCallExtension(reported, of: voip, calls: calls, world: world, settings: settings)
    }

    private func hangupExtension(
        _ hangup: Hangup, of push: Push, _ passthrough: PassthroughReason?
    ) -> any ServiceExtension {
        let builtIn = HangupExtension(hangup, world: world)
        guard passthrough == .voip, let door = world.appCalls, let calls = door.connect() else { return builtIn }
        let voip = VoIPPush(push, .hangup, hangup.callID, in: door.group, until: world.timers.now)
        return AppHangupExtension(builtIn, of: voip, calls: calls, world: world)
    }

    /// The first message to the desktop about `push`; `hasForeign` says whether the operator has an extension, and
    /// `hasApps`, which is asked only where that counts, whether voip pushes go to apps.
    public static func greeting(
        of push: Push, in group: GroupName, hasForeign: Bool, hasApps: @autoclosure () -> Bool
    ) -> DesktopGreeting {
        guard case .request(let call)? = push.call else {
            // Its app may report a call for it.
            if push.reportedCallID != nil, hasApps() {
                let hello = DesktopHello(group: group, name: push.request.content.title)
                return DesktopGreeting(hello: hello, listens: true, triesAgain: true)
            }
            // The desktop may report on what an extension asked for as long as its process lives, and do-not-disturb
            // mutes an alert's sound.
            let listens = hasForeign || push.request.content.sound != nil
            var greeting = DesktopGreeting(hello: DesktopHello(group: group), listens: listens, triesAgain: false)
            // No extension gets it, and there is nothing to show: no desktop is started for it. An extension that may
            // filter gets what has no text, too.
            greeting.isNeeded = push.call != nil || push.alertHasText || hasForeign && push.isMutableContent
            return greeting
        }
        let hello = DesktopHello(
            group: group, name: call.callerName ?? push.request.content.title, handle: call.handle ?? "",
            hasVideo: call.hasVideo)
        return DesktopGreeting(hello: hello, listens: true, triesAgain: true)
    }

    private static let hangupNotIntercepted = Event.Body.warning(
        code: .hangupNotIntercepted,
        detail: "iOS would have rung on: a hangup needs mutable-content and an alert with text")
}

extension VoIPPush {
    fileprivate init(_ push: Push, _ kind: Kind, _ call: String, in group: GroupName, until: Instant) {
        self.init(id: push.request.id, group: group, kind: kind, payload: push.voipPayload ?? "{}", until: until)
        (topic, bundle) = (push.envelope.topic, push.envelope.simulatorTargetBundle)
        self.call = call
    }
}

/// A worker's first message to the desktop, and what the worker wants from it.
public struct DesktopGreeting {
    /// The first word.
    public let hello: DesktopHello
    /// Whether it listens to what the desktop says.
    public let listens: Bool
    /// Whether it tries again while there is no desktop, since a call may ring for long.
    public let triesAgain: Bool
    /// Whether there is anything to say.
    public var isNeeded = true
}

extension Push {
    /// What `received` says of it.
    fileprivate func received(_ passthrough: PassthroughReason?) -> Event.Received {
        var received = Event.Received(type: type, call: call?.callID, why: passthrough)
        received.isContentAvailable = isContentAvailable
        received.topic = envelope.topic
        received.collapseID = envelope.collapseID
        received.bundle = envelope.simulatorTargetBundle
        return received
    }
}

/// Hands an ordinary notification over as it came.
private final class UnchangedExtension: ServiceExtension {
    weak var delegate: (any ServiceExtensionDelegate)?
    let isBusy = false

    func admit(within budget: Budget, _ decided: (ExtensionVerdict) -> Void) { decided(.admitted) }

    func didReceive(_ request: NotificationRequest, within budget: Budget) {
        delegate?.extensionHandedOver(request.content)
    }

    func serviceExtensionTimeWillExpire() {}

    func stop() {}

    func end() {}
}
