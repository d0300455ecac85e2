import BelfryCommandLine
import BelfryJSON
import BelfryProtocol
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import Interception

/// What a notification is taken for, and why, by the rules of a worker: `belfry push --explain`, which pushes nothing.
struct PushExplanation {
    private let push: Push
    private let passthrough: PassthroughReason?
    private let fate: PushFate

    /// Explains `notification` by the settings of `context`. Prints it, and returns how that ended.
    static func run(_ notification: [UInt8], _ context: Context) -> ProgramStatus {
        let settings = context.loaded.settings
        do throws(Rejection) {
            let push = try Push.parse(notification, names: settings.callNames(for:))
            let explanation = PushExplanation(push, hasExtension: settings.extensionPath != nil)
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

    private init(_ push: Push, hasExtension: Bool) {
        self.push = push
        passthrough = InterceptionRule(push, at: WallTime(microseconds: wallTimeMicroseconds())).passthrough
        fate = PushFate(of: push, passthrough, hasForeign: hasExtension)
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
        case .rings: return "It rings by the built-in service\(reason)."
        case .doesNotRing: return "It does not ring, since nothing intercepts it\(reason)."
        case .hangsUp:
            let isElsewhere = PushFate.ringsOnElsewhere(passthrough)
            return "It ends its call" + (isElsewhere ? ", but on iOS that would ring on\(reason)." : ".")
        case .unchanged: return "It is delivered as it is: the built-in service changes calls alone."
        case .passedThrough: return "It is delivered as it is\(reason)."
        }
    }

    private var warnings: [(code: WarningCode, detail: String)] {
        var warnings: [(WarningCode, String)] = []
        if !push.notes.isEmpty { warnings.append((.fieldIgnored, push.notes.joined(separator: "\n"))) }
        if let detail = push.noCallID { warnings.append((.noCallID, detail)) }
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
