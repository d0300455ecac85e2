/// A known way to describe a call in a push: `[Call] Payload=`, and `callPayload` of an envelope.
public enum CallPayload: String, Hashable, Sendable, CaseIterable {
    /// Belfry's own fields and nothing else.
    case belfry
    /// Twilio Programmable Voice.
    case twilio
    /// The Flutter plugin flutter_callkit_incoming.
    case flutterCallkitIncoming = "flutter-callkit-incoming"
    /// react-native-callkeep, and callkeep for Flutter.
    case callkeep
    /// Stream Video.
    case stream
    /// Sendbird Calls.
    case sendbird

    /// The words of all, as people read a list.
    public static var words: String {
        let words = allCases.map(\.rawValue)
        return words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
    }

    /// The names of such a push. A caller who has a number alone is known by that.
    public var names: CallNames {
        switch self {
        case .belfry:
            CallNames()
        case .twilio:
            // Source: twilio.com/docs/voice/sdks/call-notification-webhook, the parameters of a call; the change log of
            // Voice Android 2.0.0-beta25, the two values of twi_message_type.
            CallNames(
                id: ["twi_call_sid"], handle: ["twi_from"], type: ["twi_message_type"],
                callRequest: [CallWord(key: nil, value: "twilio.voice.call")],
                hangup: [CallWord(key: nil, value: "twilio.voice.cancel")])
        case .flutterCallkitIncoming:
            // Source: PUSHKIT.md of hiennguyen92/flutter_callkit_incoming, the request by curl and AppDelegate.swift;
            // its README, avatar, and type as 1 for video.
            CallNames(
                id: ["id"], callerName: ["nameCaller"], handle: ["handle"],
                video: [CallWord(key: "isVideo", value: nil), CallWord(key: "type", value: "1")], avatar: ["avatar"])
        case .callkeep:
            // Source: README of react-native-webrtc/react-native-voip-push-notification, AppDelegate.m for
            // react-native-callkeep; README of flutter-webrtc/callkeep, the push payload.
            CallNames(
                id: ["uuid"], callerName: ["callerName", "caller_name"], handle: ["handle", "caller_id"],
                video: [CallWord(key: "hasVideo", value: nil), CallWord(key: "has_video", value: nil)])
        case .stream:
            // Source: CallKitPushNotificationAdapter.swift of GetStream/stream-video-swift, the keys; "Push
            // Notifications" at getstream.io/video/docs/ios, what is sent when; a call that was not answered is
            // call.missed.
            CallNames(
                id: ["stream.call_cid"], callerName: ["stream.call_display_name", "stream.created_by_display_name"],
                handle: ["stream.created_by_id"], video: [CallWord(key: "stream.video", value: nil)],
                type: ["stream.type"], callRequest: [CallWord(key: nil, value: "call.ring")],
                hangup: [CallWord(key: nil, value: "call.missed")])
        case .sendbird:
            // Source: pushes of Sendbird Calls as apps on GitHub print and read them, `sendbird_call` with its command:
            // type is dial, and ended_call is there once it is over.
            CallNames(
                id: ["sendbird_call.command.payload.call_id"],
                callerName: ["sendbird_call.command.payload.caller.nickname"],
                handle: ["sendbird_call.command.payload.caller.user_id"],
                video: [CallWord(key: "sendbird_call.command.payload.is_video_call", value: nil)],
                avatar: ["sendbird_call.command.payload.caller.profile_url"], type: ["sendbird_call.command.type"],
                callRequest: [CallWord(key: nil, value: "dial")],
                hangup: [CallWord(key: "sendbird_call.command.payload.ended_call", value: CallWord.any)])
        }
    }
}
