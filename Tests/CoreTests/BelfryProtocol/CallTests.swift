import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Testing

@Suite struct CallTests {
    private enum Kind { case request, hangup, none }

    private func kind(_ text: String) throws -> Kind {
        switch try push(text).call {
        case .request?: .request
        case .hangup?: .hangup
        case nil: .none
        }
    }

    @Test(arguments: ["1", "1.0", #""call-request""#, #""1""#])
    func theseTypesAreRequests(type: String) throws {
        #expect(try kind(#"{"aps":{},"info":{"type":\#(type)}}"#) == .request)
    }

    @Test(arguments: ["2", "2.0", #""hangup""#, #""2""#])
    func theseTypesAreHangups(type: String) throws {
        #expect(try kind(#"{"aps":{},"info":{"type":\#(type)}}"#) == .hangup)
    }

    @Test(arguments: [
        "0", "3", "-1", "1.5", "1e300", "-0", "9223372036854775808", "true", #""3""#, #""Call-Request""#, #""""#, "[]",
        "{}", "null",
    ])
    func everyOtherTypeIsAnOrdinaryAlert(type: String) throws {
        #expect(try kind(#"{"aps":{"alert":"x"},"info":{"type":\#(type)},"callId":[]}"#) == .none)
        #expect(try kind(#"{"aps":{"alert":"x"},"type":\#(type),"callId":[]}"#) == .none)
    }

    @Test func besideApsOnlyTheWordsCount() throws {
        #expect(try kind(#"{"aps":{},"type":"call-request"}"#) == .request)
        #expect(try kind(#"{"aps":{},"type":"hangup"}"#) == .hangup)
        #expect(try kind(#"{"aps":{},"type":1}"#) == .none)
        #expect(try kind(#"{"aps":{},"type":2}"#) == .none)
        #expect(try kind(#"{"aps":{},"type":"1"}"#) == .none)
    }

    @Test func infoDecidesBeforeWhatIsBesideAps() throws {
        #expect(try kind(#"{"aps":{},"type":"call-request","info":{"type":2}}"#) == .hangup)
        #expect(try kind(#"{"aps":{},"type":"call-request","info":{"type":3}}"#) == .none)
        #expect(try kind(#"{"aps":{},"type":"call-request","info":{"type":null}}"#) == .request)
        #expect(try kind(#"{"aps":{},"type":"call-request","info":"x"}"#) == .request)
    }

    @Test(arguments: [
        ("{}", true), (#"{"type":null}"#, true), (#"{"type":1}"#, true), (#"{"type":2}"#, true),
        (#"{"type":"call-request"}"#, true), (#"{"aps":{}}"#, true), (#"{"aps":"x"}"#, true),
        (#"{"type":"text"}"#, false), (#"{"info":{"type":3}}"#, false),
    ])
    func aVoipPushIsARequestUnlessItsTypeSaysOtherwise(payload: String, isRequest: Bool) throws {
        #expect((try kind(#"{"payload":\#(payload),"pushType":"voip"}"#) == .request) == isRequest)
    }

    @Test func aVoipHangupHangsUp() throws {
        #expect(try kind(#"{"payload":{"info":{"type":2}},"pushType":"voip"}"#) == .hangup)
        #expect(try kind(#"{"payload":{"type":"hangup"},"pushType":"voip"}"#) == .hangup)
    }

    @Test func everyFieldIsReadInEitherSpellingAndPlace() throws {
        let camel = #"""
            "callId":"c1","callerName":"Ada","handle":"+49","hasVideo":true,"callerAvatar":"https://example.com/a.png",
            "duration":12.5,"sentAt":1795190000
            """#
        let snake = #"""
            "call_id":"c1","caller_name":"Ada","phone":"+49","has_video":true,"caller_avatar":"https://example.com/a.png",
            "duration":12.5,"sent_at":1795190000
            """#
        for payload in [
            #"{"aps":{},"info":{"type":1,\#(camel)}}"#, #"{"aps":{},"info":{"type":1,\#(snake)}}"#,
            #"{"aps":{},"info":{"type":1},\#(camel)}"#, #"{"aps":{},"type":"call-request",\#(snake)}"#,
        ] {
            let push = try push(payload)
            guard case .request(let request)? = push.call else { throw NoCall() }
            #expect(request.callID == "c1")
            #expect(request.callerName == "Ada")
            #expect(request.handle == "+49")
            #expect(request.hasVideo)
            #expect(request.callerAvatar == .url("https://example.com/a.png"))
            #expect(request.duration == TimeSpan(microseconds: 12_500_000))
            #expect(request.sentAt == WallTime(microseconds: 1_795_190_000_000_000))
            #expect(push.notes.isEmpty)
        }
    }

    @Test func eachFieldIsTakenFromInfoFirst() throws {
        let push = try push(
            #"""
            {"aps":{},"callId":"outer","callerName":"Outer","handle":"outer",
             "info":{"type":1,"call_id":"inner","callerName":"Inner"}}
            """#)
        guard case .request(let request)? = push.call else { throw NoCall() }
        #expect(request.callID == "inner")
        #expect(request.callerName == "Inner")
        #expect(request.handle == "outer")
    }

    @Test func aRequestWithNothingElseIsTheAnonymousCall() throws {
        let (request, notes) = try request(info: #""x":1"#)
        #expect(request.callID.isEmpty)
        #expect(request.callerName == nil && request.handle == nil && !request.hasVideo)
        #expect(request.callerAvatar == .absent)
        #expect(request.duration == nil && request.sentAt == nil)
        #expect(notes.isEmpty)
    }

    @Test func theCallsOwnTimeCountsBeforeTheEnvelopes() throws {
        func sentAt(_ info: String) throws -> WallTime? {
            let push = try push(#"{"payload":{"aps":{},"info":{"type":1,\#(info)}},"sentAt":1000}"#)
            guard case .request(let request)? = push.call else { throw NoCall() }
            return request.sentAt
        }
        #expect(try sentAt(#""sentAt":2000"#) == WallTime(microseconds: 2_000_000_000))
        #expect(try sentAt(#""x":1"#) == WallTime(microseconds: 1_000_000_000))
        #expect(try sentAt(#""sentAt":"soon""#) == WallTime(microseconds: 1_000_000_000))
    }

    @Test(arguments: [
        (#""reason":"answered-elsewhere""#, HangupReason.answeredElsewhere, 0), (#""reason":"busy""#, .busy, 0),
        (#""reason":"declined-elsewhere""#, .declinedElsewhere, 0), (#""reason":"failed""#, .failed, 0),
        (#""reason":"cancelled""#, .cancelled, 0), (#""x":1"#, .cancelled, 0), (#""reason":null"#, .cancelled, 0),
        (#""reason":"bored""#, .cancelled, 1), (#""reason":5"#, .cancelled, 1),
    ])
    func aHangupSaysWhy(info: String, reason: HangupReason, noteCount: Int) throws {
        let (hangup, notes) = try hangup(info: info + #","callId":"c""#)
        #expect(hangup.reason == reason)
        #expect(hangup.callID == "c")
        #expect(notes.count == noteCount)
    }
}
