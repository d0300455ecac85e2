import BelfryJSON
import BelfryProtocol
import BelfryTerms
import CallLedger

/// Events as lines for people: first the time, then the event's name, then its details.
struct EventText {
    /// How words are coloured.
    let style: Style

    /// The line of `event`, without a newline; everything from outside is escaped (S3).
    func line(_ event: Event) -> String {
        StoryText(style: style).line(
            at: event.at, event.name, Self.details(of: event.body), tone: tone(of: event.body),
            isFaint: Self.isRepeating(event.body))
    }

    private func tone(of body: Event.Body) -> Style.Tone? {
        switch body {
        case .received: .strong
        case .ringing: .good
        case .silent, .ended: .notable
        case .missed, .rejected, .warning: .bad
        case .tick, .sound, .attachment, .unknown: .faint
        case .delivered: .strong
        }
    }

    private static func isRepeating(_ body: Event.Body) -> Bool {
        if case .tick = body { true } else { false }
    }

    /// What an event says besides its time and name; not escaped.
    static func details(of body: Event.Body) -> String {
        switch body {
        case .received(let received): details(of: received)
        case .ringing(let ringing): details(of: ringing)
        case .silent(let call, let why):
            "\(CallText.name(of: call)) does not ring: \(explained(why))"
        case .tick(let n, let late): "\(n), \(DecimalText.fixed(late * 1_000, digits: 1)) ms late"
        case .sound(let state, let detail): state.rawValue + (detail.isEmpty ? "" : ": \(detail)")
        case .attachment(let attachment): details(of: attachment)
        case .delivered(let by, let content): "by \(by.rawValue): \(summary(of: content))"
        case .ended(let ended): details(of: ended)
        case .missed(let call, let content): "\(CallText.name(of: call)): \(summary(of: content))"
        case .warning(let code, let detail):
            // Each field that was passed over has a line.
            "\(code.rawValue): "
                + (code == .fieldIgnored ? detail.split(separator: "\n").joined(separator: "; ") : detail)
        case .rejected(let reason, let detail): "\(reason.rawValue): \(detail)"
        case .unknown(let unknown): String(decoding: unknown.fields.serialized(), as: UTF8.self)
        }
    }

    private static func details(of received: Event.Received) -> String {
        let subject = received.type.rawValue + (received.call.map { " of \(CallText.name(of: $0))" } ?? "")
        guard let why = received.why else { return "\(subject), intercepted" }
        return "\(subject), not intercepted: \(explained(why))"
    }

    private static func details(of ringing: Event.Ringing) -> String {
        let vibration = ringing.vibrate ? ", vibrating" : ""
        let duration = DecimalText.seconds(ringing.duration, digits: 1)
        return "\(CallText.name(of: ringing.call)) \(ringing.mode.rawValue) for \(duration),"
            + " a tick every \(DecimalText.seconds(ringing.interval)), sound \(ringing.sound)\(vibration)"
    }

    private static func details(of ended: Event.Ended) -> String {
        let reason = ended.reason.rawValue + (ended.hangupReason.map { " (\($0.rawValue))" } ?? "")
        let ticks = ended.ticks == 1 ? "1 tick" : "\(ended.ticks) ticks"
        let rang = DecimalText.fixed(ended.rang, digits: 1)
        return "\(CallText.name(of: ended.call)): \(reason) after \(rang) s, \(ticks)"
    }

    private static func details(of attachment: Event.Attachment) -> String {
        switch attachment.outcome {
        case .attached(let path, let type, let bytes, let seconds):
            "\(path), \(type), \(bytes) bytes in \(DecimalText.seconds(seconds)) from \(attachment.url)"
        case .skipped(let reason, let detail):
            "\(reason.rawValue): \(detail)" + (attachment.url.isEmpty ? "" : " (\(attachment.url))")
        }
    }

    private static func summary(of content: NotificationContent) -> String {
        let texts = [content.title, content.subtitle, content.body].filter { !$0.isEmpty }
        return texts.isEmpty ? "nothing to show" : texts.joined(separator: " · ")
    }

    private static func explained(_ why: CodeWord<PassthroughReason>) -> String {
        let explanation =
            switch why.known {
            case .expired: "its expiration is past"
            case .noMutableContent: "mutable-content is not set"
            case .noAlertText: "its alert has no text"
            case .background: "it has no alert"
            case .voip: "voip pushes go to the app"
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
            case nil: ""
            }
        return explained(why.rawValue, explanation)
    }

    /// `explanation (word)`, or the word alone if this version does not know it.
    private static func explained(_ word: String, _ explanation: String) -> String {
        explanation.isEmpty ? word : "\(explanation) (\(word))"
    }
}

/// Lines of a story: when, what, and the details, in aligned columns.
struct StoryText {
    /// How words are coloured.
    let style: Style

    private static let timeWidth = 9
    private static let nameWidth = 10

    /// The line of what happened `at` seconds after the start; `name` and `details` are escaped here (S3).
    func line(at: Double, _ name: String, _ details: String, tone: Style.Tone?, isFaint: Bool = false) -> String {
        let time = DecimalText.fixed(at, digits: 3)
        let paddedTime = String(repeating: " ", count: max(0, Self.timeWidth - time.count)) + time
        let name = Printable.escaped(name)
        let paddedName = name + String(repeating: " ", count: max(0, Self.nameWidth - name.count))
        return style.paint(paddedTime, .faint) + "  " + style.paint(paddedName, tone) + " "
            + style.paint(Printable.escaped(details), isFaint ? .faint : nil)
    }
}

/// Calls, written for people.
enum CallText {
    /// The call's id, or a description if it has none; not escaped.
    static func name(of call: String) -> String { call.isEmpty ? "the call without an id" : call }

    /// The call's id and caller, escaped.
    static func description(of call: Call) -> String {
        let caller = [call.name, call.handle].filter { !$0.isEmpty }.joined(separator: ", ")
        return Printable.escaped(name(of: call.key.text) + (caller.isEmpty ? "" : " (\(caller))"))
    }
}

/// Numbers, written for people without a C format string.
enum DecimalText {
    /// A larger number is shown as this one: a number from outside may be 1e300 (R18).
    private static let largest = 1e12

    /// `value` rounded to `digits` (at most 6) decimals; NaN is written as `?`.
    static func fixed(_ value: Double, digits: Int) -> String {
        guard !value.isNaN else { return "?" }
        var scale: Int64 = 1
        for _ in 0..<min(max(digits, 0), 6) { scale *= 10 }
        let bounded = min(max(value, -largest), largest)
        let scaled = Int64((bounded * Double(scale)).rounded())
        let integer = String(scaled.magnitude / UInt64(scale))
        let sign = scaled < 0 ? "-" : ""
        guard scale > 1 else { return sign + integer }
        let fraction = String(scaled.magnitude % UInt64(scale))
        return sign + integer + "." + String(repeating: "0", count: min(digits, 6) - fraction.count) + fraction
    }

    /// A length of time in seconds with as many decimals as it needs, at most `digits`: `30 s`, `1.5 s`.
    static func seconds(_ value: Double, digits: Int = 3) -> String {
        var text = fixed(value, digits: digits)
        while text.hasSuffix("0"), text.contains(".") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text + " s"
    }
}
