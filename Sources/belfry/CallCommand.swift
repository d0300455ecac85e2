import BootTime
import CallLedger
import CallTerms
import Configuration
import JSON
import PushPayload

extension Command {
    /// `belfry call`.
    static let call = Command(
        name: "call", synopsis: ["call [--name NAME] [--handle NUMBER] [--video] [--id ID] [OPTION]..."],
        summary: "push a call request, print the call's id, and follow it",
        details: """
            The id is the first line, alone, so that a script can hang up: id=$(belfry call --no-follow).
            With --json it is the "call" of the first event.
            """,
        options: [
            Option("name", "NAME", "who calls"), Option("handle", "NUMBER", "their number or SIP address"),
            Option("video", "it is a video call"), Option("avatar", "URL", "their picture, http or https"),
            Option("id", "ID", "the call's id, 1 to 128 bytes (a random UUID)"),
            Option("duration", "TIME", "ring so long, from 1s, such as 10s; never longer than [Ring] Duration="),
            noFollow,
        ]
    ) { context throws(CommandError) in
        let request = try request(context)
        let notification = enclosed(request.payload(), context)
        return try PushRun.push(notification, context) {
            if !context.wantsJSON { context.output.line(request.callID) }
        }
    }

    /// `belfry hangup`.
    static let hangup = Command(
        name: "hangup", synopsis: ["hangup [ID] [--reason REASON]"],
        summary: "push a hangup, as the caller's side does, and follow it",
        details: """
            Without ID the call that rings loud is hung up. An ID that does not ring is no mistake: for ten minutes a call
            request with it will not ring.
            """,
        options: [
            Option("reason", "REASON", HangupReason.allCases.map(\.rawValue).joined(separator: ", ")),
            noFollow,
        ],
        arguments: 0...1
    ) { context throws(CommandError) in
        var reason = HangupReason.cancelled
        if let word = context.options["reason"] {
            guard let known = HangupReason(rawValue: word) else {
                let reasons = HangupReason.allCases.map(\.rawValue)
                throw CommandError(.usage, "there is no reason \(word)", "one of " + reasons.joined(separator: ", "))
            }
            reason = known
        }
        var id = context.options.arguments.first ?? ""
        if context.options.arguments.isEmpty { id = try loudestCall(context).text }
        try checkID(id, mayBeEmpty: true)
        return try PushRun.push(enclosed(Hangup(callID: id, reason: reason).payload(), context), context)
    }

    private static func request(_ context: Context) throws(CommandError) -> CallRequest {
        let options = context.options
        let id = options["id"] ?? Push.makeRandomID()
        try checkID(id, mayBeEmpty: false)
        var request = CallRequest(callID: id, callerName: options["name"], handle: options["handle"])
        request.hasVideo = options.has("video")
        if let avatar = options["avatar"] { request.callerAvatar = .url(avatar) }
        if let text = options["duration"] {
            guard let duration = ValueText.duration(text, from: .seconds(1)) else {
                throw CommandError(.usage, "\(text) is no duration of a ring", "1s or more, such as 10s or 1500ms")
            }
            request.duration = duration
        }
        return request
    }

    private static func checkID(_ id: String, mayBeEmpty: Bool) throws(CommandError) {
        let isBounded = id.utf8.count <= CallRequest.callIDBytesMax && (mayBeEmpty || !id.isEmpty)
        let isPlain = id.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isBounded, isPlain else {
            let expected = "1 to \(CallRequest.callIDBytesMax) bytes without control characters"
            throw CommandError(.usage, "that is no call id", expected)
        }
    }

    private static func enclosed(_ payload: JSONObject, _ context: Context) -> [UInt8] {
        JSONValue.object(Envelope(appGroup: context.statedGroup).enclosing(payload)).serialized()
    }
}
