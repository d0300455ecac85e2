import BelfryCommandLine
import BelfryJSON
import BelfryProtocol
import BelfryTerms
import CallChannel
import CallLedger

/// A call of an app that goes on, as a row of a table or as an object.
enum OngoingRow {
    static let headings = ["STATE", "FOR", "CALL", "CALLER", "HANDLE", "LABEL", "KIND", "GROUP", "APP"]

    /// How long `belfry-calls` has to say which calls go on; it knows.
    private static let patience = TimeSpan.seconds(5)

    /// The calls of apps that go on, as `belfry-calls` tells; none where it does not run, which is not changed.
    static func calls(_ context: Context) -> [OngoingCall] {
        do throws(CommandError) {
            guard try CentreQuestion.mayRun(context) else { return [] }
            let answer = try CentreQuestion.ask(.listCalls, context, within: patience, absent: .notFound)
            guard case .calls(let calls) = answer else { throw CentreQuestion.other }
            return calls
        } catch {
            // Where nobody listens there are no calls of apps.
            if error.status != .notFound { context.warn("calls of apps are not listed: \(error.problem)") }
            return []
        }
    }

    static func cells(of call: OngoingCall, now: Instant) -> [String] {
        [
            call.state.rawValue + (call.isMuted ? ", muted" : ""),
            call.since.map { DecimalText.fixed((now - $0).seconds, digits: 0) + " s" } ?? "–",
            CallText.name(of: call.call), call.name, call.handle, call.label?.title ?? "",
            call.hasVideo ? "video" : "audio",
            call.group.map { "\($0)" } ?? "", call.app,
        ]
    }

    /// The object of `call`, which has the keys of one that a process holds, too; `held` is what the ledger has of it.
    static func json(of call: OngoingCall, _ held: Call?, now: Instant) -> JSONObject {
        var object: JSONObject = [
            "call": .string(call.call), "mode": "active", "name": .string(call.name), "handle": .string(call.handle),
            "video": .bool(call.hasVideo), "duration": call.since.map { .real((now - $0).seconds) } ?? .null,
            "pids": .array((held?.holders ?? []).map { .integer($0.pid) }), "state": .string(call.state.rawValue),
            "app": .string(call.app), "appName": .string(call.appName), "uuid": .string(call.uuid),
            "outgoing": .bool(call.isOutgoing), "muted": .bool(call.isMuted),
            "group": call.group.map { .integer($0) } ?? .null, "holdable": .bool(call.canHold),
        ]
        if let picture = held?.picture { object["picture"] = .string(picture) }
        return object.with(call.label)
    }
}
