public import BelfryProtocol
import BelfryTerms

/// Turns the events of one notification into journal entries that name its call, so that `journalctl BELFRY_CALL=…`
/// is one call's story.
///
/// An entry names the call's id, never the caller, and of an address only scheme and host (S3).
public struct JournalStory: Sendable {
    /// The app group the push is for.
    public let group: String
    /// The call it is about, once `received` has named it.
    private var call: String?

    /// The story of one notification in `group`.
    public init(group: String) {
        self.group = group
    }

    /// Whether there is an entry for `event`: a tick has none, since a ring has thirty, nor what an extension's code
    /// may ask for each second.
    public static func hasEntry(for event: Event) -> Bool { !event.isFrequent }

    /// The entry for `event`; nil if there is none.
    public mutating func entry(for event: Event) -> JournalEntry? {
        if let named = event.call { call = named }
        guard let (id, priority, message, details) = Self.wording(event.body) else { return nil }
        var fields = [
            JournalEntry.Field("MESSAGE_ID", id.rawValue),
            JournalEntry.Field("BELFRY_EVENT", event.name),
            JournalEntry.Field("BELFRY_ID", event.id),
            JournalEntry.Field("BELFRY_GROUP", group),
        ]
        if let call { fields.append(JournalEntry.Field("BELFRY_CALL", call)) }
        fields += details.map { JournalEntry.Field($0, $1) }
        return JournalEntry(message: Printable.escaped(prefix + message), priority: priority, fields: fields)
    }

    /// `Call 4711: ` if there is a call with an id.
    private var prefix: String {
        guard let call else { return "Notification: " }
        return call.isEmpty ? "Anonymous call: " : "Call \(call): "
    }

    private typealias Wording = (MessageID, JournalEntry.Priority, String, [(String, String)])

    private static func wording(_ body: Event.Body) -> Wording? {
        switch body {
        case .received(let received): wording(received)
        case .ringing(let ringing): wording(ringing)
        case .silent(_, let why):
            (.silent, .info, "does not ring: \(why.rawValue)", [("BELFRY_WHY", why.rawValue)])
        case .tick, .asked, .unknown: nil
        case .sound(let state, let detail): wording(state, detail)
        case .notification(let state, let detail):
            (
                .notification, state == .unavailable ? .warning : .info, told("notification", state.rawValue, detail),
                [("BELFRY_STATE", state.rawValue), ("BELFRY_DETAIL", detail)]
            )
        case .vibration(let state, let detail):
            (
                .vibration, .info, told("vibration", state.rawValue, detail),
                [("BELFRY_STATE", state.rawValue), ("BELFRY_DETAIL", detail)]
            )
        case .attachment(let attachment): wording(attachment)
        case .delivered(let deliverer, let content): wording(deliverer, attachments: content.attachments.count)
        case .ended(let ended): wording(ended)
        case .missed: (.missed, .notice, "missed", [])
        case .warning(let code, let detail): wording(code, detail)
        case .extensionProcess(let process): wording(process)
        case .rejected(let reason, let detail):
            (
                .rejected, .warning, "rejected: \(reason.rawValue): \(Redaction.ofPayload(detail))",
                [("BELFRY_REASON", reason.rawValue), ("BELFRY_DETAIL", Redaction.ofPayload(detail))]
            )
        }
    }

    private static func told(_ what: String, _ state: String, _ detail: String) -> String {
        "\(what) \(state)" + (detail.isEmpty ? "" : ": \(detail)")
    }

    private static func wording(_ received: Event.Received) -> Wording {
        var fields = [("BELFRY_TYPE", received.type.rawValue)]
        var message = "received \(received.type.rawValue)"
        if let why = received.why {
            message += ", not intercepted: \(why.rawValue)"
            fields.append(("BELFRY_WHY", why.rawValue))
        }
        return (.received, .info, message, fields)
    }

    private static func wording(_ ringing: Event.Ringing) -> Wording {
        var fields = [
            ("BELFRY_MODE", ringing.mode.rawValue), ("BELFRY_DURATION", seconds(ringing.duration)),
            ("BELFRY_SOUND", ringing.sound),
        ]
        var mode = ringing.mode.rawValue
        if let why = ringing.why {
            mode += " (\(why.rawValue))"
            fields.append(("BELFRY_WHY", why.rawValue))
        }
        return (.ringing, .info, "rings \(mode) for \(seconds(ringing.duration))", fields)
    }

    private static func wording(_ state: CodeWord<SoundState>, _ detail: String) -> Wording {
        let priority: JournalEntry.Priority
        switch state.known {
        case .playing, nil: priority = .info
        case .unavailable: priority = .warning
        }
        return (
            .sound, priority, "sound \(state.rawValue): \(detail)",
            [("BELFRY_STATE", state.rawValue), ("BELFRY_DETAIL", detail)]
        )
    }

