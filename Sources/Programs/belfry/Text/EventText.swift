import BelfryCommandLine
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
            at: event.at, event.name, event.body.details, tone: tone(of: event.kind),
            isFaint: event.isFrequent)
    }

    private func tone(of kind: Event.Kind) -> Style.Tone? {
        switch kind {
        case .received, .delivered: .strong
        case .ringing: .good
        case .silent, .ended: .notable
        case .missed, .rejected, .warning: .bad
        case .tick, .sound, .notification, .vibration, .attachment, .extensionProcess, .asked, .caller, .app, .call,
            .action, .unknown:
            .faint
        }
    }
}

/// Lines of a story: when, what, and the details, in aligned columns.
struct StoryText {
    /// How words are coloured.
    let style: Style

    private static let timeWidth = 9
    private static let nameWidth = 10

    /// The line of an event `at` seconds after the start; `name` and `details` are escaped here (S3).
    func line(at: Double, _ name: String, _ details: String, tone: Style.Tone?, isFaint: Bool = false) -> String {
        line(of: DecimalText.fixed(at, digits: 3), name, details, tone: tone, isFaint: isFaint)
    }

    /// The line of an event at `time`; `name` and `details` are escaped here (S3).
    func line(of time: String, _ name: String, _ details: String, tone: Style.Tone?, isFaint: Bool = false) -> String {
        let paddedTime = String(repeating: " ", count: max(0, Self.timeWidth - time.count)) + time
        let name = Printable.escaped(name)
        let paddedName = name + String(repeating: " ", count: max(0, Self.nameWidth - name.count))
        return style.paint(paddedTime, .faint) + "  " + style.paint(paddedName, tone) + " "
            + style.paint(Printable.escaped(details), isFaint ? .faint : nil)
    }
}

extension Context {
    /// Prints what the warning `event` means and what to do about it, beneath its line, if `--explain` asks for that.
    func explain(_ event: Event, _ story: StoryText) {
        guard options.has("explain"), case .warning(let code, _) = event.body, let known = code.known else { return }
        let (meaning, remedy) = known.explanation
        for text in [meaning, remedy] { output.line(story.line(of: "", "", text, tone: nil, isFaint: true)) }
    }
}

extension CallText {
    /// The call's id and caller, escaped.
    static func description(of call: Call) -> String {
        let label = call.label.map { "[\($0.title)]" } ?? ""
        let caller = [call.name, call.handle, label].filter { !$0.isEmpty }.joined(separator: ", ")
        return Printable.escaped(name(of: call.key.text) + (caller.isEmpty ? "" : " (\(caller))"))
    }
}
