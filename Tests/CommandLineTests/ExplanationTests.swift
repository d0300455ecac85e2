import BelfryCommandLine
import BelfryJSON
import Glibc
import Support
import Testing

@testable import belfry

/// `belfry push --explain`: what a notification is taken for, and why, without pushing it.
@Suite struct ExplanationTests {
    private let folder = TemporaryFolder()

    private func explain(_ text: String, _ more: [String] = [], _ variables: [String: String] = [:]) -> CommandRun {
        let file = folder.write(Array(text.utf8), to: "a.json")
        // There is no such socket: whatever is pushed fails.
        return CommandRun(
            ["push", "--explain", file] + more, ["BELFRY_SOCKET": "/nonexistent/push.sock"].merging(variables) { $1 })
    }

    @Test("a call: by which fields, what comes of it, and what to do about each warning") func call() {
        let text = #"{"payload":{"uuid":"1","callerName":"An\u001bna"},"pushType":"voip","id":"\#(id)"}"#
        let run = explain(text)
        #expect(run.status == .done && run.complaints == "")
        #expect(
            run.lines == [
                "It is a call request, since a voip push is one unless its type says otherwise.",
                "    call     \(id), by id", #"    caller   An\u{1b}na, by callerName"#,
                "It rings by the built-in service: a voip push goes to the app.",
                "no-call-id: The push does not say which call it is about, in a field that Belfry knows.",
                "    no callId: the call is known by the push's id, which no hangup names; near is uuid: "
                    + "[Call] Payload=callkeep",
                "    Send callId, or name the field your server sends: [Call] Id=, or [Call] Payload= of a known server.",
            ])
        let known = explain(text, [], ["BELFRY_CALL_PAYLOAD": "callkeep"])
        #expect(known.lines[1] == "    call     1, by uuid" && known.lines.count == 4)
    }

    @Test("a voip push is for the app of its topic, else for the only one; one of nobody rings as built in")
    func apps() {
        func outcome(_ text: String, _ paths: [String]) -> String? {
            explain(text, [], ["BELFRY_APPS": paths.joined(separator: " ")]).lines
                .first { $0.hasPrefix("It is for") || $0.hasPrefix("It rings") || $0.hasPrefix("It ends") }
        }
        let paths = ["one", "two"].map { name in
            let entry = "<key>CFBundleIdentifier</key><string>com.\(name)</string>"
            let list = "<plist version=\"1.0\"><dict>\(entry)</dict></plist>"
            let path = folder.makeFolder("\(name).app")
            folder.write(Array(list.utf8), to: "\(name).app/Info.plist")
            #expect(unsafe chmod(folder.write(Array("#!".utf8), to: "\(name).app/\(name)"), 0o755) == 0)
            return path
        }
        func call(_ more: String) -> String { #"{"payload":{"callId":"c"},"pushType":"voip"\#(more)}"# }
        let forOne = "It is for com.one: it rings as that reports it, or as it is if that reports nothing in time."
        #expect(outcome(call(#","topic":"com.one.voip""#), paths) == forOne)
        #expect(outcome(call(""), [paths[0]]) == forOne)
        let builtIn = "It rings by the built-in service: a voip push goes to the app."
        #expect(outcome(call(""), paths) == builtIn && outcome(call(#","topic":"com.x.voip""#), paths) == builtIn)
        let hangup = #"{"payload":{"callId":"c","type":"hangup"},"pushType":"voip","topic":"com.two.voip"}"#
        #expect(outcome(hangup, paths) == "It ends its call, and com.two is handed it.")
    }

    private let id = "0a000000-0000-4000-8000-000000000000"

    @Test(
        "everything else: what it is, why, and what comes of it",
        arguments: [
            (
                #"{"aps":{"alert":"x","mutable-content":1}}"#,
                [
                    "It is no call, but an alert, since no type in info or beside aps says so.",
                    "It is delivered as it is",
                ]
            ),
            (
                #"{"aps":{"alert":"x"},"data":{"type":"call-request"}}"#,
                ["It is no call, but", "It is delivered as it is: it does not set mutable-content.", "field-ignored: "]
            ),
            (
                #"{"aps":{"alert":"x"},"info":{"type":1,"callId":"c"}}"#,
                [
                    "It is a call request, by info.type.", "    call     c, by info.callId", "    caller   none",
                    "It does not ring, since nothing intercepts it: it does not set mutable-content.",
                ]
            ),
            (
                #"{"aps":{"alert":"x"},"type":"hangup","callId":"c"}"#,
                [
                    "It is a hangup, by type.", "    call     c, by callId",
                    "It ends its call, but on iOS that would ring on",
                    "hangup-not-intercepted: ",
                ]
            ),
            (
                #"{"payload":{"type":"sync"},"pushType":"voip"}"#,
                [
                    "It is no call, but an alert, since type has no word of a call.",
                    "It is delivered as it is: a voip push",
                ]
            ),
            (#"{"aps":{"content-available":1}}"#, ["It is no call, and there is nothing to show", "It is delivered"]),
        ] as [(String, [String])])
    func others(text: String, beginnings: [String]) {
        let run = explain(text)
        #expect(run.status == .done)
        for (line, beginning) in zip(run.lines, beginnings) { #expect(line.hasPrefix(beginning), "\(run.lines)") }
        #expect(run.lines.count >= beginnings.count)
    }

    @Test(
        "what comes of a call that is too old, of a hangup of no call, and of a clock that is wrong",
        arguments: [
            (#""callId":"c","sentAt":1000"#, "It does not ring: it was sent too long ago. It is reported as missed."),
            (#""type":"hangup""#, "It ends every ring."), (#""type":"hangup","callId":"c""#, "It ends its call."),
            (#""callId":"c","sentAt":99999999999"#, "It rings by the built-in service: a voip push goes to the app."),
        ])
    func outcomes(fields: String, outcome: String) {
        let run = explain(#"{"payload":{\#(fields)},"pushType":"voip"}"#)
        #expect(run.lines.contains(outcome), "\(run.lines)")
        #expect(run.lines.contains { $0.hasPrefix("bad-clock: ") } == fields.contains("999"))
        #expect(run.lines.contains { $0.hasPrefix("no-call-id: ") } == !fields.contains("callId"))
    }

    @Test("an extension that cannot be run gets nothing, and what is wrong in the settings is said") func wrong() {
        let missing = ["BELFRY_EXTENSION": "/nonexistent/A.appex"]
        #expect(
            explain(#"{"aps":{"alert":"x","mutable-content":1}}"#, [], missing).lines.last
                == "It is delivered as it is: the extension cannot be run.")
        let call = explain(#"{"payload":{"callId":"c"},"pushType":"voip"}"#, [], missing)
        #expect(call.lines.last?.hasPrefix("It rings by the built-in service") == true)
        let setting = explain("{}", [], ["BELFRY_CALL_PAYLOAD": "nosuch"])
        #expect(setting.complaints.contains("nosuch"), "\(setting.complaints)")
    }

    @Test("with an extension of one's own, what is intercepted is for that") func foreign() {
        let badge = #"{"aps":{"badge":2,"mutable-content":1}}"#
        let plain = ["BELFRY_EXTENSION": bundle("A", filters: false)]
        #expect(
            explain(#"{"aps":{"alert":"x","mutable-content":1}}"#, [], plain).lines.last == "Your extension gets it.")
        #expect(explain(badge, [], plain).lines.last == "It is delivered as it is: its alert has no text.")
        let filtering = ["BELFRY_EXTENSION": bundle("B", filters: true)]
        #expect(explain(badge, [], filtering).lines.last == "Your extension gets it.")
    }

    private func bundle(_ name: String, filters: Bool) -> String {
        let path = folder.makeFolder("\(name).appex")
        let entitlement = "<key>com.apple.developer.usernotifications.filtering</key><\(filters)/>"
        let information =
            "<plist><dict><key>CFBundleIdentifier</key><string>org.example.\(name)</string>"
            + "<key>CFBundleExecutable</key><string>program</string>\(entitlement)</dict></plist>"
        _ = folder.write(Array(information.utf8), to: "\(name).appex/Info.plist")
        unsafe symlink("/bin/true", "\(path)/program")
        return path
    }

    @Test("what is rejected ends with 65, and says why") func rejected() {
        let run = explain(#"{"message":{"token":"t","data":{}}}"#)
        #expect(run.status == .badNotification && run.lines.count == 1)
        #expect(run.lines[0].hasPrefix("It is rejected, and nothing comes of it: NoAps: this is a request to FCM"))
        #expect(explain("{}", ["--json"]).output.hasPrefix(#"{"rejected":"NoAps","detail":"#))
    }

    @Test("as JSON it is one object") func json() throws {
        let run = explain(#"{"payload":{"callId":"c","hasVideo":1},"pushType":"voip"}"#, ["--json"])
        let object = try #require(try JSONValue.parse(Array(run.output.utf8)).objectValue)
        #expect(object["type"] == "call-request" && object["passthrough"] == "voip" && object["warnings"] == [])
        #expect(object["call"] == ["value": "c", "by": "callId"] && object["caller"] == ["value": ""])
        #expect(object["video"] == ["value": "yes", "by": "hasVideo"])
    }
}
