public import Notifications

/// What decides whether a notification is intercepted (R1).
///
/// Source: Apple, "Modifying content in newly delivered notifications"; a string alert is a body, as devices have it.
public struct InterceptionRule: Hashable, Sendable {
    /// Whether it came as a voip push.
    public var isVoIP = false
    /// Whether it came as a background push, or has nothing but `content-available`.
    public var isBackground = false
    /// Whether `mutable-content` is set.
    public var isMutable = false
    /// Whether the alert has a title, a subtitle or a body.
    public var alertHasText = false

    /// A rule of which nothing holds yet.
    public init() {}

    /// The first condition that fails; nil where the extension runs.
    public var passthrough: PassthroughReason? {
        if isVoIP { return .voip }
        if isBackground { return .background }
        if !isMutable { return .noMutableContent }
        if !alertHasText { return .noAlertText }
        return nil
    }
}
