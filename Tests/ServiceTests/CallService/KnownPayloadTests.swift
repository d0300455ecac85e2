import BelfryPropertyList
import BelfryTerms
import Support
import Testing

/// What known servers push, as their documentation or their apps show it: a call rings, a second one beside it, and
/// where there is a cancel, it ends its own call.
@Suite struct KnownPayloadTests {
    private let phone = FakePhone()

    /// One server's pushes of a call.
    struct Server: CustomTestStringConvertible, Sendable {
        let payload: CallPayload
        /// The payload of a call request, `ID` and `NAME` standing for what differs.
        let call: String
        /// That of its end; Belfry's own hangup where the server has none.
        var cancel = #"{"type":"hangup","callId":"ID"}"#
        /// The type of push of the end.
        var cancelType = "voip"
        /// What the missed call shows.
        var shown = "NAME"
        var testDescription: String { payload.rawValue }
    }

    static let servers = [
        Server(
            payload: .belfry, call: #"{"callId":"ID","callerName":"NAME"}"#,
            cancel: #"{"type":"hangup","callId":"ID"}"#),
        Server(
            payload: .twilio,
            call: #"""
                {"twi_account_sid":"AC1","twi_bridge_token":"e","twi_call_sid":"ID","twi_from":"client:NAME",
                 "twi_message_id":"ID","twi_message_type":"twilio.voice.call","twi_to":"client:bob"}
                """#,
            cancel: #"{"twi_call_sid":"ID","twi_from":"client:NAME","twi_message_type":"twilio.voice.cancel"}"#,
            shown: "client:NAME"),
        Server(
            payload: .flutterCallkitIncoming,
            call: #"{"aps":{"alert":"Call"},"id":"ID","nameCaller":"NAME","handle":"0123","isVideo":true,"type":1}"#),
        Server(payload: .callkeep, call: #"{"uuid":"ID","callerName":"NAME","handle":"0123","hasVideo":false}"#),
        Server(
            payload: .callkeep,
            call: #"""
                {"uuid":"ID","caller_id":"+8618612345678","caller_name":"NAME","caller_id_type":"number",
                 "has_video":"false","extra":{"foo":"bar"}}
                """#),
        Server(
            payload: .stream,
            call: #"""
                {"aps":{},"stream":{"sender":"stream.video","type":"call.ring","call_display_name":"",
                 "call_cid":"default:ID","created_by_display_name":"NAME","created_by_id":"u1","version":"v2"}}
                """#,
            cancel: #"""
                {"aps":{"alert":{"body":"Missed call"},"mutable-content":1},
                 "stream":{"sender":"stream.video","type":"call.missed","call_cid":"default:ID"}}
                """#, cancelType: "alert"),
        Server(
            payload: .sendbird,
            call: #"""
                {"aps":{"alert":"Incoming call"},"sendbird_call":{"is_voip":1,"user_id":"u2","command":{"cmd":"CALL",
                 "type":"dial","version":1,"payload":{"call_id":"ID","is_video_call":0,
                 "caller":{"nickname":"NAME","profile_url":"","user_id":"u1"}}}}}
                """#,
            cancel: #"""
                {"sendbird_call":{"command":{"cmd":"CALL","type":"end","payload":{"call_id":"ID","ended_call":{}}}}}
                """#),
    ]

    private func push(_ text: String, _ id: String, _ name: String, _ server: Server, type: String) throws
        -> FakePhone.Worker
    {
        let payload = text.replacing("ID", with: id).replacing("NAME", with: name)
        return try phone.deliver(
            #"{"payload":\#(payload),"pushType":"\#(type)","callPayload":"\#(server.payload.rawValue)"}"#)
    }

    @Test("a call, a second one, and the end of the first", arguments: servers)
    func calls(server: Server) throws {
        let first = try push(server.call, "c1", "Anna", server, type: "voip")
        let second = try push(server.call, "c2", "Bob", server, type: "voip")
        #expect(first.world.story == ["ringing loud", "delivered passthrough"])
        #expect(second.world.story == ["ringing soft", "delivered passthrough"])
        let cancel = try push(server.cancel, "c1", "Anna", server, type: server.cancelType)
        #expect(!cancel.world.story.contains { $0.hasPrefix("ringing") || $0.hasPrefix("warning") })
        phone.loop.advance(by: .seconds(1))
        #expect(first.isFinished && !second.isFinished, "\(first.world.story)")
        #expect(first.world.story.contains("ended hangup cancelled") && first.world.story.last == "missed")
        let missed = phone.file.root["missedCalls"]?.arrayValue?.map { $0.dictionaryValue ?? [:] } ?? []
        let shown = PropertyListValue.string(server.shown.replacing("NAME", with: "Anna"))
        #expect(missed.count == 1 && [missed[0]["name"], missed[0]["handle"]].contains(shown), "\(missed)")
    }

    @Test("R8: two voip pushes that name no call, and state an id each, are two rings; a hangup without one ends both")
    func anonymous() throws {
        let calls = try ["Anna", "Bob"].map { name in
            try phone.deliver(
                #"{"payload":{"uuid":"1","callerName":"\#(name)"},"pushType":"voip","apns-id":"\#(randomUUID())"}"#)
        }
        #expect(calls[0].world.story == ["warning no-call-id", "ringing loud", "delivered passthrough"])
        #expect(calls[1].world.story == ["warning no-call-id", "ringing soft", "delivered passthrough"])
        let hangup = try phone.deliver(#"{"payload":{"type":"hangup"},"pushType":"voip"}"#)
        phone.loop.advance(by: .seconds(1))
        #expect(hangup.isFinished && calls.allSatisfy(\.isFinished))
    }
}
