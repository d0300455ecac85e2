import Events
import JSON

/// What one check of the doctor found.
struct Finding: Sendable, Equatable {
    /// How bad it is.
    enum Level: String, Sendable {
        /// It works.
        case ok
        /// Calls ring, but not as they might.
        case warn
        /// Calls do not ring.
        case fail
    }

    /// How bad it is.
    let level: Level
    /// What was checked, in one word.
    let subject: String
    /// What was found.
    let detail: String
    /// How to mend it; empty where nothing is to be mended.
    let remedy: String

    /// A finding.
    init(_ level: Level, _ subject: String, _ detail: String, mend remedy: String = "") {
        self.level = level
        self.subject = subject
        self.detail = detail
        self.remedy = remedy
    }

    /// The finding as an object.
    var json: JSONObject {
        [
            "level": .string(level.rawValue), "check": .string(subject), "detail": .string(detail),
            "remedy": .string(remedy),
        ]
    }

    /// The finding as lines for people, escaped.
    func lines(_ style: Style) -> [String] {
        let tone: Style.Tone =
            switch level {
            case .ok: .good
            case .warn: .notable
            case .fail: .bad
            }
        let word = level.rawValue + String(repeating: " ", count: 4 - level.rawValue.count)
        let name = subject + String(repeating: " ", count: max(0, 13 - subject.count))
        let first = style.paint(word, tone) + "  " + name + "  " + Printable.escaped(detail)
        return remedy.isEmpty ? [first] : [first, String(repeating: " ", count: 21) + "→ " + Printable.escaped(remedy)]
    }
}
