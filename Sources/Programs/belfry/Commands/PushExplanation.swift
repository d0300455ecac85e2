import BelfryApps
import BelfryCommandLine
import BelfryJSON
import BelfryProtocol
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallControl
import ExtensionKeeping
import Interception
import Ringing

/// What a notification is taken for, and why, by the rules of a worker: `belfry push --explain`, which pushes nothing.
struct PushExplanation {
    private let push: Push
    private let passthrough: PassthroughReason?
    private let fate: PushFate
    /// Whether the push says that it was sent in the future, which counts for nothing (R9).
    private let isClockBad: Bool
    /// Whether it is a call request that would not ring any more (R9).
    private let isStale: Bool
    /// The configured app that is handed it (C1); nil if none is.
    private let app: String?

    /// Explains `notification` by the settings of `context`. Prints it, and returns how that ended.
    static func run(_ notification: [UInt8], _ context: Context) -> ProgramStatus {
        let settings = context.loaded.settings
        for mistake in context.loaded.mistakes { context.warn("\(mistake)") }
        do throws(Rejection) {
            let push = try Push.parse(notification, names: settings.callNames(for:))
            let explanation = PushExplanation(push, settings)
            if context.wantsJSON {
                context.output.json(explanation.object)
            } else {
                for line in explanation.lines { context.output.line(Printable.escaped(line)) }
            }
            return .done
        } catch {
            if context.wantsJSON {
                context.output.json(["rejected": .string(error.reason.rawValue), "detail": .string(error.detail)])
            } else {
                context.output.line(Printable.escaped("It is rejected, and nothing comes of it: \(error)."))
            }
            return .badNotification
        }
    }

    private init(_ push: Push, _ settings: Settings) {
        self.push = push
        let bundle = settings.extensionPath.flatMap { try? ExtensionBundle(path: $0) }
        let wall = WallTime(microseconds: wallTimeMicroseconds())
        passthrough =
            InterceptionRule(
                push, at: wall, filters: bundle?.mayFilter ?? false,
                lacksExtension: settings.extensionPath != nil && bundle == nil
            ).passthrough
        fate = PushFate(of: push, passthrough, hasForeign: bundle != nil)
        app = passthrough == .voip ? Self.app(of: push, settings) : nil
        guard case .rings(let call) = fate else {
            (isClockBad, isStale) = (false, false)
            return
        }
        isClockBad = call.sentAt?.isBelievable(at: wall) == false
        let now = Instant(microseconds: bootTimeMicroseconds())
        isStale =
            RingWindow.of(
                duration: min(call.duration ?? settings.ringDuration, settings.ringDuration),
                sentAt: isClockBad ? nil : call.sentAt, expiration: push.envelope.expiration, start: now, wall: wall,
                deadline: now + settings.expiryBudget) == nil
    }

    private static func app(of push: Push, _ settings: Settings) -> String? {
        guard let group = GroupName(settings.appGroup) else { return nil }
        var voip = VoIPPush(
            id: push.request.id, group: group, kind: .callRequest, payload: "", until: Instant(microseconds: 0))
        (voip.topic, voip.bundle) = (push.envelope.topic, push.envelope.simulatorTargetBundle)
        let apps = ConfiguredApps(paths: settings.appPaths).bundles.map(\.identifier)
        return CallStateMachine(settings: CallControlSettings(), apps: apps).app(of: voip)
    }

    private var type: NotificationType { push.type }

    private var lines: [String] {
        var lines = ["It is \(kind), \(why)."]
        for part in parts {
            let name = part.name + String(repeating: " ", count: max(0, 8 - part.name.count))
            let text = part.text.isEmpty ? "none" : part.text
            lines.append("    \(name) \(text)" + (part.by.map { ", by \($0)" } ?? ""))
        }
        lines.append(outcome)
        for (code, detail) in warnings {
            let (meaning, remedy) = code.explanation
            lines.append("\(code.rawValue): \(meaning)")
            lines += (detail.split(separator: "\n").map(String.init) + [remedy]).map { "    " + $0 }
        }
        return lines
    }

