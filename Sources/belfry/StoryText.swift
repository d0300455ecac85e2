import Events

/// A line of a story: when, what, and the rest, each below the one before.
struct StoryText {
    /// How words are coloured.
    let style: Style

    private static let timeWidth = 9
    private static let nameWidth = 10

    /// The line of what happened `at` seconds after the start; `details` are escaped here (S3).
    func line(at: Double, _ name: String, _ details: String, tone: Style.Tone?, isFaint: Bool = false) -> String {
        let time = DecimalText.fixed(at, digits: 3)
        let paddedTime = String(repeating: " ", count: max(0, Self.timeWidth - time.count)) + time
        let paddedName = name + String(repeating: " ", count: max(0, Self.nameWidth - name.count))
        return style.paint(paddedTime, .faint) + "  " + style.paint(paddedName, tone) + " "
            + style.paint(Printable.escaped(details), isFaint ? .faint : nil)
    }
}
