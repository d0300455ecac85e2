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
        guard let (id, priority, message) = Self.wording(event) else { return nil }
        var fields = [
            JournalEntry.Field("MESSAGE_ID", id.rawValue),
            JournalEntry.Field("BELFRY_EVENT", event.name),
            JournalEntry.Field("BELFRY_ID", event.id),
            JournalEntry.Field("BELFRY_GROUP", group),
        ]
        if let call { fields.append(JournalEntry.Field("BELFRY_CALL", call)) }
        for (key, fact) in event.body.facts {
            guard let value = Self.value(of: key, fact, in: event) else { continue }
            fields.append(JournalEntry.Field(Self.fieldName(of: key), value))
        }
        if case .delivered(_, let content, _) = event.body {
            fields.append(JournalEntry.Field("BELFRY_ATTACHMENTS", "\(content.attachments.count)"))
        }
        return JournalEntry(message: Printable.escaped(prefix + message), priority: priority, fields: fields)
    }

    /// `Call 4711: ` if there is a call with an id.
    private var prefix: String {
        guard let call else { return "Notification: " }
        return call.isEmpty ? "Anonymous call: " : "Call \(call): "
    }

    /// The journal's value of a field: all words, counts and durations, but only the texts that are named here, without
    /// what they say about the caller (S3). Nil if the journal leaves the field out.
    private static func value(of key: String, _ fact: EventFact, in event: Event) -> String? {
        switch fact {
        case .word(let word): return word
        case .count(let count): return "\(count)"
        case .seconds(let value): return key == "duration" || key == "rang" ? seconds(value) : nil
        case .text(let text):
            switch key {
            case "detail": return detail(text, of: event)
            case "url": return Redaction.schemeAndHost(of: text)
            case "sound", "type", "app", "uuid": return text
            default: return nil
            }
        }
    }

    /// `BELFRY_HANGUP_REASON` for `hangupReason`.
    private static func fieldName(of key: String) -> String {
        var name = Array("BELFRY_".utf8)
        for letter in key.utf8 {
            let isUpper = letter < UInt8(ascii: "a")
            name += isUpper ? [UInt8(ascii: "_"), letter] : [letter - 0x20]
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func detail(_ detail: String, of event: Event) -> String {
        if case .warning(let code, _) = event.body {
            // Each field has a line, and the value found in it may be the caller's name or number.
            return code == .fieldIgnored
                ? detail.split(separator: "\n").map { Redaction.ofPayload(String($0)) }.joined(separator: "; ")
                : Redaction.ofAddresses(detail)
        }
        // Sound server and desktop describe only themselves.
        let isOfOurs = [.sound, .notification, .vibration].contains(event.kind)
        return isOfOurs ? detail : Redaction.ofPayload(detail)
    }

    private typealias Wording = (MessageID, JournalEntry.Priority, String)

    private static func wording(_ event: Event) -> Wording? {
        switch event.body {
        case .received(let received):
            (
                .received, .info,
                "received \(received.type.rawValue)" + (received.why.map { ", not intercepted: \($0.rawValue)" } ?? "")
            )
        case .ringing(let ringing):
            (.ringing, .info, "rings \(ringing.mode.rawValue)\(note(ringing.why)) for \(seconds(ringing.duration))")
        case .silent(_, let why, _): (.silent, .info, "does not ring: \(why.rawValue)")
        case .tick, .asked, .unknown: nil
        case .sound(let state, _): (.sound, state == .playing ? .info : .warning, "sound \(event.body.told)")
        case .notification(let state, _):
            (.notification, state == .unavailable ? .warning : .info, "notification \(event.body.told)")
        case .vibration: (.vibration, .info, "vibration \(event.body.told)")
        case .attachment(let attachment): wording(attachment, event)
        case .delivered(let deliverer, _, let isShown):
            (
                .delivered, priority(of: deliverer),
                "delivered by \(deliverer.rawValue)\(isShown ? "" : ", filtered: nothing is shown")"
            )
        case .ended(let ended):
            (.ended, .info, "ended after \(seconds(ended.rang)): \(ended.reason.rawValue)\(note(ended.hangupReason))")
        case .missed: (.missed, .notice, "missed")
        case .warning(let code, let text): (.warning, .warning, "warning: \(code.rawValue): \(detail(text, of: event))")
        case .extensionProcess(let process): wording(process)
        case .caller: (.caller, .info, "the app named another caller")
        case .app(let app): (.app, .info, "app \(app.app) \(app.state.rawValue)")
        case .call(let call): (.call, .info, "call \(call.state.rawValue)\(note(call.by))")
        case .action(let action): (.action, .info, "action \(action.kind.rawValue) \(action.state.rawValue)")
        case .rejected(let reason, let text):
            (.rejected, .warning, "rejected: \(reason.rawValue): \(detail(text, of: event))")
        }
    }

    private static func note<Known>(_ word: CodeWord<Known>?) -> String { word.map { " (\($0.rawValue))" } ?? "" }

    private static func wording(_ attachment: Event.Attachment, _ event: Event) -> Wording {
        let host = Redaction.schemeAndHost(of: attachment.url)
        switch attachment.outcome {
        case .attached(_, _, let bytes, let time):
            return (.attachment, .info, "picture from \(host) attached, \(bytes) bytes in \(seconds(time))")
        case .skipped(let reason, let text):
            return (
                .attachment, .notice, "picture from \(host) skipped: \(reason.rawValue): \(detail(text, of: event))"
            )
        }
    }

    private static func priority(of deliverer: CodeWord<Deliverer>) -> JournalEntry.Priority {
        switch deliverer.known {
        case .extension, .passthrough, .stopped, .app, nil: .info
        case .expiry, .crash: .warning
        }
    }

    private static func wording(_ process: Event.ExtensionProcess) -> Wording {
        let time = process.state == .started ? "" : " after \(seconds(process.seconds))"
        let exit = process.exit.map { " with status \($0)" } ?? ""
        return (.extension, .info, "extension \(process.state.rawValue)\(time)\(exit)")
    }

    /// Seconds to the millisecond, such as `12.345s`.
    private static func seconds(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "\(value)s" }
        return "\((value * 1_000).rounded() / 1_000)s"
    }
}

/// Reduces texts to what may stand in the journal, which outlives the call and is read by people whom the caller did
/// not address.
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
    /// `field: expected y`, and removes everything else that is quoted.
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
