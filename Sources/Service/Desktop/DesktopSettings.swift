public import BelfryTerms
public import Showing

/// How the desktop shows calls, as the operator wants it.
public struct DesktopSettings: Sendable {
    /// What it speaks.
    public var words: NoticeWords
    /// The group that is meant where none is named.
    public var group: GroupName
    /// How a call rings while another does.
    public var secondCall: RingMode
    /// How long an answer waits for the app.
    public var answersWait: TimeSpan
    /// Whether notifications are shown.
    public var notifies: Bool
    /// Whether this process's environment names a display.
    public var hasDisplay: Bool
    /// Whether rings vibrate.
    public var vibrates = true
    /// For how long a motor vibrates and rests in turn, over and over.
    public var vibratePattern = [TimeSpan.milliseconds(400), .milliseconds(600)]
    /// The file of GNOME's settings; nil if it is not known where that is.
    public var dconfPath: String?
    /// Whether a desktop that is not to disturb mutes rings.
    public var minds = true
    /// Whether a ring is silenced whose notification the person closes.
    public var closeSilences = true
    /// What is run when a call was answered.
    public var onAnswer: DesktopHook?
    /// What is run when a call was declined.
    public var onDecline: DesktopHook?
    /// What is run when a call was missed.
    public var onMissed: DesktopHook?
    /// What is run to call back who was missed.
    public var onCallBack: DesktopHook?
    /// What is run when the person clicks an alert.
    public var onClick: DesktopHook?
    /// The menu program of the dunst with this process id, if it is not there.
    public var missingMenu: @Sendable (Int64) -> String? = { _ in nil }
    /// Takes what the operator should know, for the journal.
    public var complain: @Sendable (String) -> Void = { _ in }

    /// Settings.
    public init(
        words: NoticeWords, group: GroupName, secondCall: RingMode, answersWait: TimeSpan, notifies: Bool,
        hasDisplay: Bool
    ) {
        self.words = words
        self.group = group
        self.secondCall = secondCall
        self.answersWait = answersWait
        self.notifies = notifies
        self.hasDisplay = hasDisplay
    }

    func hook(for occasion: HookCause.Occasion) -> DesktopHook? {
        switch occasion {
        case .answered: onAnswer
        case .declined: onDecline
        case .missed: onMissed
        case .callBack: onCallBack
        }
    }
}