    private var kind: String {
        switch type {
        case .callRequest: "a call request"
        case .hangup: "a hangup"
        case .alert: "no call, but an alert"
        case .background: "no call, and there is nothing to show"
        }
    }

    private var why: String {
        let isCall = type == .callRequest || type == .hangup
        let kind = push.callSources.kind
        switch kind {
        case .voip: return "since a voip push is one unless its type says otherwise"
        case .field(let field) where isCall: return "by \(field)"
        case .field(let field):
            return passthrough == .voip
                ? "since \(field) has no word of a call" : "since no type in info or beside aps says so"
        }
    }

    /// The parts of the call, and by which field each was found.
    private var parts: [(name: String, text: String, by: String?)] {
        guard let call = push.call else { return [] }
        let sources = push.callSources
        var parts: [(String, String, String?)] = [("call", call.callID, sources.id)]
        guard case .request(let request) = call else { return parts }
        parts.append(("caller", request.callerName ?? "", sources.callerName))
        if let handle = request.handle { parts.append(("handle", handle, sources.handle)) }
        if request.hasVideo { parts.append(("video", "yes", sources.video)) }
        if case .url(let address) = request.callerAvatar { parts.append(("picture", address, sources.avatar)) }
        return parts
    }

    /// What comes of it.
    private var outcome: String {
        let reason = passthrough.map { ": \($0.meaning)" } ?? ""
        switch fate {
        case .foreign: return "Your extension gets it."
        case .rings where isStale: return "It does not ring: it was sent too long ago. It is reported as missed."
        case .rings:
            guard let app else { return "It rings by the built-in service\(reason)." }
            return "It is for \(app): it rings as that reports it, or as it is if that reports nothing in time."
        case .doesNotRing: return "It does not ring, since nothing intercepts it\(reason)."
        case .hangsUp(let hangup):
            let isElsewhere = PushFate.ringsOnElsewhere(passthrough)
            if let app { return "It ends its call, and \(app) is handed it." }
            return (hangup.callID.isEmpty ? "It ends every ring" : "It ends its call")
                + (isElsewhere ? ", but on iOS that would ring on\(reason)." : ".")
        case .unchanged: return "It is delivered as it is: the built-in service changes calls alone."
        case .passedThrough: return "It is delivered as it is\(reason)."
        }
    }

    private var warnings: [(code: WarningCode, detail: String)] {
        var warnings: [(WarningCode, String)] = []
        if !push.notes.isEmpty { warnings.append((.fieldIgnored, push.notes.joined(separator: "\n"))) }
        if let detail = push.noCallID { warnings.append((.noCallID, detail)) }
        if isClockBad { warnings.append((.badClock, "sentAt is in the future, and counts as absent")) }
        if case .hangsUp = fate, PushFate.ringsOnElsewhere(passthrough) {
            warnings.append((.hangupNotIntercepted, "a hangup needs mutable-content and an alert with text"))
        }
        return warnings
    }

    private var object: JSONObject {
        var object: JSONObject = [
            "type": .string(type.rawValue), "pushType": .string(push.pushType.rawValue), "why": .string(why),
            "outcome": .string(outcome),
            "passthrough": passthrough.map { .string($0.rawValue) } ?? .null,
        ]
        for part in parts {
            var entry: JSONObject = ["value": .string(part.text)]
            if let by = part.by { entry["by"] = .string(by) }
            object[part.name] = .object(entry)
        }
        object["warnings"] = .array(
            warnings.map { ["code": .string($0.code.rawValue), "detail": .string($0.detail)] })
        return object
    }
}

extension PassthroughReason {
    /// For people, to stand behind a colon.
    fileprivate var meaning: String {
        switch self {
        case .expired: "its expiration is past"
        case .noMutableContent: "it does not set mutable-content"
        case .noAlertText: "its alert has no text"
        case .background: "a background push has no alert to change"
        case .voip: "a voip push goes to the app"
        case .noExtension: "the extension cannot be run"
        }
    }
}
