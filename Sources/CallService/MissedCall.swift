public import Notifications
public import PushPayload

/// What a missed call shows in place of its notification.
public enum MissedCall {
    /// The content of the notification `shown`, turned into that of a call that was missed.
    public static func content(of call: CallRequest, from shown: NotificationContent) -> NotificationContent {
        var content = shown
        if content.title.isEmpty { content.title = call.handle ?? "" }
        content.body = body(hasVideo: call.hasVideo)
        content.sound = nil
        content.interruptionLevel = .active
        return content
    }

    /// The text of a missed call.
    public static func body(hasVideo: Bool) -> String {
        hasVideo ? "Missed video call" : "Missed call"
    }
}
