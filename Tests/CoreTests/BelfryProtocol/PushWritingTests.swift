import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Testing

@Suite struct PushWritingTests {
    @Test func aRequestReadsBackAsItself() throws {
        let sent = CallRequest(
            callID: "e\u{301}", callerName: "Ada", handle: "+49", hasVideo: true, callerAvatar: .url("https://h/a"),
            duration: TimeSpan(microseconds: 12_500_000), sentAt: WallTime(microseconds: 1_795_190_000_250_000))
        let push = try Push.parse(sent.payload().serialized())
        guard case .request(let read)? = push.call else { throw NoCall() }
        #expect(read.callID.utf8.elementsEqual(sent.callID.utf8))
        #expect(read.callerName == sent.callerName)
        #expect(read.handle == sent.handle)
        #expect(read.hasVideo == sent.hasVideo)
        #expect(read.callerAvatar == sent.callerAvatar)
        #expect(read.duration == sent.duration)
        #expect(read.sentAt == sent.sentAt)
        #expect(push.isMutableContent && push.alertHasText)
        #expect(push.request.content.title == "Ada")
        #expect(push.request.content.interruptionLevel == .timeSensitive)
        #expect(push.notes.isEmpty)
    }

    @Test func aRequestOfNothingReadsBackAsTheAnonymousCall() throws {
        let push = try Push.parse(CallRequest(callID: "").payload().serialized())
        #expect(push.call?.callID == "")
        // As Apple writes it; a device would take other numbers too.
        #expect(push.request.content.userInfo["aps"]?.objectValue?["mutable-content"] == 1)
        #expect(push.isMutableContent && push.alertHasText)
    }

    @Test(arguments: HangupReason.allCases)
    func aHangupReadsBackAsItself(reason: HangupReason) throws {
        let sent = Hangup(callID: "c", reason: reason, sentAt: WallTime(microseconds: 1_000_000))
        let push = try Push.parse(sent.payload().serialized())
        guard case .hangup(let read)? = push.call else { throw NoCall() }
        #expect(read.callID == "c")
        #expect(read.reason == reason)
        #expect(read.sentAt == sent.sentAt)
        #expect(push.isMutableContent && push.alertHasText)
    }

    @Test func anEnvelopeReadsBackAsItself() throws {
        let sent = Envelope(
            pushType: .voip, topic: "com.example.voip", sentAt: WallTime(microseconds: 1_500_000),
            expiration: WallTime(microseconds: 0), collapseID: "c", appGroup: "group.a", simulatorTargetBundle: "b",
            callPayload: .stream)
        let push = try Push.parse(sent.enclosing(["callId": "c"]).serialized())
        #expect(push.envelope == sent)
        #expect(push.call?.callID == "c")
    }
}
