import BelfryProtocol
import BelfryTerms
import Testing

/// Fields and words that were probably meant for Belfry; whatever else is not known belongs to the app.
@Suite struct MisspelledFieldTests {
    @Test(arguments: [
        (#""callid":"c""#, "info.callid: not known, ignored; did you mean callId?"),
        (#""callID":"c""#, "info.callID: not known, ignored; did you mean callId?"),
        (#""hasvido":true"#, "info.hasvido: not known, ignored; did you mean hasVideo?"),
        (#""duratoin":3"#, "info.duratoin: not known, ignored; did you mean duration?"),
        (#""caller-avatar":"x""#, "info.caller-avatar: not known, ignored; did you mean callerAvatar?"),
    ])
    func aFieldOfACallIsNoted(field: String, note: String) throws {
        #expect(try request(info: field).notes == [note])
        #expect(try push(#"{"aps":{},"type":"call-request",\#(field)}"#).notes == [String(note.dropFirst(5))])
    }

    @Test(
        "a hangup whose id is misspelled is refused, however it was meant to be written",
        arguments: ["callid", "CallId", "call-id", "calId", "call_ID", "call_Id", "Call_id"])
    func hangup(field: String) {
        #expect(throws: Rejection.self) { try push(#"{"aps":{},"info":{"type":"hangup","\#(field)":"1"}}"#) }
    }

    @Test(
        "other fields are the app's own",
        arguments: [
            #""x":1"#, #""time":1"#, #""bundle":"b""#, #""name":"n""#, #""id":"c""#, #""senderId":"s""#, #""tags":[]"#,
            #""callId":"c","callid":"app's own""#, #""gcm.message_id":"1""#, #""\u202e":1"#,
        ])
    func others(field: String) throws {
        #expect(try request(info: field).notes.isEmpty)
    }

    @Test(arguments: [
        (#""type":"call-requst""#, "call-request"), (#""type":"Hangup""#, "hangup"), (#""type":"hang-up""#, "hangup"),
        (#""type":"callRequest""#, "call-request"),
    ])
    func aTypeIsNoted(field: String, meant: String) throws {
        for (text, name) in [
            (#"{"aps":{"alert":"x"},"info":{\#(field),"callid":"c"}}"#, "info.type"),
            (#"{"aps":{"alert":"x"},\#(field),"callid":"c"}"#, "type"),
        ] {
            let push = try push(text)
            #expect(push.call == nil && push.notes.count == 1)
            #expect(push.notes.first?.hasPrefix("\(name): found the string ") == true)
            #expect(push.notes.first?.hasSuffix(", expected perhaps \"\(meant)\": ignored") == true)
        }
    }

    @Test(
        "in an ordinary notification a field is noted if it would have made it a call",
        arguments: [
            (#""info":{"typ":"hangup"}"#, 1), (#""info":{"Type":1}"#, 1), (#""info":{"Type":2}"#, 1),
            (#""info":{"Type":3}"#, 0), (#""Type":"call-request""#, 1),
            (#""Type":"promotion""#, 0), (#""Type":1"#, 0), (#""type":"alarm""#, 0), (#""info":{"callid":"c"}"#, 0),
            (#""type":"call-reqWXYZ""#, 0), (#""type":"call-requXYZ""#, 1),
            (#""callid":"c","duratoin":1"#, 0),
        ])
    func ordinary(fields: String, count: Int) throws {
        let push = try push(#"{"aps":{"alert":"x"},\#(fields)}"#)
        #expect(push.call == nil && push.notes.count == count)
    }

    @Test func aFieldOfAnEnvelopeIsNotedWithTheNearestOne() throws {
        let push = try push(#"{"payload":{"aps":{}},"colapseid":"c","\u001bx":1}"#)
        #expect(
            push.notes == [
                "colapseid: not known, ignored; did you mean collapseId?", "\\u{1b}x: not known, ignored",
            ])
    }

    @Test(
        "a call that lies one step away is noted with its place",
        arguments: [
            (#""data":{"type":"call-request","callId":"c"}"#, "data.type"), (#""data":{"type":"1"}"#, "data.type"),
            (#""custom":{"i":"u","a":{"type":"hangup","callId":"c"}}"#, "custom.a.type"),
            (#""custom":{"a":{"info":{"type":1}}}"#, "custom.a.info.type"), (#""payload":{"type":2}"#, "payload.type"),
        ])
    func elsewhere(field: String, place: String) throws {
        let push = try push(#"{"aps":{"alert":"x","mutable-content":1},\#(field)}"#)
        #expect(push.call == nil && push.notes.count == 1)
        #expect(push.notes.first?.hasPrefix("\(place): found ") == true)
        #expect(push.notes.first?.hasSuffix(", expected a call inside info: ignored") == true)
        #expect(try Plain.notes(#""data":{"type":"promotion"},"custom":{"a":{"x":1}}"#).isEmpty)
    }

    @Test(
        "a flag as FCM's requests spell it, or beside aps, is noted where it is not set",
        arguments: [
            (#"{"aps":{"alert":"x","mutable_content":1}}"#, "aps.mutable_content", "mutable-content"),
            (#"{"aps":{"alert":"x"},"mutable-content":1}"#, "mutable-content", "aps.mutable-content"),
            (#"{"aps":{"alert":"x"},"mutableContent":true}"#, "mutableContent", "aps.mutable-content"),
            (#"{"aps":{"content_available":1}}"#, "aps.content_available", "content-available"),
        ])
    func flags(text: String, found: String, meant: String) throws {
        #expect(try push(text).notes == ["\(found): not known, ignored; did you mean \(meant)?"])
        #expect(try Plain.notes(#""mutable_content":1"#, aps: #","mutable-content":1"#).isEmpty)
    }

    @Test("a live activity that does not say what it is is noted") func liveActivity() throws {
        let push = try push(#"{"aps":{"timestamp":1,"event":"update","content-state":{"a":1}}}"#)
        #expect(push.notes == ["aps.content-state: is of a live activity, which reaches no notification: ignored"])
    }

    private enum Plain {
        static func notes(_ fields: String, aps: String = "") throws -> [String] {
            try push(#"{"aps":{"alert":"x"\#(aps)},\#(fields)}"#).notes
        }
    }
}
