public import BelfryProtocol
public import BelfryTerms

/// An ordinary notification, as the desktop shows it.
public struct ShownAlert: Hashable, Sendable {
    /// The app group.
    public let group: GroupName
    /// By which a later one replaces it.
    public let name: String
    /// What it says.
    public let content: NotificationContent

    /// What `content` shows, called `name` in `group`.
    public init(_ content: NotificationContent, in group: GroupName, name: String) {
        (self.group, self.name, self.content) = (group, name, content)
    }

    /// The text, with its line breaks.
    public var text: String { [content.subtitle, content.body].filter { !$0.isEmpty }.joined(separator: "\n") }

    /// Most characters of a text without a title that are its first line.
    static let summaryMax = 80

    /// What it is about.
    var subject: NoticeSubject { .alert(group, name: name) }

    /// As a server is asked to show it, with what a click does if that is anything.
    func notice(click: Notice.Label?) -> Notice {
        let (summary, body) = lines
        return Notice(
            summary: summary, body: body, actions: click.map { [$0] } ?? [], category: category, urgency: urgency,
            until: nil, picture: nil)
    }

    /// The first line, and those below. A text without a title has its own first line above, if that is short.
    private var lines: (summary: String, body: String) {
        let title = NoticeText.clean(content.title, max: NoticeText.alertMax)
        let text = NoticeText.cleanLines(self.text)
        guard title.isEmpty else { return (title, text) }
        let first = text.prefix { $0 != "\n" }
        guard first.unicodeScalars.count > Self.summaryMax else {
            return (String(first), String(text.dropFirst(first.count + 1)))
        }
        return (NoticeText.clean(String(first), max: Self.summaryMax), text)
    }

    private var level: InterruptionLevel { content.breaksThrough ? .critical : content.interruptionLevel }

    private var urgency: Notice.Urgency {
        switch level {
        case .passive: .low
        case .active, .timeSensitive: .normal
        case .critical: .critical
        }
    }

    /// By which a rule of a server's knows what may pass its do-not-disturb: the specification has no word for it.
    private var category: String {
        switch level {
        case .passive, .active: ""
        case .timeSensitive: "x-belfry.time-sensitive"
        case .critical: "x-belfry.critical"
        }
    }
}
