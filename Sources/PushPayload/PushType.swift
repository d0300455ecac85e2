/// What kind of push it is: `apns-push-type`, of which these concern an endpoint that rings.
public enum PushType: String, Hashable, Sendable, CaseIterable {
    /// Shows, plays or badges something.
    case alert
    /// Wakes the app and shows nothing.
    case background
    /// A call for the app itself, which no extension sees.
    case voip
}
