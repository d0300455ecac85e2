/// Whether and how words are coloured.
struct Style: Sendable {
    /// The meaning of a colour.
    enum Tone: String, Sendable {
        /// Something rings, or works.
        case good = "32"
        /// Something ended, or deserves a look.
        case notable = "33"
        /// Something went wrong, or was missed.
        case bad = "31"
        /// Something that repeats.
        case faint = "2"
        /// A heading.
        case strong = "1"
    }

    /// Whether colours are used at all.
    let isColoured: Bool

    /// Colours are used only on a terminal that has them, and not if `NO_COLOR` is set and not empty (no-color.org).
    init(isTerminal: Bool, environment: [String: String]) {
        isColoured = isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// `text`, which must be escaped already, in `tone`.
    func paint(_ text: String, _ tone: Tone?) -> String {
        guard isColoured, let tone else { return text }
        return "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }
}