    private static func wording(_ attachment: Event.Attachment) -> Wording {
        let host = Redaction.schemeAndHost(of: attachment.url)
        switch attachment.outcome {
        case .attached(_, let type, let bytes, let time):
            return (
                .attachment, .info, "picture from \(host) attached, \(bytes) bytes in \(seconds(time))",
                [
                    ("BELFRY_STATE", "attached"), ("BELFRY_URL", host), ("BELFRY_TYPE", type),
                    ("BELFRY_BYTES", "\(bytes)"),
                ]
            )
        case .skipped(let reason, let detail):
            let detail = Redaction.ofPayload(detail)
            return (
                .attachment, .notice, "picture from \(host) skipped: \(reason.rawValue): \(detail)",
                [
                    ("BELFRY_STATE", "skipped"), ("BELFRY_URL", host), ("BELFRY_REASON", reason.rawValue),
                    ("BELFRY_DETAIL", detail),
                ]
            )
        }
    }

    private static func wording(_ deliverer: CodeWord<Deliverer>, attachments: Int) -> Wording {
        let priority: JournalEntry.Priority
        switch deliverer.known {
        case .extension, .passthrough, .stopped, nil: priority = .info
        case .expiry, .crash: priority = .warning
        }
        return (
            .delivered, priority, "delivered by \(deliverer.rawValue)",
            [("BELFRY_BY", deliverer.rawValue), ("BELFRY_ATTACHMENTS", "\(attachments)")]
        )
    }

    private static func wording(_ process: Event.ExtensionProcess) -> Wording {
        var fields = [("BELFRY_STATE", process.state.rawValue)]
        var message = "extension \(process.state.rawValue)"
        if process.state != .started { message += " after \(seconds(process.seconds))" }
        if let exit = process.exit {
            message += " with status \(exit)"
            fields.append(("BELFRY_EXIT", "\(exit)"))
        }
        if let memory = process.memory { fields.append(("BELFRY_MEMORY", "\(memory)")) }
        return (.extension, .info, message, fields)
    }

    private static func wording(_ ended: Event.Ended) -> Wording {
        var message = "ended after \(seconds(ended.rang)): \(ended.reason.rawValue)"
        var fields = [
            ("BELFRY_REASON", ended.reason.rawValue), ("BELFRY_RANG", seconds(ended.rang)),
            ("BELFRY_TICKS", "\(ended.ticks)"),
        ]
        if let reason = ended.hangupReason {
            message += " (\(reason.rawValue))"
            fields.append(("BELFRY_HANGUP_REASON", reason.rawValue))
        }
        return (.ended, .info, message, fields)
    }

    private static func wording(_ code: CodeWord<WarningCode>, _ detail: String) -> Wording {
        // What was found in a payload's field, each of which has a line, may be the caller's name or number.
        let detail =
            code == .fieldIgnored
            ? detail.split(separator: "\n").map { Redaction.ofPayload(String($0)) }.joined(separator: "; ")
            : Redaction.ofAddresses(detail)
        return (
            .warning, .warning, "warning: \(code.rawValue): \(detail)",
            [("BELFRY_CODE", code.rawValue), ("BELFRY_DETAIL", detail)]
        )
    }

    /// Seconds to the millisecond, such as `12.345s`.
    private static func seconds(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "\(value)s" }
        return "\((value * 1_000).rounded() / 1_000)s"
    }
}

/// What of a text may stand in the journal, which outlives the call and is read by others than the caller meant.
enum Redaction {
    /// Scheme and host of an address; a placeholder if there is none.
    static func schemeAndHost(of address: String) -> String {
        guard let scheme = scheme(endingBefore: address[...]) else { return "an unusable address" }
        let rest = address[scheme.rest...]
        let authority = rest.prefix { !"/?#\\".contains($0) && !$0.isWhitespace }
        // Name and password come before the last @; the port is part of where it points to.
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return "\(address[..<scheme.rest])\(host)"
    }

    /// `detail` with every address in it cut to scheme and host.
    static func ofAddresses(_ detail: String) -> String {
        detail.split(separator: " ", omittingEmptySubsequences: false).map { word in
            guard let separator = word.firstRange(of: "://") else { return String(word) }
            let start = word[..<separator.lowerBound].lastIndex { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
            let from = start.map { word.index(after: $0) } ?? word.startIndex
            return word[..<from] + schemeAndHost(of: String(word[from...]))
        }.joined(separator: " ")
    }

    /// `detail` of a fault in a payload without what the payload said: of `field: found "x", expected y` it keeps
    /// `field: expected y`, and whatever else is quoted goes too.
    static func ofPayload(_ detail: String) -> String {
        let found = ": found "
        let expected = ", expected "
        if let start = detail.firstRange(of: found) {
            let field = detail[..<start.lowerBound]
            var last: Substring?
            var rest = detail[start.upperBound...]
            while let next = rest.firstRange(of: expected) {
                rest = rest[next.upperBound...]
                last = rest
            }
            return last.map { "\(field): expected \($0)" } ?? String(field)
        }
        guard let first = detail.firstIndex(of: "\""), let last = detail.lastIndex(of: "\""), first != last else {
            return ofAddresses(detail)
        }
        return ofAddresses(detail[...first] + "…" + detail[last...])
    }

    /// The scheme that `text` starts with, and where what follows its `://` starts.
    private static func scheme(endingBefore text: Substring) -> (name: Substring, rest: String.Index)? {
        guard let separator = text.firstRange(of: "://") else { return nil }
        let name = text[..<separator.lowerBound]
        guard !name.isEmpty, name.utf8.count <= 16, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else {
            return nil
        }
        return (name, separator.upperBound)
    }
}
