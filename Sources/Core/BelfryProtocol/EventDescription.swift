import BelfryJSON
import BelfryTerms

extension Event: CustomStringConvertible {
    /// When it was, its name and what it says, in one line for people; text from outside is escaped (S3).
    public var description: String {
        Printable.escaped("\(DecimalText.fixed(at, digits: 3)) \(name) \(body.details)")
    }
}

extension NotificationContent: CustomStringConvertible {
    /// Its texts in one line; text from outside is escaped (S3).
    public var description: String { Printable.escaped(summary) }

    fileprivate var summary: String {
        let texts = [title, subtitle, body].filter { !$0.isEmpty }
        return texts.isEmpty ? "nothing to show" : texts.joined(separator: " · ")
    }
}

/// Calls, written for people.
package enum CallText {
    /// The call's id, or a description if it has none; not escaped.
    package static func name(of call: String) -> String { call.isEmpty ? "the call without an id" : call }
}

extension Event.Body {
    /// What an event says besides its time and name; not escaped.
    package var details: String {
        switch self {
        case .received(let received): Self.details(of: received)
        case .ringing(let ringing): Self.details(of: ringing)
        case .silent(let call, let why, let label):
            "\(CallText.name(of: call))\(Self.known(label)) does not ring: \(Self.explained(why))"
        case .tick(let n, let late): "\(n), \(DecimalText.fixed(late * 1_000, digits: 1)) ms late"
        case .sound, .notification, .vibration: told
        case .attachment(let attachment): Self.details(of: attachment)
        case .delivered(let by, let content, let isShown):
            "by \(by.rawValue): \(isShown ? content.summary : "filtered, nothing is shown")"
        case .ended(let ended): Self.details(of: ended)
        case .missed(let call, let content, let label):
            "\(CallText.name(of: call))\(Self.known(label)): \(content.summary)"
        case .warning(let code, let detail):
            // Each ignored field has a line.
            "\(code.rawValue): "
                + (code == .fieldIgnored ? detail.split(separator: "\n").joined(separator: "; ") : detail)
        case .extensionProcess(let process): Self.details(of: process)
        case .asked(let asked):
            "for \(asked.what.rawValue), number \(asked.n)" + (asked.detail.isEmpty ? "" : ": \(asked.detail)")
        case .caller(let caller): Self.details(of: caller)
        case .app(let app): "\(app.app): \(app.state.rawValue)" + (app.detail.isEmpty ? "" : ": \(app.detail)")
        case .call(let call): Self.details(of: call)
        case .action(let action):
            "\(CallText.name(of: action.call)): \(action.kind.rawValue) \(action.state.rawValue)"
                + (action.state == .performed ? "" : " after \(DecimalText.seconds(action.seconds))")
        case .rejected(let reason, let detail): "\(reason.rawValue): \(detail)"
        case .unknown(let unknown): String(decoding: unknown.fields.serialized(), as: UTF8.self)
        }
    }

    /// Who has the number of a call, in brackets; empty if that is not known.
    private static func known(_ label: NumberLabel?) -> String { label.map { " [\($0.title)]" } ?? "" }

    /// The word of an event that says no more than that and a detail, with the detail if there is one.
    package var told: String {
        var text = ""
        for (key, fact) in facts {
            if case .word(let word) = fact { text += word }
            if case .text(let detail) = fact, key == "detail", !detail.isEmpty { text += ": \(detail)" }
        }
        return text
    }

    private static func details(of received: Event.Received) -> String {
        let subject = received.type.rawValue + (received.call.map { " of \(CallText.name(of: $0))" } ?? "")
        guard let why = received.why else { return "\(subject), intercepted" }
        return "\(subject), not intercepted: \(explained(why))"
    }

    private static func details(of ringing: Event.Ringing) -> String {
        let vibration = ringing.vibrate ? ", vibrating" : ""
        let duration = DecimalText.seconds(ringing.duration, digits: 1)
        let why = ringing.why.map { " (\($0.rawValue))" } ?? ""
        return
            "\(CallText.name(of: ringing.call))\(known(ringing.label)) \(ringing.mode.rawValue)\(why) for \(duration),"
            + " a tick every \(DecimalText.seconds(ringing.interval)), sound \(ringing.sound)\(vibration)"
    }

    private static func details(of ended: Event.Ended) -> String {
        let reason = ended.reason.rawValue + (ended.hangupReason.map { " (\($0.rawValue))" } ?? "")
        let ticks = ended.ticks == 1 ? "1 tick" : "\(ended.ticks) ticks"
        let rang = DecimalText.fixed(ended.rang, digits: 1)
        return "\(CallText.name(of: ended.call)): \(reason) after \(rang) s, \(ticks)"
    }

    private static func details(of caller: Event.Caller) -> String {
        let who = [caller.name, caller.handle].filter { !$0.isEmpty }.joined(separator: ", ")
        let video = caller.hasVideo ? ", video" : ""
        return "\(CallText.name(of: caller.call))\(known(caller.label)): \(who.isEmpty ? "unknown" : who)\(video)"
    }

    private static func details(of call: Event.AppCall) -> String {
        let by = call.by.map { " by \($0.rawValue)" } ?? ""
        let error = call.error.map { " with error \($0)" } ?? ""
        return "\(CallText.name(of: call.call)): \(call.state.rawValue)\(by)\(error)"
    }

    private static func details(of process: Event.ExtensionProcess) -> String {
        guard process.state != .started else { return "started" }
        let memory = process.memory.map { ", \(DecimalText.fixed(Double($0) / 1e6, digits: 1)) MB" } ?? ""
        let exit = process.exit.map { " with status \($0)" } ?? ""
        return "\(process.state.rawValue) after \(DecimalText.seconds(process.seconds))\(exit)\(memory)"
    }

    private static func details(of attachment: Event.Attachment) -> String {
        switch attachment.outcome {
        case .attached(let path, let type, let bytes, let seconds):
            "\(path), \(type), \(bytes) bytes in \(DecimalText.seconds(seconds)) from \(attachment.url)"
        case .skipped(let reason, let detail):
            "\(reason.rawValue): \(detail)" + (attachment.url.isEmpty ? "" : " (\(attachment.url))")
        }
    }

    private static func explained(_ why: CodeWord<PassthroughReason>) -> String {
        let explanation =
            switch why.known {
            case .expired: "its expiration is past"
            case .noMutableContent: "mutable-content is not set"
            case .noAlertText: "its alert has no text"
            case .background: "it has no alert"
            case .voip: "voip pushes go to the app"
            case .noExtension: "the extension cannot be run"
            case nil: ""
            }
        return explained(why.rawValue, explanation)
    }

    private static func explained(_ why: CodeWord<SilenceReason>) -> String {
        let explanation =
            switch why.known {
            case .foreground: "the app is in front"
            case .duplicate: "it rings already"
            case .answered: "it was answered"
            case .declined: "it was declined"
            case .hungUp: "its caller hung up"
            case .stale: "it was sent too long ago"
            case .notIntercepted: "nothing intercepted it"
            case .busy: "too many calls live or ring"
            case .blocked: "its number is blocked"
            case nil: ""
            }
        return explained(why.rawValue, explanation)
    }

    /// `explanation (word)`, or the word alone if this version does not know it.
    private static func explained(_ word: String, _ explanation: String) -> String {
        explanation.isEmpty ? word : "\(explanation) (\(word))"
    }
}
