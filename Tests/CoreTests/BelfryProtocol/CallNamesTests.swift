import BelfryProtocol
import BelfryTerms
import Testing

/// The names and words of foreign servers: where they are looked for, and what counts before what.
@Suite struct CallNamesTests {
    private func read(_ payload: String, _ names: CallNames, type: String = "voip") throws -> Push {
        try Push.parse(
            Array(#"{"payload":\#(payload),"pushType":"\#(type)"}"#.utf8), makeID: { generatedID },
            names: { _ in names })
    }

    private func request(_ payload: String, _ names: CallNames) throws -> CallRequest {
        guard case .request(let request)? = try read(payload, names).call else { throw NoCall() }
        return request
    }

    @Test(
        "a key counts as it is before its dots are steps, in info before beside aps, and before Belfry's own",
        arguments: [
            (#"{"a.b":"literal","a":{"b":"nested"}}"#, "literal"), (#"{"a":{"b":"nested"},"callId":"own"}"#, "nested"),
            (#"{"a.b":null,"a":{"b":"nested"}}"#, "nested"), (#"{"a":"x","callId":"own"}"#, "own"),
            (#"{"info":{"a":{"b":"inside"}},"a.b":"outside"}"#, "inside"), (#"{"second":7,"callId":"own"}"#, "7"),
            (#"{"second":1,"a":{"b":"first"}}"#, "first"),
        ])
    func places(payload: String, id: String) throws {
        #expect(try request(payload, CallNames(id: ["a.b", "second"])).callID == id)
    }

    @Test("each part of a call is read by its names, and by which is said") func parts() throws {
        let names = CallNames(
            id: ["n.id"], callerName: ["n.who"], handle: ["n.tel"],
            video: [CallWord(key: "n.flag", value: nil), CallWord(key: "n.media", value: "video")], avatar: ["n.face"])
        let push = try read(
            #"{"n":{"id":"1","who":"Anna","tel":49,"media":"video","face":"https://a/b"},"callerName":"Other"}"#, names)
        guard case .request(let call)? = push.call else { throw NoCall() }
        #expect(call.callID == "1" && call.callerName == "Anna" && call.handle == "49" && call.hasVideo)
        #expect(call.callerAvatar == .url("https://a/b") && push.notes.isEmpty && push.noCallID == nil)
        let sources = push.callSources
        #expect(sources.kind == .voip && sources.id == "n.id" && sources.callerName == "n.who")
        #expect(sources.handle == "n.tel" && sources.video == "n.media" && sources.avatar == "n.face")
        #expect(try request(#"{"n":{"id":"1","flag":"true"}}"#, names).hasVideo)
        #expect(try !request(#"{"n":{"id":"1","media":"audio"}}"#, names).hasVideo)
    }

    @Test("a foreign server's field that holds the empty text leaves the id to the next one") func emptyID() throws {
        let names = CallNames(id: ["uuid", "a"])
        #expect(try request(#"{"uuid":"","callId":"7"}"#, names).callID == "7")
        #expect(try request(#"{"uuid":"","a":"8","callId":"7"}"#, names).callID == "8")
        #expect(throws: Rejection.self) { try read(#"{"uuid":"","callId":""}"#, names) }
    }

    @Test(
        "words without a key are looked for in type, where no other key is named",
        arguments: [
            (#"{"type":"incoming_call","uuid":"1"}"#, NotificationType.callRequest),
            (#"{"type":"cancel_call","uuid":"1"}"#, .hangup), (#"{"info":{"type":"cancel_call"},"uuid":"1"}"#, .hangup),
            (#"{"type":"sync","uuid":"1"}"#, .alert), (#"{"uuid":"1"}"#, .callRequest),
        ])
    func bareWords(payload: String, type: NotificationType) throws {
        let names = CallNames(
            id: ["uuid"], callRequest: [CallWord(key: nil, value: "incoming_call")],
            hangup: [CallWord(key: nil, value: "cancel_call")])
        #expect(try read(payload, names).type == type)
    }

    @Test(
        "where a server's names have no words for its pushes, each voip push is a call, whatever its type says",
        arguments: [
            (CallPayload.callkeep, #"{"uuid":"a","type":"audio"}"#, NotificationType.callRequest, false),
            (.flutterCallkitIncoming, #"{"id":"a","type":"1"}"#, .callRequest, true),
            (.flutterCallkitIncoming, #"{"id":"a","type":"0"}"#, .callRequest, false),
            (.callkeep, #"{"uuid":"a","type":"hangup"}"#, .hangup, false),
            (.twilio, #"{"twi_call_sid":"a","type":"audio"}"#, .alert, false),
            (.belfry, #"{"callId":"a","type":"audio"}"#, .alert, false),
        ])
    func eachPush(payload: CallPayload, text: String, type: NotificationType, hasVideo: Bool) throws {
        let push = try read(text, payload.names)
        #expect(push.type == type)
        let call: CallRequest? = if case .request(let call)? = push.call { call } else { nil }
        #expect((call != nil) == (type == .callRequest) && call?.hasVideo ?? hasVideo == hasVideo)
        #expect(push.call?.callID ?? "a" == "a")
    }

    @Test("an id that cannot be used is refused by its name") func unusable() {
        #expect(throws: Rejection.self) { try read(#"{"uuid":[],"callId":"c"}"#, CallNames(id: ["uuid"])) }
    }

    private static let words = CallNames(
        id: ["id"], type: ["kind", "what"], callRequest: [CallWord(key: nil, value: "ring")],
        hangup: [
            CallWord(key: nil, value: "stop"), CallWord(key: "over", value: "1"), CallWord(key: "end", value: "*"),
        ])

    @Test(
        "words make a call request or a hangup of a push of any type; a voip push with another word is none",
        arguments: [
            (#"{"kind":"ring"}"#, "voip", NotificationType.callRequest), (#"{"what":"ring"}"#, "alert", .callRequest),
            (#"{"kind":"stop"}"#, "voip", .hangup), (#"{"kind":"stop"}"#, "alert", .hangup),
            (#"{"over":1}"#, "voip", .hangup), (#"{"over":"1"}"#, "voip", .hangup),
            (#"{"over":2}"#, "voip", .callRequest),
            (#"{"end":{}}"#, "voip", .hangup), (#"{"end":null}"#, "voip", .callRequest),
            (#"{"kind":"ring","end":true}"#, "voip", .hangup), (#"{}"#, "voip", .callRequest),
            (#"{}"#, "alert", .alert),
            (#"{"kind":"tick"}"#, "voip", .alert), (#"{"kind":"tick","type":"hangup"}"#, "voip", .hangup),
            (#"{"info":{"type":2}}"#, "voip", .hangup), (#"{"type":"call-request"}"#, "alert", .callRequest),
        ])
    func kinds(fields: String, type: String, expected: NotificationType) throws {
        let payload = #"{"aps":{"alert":"x"},"id":"c""# + (fields == "{}" ? "}" : "," + fields.dropFirst())
        let push = try read(payload, Self.words, type: type)
        #expect(push.type == expected && push.call?.callID ?? "c" == "c")
        #expect(push.notes.isEmpty || fields.contains("tick"), "\(push.notes)")
    }

    @Test("the fields that decided are named, and the first of several") func deciders() throws {
        let unknown = try read(#"{"kind":"tick","what":"tock","id":"c"}"#, Self.words)
        #expect(unknown.call == nil && unknown.callSources.kind == .field("kind"))
        #expect(unknown.notes.count == 1 && unknown.notes[0].hasPrefix("kind: "))
        for word in ["stop", "ring"] {
            #expect(try read(#"{"what":"\#(word)","id":"c"}"#, Self.words).callSources.kind == .field("what"))
        }
        let pictures = try read(#"{"a":"","b":"x","c":"https://a/b"}"#, CallNames(avatar: ["a", "b", "c"]))
        #expect(pictures.callSources.avatar == "c")
        #expect(try read(#"{"b":"x","c":"y"}"#, CallNames(avatar: ["b", "c"])).callSources.avatar == "b")
        let stated = try push(#"{"payload":{},"pushType":"voip","id":"0a000000-0000-4000-8000-000000000000"}"#)
        #expect(stated.callSources.id == "id")
        #expect(try push(#"{"payload":{},"pushType":"voip"}"#).callSources.id == nil)
    }

    @Test("a hangup that names its call may have fields of any other name") func namedHangup() throws {
        #expect(try read(#"{"type":"hangup","callId":"1","callid":"x"}"#, CallNames()).call?.callID == "1")
    }

    @Test("a voip push whose type is no known word is no call, and a note says what would make it one")
    func unknownWord() throws {
        let push = try push(#"{"payload":{"type":"incoming_call"},"pushType":"voip"}"#)
        #expect(push.call == nil && push.callSources.kind == .field("type"))
        #expect(push.notes.first?.contains("[Call] CallRequest= or Hangup=") == true)
        let named = CallNames(type: ["type"], callRequest: [CallWord(key: nil, value: "incoming_call")])
        #expect(try read(#"{"type":"incoming_call","callId":"c"}"#, named).notes.isEmpty)
    }

    @Test("a word is a value, or a field and its value") func wordTexts() {
        #expect(CallWord("ring") == CallWord(key: nil, value: "ring"))
        let cancel = CallWord("twi_message_type=twilio.voice.cancel")
        #expect(cancel == CallWord(key: "twi_message_type", value: "twilio.voice.cancel"))
        #expect(CallWord("a=b=c") == CallWord(key: "a", value: "b=c"))
        #expect(CallWord(video: "isVideo") == CallWord(key: "isVideo", value: nil))
        for text in ["", "=", "a=", "=a"] { #expect(CallWord(text) == nil && CallWord(video: text) == nil, "\(text)") }
        for text in ["ring", "a=b"] { #expect(CallWord(text)?.text == text) }
        #expect(CallWord(video: "isVideo")?.text == "isVideo")
    }

    @Test("a list has 16 entries at most, of 128 bytes without control characters") func limits() {
        let longest = String(repeating: "a", count: 128)
        #expect(CallNames.entries("a, b\t" + longest) == ["a", "b", longest])
        #expect(CallNames.entries(longest + "a") == nil && CallNames.entries("a\u{1B}") == nil)
        let most = Array(repeating: "a", count: 16)
        #expect(CallNames.entries(most.joined(separator: " ")) == most)
        #expect(CallNames.entries((most + ["a"]).joined(separator: ",")) == nil)
    }

    @Test(
        "FCM's texts count as truth values and numbers",
        arguments: [
            (#""hasVideo":"true""#, true), (#""hasVideo":"True""#, true), (#""hasVideo":"1""#, true),
            (#""hasVideo":"false""#, false), (#""hasVideo":"0""#, false),
        ])
    func texts(field: String, hasVideo: Bool) throws {
        let push = try push(
            #"{"aps":{"alert":"x"},"type":"call-request","callId":"c","duration":"20","sentAt":"1795190000",\#(field)}"#
        )
        guard case .request(let call)? = push.call else { throw NoCall() }
        #expect(call.hasVideo == hasVideo && call.duration == .seconds(20) && push.notes.isEmpty)
        #expect(call.sentAt == WallTime(microseconds: 1_795_190_000_000_000))
    }

    @Test("a text that is no number stays none", arguments: ["0x20", "nan", "inf", "1e400", "20 s", "", "--1"])
    func noNumbers(text: String) throws {
        let push = try push(#"{"aps":{"alert":"x"},"type":"call-request","duration":"\#(text)"}"#)
        guard case .request(let call)? = push.call else { throw NoCall() }
        #expect(call.duration == nil && push.notes.count == 1)
    }
}

/// A call that no field names: two voip pushes are two calls, and what lies near is said.
@Suite struct NoCallIDTests {
    private func voip(_ payload: String, id: String? = "id") throws -> Push {
        let envelope = id.map { #","\#($0)":"0A000000-0000-4000-8000-000000000000""# } ?? ""
        return try push(#"{"payload":\#(payload),"pushType":"voip"\#(envelope)}"#)
    }

    @Test("R8: a voip push without a call id is known by the id that it states, and a warning says so")
    func stated() throws {
        for name in ["id", "apns-id"] {
            let push = try voip(#"{"uuid":"1","callerName":"Anna"}"#, id: name)
            #expect(push.call?.callID == "0a000000-0000-4000-8000-000000000000")
            #expect(
                push.noCallID == "no callId: the call is known by the push's id, which no hangup names; near is uuid: "
                    + "[Call] Payload=callkeep")
        }
    }

    @Test("R8: where it states none, and of an alert, it is the one call without an id") func anonymous() throws {
        let voip = try voip(#"{"callerName":"Anna"}"#, id: nil)
        #expect(voip.call?.callID == "")
        #expect(voip.noCallID == "no callId: it is the one call without an id, which no hangup names")
        let alert = try push(
            #"{"payload":{"aps":{"alert":"x"},"type":"call-request"},"id":"0a000000-0000-4000-8000-000000000000"}"#)
        #expect(alert.call?.callID == "" && alert.noCallID == nil)
    }

    @Test("R8: a hangup without an id ends every ring, also one by voip, and says what lies near") func hangup() throws
    {
        let push = try voip(#"{"type":"hangup","call_uuid":"1"}"#)
        #expect(push.call?.callID == "")
        #expect(push.noCallID == "no callId: the hangup ends every ring; near is call_uuid: [Call] Id=call_uuid")
        #expect(try voip(#"{"type":"hangup"}"#).noCallID == "no callId: the hangup ends every ring")
    }

    @Test(
        "what may be an id is named by its place, and a known server by its name",
        arguments: [
            (#"{"twi_call_sid":"CA1","twi_message_type":"twilio.voice.call"}"#, "twi_call_sid: [Call] Payload=twilio"),
            (#"{"id":"1","nameCaller":"Anna"}"#, "id: [Call] Payload=flutter-callkit-incoming"),
            (#"{"stream":{"call_cid":"a:b","type":"call.ring"}}"#, "stream.call_cid: [Call] Payload=stream"),
            (#"{"data":{"callId":7}}"#, "data.callId: [Call] Id=data.callId"),
            (#"{"user":{"id":"1"},"id":"2","x_call_id":"3"}"#, "x_call_id, id: [Call] Id=x_call_id"),
        ])
    func near(payload: String, advice: String) throws {
        #expect(try voip(payload).noCallID?.hasSuffix("; near is " + advice) == true)
    }

    @Test("the fields' names are cut and escaped, and a large payload is not looked through to its end")
    func hostile() throws {
        let long = String(repeating: "\u{202E}x", count: 400) + "callid"
        #expect(try voip(#"{"\#(long)":"1"}"#).noCallID?.utf8.count ?? 0 < 1_000)
        let many = (0..<100).map { #""k\#($0)":{"a":{"b":{"c":{"d":1}}}}"# }.joined(separator: ",")
        #expect(try voip(#"{\#(many),"uuid":"1"}"#).noCallID?.hasSuffix("names") == true)
    }
}
